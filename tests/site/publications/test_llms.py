"""llms.txt, in the order of the convention."""

import re
from pathlib import Path

import pytest
from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.pages import read_link
from support.publishing import BASE, TITLE, find_page, open_site

from asdlc_kb.markup.outline import read_outline
from asdlc_kb.site.page_renderer import PageRenderer
from asdlc_kb.site.publications import link_list, llms
from asdlc_kb.site.representation import HTML

ITEM = re.compile(r"- \[((?:[^\[\]\\]|\\.)+)\]\(([^()\s]+)\)(: .*)?")


@pytest.mark.parametrize(
    "path",
    ["/llms.txt", "/hostile/llms.txt", "/concepts/llms.txt", "/docs/llms.txt"],
)
def test_the_order_is_that_of_the_convention(
    local_site: PageRenderer, path: str
) -> None:
    """A title, a summary, words without headings, then sections of links alone."""
    text = find_page(local_site, path).body.decode()
    head, *sections = text.split("\n## ")
    first, *words = head.strip().split("\n\n")
    assert first.startswith(f"# {TITLE}")
    if path == "/llms.txt":
        assert words[0] == "> What it is"
        assert len(words) == 2
    assert "#" not in "".join(words)
    assert sections
    for section in sections:
        title, *lines = section.strip().split("\n")
        assert title
        for line in filter(None, lines):
            assert ITEM.fullmatch(line), line


@pytest.mark.parametrize("path", ["/llms.txt", "/hostile/llms.txt", "/docs/llms.txt"])
def test_hostile_titles_lead_nowhere_else(local_site: PageRenderer, path: str) -> None:
    """Parsed as Markdown, the list has exactly the expected links."""
    text = find_page(local_site, path).body.decode()
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    for line in lines:
        match = ITEM.fullmatch(line)
        assert match is not None
        name = line[: match.end(2) + 1]
        assert [link.href for link in read_outline(name).links] == [match[2]]


def test_every_page_is_listed_once(
    local_site: PageRenderer, public_site: PageRenderer
) -> None:
    """As Markdown; absolute if the public address is known."""
    for site, base in ((local_site, ""), (public_site, f"{BASE}/kb")):
        snapshot = site.snapshot
        text = find_page(site, "/llms.txt").body.decode()
        hrefs = [match[2] for match in ITEM.finditer(text)]
        listed = [p for p in snapshot.addresses() if p.endswith(".md")]
        wanted = [p for p in listed if not p.startswith("/.well-known/")]
        twins = [p for p in wanted if find_page(site, p).type.startswith("text/html")]
        assert sorted(hrefs) == sorted(f"{base}{p}" for p in set(wanted) - set(twins))
        for href in hrefs:
            assert read_link("/", href.removeprefix(base)) is not None


def test_a_note_is_one_short_line(knowledge: KnowledgeBase) -> None:
    """Lists stay lists."""
    knowledge.write("concepts/a", description="word " * 200)
    text = find_page(open_site(knowledge), "/llms.txt").body.decode()
    (line,) = [line for line in text.splitlines() if "/concepts/a.md" in line]
    assert len(line.partition(": ")[2]) <= link_list.MAX_NOTE_CHARS


def test_a_long_list_is_one_of_sections(
    public_site: PageRenderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each section leads to its own list, which has every page of it."""
    whole = ITEM.findall(find_page(public_site, "/llms.txt").body.decode())
    monkeypatch.setattr(llms, "MAX_CHARS", 1000)
    text = find_page(public_site, "/llms.txt").body.decode()
    head, *sections = text.split("\n## ")
    assert head.startswith(f"# {TITLE}\n\n> What it is\n")
    assert [section.partition("\n")[0] for section in sections] == ["Sections"]
    lines = ITEM.findall(text)
    named = {name: note for name, _, note in lines}
    assert named["Concepts"] == ": 3 articles"
    assert named["Patterns"] == ": 1 article"
    assert named["Documentation"].endswith(" pages")
    found = []
    for _, url, _ in lines:
        path = url.removeprefix(f"{BASE}/kb")
        found += ITEM.findall(find_page(public_site, path).body.decode())
    assert sorted(found) == sorted(whole)


def test_a_list_is_short_enough_for_an_agent(knowledge: KnowledgeBase) -> None:
    """A thousand articles: sections, below the convention's bound."""
    for number in range(600):
        knowledge.write(f"concepts/n{number}", description="word " * 40)
    text = find_page(open_site(knowledge), "/llms.txt").body.decode()
    assert "- [Concepts](/concepts/llms.txt): 601 articles\n" in text
    assert len(text) < llms.MAX_CHARS


def test_a_page_that_is_called_like_the_list_is_elsewhere(tmp_path: Path) -> None:
    """Neither hides the other."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("llms.txt.md", "# About the list\n")
    site = open_site(None, tree)
    assert "(/docs/llms.txt.md" in find_page(site, "/docs/llms.txt").body.decode()
    view = site.snapshot.docs
    assert view is not None
    page = find_page(site, view.addresses["llms.txt.md"])
    assert page.type == HTML
    assert b"About the list" in page.body


def test_there_is_no_section_of_nothing(local_site: PageRenderer) -> None:
    """A category without articles is left out."""
    assert local_site.find(local_site.snapshot, "/none/llms.txt") is None


def test_pages_of_no_group_have_a_heading(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """The convention: a link belongs to the heading above it."""
    tree = DocsTree(tmp_path / "docs")
    for path in ("index.md", "z.md", "guide/install.md"):
        tree.write(path, f"# Page {path}\n")
    for articles in (knowledge, None):
        text = find_page(open_site(articles, tree), "/llms.txt").body.decode()
        listed = text.partition("## Documentation\n\n")[2].split("\n\n## Guide\n\n")
        assert [ITEM.findall(part)[0][0] for part in listed] == [
            "Page index.md",
            "Page guide/install.md",
        ]
        assert text.count("## Documentation") == 1
