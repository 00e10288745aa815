"""The addresses of documentation pages, and what stays of them after an edit."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.docs import DocsTree
from support.knowledge import settled_clock
from support.publishing import find_page, open_site

from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.site import urls
from asdlc_kb.site.pages.doc_urls import DocUrls, find_alternative


@pytest.fixture
def tree(tmp_path: Path) -> DocsTree:
    """Return a tree without visible pages."""
    return DocsTree(tmp_path / "docs")


STEMS = (
    "a",
    "index",
    "README",
    "a.md",
    "a b",
    "a%20b",
    "sidebar",
    "x/a",
    "x/index",
    "x",
)
PATHS = [f"{stem}{end}" for stem in STEMS for end in (".md", ".mdx", ".markdown")]


def open_view(root: Path) -> DocUrls:
    """Return the view of the content written so far."""
    library = DocLibrary(root, clock=settled_clock)
    library.load()
    return DocUrls(library.catalog)


def test_a_link_to_a_page_leads_to_its_address(tree: DocsTree) -> None:
    """On the disk: it has no address of its own, and a link to it in a text works."""
    tree.write("index.md", "# Welcome\n")
    tree.write("v2/setup.md", "# Setup\n\nSee [home](../README.md), [old](old.md).\n")
    (tree.root / "v2" / "old.md").symlink_to("../index.md")
    (tree.root / "README.md").symlink_to("index.md")
    (tree.root / "latest").symlink_to("v2")
    view = open_view(tree.root)
    assert sorted(view.by_address) == ["/docs/", "/docs/v2/setup"]
    for spelling, address in (
        *(("/docs/README", "/docs/"), ("/docs/README.md", "/docs/index.md")),
        ("/docs/latest/setup", "/docs/v2/setup"),
    ):
        assert find_alternative(view, spelling) == address
    page = find_page(open_site(None, tree), "/docs/v2/setup").body.decode()
    assert '<a href="/docs/">home</a>' in page
    assert '<a href="/docs/">old</a>' in page


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=60)
@given(st.sets(st.sampled_from(PATHS), min_size=1, max_size=8))
def test_every_page_has_its_own_address(
    tmp_path_factory: pytest.TempPathFactory, paths: set[str]
) -> None:
    """Whatever names are adjacent: also as Markdown."""
    root = tmp_path_factory.mktemp("twins")
    for path in paths:
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(f"# {path}\n")
    view = open_view(root)
    assert set(view.addresses) == paths - {"sidebar.md"}
    addresses = [*view.by_address, *view.by_markdown]
    assert len(addresses) == len(set(addresses)) == 2 * len(view.addresses)
    for path, url in view.addresses.items():
        assert urls.normalize(url) == url
        assert view.by_address[url].path == path


def test_an_unlisted_page_has_an_address_and_is_in_no_list(tree: DocsTree) -> None:
    """Neither in the sidebar nor in the site's publications."""
    tree.write("index.md", "# Welcome\n")
    tree.write("guide/a.md", "# Shown\n")
    tree.write("guide/b.md", "---\nunlisted: true\n---\n# Quiet\n")
    site = open_site(None, tree, base_url="https://example.org")
    page = find_page(site, "/docs/guide/b").body.decode()
    assert "<h1" in page
    assert "Quiet" in page
    for path in ("/docs/", "/docs/guide/a", "/llms.txt", "/sitemap.xml"):
        body = find_page(site, path).body.decode()
        assert "guide/b" not in body, path
        assert "Quiet" not in body, path
    for path in ("/docs/guide/bb", "/docs/quiet", "/docs/guide"):
        assert b"Quiet" not in site.not_found(site.snapshot, path).body, path


def test_an_edit_of_a_text_leaves_what_titles_and_places_decide(tree: DocsTree) -> None:
    """D-188: addresses and sidebar of 100,000 pages took seconds after each edit."""
    for name in ("a", "b"):
        tree.write(f"{name}.md", f"# {name}\n\nOld.\n")
    library = DocLibrary(tree.root, clock=settled_clock)
    view = DocUrls(library.load())
    sidebar, near = view.open_sidebar(), view.find_neighbours(view.catalog.pages[0])
    dates, page = view.dates, view.by_address["/docs/a"]
    tree.write("a.md", "---\nlastmod: 2024-05-06\n---\n# a\n\nNew.\n")
    library.publish(library.scan())
    later = view.updated(library.catalog)
    assert later is not None
    assert later.addresses is view.addresses
    assert later.open_sidebar() is sidebar
    assert later.find_neighbours(later.catalog.pages[0]) == near
    edited = later.by_address["/docs/a"]
    assert edited is later.by_markdown["/docs/a.md"] is library.catalog.by_path["a.md"]
    assert "New." in edited.body
    assert (view.by_address["/docs/a"], dates.find(page)) == (page, "")
    assert later.dates.find(edited) == "2024-05-06"
    assert [page.path for page in later.listed] == ["a.md", "b.md"]
    assert edited in later.listed


@pytest.mark.parametrize("written", ["# Other\n", "---\ndraft: true\n---\n# a\n"])
def test_another_title_or_a_hidden_page_changes_the_addresses(
    tree: DocsTree, written: str
) -> None:
    """What is shared would show the former ones."""
    tree.write("a.md", "# a\n")
    library = DocLibrary(tree.root, clock=settled_clock)
    view = DocUrls(library.load())
    tree.write("a.md", written)
    library.publish(library.scan())
    assert view.updated(library.catalog) is None
