"""The command that begins an article."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from asdlc_kb.cli.new import MAX_SLUG_CHARS, make_slug

Invoke = Callable[..., Result]


def test_a_new_article_is_a_draft_that_check_finds_sound(
    invoke: Invoke, folder: Path
) -> None:
    """Its path is printed; it is hidden until its author changes the status."""
    (folder / "content/concepts").mkdir(parents=True)
    result = invoke("new", "concepts", 'What\'s  "New"? C++')
    assert result.exit_code == 0
    file = folder / "content/concepts/whats-new-c.md"
    assert f"{file}\n" in result.output
    text = file.read_text()
    assert 'title: "What\'s \\"New\\"? C++"\n' in text
    assert 'status: "Draft"\n' in text
    assert invoke("check").exit_code == 0
    file.write_text(text.replace('"Draft"', '"Live"'))
    published = invoke("check")
    assert published.exit_code == 1
    assert "new-c.md:1:1: KB026 a visible article has no text" in published.output
    assert "KB026 the description is that of the template" in published.output
    file.write_text(text)
    assert "0 served" not in invoke("list").output
    assert "whats-new-c" not in invoke("list").output


def test_a_folder_that_is_not_there_is_not_created(
    invoke: Invoke, folder: Path
) -> None:
    """D-130: a typing error must not look like an empty knowledge base."""
    result = invoke("new", "concepts", "Title")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "no content folder: create ./content, or name a folder" in result.stderr
    (folder / "content").mkdir()
    result = invoke("new", "concepts", "Title", "contnet")
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr == "asdlc-kb: no such folder: contnet; create it\n"
    assert not (folder / "contnet").exists()


def test_an_article_that_is_there_is_left_alone(invoke: Invoke, folder: Path) -> None:
    """Exit code 3, with what to do."""
    (folder / "content").mkdir()
    assert invoke("new", "concepts", "Same").exit_code == 0
    file = folder / "content/concepts/same.md"
    file.write_text("mine")
    result = invoke("new", "concepts", "SAME")
    assert result.exit_code == 3
    assert "already exists: choose another title" in result.output
    assert file.read_text() == "mine"


@pytest.mark.parametrize("category", ["../up", "a/b", ".hidden", "", "a b"])
def test_a_category_is_the_name_of_a_folder(
    invoke: Invoke, folder: Path, category: str
) -> None:
    """Nothing is written outside the content."""
    (folder / "content").mkdir()
    before = sorted(folder.rglob("*"))
    assert invoke("new", category, "Title").exit_code == 2
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize("is_root_a_link", [False, True])
def test_a_category_may_be_a_link_within_the_content(
    invoke: Invoke, folder: Path, is_root_a_link: bool
) -> None:
    """And the content folder itself may be one: the user names it."""
    content = folder / "content"
    real = folder / "elsewhere" if is_root_a_link else content
    (real / "concepts").mkdir(parents=True)
    if is_root_a_link:
        content.symlink_to(real)
    (real / "ideas").symlink_to("concepts")
    result = invoke("new", "ideas", "Title")
    assert result.exit_code == 0
    assert (real / "concepts" / "title.md").is_file()


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("The Spec", "the-spec"),
        ("  -- What_is  it? --", "what-is-it"),
        ("Größe 上下文", "größe-上下文"),
        ("!!!", ""),
        ("x" * 200, "x" * MAX_SLUG_CHARS),
    ],
)
def test_a_slug_is_the_words_of_a_title(title: str, slug: str) -> None:
    """The rules of heading anchors, without characters that a file name cannot have."""
    assert make_slug(title) == slug


def test_a_title_without_a_letter_is_refused(invoke: Invoke, folder: Path) -> None:
    """Exit code 2: it has no name for its file."""
    (folder / "content").mkdir()
    result = invoke("new", "concepts", "???")
    assert result.exit_code == 2
    assert "TITLE needs letters or digits" in result.output


def test_the_title_of_an_article_is_not_that_of_the_website(
    invoke: Invoke, folder: Path
) -> None:
    """Two options of one name, each with its own limits."""
    (folder / "content").mkdir()
    result = invoke("new", "concepts", "Word " * 30)
    assert result.exit_code == 0
    assert f'title: "{"Word " * 29}Word"\n' in next(
        file.read_text() for file in folder.rglob("*.md")
    )
