"""The llms.txt of a tree: where it is found, what is refused, how it is followed."""

from pathlib import Path

import pytest
from support.files import save_over
from support.generators import configured

from asdlc_kb.docs.curated import curated_index
from asdlc_kb.docs.curated.curated_index import CuratedIndexFile
from asdlc_kb.docs.generators import TreeConfiguration

TEXT = "# Mine\n\n- [A](a.md)\n"


def open_file(root: Path) -> CuratedIndexFile:
    """Return the index of a tree without a generator."""
    return CuratedIndexFile(root, TreeConfiguration(root=root))


def read(root: Path) -> curated_index.CuratedIndex:
    """Return the index of a tree without a generator."""
    return open_file(root).read()


def test_it_is_in_the_root_or_where_the_generator_publishes_files(
    tmp_path: Path,
) -> None:
    """The root goes first."""
    files = {
        "docusaurus.config.js": "module.exports = {}",
        "docs/a.md": "",
        "static/llms.txt": "# Static\n",
    }
    configuration = configured(tmp_path, files)
    file = CuratedIndexFile(configuration.root, configuration)
    assert (file.read().path, file.read().text) == ("../static/llms.txt", "# Static\n")
    save_over(tmp_path / "docs" / "llms.txt", "# Root\n")
    assert (file.read().path, file.read().text) == ("llms.txt", "# Root\n")


def test_one_that_the_configuration_excludes_is_not_used(tmp_path: Path) -> None:
    """Where the generator publishes it nowhere."""
    text = "site_name: X\nexclude_docs: llms.txt\n"
    files = {"mkdocs.yml": text, "docs/llms.txt": TEXT}
    configuration = configured(tmp_path, files, "docs")
    file = CuratedIndexFile(configuration.root, configuration)
    assert (file.read().text, file.read().dependencies) == ("", ())
    configuration = configured(tmp_path, {"mkdocs.yml": "site_name: X\n"}, "docs")
    assert CuratedIndexFile(configuration.root, configuration).read().text == TEXT


def test_each_change_is_followed(tmp_path: Path) -> None:
    """Written, changed, deleted: each at the next read."""
    file = open_file(tmp_path)
    absent = file.read()
    assert absent.text == ""
    assert absent.is_current()
    save_over(tmp_path / "llms.txt", TEXT)
    assert not absent.is_current()
    first = file.read()
    assert first.text == TEXT
    save_over(tmp_path / "llms.txt", TEXT + "more\n")
    assert not first.is_current()
    assert file.read().text == TEXT + "more\n"
    (tmp_path / "llms.txt").unlink()
    assert file.read().text == ""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"# T\xff\n", "not UTF-8 at byte 3: save it as UTF-8"),
        (b"# T\0\n", "it contains a NUL character: save it as UTF-8 text"),
        (b"- [A](a.md)\n", "it does not begin with a title: write '# Title'"),
        (b"---\nlayout: x\n---\n# T\n", "it does not begin with a title: "),
        (b"# T\n" + b"x" * 250_000, "it is longer than 250,000 characters: shorten it"),
        (b"# T\n" + b"x" * 3_000_000, "3,000,004 bytes is too large: split it"),
    ],
)
def test_what_is_no_index_is_not_used(tmp_path: Path, text: bytes, reason: str) -> None:
    """The author is told why."""
    (tmp_path / "llms.txt").write_bytes(text)
    index = read(tmp_path)
    assert index.text == ""
    (problem,) = index.problems
    assert problem.code == "KB036"
    assert problem.message.startswith(f"is not used: {reason}")


@pytest.mark.parametrize("target", ["../secret/llms.txt", ".env", "notes.txt"])
def test_a_link_to_another_file_is_refused(tmp_path: Path, target: str) -> None:
    """Whoever writes a tree must not publish the rest of a machine."""
    root = tmp_path / "docs"
    for name in (".env", "notes.txt", "../secret/llms.txt"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("# Secret\n")
    (root / "llms.txt").symlink_to(target)
    index = read(root)
    assert index.text == ""
    assert [problem.code for problem in index.problems] == ["KB036"]


def test_a_folder_of_its_name_is_refused(tmp_path: Path) -> None:
    """It is no file."""
    (tmp_path / "llms.txt").mkdir()
    assert read(tmp_path).text == ""


def test_invisible_characters_are_removed(tmp_path: Path) -> None:
    """And reported."""
    (tmp_path / "llms.txt").write_text("# T\U000e0041\n")
    index = read(tmp_path)
    assert index.text == "# T\n"
    assert [problem.code for problem in index.problems] == ["KB015"]


def test_what_git_ignores_is_left_out(tmp_path: Path) -> None:
    """It was made by a program."""
    (tmp_path / ".git").mkdir()
    files = {
        ".gitignore": "static/llms.txt\n",
        "docusaurus.config.js": "",
        "docs/a.md": "",
        "static/llms.txt": "# Static\n",
    }
    configuration = configured(tmp_path, files)
    assert CuratedIndexFile(configuration.root, configuration).read().text == ""
