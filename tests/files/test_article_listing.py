"""The result of one scan of a root, whatever is in it."""

import os
import threading
import time
from pathlib import Path

import pytest
from support.files import ordinary_user, save_in_place
from support.peers import BOUND

from asdlc_kb.files.article_listing import check_article_path, list_files
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.signature import Signature

ODD = "the name is not served: use letters, digits, '.', '_', '-'"
OUT = "the link points outside the folder: copy the file instead"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with one file in one folder."""
    save_in_place(tmp_path / "content" / "a" / "x.md", "x")
    return tmp_path / "content"


def odd(path: str) -> Problem:
    """Return the problem of a name that is not served."""
    return Problem(path, 1, 1, "KB002", ODD)


def test_files_one_folder_down_are_listed_in_path_order(root: Path) -> None:
    """Articles are at <root>/<category>/<slug>.md."""
    for path in ("b/z.md", "b/a.md", "a/b.md", "Z/x.md"):
        save_in_place(root / path, "text")
    found = list_files(root)
    assert list(found.files) == ["Z/x.md", "a/b.md", "a/x.md", "b/a.md", "b/z.md"]
    assert found.files["a/x.md"] == Signature.of(os.stat(root / "a" / "x.md"))
    assert (found.problems, found.unreadable) == ([], [])


def test_other_files_and_depths_are_passed_over(root: Path) -> None:
    """Files in the root, deeper folders and other suffixes are not content."""
    for path in ("README.md", "my notes.txt", "a/x.txt", "a/x.MD", "a/b/c.md", "a/md"):
        save_in_place(root / path, "text")
    found = list_files(root)
    assert list(found.files) == ["a/x.md"]
    assert found.problems == []


@pytest.mark.parametrize(
    "name", [".x.md", ".#x.md", ".x.md.swp", "x.md~", "#x.md#", "4913", ".md", ".a.tmp"]
)
def test_what_editors_leave_behind_is_never_listed(root: Path, name: str) -> None:
    """Swap, lock and backup files are neither served nor reported."""
    save_in_place(root / "a" / name, "text")
    save_in_place(root / ".git" / "x.md", "text")
    found = list_files(root)
    assert list(found.files) == ["a/x.md"]
    assert found.problems == []


def test_a_name_that_begins_with_a_dash_is_served(root: Path) -> None:
    """A dash is allowed as the first character, too."""
    save_in_place(root / "-x" / "-y.md", "text")
    assert list(list_files(root).files) == ["-x/-y.md", "a/x.md"]


def test_odd_folder_names_are_reported_once(root: Path) -> None:
    """A folder that is not served is one problem, however many files it has."""
    for number in range(3):
        save_in_place(root / "my folder" / f"{number}.md", "text")
    found = list_files(root)
    assert list(found.files) == ["a/x.md"]
    assert found.problems == [odd("my folder")]


def test_folders_have_twins_too_but_not_with_files(root: Path) -> None:
    """Two folders with one casefold form; a file 'A' in the root is no twin."""
    save_in_place(root / "B" / "x.md", "text")
    save_in_place(root / "b" / "y.md", "text")
    save_in_place(root / "A", "text")
    found = list_files(root)
    assert list(found.files) == ["B/x.md", "a/x.md"]
    assert [(each.path, each.code) for each in found.problems] == [
        ("B", "KB003"),
        ("b", "KB003"),
    ]


def test_a_linked_folder_inside_is_listed(root: Path) -> None:
    """A link to another folder of the root lists its files under its own name."""
    (root / "b").symlink_to("a")
    assert list(list_files(root).files) == ["a/x.md", "b/x.md"]


def test_a_linked_folder_outside_is_reported(root: Path) -> None:
    """D-070: a link out of the root is not listed, a same-prefix sibling neither."""
    save_in_place(root.parent / "content-private" / "x.md", "secret")
    (root / "b").symlink_to("../content-private")
    (root / "c").symlink_to("/")
    found = list_files(root)
    assert list(found.files) == ["a/x.md"]
    assert found.problems == [
        Problem("b", 1, 1, "KB001", OUT),
        Problem("c", 1, 1, "KB001", OUT),
    ]


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("nowhere", "No such file or directory"),
        ("b", "Too many levels of symbolic links"),
        ("x" * 300, "File name too long"),
    ],
)
def test_a_folder_link_to_nowhere_takes_nothing_else_down(
    root: Path, target: str, reason: str
) -> None:
    """Dangling, looping, impossible: reported, and its files are not deleted."""
    (root / "b").symlink_to(target)
    (root / "odd name").symlink_to(target if target != "b" else "odd name")
    found = list_files(root)
    assert list(found.files) == ["a/x.md"]
    assert found.unreadable == ["b/"]
    advice = "check its permissions, or the target of the link"
    message = f"cannot be listed ({reason}): {advice}"
    assert sorted(found.problems) == [
        Problem("b", 1, 1, "KB001", message),
        odd("odd name"),
    ]


def test_a_folder_without_permission_is_unreadable_not_empty() -> None:
    """EACCES on a folder is reported; the others are listed."""
    with ordinary_user() as root:
        save_in_place(root / "a" / "x.md", "x")
        save_in_place(root / "b" / "y.md", "y")
        (root / "b").chmod(0)
        found = list_files(root)
        (root / "b").chmod(0o700)
    assert list(found.files) == ["a/x.md"]
    assert found.unreadable == ["b/"]
    assert [(p.path, p.code) for p in found.problems] == [("b", "KB001")]
    assert "Permission denied" in found.problems[0].message


def test_a_file_that_cannot_be_looked_at_is_unreadable_not_gone() -> None:
    """The names in the folder can be read but the files cannot."""
    with ordinary_user() as root:
        save_in_place(root / "a" / "x.md", "x")
        save_in_place(root / "b" / "y.md", "y")
        (root / "b").chmod(0o400)
        found = list_files(root)
        (root / "b").chmod(0o700)
    assert list(found.files) == ["a/x.md"]
    assert found.unreadable == ["b/y.md"]
    message = "cannot be read (Permission denied): check its permissions"
    denial = "Permission denied"
    assert found.problems == [Problem("b/y.md", 1, 1, "KB001", message, denial)]


def test_links_and_odd_kinds_of_files_are_listed_for_the_reader_to_judge(
    root: Path,
) -> None:
    """Listing does not open anything: a link has its target's key, or its own."""
    os.mkfifo(root / "a" / "fifo.md")
    (root / "a" / "folder.md").mkdir()
    (root / "a" / "gone.md").symlink_to("nowhere")
    (root / "a" / "link.md").symlink_to("x.md")
    found = list_files(root)
    assert list(found.files) == [
        f"a/{name}.md" for name in ("fifo", "folder", "gone", "link", "x")
    ]
    assert found.files["a/link.md"] == found.files["a/x.md"]
    assert found.files["a/gone.md"] == Signature.of(os.lstat(root / "a" / "gone.md"))


def test_the_number_of_files_is_capped(root: Path) -> None:
    """D-061: beyond the limit the first by path order are served."""
    for number in range(5):
        save_in_place(root / "b" / f"{number}.md", "text")
    found = list_files(root, 3)
    assert list(found.files) == ["a/x.md", "b/0.md", "b/1.md"]
    message = "3 of more files are served: raise max_files to serve the rest"
    assert found.problems == [Problem("b", 1, 1, "KB001", message)]


@pytest.mark.parametrize("kind", ["absent", "file", "dangling"])
def test_a_root_that_cannot_be_listed_is_an_error(tmp_path: Path, kind: str) -> None:
    """A missing root is a fault that the cache handles."""
    root = tmp_path / "root"
    if kind == "file":
        save_in_place(root, "text")
    elif kind == "dangling":
        root.symlink_to("nowhere")
    with pytest.raises(OSError, match=r"No such file|Not a directory"):
        list_files(root)


def test_what_is_no_folder_in_the_root_is_passed_over(root: Path) -> None:
    """A link to a file and a FIFO in the root are not categories."""
    save_in_place(root / "a" / "x.md", "text")
    (root / "index").symlink_to("a/x.md")
    os.mkfifo(root / "pipe")
    found = list_files(root)
    assert list(found.files) == ["a/x.md"]
    assert (found.problems, found.unreadable) == ([], [])


def test_folders_and_files_may_come_and_go_while_they_are_listed(root: Path) -> None:
    """A file that vanishes between two system calls is no error."""
    stopped = threading.Event()
    folder, away = root / "b", root.parent / "away"

    def churn() -> None:
        while not stopped.is_set():
            for number in range(20):
                save_in_place(folder / f"{number}.md", "text")
            for number in range(20):
                (folder / f"{number}.md").unlink()
            folder.rename(away)
            away.rmdir()

    churner = threading.Thread(target=churn)
    churner.start()
    counts: set[int] = set()
    looks, deadline = 0, time.monotonic() + BOUND
    try:
        while (looks < 2000 or len(counts) < 3) and time.monotonic() < deadline:
            looks += 1
            found = list_files(root)
            assert "a/x.md" in found.files
            assert {problem.path for problem in found.problems} <= {"b"}
            counts.add(len(found.files))
    finally:
        stopped.set()
        churner.join()
    assert len(counts) > 1


def test_a_change_behind_the_same_names_is_seen(root: Path) -> None:
    """Names are cached, not files: each scan has the current keys."""
    before = list_files(root)
    path = save_in_place(root / "a" / "x.md", "longer text")
    found = list_files(root)
    assert found.files["a/x.md"] == Signature.of(os.stat(path))
    assert found.files != before.files


@pytest.mark.parametrize(
    ("path", "is_article"),
    [
        *(("a/x.md", True), ("..data/a/x.md", True), ("node_modules/x.md", True)),
        *((".drafts/x.md", False), ("a/.x.md", False), ("a/x.txt", False)),
    ],
)
def test_only_markdown_that_is_not_hidden_is_an_article(
    path: str, is_article: bool
) -> None:
    """Of the real path, whatever link leads there."""
    assert (check_article_path(path) is None) == is_article
