"""The hint at a content folder that holds other Markdown than articles."""

from pathlib import Path

import pytest
from support.files import save_in_place
from support.knowledge import settled_clock

from asdlc_kb.articles import unserved
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.articles.unserved import check_places, describe_unserved

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


def test_of_articles_at_another_depth_the_hint_names_the_right_folder(
    tmp_path: Path,
) -> None:
    """A category, or a folder above the root, that was named by mistake."""
    live = DRAFT.replace("Draft", "Live")
    for path in ("loose.md", "content/patterns/deep.md"):
        save_in_place(tmp_path / path, live)
        assert str(describe(tmp_path)).endswith(
            ": name the folder of the categories, or move them into one"
        )
        (tmp_path / path).unlink()


def test_files_in_other_formats_are_counted_if_there_is_no_article(
    tmp_path: Path,
) -> None:
    """As for documentation; a PDF next to drafts is no mistake."""
    save_in_place(tmp_path / "a" / "b.rst", "Text\n")
    assert describe(tmp_path) == (
        "no article is served: 1 .rst file is not read, only Markdown is"
    )
    save_in_place(tmp_path / "a" / "draft.md", DRAFT)
    assert describe(tmp_path) is None


def test_published_articles_that_are_not_served_are_reported(tmp_path: Path) -> None:
    """By their frontmatter: templates, drafts, notes and other pages are meant so."""
    live = DRAFT.replace("Draft", "Live")
    for path in ("loose.md", "a/b/deep.md", "a/page.mdx", "a/Upper.MD", "a/ok.md"):
        save_in_place(tmp_path / path, live)
    save_in_place(tmp_path / "template.md", DRAFT)
    save_in_place(tmp_path / "README.md", "# Text\n")
    save_in_place(tmp_path / "broken.md", "---\nstatus: Live\n")
    save_in_place(tmp_path / "page.md", "---\nstatus: Live\ntitle: T\n---\n")
    save_in_place(tmp_path / "list.md", "---\nstatus: [Live]\nlastUpdated: x\n---\n")
    (tmp_path / "latin.md").write_bytes(b"---\nstatus: Live\n# \xff\n---\n")
    move = "KB002 the article is not served: move it to CATEGORY/NAME.md"
    rename = "KB002 the article is not served: let its name end in '.md'"
    assert [str(problem) for problem in sorted(check_places(tmp_path))] == [
        f"a/Upper.MD:1:1: {rename}",
        f"a/b/deep.md:1:1: {move}",
        f"a/page.mdx:1:1: {rename}",
        f"loose.md:1:1: {move}",
    ]
