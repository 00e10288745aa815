"""The pages of documentation, each with its sidebar."""

import json
import re
from concurrent.futures import Future
from pathlib import Path

import pytest
from support.docs import DocsTree
from support.pages import Document
from support.pictures import make_png
from support.publishing import BASE, find_page, open_docs, open_site

from asdlc_kb.markup.render_process import render_as_code
from asdlc_kb.site.rendering.html_cache import HtmlCache, RenderedText


@pytest.fixture
def tree(tmp_path: Path) -> DocsTree:
    """Return a tree without visible pages."""
    return DocsTree(tmp_path / "docs")


def open_page(tree: DocsTree, path: str) -> Document:
    """Return the parsed page at an address."""
    return Document(find_page(open_site(None, tree), path).body)


def test_the_sidebar_is_on_every_page(tree: DocsTree) -> None:
    """Groups in its order, this page marked, external links unchanged."""
    tree.write("a.md", "# A\n\n## Part\n")
    tree.write("b.md", "# B\n")
    tree.write(
        "sidebar.md",
        "- Group\n  - [Second](b.md)\n  - [Part](a.md#part)\n  - [First](a.md)\n"
        "- [Gone](known-draft.md)\n- [Out](https://example.com/a.md)\n"
        "- [Bad](javascript:alert(1))\n",
    )
    page = open_page(tree, "/docs/a")
    rows = [attributes for tag, attributes in page.elements if tag == "a"]
    sidebar = [row for row in rows if row["href"].startswith(("/docs/", "https://exa"))]
    hrefs = [row["href"] for row in sidebar]
    wanted = ["/docs/b", "/docs/a#part", "/docs/a", "https://example.com/a.md"]
    assert hrefs[: len(wanted)] == wanted
    assert [row["href"] for row in sidebar if "aria-current" in row] == ["/docs/a"]
    for word in ("Gone", "Bad", "alert"):
        assert word not in page.words


def test_without_a_sidebar_directories_are_groups(tree: DocsTree) -> None:
    """Each page once, below the name of its directory."""
    tree.write("index.md", "# Home\n\nText.\n")
    tree.write("guide/one.md", "# One\n")
    page = open_page(tree, "/docs/")
    assert page.all("a", "href").count("/docs/guide/one") == 2
    assert "Guide" in page.words


def write_folders(tree: DocsTree) -> None:
    """Write pages in folders of two levels."""
    tree.write("index.md", "# Home\n")
    tree.write("a/y.md", "# In a\n")
    tree.write("a/b/c/one.md", "# Deep one\n")
    tree.write("a/b/two.md", "# Deep two\n")
    tree.write("a/d/index.md", "# All of d\n")
    tree.write("a/d/x.md", "# In d\n")


FOLDERS = (
    *(("Home", 0), ("A", 0), ("In a", 1), ("B", 1), ("Deep two", 2), ("C", 2)),
    *(("Deep one", 3), ("All of d", 1), ("In d", 2)),
)


@pytest.mark.parametrize("has_name", [False, True])
def test_without_a_sidebar_directories_nest(tree: DocsTree, has_name: bool) -> None:
    """To any depth, in the sidebar and above the page; a folder's own page names it."""
    write_folders(tree)
    source = f"kb={tree.root}" if has_name else str(tree.root)
    view = open_docs(source).snapshot.docs
    assert view is not None
    rows = [(entry.title, entry.depth) for entry in view.open_sidebar().entries]
    above = [("Kb", 0)] if has_name else []
    nested = [(title, depth + len(above)) for title, depth in FOLDERS]
    assert rows == [*above, *nested]
    # The order of the links to the previous and next page is the same.
    titles = [page.title for page in view.catalog.pages]
    assert titles == [
        entry.title for entry in view.open_sidebar().entries if entry.address
    ]
    path = view.catalog.find("a/b/c/one").path
    above_page = view.open_sidebar().list_ancestors(view.addresses[path])
    assert [entry.title for entry in above_page][len(above) :] == ["A", "B", "C"]


BAR = """\
## left
- {{logo}} | [Home](index.md)
- {{logo}}

## middle
- Version 2
- [Part](a.md#part)
- [Gone](known-draft.md)
- [Bad](ftp://a.example/)

## right
- {{search}}
- [Out](https://example.com/a.md)
"""


def test_the_bar_is_above_every_page(tree: DocsTree) -> None:
    """Three parts in their order, this page marked, hidden pages left out."""
    tree.write("index.md", "# Welcome\n")
    tree.write("a.md", "# A\n\n## Part\n")
    tree.write("topbar.md", BAR)
    for path, current in (("/docs/", ["Home"]), ("/docs/a", [])):
        html = find_page(open_site(None, tree), path).body.decode()
        bar = html.partition('<nav class="topbar"')[2].partition("</nav>")[0]
        shown = re.findall(r"<(ul) class=\"(\w+)\"|<(?:a|span)([^>]*)>([^<]+)", bar)
        labels = [name or words for _, name, _, words in shown]
        assert labels == ["left", "Home", "middle", "Version 2", "Part", "right", "Out"]
        assert [r[3] for r in shown if "aria-current" in r[2]] == current
        hrefs = Document(f"<div {bar}</div>").all("a", "href")
        assert hrefs == ["/docs/", "/docs/a#part", "https://example.com/a.md"]


def test_without_entries_there_is_no_bar(tree: DocsTree) -> None:
    """With no file, or one with links to hidden pages only."""
    tree.write("a.md", "# A\n")
    for text in ("", "- [Gone](known-draft.md)\n- {{logo}}\n- {{search}}\n"):
        tree.write("topbar.md", text)
        assert b"topbar" not in find_page(open_site(None, tree), "/docs/a").body


def test_pages_follow_each_other_as_they_are_listed(tree: DocsTree) -> None:
    """The sidebar's order, from the first to the last."""
    for name in "abc":
        tree.write(f"{name}.md", f"# {name}\n")
    tree.write("sidebar.md", "- [c](c.md)\n- [a](a.md)\n- [b](b.md)\n")
    turns = {}
    for name in "abc":
        elements = open_page(tree, f"/docs/{name}").elements
        rows = [
            attributes
            for tag, attributes in elements
            if tag == "a" and "rel" in attributes
        ]
        kept = [row for row in rows if row["rel"] in ("prev", "next")]
        turns[name] = {row["rel"]: row["href"][-1] for row in kept}
    assert turns == {
        "c": {"next": "a"},
        "a": {"prev": "c", "next": "b"},
        "b": {"prev": "a"},
    }


TITLED = {
    "# Own\n\nText.\n": 1,
    "---\ntitle: Own\n---\nText.\n": 1,
    "Own\n===\n\nText.\n": 1,
    "---\ntitle: Own\n---\n## Own\n\nText.\n": 0,
    "Text.\n": 1,
}


@pytest.mark.parametrize(("text", "headings"), TITLED.items())
def test_a_page_is_titled_once(tree: DocsTree, text: str, headings: int) -> None:
    """By its own heading, or by its frontmatter or file name."""
    tree.write("own.md", text)
    page = open_page(tree, "/docs/own")
    assert [tag for tag, _ in page.elements].count("h1") == headings
    assert "Own" in page.words


@pytest.mark.parametrize("title", ["Own", "Own " * 70])
def test_the_heading_is_above_the_actions(tree: DocsTree, title: str) -> None:
    """Also one that is too long for an anchor."""
    tree.write("own.md", f"# {title}\n\nText.\n")
    tags = [tag for tag, _ in open_page(tree, "/docs/own").elements]
    assert tags.index("h1") < tags.index("button", tags.index("main"))


def test_without_an_index_there_is_a_list(tree: DocsTree) -> None:
    """`/docs/` always exists: headers lead to it."""
    tree.write("guide/one.md", "# One\n")
    page = open_page(tree, "/docs/")
    assert "Documentation" in page.words
    assert "/docs/guide/one" in page.all("a", "href")


@pytest.mark.parametrize("bar", ["", "- [\\<script>x\\</script>](a.md)\n"])
def test_titles_next_to_a_page_are_words(tree: DocsTree, bar: str) -> None:
    """With a sidebar and without."""
    tree.write("a.md", "---\ntitle: '<script>x</script>'\n---\n# A\n")
    tree.write("b.md", "# B\n")
    if bar:
        tree.write("sidebar.md", bar)
    page = open_page(tree, "/docs/b")
    assert page.words.count("<script>x</script>") == 2
    *scripts, described = filter(None, page.scripts)
    assert not scripts
    assert json.loads(described)["@context"] == "https://schema.org"


def test_of_mdx_the_text_is_shown(tree: DocsTree) -> None:
    """Components are code, which neither people nor agents are shown."""
    text = "import X from './x'\n\n# A\n\n<X>\n\n- one\n\n</X>\n"
    for name in ("a.mdx", "b.md"):
        tree.write(name, text)
    site = open_site(None, tree)
    assert "import" not in Document(find_page(site, "/docs/a").body).words
    assert "import" in Document(find_page(site, "/docs/b").body).words
    assert b"import" not in find_page(site, "/docs/a.md").body
    assert text.encode() in find_page(site, "/docs/b.md").body


def test_tags_are_shown_and_lead_nowhere(tree: DocsTree) -> None:
    """Lists of tags are of articles."""
    tree.write("a.md", "---\ntags: [Blue, '<b>']\n---\n# A\n")
    page = open_page(tree, "/docs/a")
    assert "Blue" in page.words
    assert "<b>" in page.words
    assert not [href for href in page.all("a", "href") if "tags" in href]


def test_pages_of_the_root_have_no_heading_in_lists(tree: DocsTree) -> None:
    """In the sidebar, in the list of a tree without an index, and for agents."""
    tree.write("alpha.md", "# Alpha\n")
    tree.write("guide/a.md", "# Shown\n")
    site = open_site(None, tree)
    for path in ("/docs/", "/docs/alpha", "/llms.txt"):
        body = find_page(site, path).body.decode()
        assert "Root" not in body, path
        assert "Guide" in body, path
    assert Document(find_page(site, "/docs/").body).words.count("Alpha") >= 1


def read_head(page: str, name: str) -> str:
    """Return the content of a `<meta>` element."""
    found = re.search(rf'<meta (?:name|property)="{name}" content="([^"]*)">', page)
    return found[1] if found else ""


def test_a_page_is_described_by_what_it_states_or_by_its_text(tree: DocsTree) -> None:
    """Search engines show it, and previews with the first picture."""
    tree.write("stated.md", "---\ndescription: Stated.\n---\n# A\n\nText of A here.\n")
    tree.write("text.md", "# B\n\n- [ ] x\n\nThe text of *the* page.\n\n![P](p.png)\n")
    tree.write("bare.md", "# Bare\n")
    (tree.root / "p.png").write_bytes(make_png(30, 20))
    site = open_site(None, tree, BASE)
    names = ("stated", "text", "bare")
    pages = [find_page(site, f"/docs/{name}").body.decode() for name in names]
    described = [read_head(page, "description") for page in pages]
    assert described == ["Stated.", "The text of the page.", "Bare"]
    pictures = [read_head(page, "og:image") for page in pages]
    assert pictures == ["", f"{BASE}/docs/p.png", ""]
    assert {read_head(page, "og:type") for page in pages} == {"article"}


def test_a_text_that_is_not_rendered_yet_has_a_heading(
    tree: DocsTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Readers know where they are while it is shown as code."""
    tree.write("a.md", "---\ntitle: 'A & B'\n---\n# One\n")
    monkeypatch.setattr(
        HtmlCache,
        "render",
        lambda _, text, *given: RenderedText(render_as_code(text).html, Future()),
    )
    text = find_page(open_site(None, tree), "/docs/a").body.decode()
    assert "<h1>A &amp; B</h1>" in text
