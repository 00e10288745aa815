"""The result of one scan of a tree of any depth, whatever is in it."""

import asyncio
import os
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cache import TextCache
from support.files import ordinary_user, save_in_place
from support.peers import BOUND
from support.watching import NEVER, Published, running

from asdlc_kb.files import tree_listing, tree_names
from asdlc_kb.files.cache import ContentCache
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.signature import Signature
from asdlc_kb.files.snapshot import ParseResult
from asdlc_kb.files.tree_listing import (
    check_page_path,
    find_markdown,
    find_tree_folders,
    is_tree_path,
    list_tree,
)
from asdlc_kb.files.watcher import Watcher

ODD = "the name is not served: use no control or invisible character and no backslash"
OUT = "the link points outside the folder: copy the file instead"
HIDDEN = "the link points to a hidden file or folder: copy the file instead"
PACKAGES = "the link points to installed packages: copy the file instead"


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


def fault(path: str, message: str, code: str = "KB001") -> Problem:
    """Return a problem of a path itself."""
    return Problem(path, 1, 1, code, message)


def test_markdown_is_listed_at_any_depth(root: Path) -> None:
    """A documentation tree has any depth, and three suffixes of any case."""
    for path in ("b.markdown", "a/c.mdx", "a/README.MD", "a/b/c/d/e/f.md"):
        save_in_place(root / path, "text")
    for path in ("x.txt", "x.md.bak", "md", "a/x.html", "a/x.md~", "a/#x.md#"):
        save_in_place(root / path, "text")
    found = list_tree(root)
    assert sorted(found.files) == [
        *("a/README.MD", "a/b/c/d/e/f.md", "a/b/c/x.md", "a/c.mdx"),
        *("b.markdown", "index.md"),
    ]
    assert found.files["index.md"] == Signature.of(os.stat(root / "index.md"))
    assert (found.problems, found.unreadable) == ([], [])


@pytest.mark.parametrize(
    "path",
    [
        *(".env", ".x.md", ".git/x.md", "a/.cache/x.md", ".github/a/x.md"),
        *("node_modules/p/README.md", "a/node_modules/x.md", "__pycache__/x.md"),
        *("lib/site-packages/x.md", "a/bower_components/x.md", "CVS/x.md"),
    ],
)
def test_dots_and_installed_packages_are_never_listed(root: Path, path: str) -> None:
    """Dotfiles, .git and node_modules are never served, and are no problem either."""
    save_in_place(root / path, "text")
    found = list_tree(root)
    assert sorted(found.files) == BASE
    assert found.problems == []
    assert not is_tree_path(path)


@pytest.mark.parametrize("mark", ["CACHEDIR.TAG", "pyvenv.cfg"])
def test_a_folder_that_says_a_program_made_it_is_not_listed(
    root: Path, mark: str
) -> None:
    """Caches tag themselves, virtual environments too; the root is what was named."""
    save_in_place(root / "made" / mark, "")
    save_in_place(root / "made" / "deep" / "x.md", "text")
    save_in_place(root / mark, "")
    assert paths(root) == BASE


@pytest.mark.parametrize(
    "name", ["a b", "[slug]", "(group)", "größe", "日本語", "x#y", "50%", "a+b", "C++"]
)
def test_names_that_people_write_are_listed(root: Path, name: str) -> None:
    """Blanks, brackets and Unicode are fine in folders and in files."""
    save_in_place(root / name / f"{name}.md", "text")
    found = list_tree(root)
    assert sorted([*BASE, f"{name}/{name}.md"]) == sorted(found.files)
    assert found.problems == []
    assert is_tree_path(f"{name}/{name}.md")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"new\nline.md", "new\\nline.md"),
        (b"esc\x1b[31m.md", "esc\\x1b[31m.md"),
        (b"a\\b.md", "a\\\\b.md"),
        (b"e\xcc\x81.md", "e\\u0301.md"),
        (b"\xff\xfe.md", "\\udcff\\udcfe.md"),
        ("\u202edrawkcab.md".encode(), "\\u202edrawkcab.md"),
        ("zero\u200bwidth.md".encode(), "zero\\u200bwidth.md"),
        ("no\u00a0break.md".encode(), "no\\xa0break.md"),
        (b"y" * 252 + b".md", "y" * 252 + ".md"),
    ],
)
def test_odd_names_are_reported_escaped_and_never_listed(
    root: Path, name: bytes, shown: str
) -> None:
    """D-072: control characters, backslashes and invisible characters."""
    save_in_place(Path(os.fsdecode(os.fsencode(root / "a") + b"/" + name)), "text")
    found = list_tree(root)
    assert sorted(found.files) == BASE
    assert found.problems == [fault(f"a/{shown}", ODD, "KB002")]
    assert not is_tree_path(f"a/{os.fsdecode(name)}")


def test_an_odd_folder_hides_what_is_below_it_once(root: Path) -> None:
    """One problem, however many files it has."""
    for number in range(3):
        save_in_place(root / "a" / "new\nline" / f"{number}.md", "text")
    found = list_tree(root)
    assert sorted(found.files) == BASE
    assert found.problems == [fault("a/new\\nline", ODD, "KB002")]


def test_of_twins_the_first_is_listed(root: Path) -> None:
    """D-072: two names with one casefold form, in any folder."""
    for path in ("a/Guide.md", "a/guide.md", "B/x.md", "b/y.md"):
        save_in_place(root / path, "text")
    found = list_tree(root)
    assert sorted(found.files) == sorted([*BASE, "B/x.md", "a/Guide.md"])
    told = [(p.path, p.code) for p in sorted(found.problems)]
    assert told == [(p, "KB003") for p in ("B", "a/Guide.md", "a/guide.md", "b")]


def test_links_out_of_the_tree_are_not_listed(root: Path) -> None:
    """To files, to folders, to a neighbour with the same prefix: all reported."""
    save_in_place(root.parent / "docs-private" / "s.md", "secret")
    (root / "file.md").symlink_to("../docs-private/s.md")
    (root / "folder").symlink_to("../docs-private")
    (root / "a" / "up").symlink_to("../..")
    (root / "a" / "zero.md").symlink_to("/dev/zero")
    found = list_tree(root)
    assert sorted(found.files) == BASE
    assert sorted(found.problems) == [
        *(fault("a/up", OUT), fault("a/zero.md", OUT)),
        *(fault("file.md", OUT), fault("folder", OUT)),
    ]


def test_links_to_what_is_not_served_are_not_listed(root: Path) -> None:
    """A link does not serve a dotfile under another name."""
    save_in_place(root / ".env", "secret")
    save_in_place(root / ".git" / "x.md", "secret")
    save_in_place(root / "node_modules" / "x.md", "secret")
    (root / "env.md").symlink_to(".env")
    (root / "git").symlink_to(".git")
    (root / "a" / "x.md").symlink_to("../node_modules/x.md")
    found = list_tree(root)
    assert sorted(found.files) == BASE
    assert sorted(found.problems) == [
        *(fault("a/x.md", PACKAGES), fault("env.md", HIDDEN), fault("git", HIDDEN))
    ]


def test_markdown_is_counted_up_to_a_limit(root: Path, tmp_path: Path) -> None:
    """Only at the accepted paths; a missing root has none."""
    assert len(find_markdown(root, lambda path: "/" in path, 10)) == 1
    assert len(find_markdown(root, lambda path: True, 10)) == 2
    assert len(find_markdown(root, lambda path: True, 1)) == 1
    assert not find_markdown(tmp_path / "nowhere", lambda path: True, 10)


def test_a_link_to_nowhere_takes_nothing_else_down(root: Path) -> None:
    """Dangling and circular: as a file, for the reader to judge; else skipped."""
    (root / "gone.md").symlink_to("nowhere.md")
    (root / "circle.md").symlink_to("circle.md")
    (root / "gone").symlink_to("nowhere")
    found = list_tree(root)
    assert sorted(found.files) == [*BASE[:1], "circle.md", "gone.md", "index.md"]
    assert found.files["gone.md"] == Signature.of(os.lstat(root / "gone.md"))


def test_a_folder_called_like_a_file_is_a_folder(root: Path) -> None:
    """Some trees have `page.md/index.md`."""
    save_in_place(root / "page.md" / "index.md", "text")
    assert paths(root) == [*BASE, "page.md/index.md"]


def test_what_cannot_be_listed_is_unreadable_not_empty() -> None:
    """EACCES on a folder is reported; the others are listed."""
    with ordinary_user() as root:
        save_in_place(root / "x.md", "x")
        save_in_place(root / "a" / "b" / "y.md", "y")
        (root / "a" / "b").chmod(0)
        found = list_tree(root)
        (root / "a" / "b").chmod(0o700)
    assert list(found.files) == ["x.md"]
    assert found.unreadable == ["a/b/"]
    assert [(p.path, p.code) for p in found.problems] == [("a/b", "KB001")]
    assert "Permission denied" in found.problems[0].message


@pytest.mark.parametrize("kind", ["absent", "file", "dangling"])
def test_a_root_that_cannot_be_listed_is_an_error(tmp_path: Path, kind: str) -> None:
    """A missing root is a fault that the cache handles; nothing is watched."""
    root = tmp_path / "root"
    if kind == "file":
        save_in_place(root, "text")
    elif kind == "dangling":
        root.symlink_to("nowhere")
    with pytest.raises(OSError, match=r"No such file|Not a directory"):
        list_tree(root)
    assert find_tree_folders(root) == {}


def test_depth_is_capped(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """D-061: folders further down are reported, not listed."""
    assert tree_names.MAX_DEPTH == 32
    monkeypatch.setattr(tree_listing, "MAX_DEPTH", 3)
    save_in_place(root / "a" / "b" / "c" / "d" / "y.md", "text")
    found = list_tree(root)
    assert sorted(found.files) == BASE
    message = "folders more than 3 deep are not served"
    assert found.problems == [fault("a/b/c", message)]
    assert not is_tree_path("a/b/c/d/y.md")


def test_the_number_of_files_is_capped(root: Path) -> None:
    """D-061: beyond the limit the first are served, and it is reported once."""
    for number in range(5):
        save_in_place(root / f"{number}.md", "text")
    found = list_tree(root, max_files=2)
    assert sorted(found.files) == ["0.md", "1.md"]
    message = "2 of more files are served: raise max_files to serve the rest"
    assert found.problems == [fault(".", message)]


def test_the_number_of_folders_is_capped(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-061: an endless tree of folders is not walked to its end."""
    monkeypatch.setattr(tree_listing, "MAX_FOLDERS", 3)
    found = list_tree(root)
    assert sorted(found.files) == ["index.md"]
    message = "more than 3 folders: the rest are not served"
    assert found.problems == [fault("a/b/c", message)]


def test_the_folders_of_a_tree_are_watched(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that are listed, and no others; bounded as watches are."""
    save_in_place(root / ".git" / "x.md", "text")
    save_in_place(root / "node_modules" / "x" / "x.md", "text")
    found = find_tree_folders(root)
    assert list(found) == [f"{root}{tail}" for tail in ("", "/a", "/a/b", "/a/b/c")]
    monkeypatch.setattr(tree_listing, "MAX_WATCHES", 2)
    assert len(find_tree_folders(root)) == 2


async def test_kernel_events_show_a_change_at_any_depth(root: Path) -> None:
    """Events alone: the periodic scan would come in an hour."""
    cache = TextCache(root)
    cache.cache = ContentCache(
        root,
        lambda raw: ParseResult(raw.text),
        list_files=lambda root, max_files: list_tree(root, max_files=max_files),
        judge=check_page_path,
        clock=cache.clock,
    )
    published = Published(cache)
    watcher = Watcher(
        root, cache.cache.scan, published, interval=NEVER, find=find_tree_folders
    )
    async with running(watcher):
        await published.until(lambda: len(cache.values) == 2)
        save_in_place(root / "a" / "b" / "c" / "x.md", "in place")
        await published.until(lambda: cache.values["a/b/c/x.md"] == "in place")
        save_in_place(root / "a" / "new" / "y.md", "new")
        await published.until(lambda: "a/new/y.md" in cache.values)
        save_in_place(root / "a" / "new" / "y.md", "newer")
        await published.until(lambda: cache.values["a/new/y.md"] == "newer")


async def test_a_folder_made_while_folders_are_found_is_watched_too(
    root: Path,
) -> None:
    """Its event comes before the scan: it must not count as seen by it."""
    cache = TextCache(root)
    cache.cache = ContentCache(
        root,
        lambda raw: ParseResult(raw.text),
        list_files=lambda root, max_files: list_tree(root, max_files=max_files),
        judge=check_page_path,
        clock=cache.clock,
    )
    published = Published(cache)
    told = threading.Event()
    calls: list[Path] = []

    class Hint(asyncio.Event):
        def set(self) -> None:
            super().set()
            told.set()

    def find(folder: Path) -> Mapping[str, tuple[int, int]]:
        found = find_tree_folders(folder)
        calls.append(folder)
        if len(calls) == 2:
            told.clear()
            save_in_place(root / "new" / "y.md", "new")
            assert told.wait(BOUND)
        return found

    watcher = Watcher(root, cache.cache.scan, published, interval=NEVER, find=find)
    watcher._hint = Hint()
    async with running(watcher):
        await published.until(lambda: len(cache.values) == 2)
        save_in_place(root / "index.md", "again")
        await published.until(lambda: "new/y.md" in cache.values)
        save_in_place(root / "new" / "y.md", "newer")
        await published.until(lambda: cache.values["new/y.md"] == "newer")


@given(st.text(max_size=20), st.text(max_size=20))
def test_a_path_that_may_be_served_stays_below_its_root(folder: str, name: str) -> None:
    """For any text: no step up, no root, no hidden or invisible part."""
    path = f"{folder}/{name}.md"
    if is_tree_path(path):
        assert path.isprintable() and "\\" not in path
        assert not path.startswith("/")
        assert not any(part.startswith(".") for part in path.split("/"))


@pytest.mark.parametrize(
    ("path", "is_page"),
    [
        *(("guide/x.md", True), ("X.MDX", True), ("..2026_01_01/x.md", True)),
        *((".env", False), (".git/x.md", False), ("a/.x/y.md", False)),
        *(("node_modules/p/x.md", False), ("keys/server.pem", False), (".", False)),
    ],
)
def test_only_markdown_that_is_not_hidden_is_a_page(path: str, is_page: bool) -> None:
    """Of the real path, whatever link leads there."""
    assert (check_page_path(path) is None) == is_page


def test_paths_that_are_left_out_are_not_entered(root: Path) -> None:
    """A slash distinguishes a folder from a file."""
    for path in ("a/x.md", "b/x.md", "c.md"):
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text("# A")
    asked: list[str] = []

    def leaves_out(path: str) -> bool:
        asked.append(path)
        return path in ("a/", "c.md")

    listing = list_tree(root, (), leaves_out)
    assert "b/x.md" in listing.files
    assert not {"a/x.md", "c.md"} & listing.files.keys()
    assert "a" not in listing.folders
    assert "a/x.md" not in asked
