"""Names and paths that the store takes."""

import pytest

from asdlc_kb.store.values import (
    MAX_NAME_CHARACTERS,
    MAX_PATH_BYTES,
    check_conflicts,
    check_path,
    check_source_name,
    check_texts,
)


@pytest.mark.parametrize(
    "path", ["a.md", "a/b c/ü.md", ".hidden", "..a/b..", "x" * 255, "a\\b", "a:b"]
)
def test_relative_paths_are_accepted(path: str) -> None:
    """Any name that a POSIX file system takes."""
    check_path(path)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "a//b",
        "a/",
        ".",
        "..",
        "../a",
        "a/../b",
        "a/./b",
        "a\0b",
        "\ud800",
        "x" * 256,
        "é" * 128,
        "a/" * (MAX_PATH_BYTES // 2) + "a",
    ],
)
def test_other_paths_are_refused(path: str) -> None:
    """None can name a file outside the folder, or one that cannot be created."""
    with pytest.raises(ValueError, match="the path"):
        check_path(path)


@pytest.mark.parametrize("name", ["articles", "team docs", "ü", "a:b"])
def test_printable_names_are_accepted(name: str) -> None:
    """A name is any text in one line."""
    check_source_name(name)


@pytest.mark.parametrize("name", ["", "a\nb", "a\0", "x" * (MAX_NAME_CHARACTERS + 1)])
def test_other_names_are_refused(name: str) -> None:
    """A notification has room for a name, a log line for one without line ends."""
    with pytest.raises(ValueError, match="a source needs a name"):
        check_source_name(name)


def test_texts_that_postgresql_cannot_store_are_refused() -> None:
    """As names of folders that are no UTF-8."""
    check_texts(("", "é", "\U0001f600"))
    for text in ("a\0", "x/\udcff"):
        with pytest.raises(ValueError, match="not valid Unicode"):
            check_texts(("a", text))


def test_a_path_is_a_file_or_a_folder() -> None:
    """At any depth; names that only begin alike are no conflict."""
    check_conflicts({"a", "ab/c", "a.md", "b/c/d", "b/c.md"})
    with pytest.raises(ValueError, match="'b' is both a file and a folder"):
        check_conflicts({"a", "b", "b/c/d"})
