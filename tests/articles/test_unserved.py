"""The hint at a content folder that holds other Markdown than articles."""

from pathlib import Path

import pytest
from support.files import save_in_place
from support.knowledge import settled_clock

from asdlc_kb.articles import unserved
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.articles.unserved import describe_unserved

DRAFT = "---\ntitle: T\ndescription: D\nstatus: Draft\nlastUpdated: 2026-01-01\n---\n"


def describe(root: Path) -> str | None:
    """Return the hint for a folder."""
    library = ArticleLibrary(root, clock=settled_clock)
    return describe_unserved(root, library.load())


def test_files_that_are_no_articles_are_counted_by_reason(tmp_path: Path) -> None:
    """Too deep or not deep enough, another suffix, or no frontmatter."""
    for path in ("index.md", "a/b/deep.md", "a/b/c/deeper.md", "a/x.mdx"):
        save_in_place(tmp_path / path, "# Text\n")
    save_in_place(tmp_path / "a" / "bare.md", "# Text\n")
    save_in_place(tmp_path / "a" / "draft.md", DRAFT)
    save_in_place(tmp_path / ".git" / "x" / "y.md", "# Text\n")
    assert describe(tmp_path) == (
        "no article is served, only found 4 Markdown files not at CATEGORY/NAME.md "
        "and 1 Markdown file without readable frontmatter: serve them with --docs DIR"
    )


def test_nothing_is_said_of_articles_and_of_drafts_alone(tmp_path: Path) -> None:
    """Other files next to served articles are no mistake; nor is an empty folder."""
    assert describe(tmp_path) is None
    assert describe(tmp_path / "nowhere") is None
    save_in_place(tmp_path / "a" / "draft.md", DRAFT)
    assert describe(tmp_path) is None
    save_in_place(tmp_path / "README.md", "# Text\n")
    assert describe(tmp_path) is not None
    save_in_place(
        tmp_path / "a" / "live.md", f"{DRAFT}Text.\n".replace("Draft", "Live")
    )
    assert describe(tmp_path) is None


def test_the_count_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A whole disk that is named by mistake does not delay the start."""
    assert unserved.MAX_COUNTED == 10_000
    monkeypatch.setattr(unserved, "MAX_COUNTED", 2)
    for number in range(4):
        save_in_place(tmp_path / f"{number}.md", "# Text\n")
    assert "only found at least 2 Markdown files not" in str(describe(tmp_path))
