"""The order and the limits of a walk through folders."""

import pytest

from asdlc_kb.files.folder_walk import (
    ListedFolder,
    join_below,
    list_above,
    relate_below,
    walk_folders,
)

FOLDERS = {
    "": ListedFolder(("x",), ("a", "b"), ("l",)),
    "a": ListedFolder((), ("c",), ("k",)),
    "b": ListedFolder((), ("gone",)),
    "a/c": ListedFolder((), ("d",)),
    "a/c/d": ListedFolder(("y",), ()),
    "l": ListedFolder((), ("m",)),
    "l/m": ListedFolder((), ()),
    "a/k": ListedFolder((), ()),
}


class Reports:
    """What a walk reports of its limits: paths, and whether they are too deep."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, bool]] = []

    def __call__(self, path: str, folder: ListedFolder[str] | None) -> None:
        """Record a limit."""
        self.rows.append((path, folder is not None))


def walked(
    *, max_depth: int = 9, max_folders: int = 99, is_breadth_first: bool = True
) -> tuple[list[str], list[tuple[str, bool]]]:
    """Return the paths of a walk and its reports."""
    reports = Reports()
    walk = walk_folders(
        FOLDERS.get,
        reports,
        max_depth=max_depth,
        max_folders=max_folders,
        is_breadth_first=is_breadth_first,
        follows=lambda link: link != "a/k" or max_folders > 9,
    )
    return [path for path, _ in walk], reports.rows


def test_links_are_walked_after_real_folders() -> None:
    """Breadth first in the order of discovery, otherwise in path order."""
    assert walked() == (["", "a", "b", "a/c", "a/c/d", "l", "l/m", "a/k"], [])
    by_path, _ = walked(is_breadth_first=False)
    assert by_path == ["", "a", "a/c", "a/c/d", "b", "a/k", "l", "l/m"]


def test_a_link_is_followed_only_if_it_may_be() -> None:
    """The caller decides immediately before the folder is listed."""
    assert walked(max_folders=9) == (["", "a", "b", "a/c", "a/c/d", "l", "l/m"], [])


@pytest.mark.parametrize(
    ("depth", "paths", "deep"),
    [
        (0, [""], [""]),
        (1, ["", "a", "b", "l"], ["a", "b", "l"]),
    ],
)
def test_what_lies_too_deep_is_reported(
    depth: int, paths: list[str], deep: list[str]
) -> None:
    """Once for each folder whose subfolders, or links to folders, are left out."""
    found, reports = walked(max_depth=depth)
    assert found == paths
    assert sorted(reports) == sorted((path, True) for path in deep)


def test_a_walk_ends_after_so_many_folders() -> None:
    """Folders that are gone do not count; the path of the next one is reported."""
    assert walked(max_folders=3) == (["", "a", "b"], [("a/c", False)])
    assert walked(max_folders=8)[1] == []


def test_paths_begin_below_the_root() -> None:
    """The root has two names."""
    assert [join_below(root, "x") for root in ("", ".", "a", "a/b")] == [
        *("x", "x", "a/x", "a/b/x")
    ]


def test_a_path_is_related_to_the_folders_above_it() -> None:
    """No other folder is above it, however its name begins."""
    assert list(list_above("a/b/c.md")) == ["a/b", "a", ""]
    assert list(list_above("")) == []
    below = {folder: relate_below(folder, "a/b/c.md") for folder in ("", "a", "a/b")}
    assert below == {"": "a/b/c.md", "a": "b/c.md", "a/b": "c.md"}
    assert [relate_below(other, "ab/c") for other in ("a", "ab/c", "b")] == [None] * 3
