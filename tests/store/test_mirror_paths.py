"""Paths that a mirror cannot have together."""

from pathlib import Path

import pytest

from asdlc_kb.exceptions import OperationalError
from asdlc_kb.store.mirror_paths import list_files, refuse_impossible_paths


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A mirror with three files."""
    for path in ("a/b", "a/c", "d"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).touch()
    return tmp_path


def test_all_files_are_listed(folder: Path) -> None:
    """Links are files of their own."""
    (folder / "link").symlink_to(folder / "a")
    assert sorted(list_files(folder)) == ["a/b", "a/c", "d", "link"]


@pytest.mark.parametrize(
    ("wanted", "removed"),
    [
        ({"a/b", "a/e/f", "g"}, set()),
        ({"a"}, {"a/b", "a/c"}),
        ({"d/e"}, {"d"}),
    ],
)
def test_possible_paths_are_accepted(
    folder: Path, wanted: set[str], removed: set[str]
) -> None:
    """A file may replace a folder that becomes empty, and the reverse."""
    refuse_impossible_paths(folder, wanted, removed, has_cases=True)


@pytest.mark.parametrize(
    ("wanted", "removed"),
    [
        ({"../a"}, set()),
        (set(), {"/etc/passwd"}),
        ({"x", "x/y"}, set()),
        ({"d/e"}, set()),
        ({"a"}, {"a/b"}),
    ],
)
def test_impossible_paths_are_refused(
    folder: Path, wanted: set[str], removed: set[str]
) -> None:
    """Paths outside the folder, and files that would be folders too."""
    with pytest.raises(OperationalError, match="the store has"):
        refuse_impossible_paths(folder, wanted, removed, has_cases=True)


@pytest.mark.parametrize("name", ["D", "A/x", "a/B"])
def test_names_that_differ_in_case_need_a_file_system_with_cases(
    folder: Path, name: str
) -> None:
    """Otherwise one file would silently replace the other."""
    refuse_impossible_paths(folder, {name}, set(), has_cases=True)
    with pytest.raises(OperationalError, match="cannot hold both"):
        refuse_impossible_paths(folder, {name}, set(), has_cases=False)
    refuse_impossible_paths(folder, {name}, {"a/b", "a/c", "d"}, has_cases=False)
