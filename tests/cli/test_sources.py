"""Shared code of the commands that read: the loaded sources, and the hint."""

from pathlib import Path

import pytest
from support.docs import DocsTree
from support.knowledge import VISIBLE_COUNT, KnowledgeBase

from asdlc_kb import app
from asdlc_kb.app.sources import require_folders
from asdlc_kb.cli.sources import open_catalogs, open_sources
from asdlc_kb.exceptions import OperationalError
from asdlc_kb.settings import Settings

HINT = (
    "asdlc-kb: some files have problems: "
    "'asdlc-kb check' with the same sources lists them\n"
)


def test_every_configured_source_is_loaded(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """One-shot commands have no watcher: their sources are loaded once."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("index.md", "# Welcome\n")
    sources = open_sources(
        Settings(content=str(knowledge.root), docs=(str(tree.root),))
    )
    assert sources.articles is not None
    assert sources.docs is not None
    assert len(sources.articles.catalog.articles) == VISIBLE_COUNT
    assert [page.path for page in sources.docs.catalog.pages] == ["index.md"]


@pytest.mark.parametrize("absent", ["content", "docs"])
def test_any_folder_that_is_not_there_is_refused(
    knowledge: KnowledgeBase, tmp_path: Path, absent: str
) -> None:
    """D-130: a server waits for a folder, a one-shot command cannot."""
    tree = DocsTree(tmp_path / "docs")
    nowhere = str(tmp_path / "nowhere")
    content = nowhere if absent == "content" else str(knowledge.root)
    docs = nowhere if absent == "docs" else str(tree.root)
    with pytest.raises(OperationalError, match=r"^no such folder: .*/nowhere$"):
        open_sources(Settings(content=content, docs=(docs,)))


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    """A page may be named for its folder."""
    page = tmp_path / "a.md"
    page.write_text("# A\n")
    with pytest.raises(OperationalError, match=r"^cannot read .*/a.md: Not a dir"):
        open_sources(Settings(docs=(str(page),)))
    with pytest.raises(OperationalError, match="is not a folder: name the folder"):
        require_folders(app.open_sources(Settings(docs=(str(page),))))


def test_a_fault_of_any_source_is_hinted_at(
    knowledge: KnowledgeBase, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A problem may be the reason why an item is missing."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("sound.md", "# Sound\n")
    open_catalogs(Settings(docs=(str(tree.root),)))
    assert capsys.readouterr() == ("", HINT)
    open_catalogs(Settings(content=str(knowledge.root)))
    assert capsys.readouterr() == ("", HINT)


def test_sound_files_are_not_mentioned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A script that reads only stdout sees nothing on stderr."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Welcome\n")
    open_catalogs(Settings(docs=(str(tmp_path / "docs"),)))
    assert capsys.readouterr() == ("", "")


def test_a_content_folder_without_articles_is_hinted_at(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On stderr alone; the files would be pages of documentation."""
    (tmp_path / "index.md").write_text("---\nstatus: Live\n---\n# Welcome\n")
    open_sources(Settings(content=str(tmp_path)))
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("asdlc-kb: no article is served, only found 1 Markdown file ")
    assert err.endswith(": serve them with --docs DIR\n")


def test_formats_that_are_not_read_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder without a page is answered with a word on stderr."""
    (tmp_path / "a.rst").write_text("x")
    open_sources(Settings(docs=(str(tmp_path),)))
    assert capsys.readouterr().err == (
        "asdlc-kb: no documentation page is served: 1 .rst file is not read, "
        "only Markdown is\n"
    )
