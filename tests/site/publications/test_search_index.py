"""The search index of a static build."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.canary import Scanner
from support.docs import DocsTree
from support.editions import write_editions
from support.knowledge import KnowledgeBase
from support.publishing import open_libraries

from asdlc_kb.app.doc_trees import open_trees
from asdlc_kb.settings import Settings
from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.page_renderer import PageRenderer
from asdlc_kb.site.publications import search_index
from asdlc_kb.site.representation import JSON, Representation

BASE = "https://example.com/kb"
INDEX = "/search/index.json"


def read_index(
    content: Path | None, docs: Path | None, scanner: Scanner
) -> tuple[Mapping[str, Any], list[list[dict[str, Any]]]]:
    """Return the index of a static build, and its parts."""
    identity = SiteIdentity("T", base_url=BASE, has_search=False, has_index=True)
    articles, _ = open_libraries(content, None)
    pages = open_trees(Settings(), (str(docs),)) if docs else None
    for tree in pages.trees if pages else ():
        tree.library.load()
    site = PageRenderer(identity, articles, pages)
    snapshot = site.snapshot

    def read(path: str) -> Any:
        page = site.find(snapshot, path)
        assert isinstance(page, Representation)
        assert page.type == JSON
        assert page.is_lasting == (path != INDEX)
        scanner.scan(page.body, path)
        return json.loads(page.body)

    index = read(INDEX)
    listed = [path for path in snapshot.addresses() if path.startswith("/search/")]
    assert [INDEX, *index["parts"]] == [INDEX, *(f"/kb{path}" for path in listed[1:])]
    return index, [read(path) for path in listed[1:]]


@pytest.fixture
def tree(tmp_path: Path) -> DocsTree:
    """A page and a draft."""
    tree = DocsTree(tmp_path / "docs")
    tree.write(
        "guide/a.md", "# Limits\n\nOf all.\n\n## Rate *limits*\n\n`120` calls.\n"
    )
    tree.write("guide/draft.md", "---\ndraft: true\n---\n# Secret\n")
    return tree


def test_visible_content_is_in_it_as_plain_text(
    knowledge: KnowledgeBase, tree: DocsTree, scanner: Scanner
) -> None:
    """D-199: by section, with the addresses of the site; nothing hidden."""
    knowledge.write(
        "concepts/plover",
        title="Plover",
        tags="[bird]",
        description="A bird",
        body="X.\n",
    )
    index, parts = read_index(knowledge.root, tree.root, scanner)
    assert index["sources"] == [
        {"name": "articles", "title": "Articles"},
        {"name": "root", "title": "Documentation"},
    ]
    (pages,) = parts
    assert [page["title"] for page in pages] == ["Plover", "Links to hidden", "Limits"]
    assert pages[0]["names"] == "A bird\nbird"
    assert (pages[0]["group"], pages[0]["source"]) == ("Concepts", "articles")
    assert pages[2] == {
        "title": "Limits",
        "address": "/kb/docs/guide/a",
        "group": "Documentation",
        "source": "root",
        "names": "",
        "edition": "",
        "secondary": False,
        "name": "",
        "sections": [
            ["Limits", "limits", "Of all."],
            ["Rate limits", "rate-limits", "120 calls."],
        ],
    }


def test_it_is_loaded_in_parts(
    tree: DocsTree, scanner: Scanner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has whole pages, and its address changes with its content alone."""
    monkeypatch.setattr(search_index, "MAX_PART_CHARS", 60)
    for number in range(5):
        tree.write(f"n{number}.md", f"# Page {number}\n\n{'x' * 20}\n")
    before, parts = read_index(None, tree.root, scanner)
    assert before["sources"] == []
    assert len(parts) > 2
    titles = [page["title"] for part in parts for page in part]
    assert sorted(titles) == ["Limits", *(f"Page {number}" for number in range(5))]
    tree.write("n4.md", f"# Page 4\n\n{'y' * 20}\n")
    after, _ = read_index(None, tree.root, scanner)
    assert len(set(before["parts"]) - set(after["parts"])) == 1


def test_a_large_site_has_the_beginning_of_each_section(
    tree: DocsTree, scanner: Scanner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that a browser can hold it; headings are whole."""
    monkeypatch.setattr(search_index, "MAX_CHARS", 8)
    _, ((page,),) = read_index(None, tree.root, scanner)
    assert page["sections"] == [
        ["Limits", "limits", "Of a"],
        ["Rate limits", "rate-limits", "120 "],
    ]


def test_other_editions_stand_behind(tmp_path: Path, scanner: Scanner) -> None:
    """As on the server, and they are named."""
    root = write_editions(tmp_path / "docs")
    _, parts = read_index(None, root, scanner)
    pages = {page["address"]: page for part in parts for page in part}
    old = pages["/kb/docs/1.10/intro"]
    assert (old["secondary"], old["edition"]) == (True, "Version 1.10, English")
    new = pages["/kb/docs/2.0/intro"]
    assert (new["secondary"], new["edition"]) == (False, "")
    assert old["name"] == new["name"] == "/intro"
    assert pages["/kb/docs/1.10/old"]["name"] == ""


def test_a_site_without_content_has_an_empty_one(
    tmp_path: Path, scanner: Scanner
) -> None:
    """There is nothing to load."""
    (tmp_path / "docs").mkdir()
    index, parts = read_index(None, tmp_path / "docs", scanner)
    assert (index, parts) == ({"sources": [], "parts": []}, [])
