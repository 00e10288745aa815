"""Pages that include files: as current as the files that they include."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.canary import CANARY
from support.docs import DocsTree, fetch, rescan
from support.files import save_over
from support.knowledge import settled_clock

from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.markup.dialects import table
from asdlc_kb.markup.dialects.dialect import Dialect
from asdlc_kb.markup.dialects.includes import Include


def _find(text: str) -> Iterator[Include]:
    for found in re.finditer(r"@(\S+)@", text):
        yield Include(found.start(), found.end(), found[1])


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DocsTree:
    """A tree in a dialect with includes."""
    dialects = {**table.DIALECTS, "at": Dialect("at", find_includes=_find)}
    monkeypatch.setattr(table, "DIALECTS", dialects)
    tree = DocsTree(tmp_path / "docs")
    tree.write("page.md", "# Page\n\n@part.txt@\n")
    tree.write("part.txt", "First")
    return tree


def open_library(tree: DocsTree) -> DocLibrary:
    """Return the loaded library of a tree in the dialect with includes."""
    library = DocLibrary(tree.root, dialect="at", clock=settled_clock)
    library.load()
    return library


def test_a_change_of_an_included_file_is_a_change_of_the_page(tree: DocsTree) -> None:
    """By a scan, and at once for a request of the page."""
    library = open_library(tree)
    before = library.catalog.find("page")
    assert "First" in before.body
    tree.write("part.txt", "Second")
    assert not library.is_current("page")
    assert "Second" in fetch(library, "page").find("page").body
    tree.write("part.txt", "Third")
    after = rescan(library).find("page")
    assert "Third" in after.body
    assert after.digest != before.digest
    generation = library.catalog.generation
    assert rescan(library).generation == generation


def test_an_include_that_appears_is_included(tree: DocsTree) -> None:
    """Until then the page says what is missing, and `check` where."""
    (tree.root / "part.txt").unlink()
    library = open_library(tree)
    assert "[not included: part.txt]" in library.catalog.find("page").body
    problems = library.catalog.snapshot.all_problems()
    (problem,) = [each for each in problems if each.code == "KB035"]
    assert (problem.path, problem.line) == ("page.md", 3)
    tree.write("part.txt", "Now")
    page = rescan(library).find("page")
    assert "Now" in page.body
    assert "KB035" not in {p.code for p in library.catalog.snapshot.all_problems()}


def test_no_include_publishes_a_hidden_page(tree: DocsTree) -> None:
    """The problem does not reveal it either."""
    tree.write("page.md", "# Page\n\n@known-draft.md@\n\n@unknown-draft.md@\n")
    library = open_library(tree)
    body = library.catalog.find("page").body
    assert body.count("[not included: ") == 2
    assert CANARY not in body
    problems = library.catalog.snapshot.all_problems()
    reasons = {p.message.partition(": ")[2] for p in problems if p.code == "KB035"}
    assert len(reasons) == 1


def test_the_source_of_a_page_is_its_file(tree: DocsTree) -> None:
    """With frontmatter, and with includes as they are written."""
    tree.write("page.md", "---\ntitle: T\n---\n\n@part.txt@\n")
    library = open_library(tree)
    assert library.read_source("page.md") == "---\ntitle: T\n---\n\n@part.txt@\n"


def test_the_source_of_a_hidden_page_is_not_given(tree: DocsTree) -> None:
    """Also if it was hidden just now, or replaced by what is no text."""
    library = open_library(tree)
    planned = "---\npublishDate: 2900-01-01\n---\n# Page\n"
    for text in ("---\ndraft: true\n---\n# Page\n", planned, "\0"):
        save_over(tree.root / "page.md", text)
        with pytest.raises(Exception, match="not found"):
            library.read_source("page.md")
    (tree.root / "page.md").unlink()
    with pytest.raises(Exception, match="not found"):
        library.read_source("page.md")


def test_links_of_an_mdx_partial_are_relative_to_the_partial(tmp_path: Path) -> None:
    """As the modules of MDX are; in a partial of a partial too."""
    tree = DocsTree(tmp_path / "docs")
    use = "import P from '../parts/_p.mdx'\n\n# A\n\n<P />\n\n[own](b.md)\n"
    tree.write("guide/a.mdx", use)
    tree.write("guide/b.md", "# B\n")
    tree.write(
        "parts/_p.mdx",
        "import Q from './deep/_q.mdx'\n\n[b](../guide/b.md#x) ![p](p.png) [t](#t) "
        "[s](https://s.example) [r](/guide/b) `[c](c.md)`\n\n<Q />\n",
    )
    tree.write("parts/deep/_q.mdx", "[deep](../../guide/b.md)\n")
    library = DocLibrary(tree.root, dialect="docusaurus", clock=settled_clock)
    page = library.load().by_path["guide/a.mdx"]
    assert re.findall(r"\]\(([^)]+)\)", page.body) == [
        *("../guide/b.md#x", "../parts/p.png", "#t", "https://s.example"),
        *("/guide/b", "c.md", "../guide/b.md", "b.md"),
    ]
