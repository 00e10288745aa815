"""Links in a documentation tree: other names of listed files and folders."""

import os
from pathlib import Path

import pytest
from support.files import save_in_place

from asdlc_kb.files.tree_listing import list_tree


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree with one page in its root and one three folders down."""
    save_in_place(tmp_path / "docs" / "index.md", "text")
    save_in_place(tmp_path / "docs" / "a" / "b" / "c" / "x.md", "text")
    return tmp_path / "docs"


BASE = ["a/b/c/x.md", "index.md"]


def paths(root: Path) -> list[str]:
    """Return the listed paths in order."""
    return sorted(list_tree(root).files)


def test_a_mounted_configmap_is_listed(root: Path) -> None:
    """Its files and folders are links behind a link of two dots, swapped as one."""
    save_in_place(root / "..2026_01_01" / "guide.md", "text")
    save_in_place(root / "..2026_01_01" / "sub" / "y.md", "text")
    (root / "..data").symlink_to("..2026_01_01")
    (root / "guide.md").symlink_to("..data/guide.md")
    (root / "sub").symlink_to("..data/sub")
    found = list_tree(root)
    assert sorted(found.files) == [*BASE[:1], "guide.md", "index.md", "sub/y.md"]
    assert found.problems == []


def test_files_and_folders_are_listed_once_with_the_links_to_them(root: Path) -> None:
    """At their place, or else under the first link: so no link makes a loop."""
    (root / "a" / "b" / "loop").symlink_to("..")
    (root / "a" / "self").symlink_to(".")
    (root / "0-first").symlink_to("a/b")
    (root / "home").symlink_to(".")
    (root / "again.md").symlink_to("index.md")
    found = list_tree(root)
    assert sorted(found.files) == ["a/b/c/x.md", "index.md"]
    assert found.links == {
        **{"0-first": "a/b", "a/b/loop": "a", "a/self": "a", "home": ""},
        "again.md": "index.md",
    }
    assert found.problems == []


def test_a_file_that_is_not_listed_itself_is_listed_under_the_first_link(
    root: Path,
) -> None:
    """Or at its path below a linked folder; a link may lead to another link."""
    save_in_place(root / "..kept" / "one.md", "text")
    save_in_place(root / "..kept" / "sub" / "two.md", "text")
    (root / "z.md").symlink_to("..kept/one.md")
    (root / "m.md").symlink_to("z.md")
    (root / "sub").symlink_to("..kept/sub")
    (root / "0.md").symlink_to("..kept/sub/two.md")
    found = list_tree(root)
    assert sorted(found.files) == [*BASE, "m.md", "sub/two.md"]
    assert found.links == {"0.md": "sub/two.md", "z.md": "m.md"}


def test_hard_links_and_separate_links_are_files(root: Path) -> None:
    """A link to one of two hard links is a name of that one."""
    os.link(root / "index.md", root / "hard.md")
    (root / "soft.md").symlink_to("index.md")
    (root / "sidebar.md").symlink_to("index.md")
    found = list_tree(root, {"sidebar.md"})
    assert sorted(found.files) == [*BASE[:1], "hard.md", "index.md", "sidebar.md"]
    assert found.links == {"soft.md": "index.md"}


def test_links_count_as_files_up_to_the_limit(root: Path) -> None:
    """So their number is bounded too."""
    for number in range(3):
        (root / f"{number}.md").symlink_to("index.md")
    found = list_tree(root, max_files=2)
    assert len(found.files) + len(found.links) == 2
    assert [problem.code for problem in found.problems] == ["KB001"]


def test_a_folder_behind_two_links_is_listed_under_the_first(root: Path) -> None:
    """Independent of the order on the disk."""
    save_in_place(root / "..kept" / "deep" / "y.md", "text")
    (root / "z").symlink_to("..kept")
    (root / "m").symlink_to("..kept/deep")
    (root / "n").symlink_to("..kept/deep")
    assert paths(root) == ["a/b/c/x.md", "index.md", "m/y.md"]
