"""Recognition of documentation where articles are expected."""

import os
from pathlib import Path

import pytest

from asdlc_kb.app.sources import find_index, open_sources
from asdlc_kb.docs.recognition import is_documentation
from asdlc_kb.settings import MEMORY, Settings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two pages of documentation."""
    root = tmp_path / "mine"
    (root / "guide").mkdir(parents=True)
    (root / "index.md").write_text("# Welcome\n\nstatus: of the project\n")
    (root / "guide/install.md").write_text("---\ntitle: Install\n---\nUnpack it.\n")
    return root


def test_pages_without_fields_of_articles_are_documentation(folder: Path) -> None:
    """What the text says is not frontmatter."""
    assert is_documentation(folder)


@pytest.mark.parametrize(
    "text",
    [
        "---\nstatus: Draft\n---\n",
        "---\ntitle: x\nSTATUS : Live\n---\n",
        '---\n"lastUpdated": 2026-01-01\n---\n',
        "---\na: [\nmaturity: Standard\n---\n",
        "---\nstatus: Draft\n",
        "\n\n---\nstatus: Draft\n---\n",
        '+++\nstatus = "Draft"\n+++\n',
        '{"status": "Draft"}\n',
        '{"title": "x", "status": "Draft"}\n',
    ],
)
def test_one_file_that_may_be_an_article_is_enough(folder: Path, text: str) -> None:
    """Hidden articles must not become pages."""
    (folder / "guide/one.md").write_text(text)
    assert not is_documentation(folder)


@pytest.mark.parametrize("data", [b"---\nstatus: Draft\n---\n\xff", b"\xff\xfe---\0"])
def test_a_file_that_is_no_text_is_judged_by_its_head(
    folder: Path, data: bytes
) -> None:
    """In any encoding."""
    (folder / "guide/one.md").write_bytes(data)
    assert is_documentation(folder) == (b"status" not in data)


def test_a_folder_without_markdown_is_not_documentation(tmp_path: Path) -> None:
    """Nor one that does not exist."""
    (tmp_path / "x.txt").write_text("x")
    assert not is_documentation(tmp_path)
    assert not is_documentation(tmp_path / "nowhere")


def test_a_folder_named_as_content_is_served_as_documentation(folder: Path) -> None:
    """A note says so."""
    sources = open_sources(Settings(content=str(folder), cache_dir=MEMORY))
    assert sources.articles is None
    (tree,) = sources.trees
    assert len(tree.library.load().pages) == 2
    assert "served as documentation" in sources.notes[0]


def test_a_folder_that_was_served_as_articles_stays_so(
    folder: Path, tmp_path: Path
) -> None:
    """Its index is there, even if nothing shows any more that these are articles."""
    settings = Settings(content=str(folder), cache_dir=str(tmp_path / "cache"))
    (folder / "guide/a.md").write_text("---\nstatus: Draft\n---\n")
    articles = open_sources(settings).articles
    assert articles is not None
    index = find_index(settings, articles)
    assert index is not None
    os.makedirs(index)
    (folder / "guide/a.md").write_text("Secret\n")
    sources = open_sources(settings)
    assert sources.docs is None
    assert sources.notes == ()


def test_only_a_folder_that_is_named_is_recognized(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not ./content, which is found in the working directory."""
    folder.rename(folder.parent / "content")
    monkeypatch.chdir(folder.parent)
    sources = open_sources(Settings(cache_dir=MEMORY))
    assert sources.articles is not None
    assert sources.docs is None
