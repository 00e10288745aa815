"""Served names, and opening a file without leaving the root."""

import os
import socket
import threading
import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.files import save_in_place
from support.peers import BOUND

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.paths import (
    MAX_NAME_BYTES,
    OpenFolder,
    is_name,
    open_folder,
    open_inside,
    refusal_reason,
)

SECRET = b"the secret outside"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with one article, next to a folder outside of it."""
    save_in_place(tmp_path / "content" / "a" / "x.md", b"inside")
    save_in_place(tmp_path / "outside" / "x.md", SECRET)
    save_in_place(tmp_path / "content-private" / "x.md", SECRET)
    return tmp_path / "content"


def read(root: Path, relative: str) -> bytes:
    """Return the text of a file below a root."""
    with open_inside(root, relative) as descriptor:
        return os.read(descriptor, 1000)


def refusal(root: Path, relative: str) -> str:
    """Return why a file is not opened."""
    with pytest.raises(UnreadableFile) as caught, open_inside(root, relative):
        pass
    return caught.value.reason


@pytest.mark.parametrize(
    "name",
    [
        *("a", "A", "0", "_", "-", "-x", "a.b", "a-b_c", "context-engineering"),
        *("über", "日本語", "кот", "٣", "x" * 200, "é" * 100, "a..b", "a."),
        *("हिन्दी", "สวัสดี", "q\u0308"),
    ],
)
def test_letters_and_digits_of_any_script_make_a_name(name: str) -> None:
    """D-072: letters, digits, '.', '_' and '-', at most 200 bytes."""
    assert is_name(name)


@pytest.mark.parametrize(
    "name",
    [
        *("", ".", "..", ".hidden", "a b", "a/b", "a\\b", "a\n", "\na", "a\0", "a\x1b"),
        *("%41", "a%2e", "a:b", "a*", "a?", "~a", "a~", "#a", "a@b", "a'b", 'a"b'),
        *("e\u0301", "a\u200bb", "a\u202eb", "a\u00a0b", "\udcff", "a\udc80"),
        *("x" * 201, "é" * 101, "日" * 67, "\u212b", "A\U000e0041"),
        *("\u0301a", "a\ufe0f", "a\u034f", "ᠠ\u180b", "a\U000e0100"),
    ],
    ids=ascii,
)
def test_other_names_are_never_served(name: str) -> None:
    """D-072: separators, controls, escapes, NFD, odd bytes, 201 bytes."""
    assert not is_name(name)


@given(st.text(max_size=8))
def test_a_name_is_safe_in_a_path_a_line_and_an_address(name: str) -> None:
    """A name needs no quoting anywhere and identifies one file."""
    if not is_name(name):
        return
    assert name == unicodedata.normalize("NFC", name)
    assert not name.startswith(".")
    kinds = {unicodedata.category(c)[0] for c in name if c not in "._-"}
    assert kinds <= set("LNM")


@given(
    st.text(
        st.one_of(st.sampled_from("._-aZ9é"), st.characters(categories=["L", "Nd"])),
        max_size=70,
    )
)
def test_letters_digits_and_three_signs_are_enough_for_a_name(name: str) -> None:
    """The only conditions are NFC, the length and the first character."""
    fits = 0 < len(name.encode()) <= MAX_NAME_BYTES
    is_nfc = unicodedata.is_normalized("NFC", name)
    assert is_name(name) is (fits and is_nfc and not name.startswith("."))


def test_a_regular_file_is_opened(root: Path) -> None:
    """The plain case, by a path relative to the root."""
    assert read(root, "a/x.md") == b"inside"


def test_the_root_itself_may_be_a_link(root: Path) -> None:
    """A root such as 'current -> releases/7' is the operator's own choice."""
    link = root.parent / "current"
    link.symlink_to(root)
    assert read(link, "a/x.md") == b"inside"


def test_links_inside_the_root_are_followed(root: Path) -> None:
    """Files, folders and chains, dot folders too (a ConfigMap's '..data')."""
    save_in_place(root / ".data" / "v1" / "y.md", b"mapped")
    (root / ".data" / "current").symlink_to("v1")
    (root / "a" / "y.md").symlink_to("../.data/current/y.md")
    (root / "b").symlink_to("a")
    assert read(root, "a/y.md") == b"mapped"
    assert read(root, "b/y.md") == b"mapped"
    assert read(root, "b/x.md") == b"inside"


@pytest.mark.parametrize(
    "target",
    [
        "../../outside/x.md",
        "../../content-private/x.md",
        "/etc/passwd",
        "/dev/zero",
        "/dev/null",
        "hop.md",
    ],
)
def test_links_out_of_the_root_are_refused(root: Path, target: str) -> None:
    """D-070: outside, a sibling with the same prefix, devices, chains."""
    (root / "a" / "hop.md").symlink_to("../../outside/x.md")
    (root / "a" / "out.md").symlink_to(target)
    assert refusal(root, "a/out.md") == "the link points outside the folder"


def test_a_folder_link_out_of_the_root_is_refused(root: Path) -> None:
    """A file below a linked folder is outside as well."""
    (root / "b").symlink_to("../outside")
    assert refusal(root, "b/x.md") == "the link points outside the folder"


def names_in(root: Path, relative: str) -> list[str]:
    """Return the names in a folder below a root."""
    with open_folder(root, relative) as descriptor:
        return sorted(os.listdir(descriptor))


def test_a_folder_is_opened_for_listing(root: Path) -> None:
    """By its path, through a link that stays inside, and the root itself."""
    (root / "b").symlink_to("a")
    (root / "a" / "up").symlink_to("..")
    assert names_in(root, "a") == names_in(root, "b") == ["up", "x.md"]
    assert names_in(root, ".") == names_in(root, "a/up") == ["a", "b"]


@pytest.mark.parametrize("target", ["../outside", "../content-private", "/etc"])
def test_a_folder_behind_a_link_out_of_the_root_is_not_listed(
    root: Path, target: str
) -> None:
    """D-070: names outside the root are not revealed either."""
    (root / "b").symlink_to(target)
    for path in ("b", target):
        with pytest.raises(UnreadableFile), open_folder(root, path):
            pass


def test_what_is_no_folder_is_not_listed(root: Path) -> None:
    """A file, a missing name, a circular link: distinguished by their errors."""
    (root / "loop").symlink_to("loop")
    for path, error in {
        "a/x.md": NotADirectoryError,
        "none": FileNotFoundError,
        "loop": UnreadableFile,
    }.items():
        with pytest.raises(error), open_folder(root, path):
            pass


def test_a_path_that_climbs_is_refused(root: Path) -> None:
    """D-070: a common prefix is not containment."""
    for path in ("../outside/x.md", "a/../../content-private/x.md", "..", "../content"):
        with pytest.raises(UnreadableFile), open_inside(root, path):
            pass


@pytest.mark.parametrize("target", ["../../outside/none.md", "/none/none.md"])
def test_a_link_out_of_the_root_is_refused_as_such_whether_or_not_it_leads_anywhere(
    root: Path, target: str
) -> None:
    """D-070: whether the target exists is not revealed."""
    (root / "a" / "out.md").symlink_to(target)
    (root / "b").symlink_to("../outside")
    for path in ("a/out.md", "b/none.md", "../outside/none.md"):
        assert refusal(root, path) == "the link points outside the folder"


@pytest.mark.parametrize("target", ["nowhere.md", "loop.md", "x" * 300])
def test_links_to_nowhere_are_refused(root: Path, target: str) -> None:
    """D-070: dangling, looping and impossible links."""
    (root / "a" / "loop.md").symlink_to(target)
    assert refusal(root, "a/loop.md") == "the link is broken"


def test_a_missing_file_is_an_os_error(root: Path) -> None:
    """Absence is not refusal: the caller distinguishes deletion from attack."""
    with pytest.raises(FileNotFoundError), open_inside(root, "a/none.md"):
        pass


def test_what_is_no_regular_file_is_refused_at_once(root: Path) -> None:
    """D-070: a FIFO does not block, a folder is not read."""
    os.mkfifo(root / "a" / "fifo.md")
    (root / "a" / "folder.md").mkdir()
    reasons: list[str] = []

    def refuse() -> None:
        reasons.extend(refusal(root, f"a/{name}.md") for name in ("folder", "fifo"))

    thread = threading.Thread(target=refuse, daemon=True)
    thread.start()
    thread.join(BOUND)
    assert reasons == ["not a regular file"] * 2


def test_a_socket_is_an_os_error(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A socket cannot even be opened; that is an error like any other."""
    monkeypatch.chdir(root / "a")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s.md")
        with (
            pytest.raises(OSError, match="No such device"),
            open_inside(root, "a/s.md"),
        ):
            pass


def test_no_descriptor_is_left_open(root: Path) -> None:
    """Opening and refusing return every descriptor."""
    (root / "a" / "out.md").symlink_to("/dev/zero")
    (root / "a" / "folder.md").mkdir()
    before = len(os.listdir("/dev/fd"))
    for _ in range(50):
        assert read(root, "a/x.md") == b"inside"
        for path in ("a/out.md", "a/folder.md"):
            assert refusal(root, path)
    assert len(os.listdir("/dev/fd")) == before


def test_a_link_that_is_swapped_while_reading_never_shows_the_outside(
    root: Path,
) -> None:
    """D-070: check and open use one path, folder by folder."""
    spare = root.parent / "spare"
    for name in ("file", "folder"):
        (spare / name).mkdir(parents=True)
    inside, outside = root / "a", root.parent / "outside"
    stopped = threading.Event()

    def flip() -> None:
        while not stopped.is_set():
            for target in (inside, outside):
                (spare / "l").symlink_to(target / "x.md")
                os.rename(spare / "l", root / "a" / "swap.md")
                (spare / "d").symlink_to(target)
                os.rename(spare / "d", root / "b")

    flipper = threading.Thread(target=flip)
    flipper.start()
    seen: set[bytes] = set()
    reads = refused = 0
    deadline = time.monotonic() + BOUND
    try:
        while (reads < 10_000 or not refused) and time.monotonic() < deadline:
            reads += 1
            for path in ("a/swap.md", "b/x.md"):
                try:
                    seen.add(read(root, path))
                except (UnreadableFile, OSError):
                    refused += 1
    finally:
        stopped.set()
        flipper.join()
    assert seen == {b"inside"}
    assert refused


def read_next(folder: OpenFolder, relative: str) -> bytes:
    """Return the text of the next file, by a folder that is kept open."""
    descriptor, status = folder.open(relative)
    try:
        assert status.st_ino == os.fstat(descriptor).st_ino
        return os.read(descriptor, 1000)
    finally:
        os.close(descriptor)


def test_an_open_folder_leads_to_file_after_file(root: Path) -> None:
    """The same folder again, another one, a link and back: each file is its own."""
    save_in_place(root / "a" / "y.md", b"second")
    save_in_place(root / "b" / "x.md", b"of b")
    (root / "c").symlink_to("b")
    link = root.parent / "current"
    link.symlink_to(root)
    for start in (root, link):
        with OpenFolder(start) as folder:
            paths = ("a/x.md", "a/y.md", "b/x.md", "c/x.md", "a/x.md")
            read = [read_next(folder, path) for path in paths]
        assert read == [b"inside", b"second", b"of b", b"of b", b"inside"]


def test_a_folder_swapped_for_a_link_out_leads_nowhere(root: Path) -> None:
    """An open folder stays inside; any other one is resolved through the link."""
    save_in_place(root.parent / "outside" / "only.md", SECRET)
    with OpenFolder(root) as folder:
        assert read_next(folder, "a/x.md") == b"inside"
        (root / "a").rename(root / "b")
        (root / "a").symlink_to("../outside")
        assert read_next(folder, "a/x.md") == b"inside"
        with pytest.raises(UnreadableFile, match="points outside the folder"):
            read_next(folder, "a/only.md")
    assert refusal(root, "a/x.md") == "the link points outside the folder"


def test_folders_are_opened_below_one_another_and_never_through_a_link(
    root: Path,
) -> None:
    """The root, folder after folder; a folder replaced by a link is none any more."""
    save_in_place(root / "a" / "b" / "c" / "x.md", b"inside")
    (root / "d").symlink_to("a")
    with OpenFolder(root) as folder:
        for path, names in {".": ["a", "d"], "a/b": ["c"], "a/b/c": ["x.md"]}.items():
            with folder.open_below(path) as descriptor:
                assert sorted(os.listdir(descriptor)) == names
        (root / "a" / "b").rename(root / "b")
        (root / "a" / "b").symlink_to("../../outside")
        for path in ("d", "d/b", "a/b", "a/x.md", "none"):
            with pytest.raises(OSError), folder.open_below(path):
                pass


def test_an_open_folder_is_closed(root: Path) -> None:
    """After any number of folders and failures."""
    save_in_place(root / "b" / "x.md", b"of b")
    (root / "a" / "out.md").symlink_to("/dev/zero")
    (root / "a" / "folder.md").mkdir()
    before = len(os.listdir("/dev/fd"))
    for _ in range(20):
        with OpenFolder(root) as folder:
            for path in ("a/x.md", "b/x.md"):
                read_next(folder, path)
            for path in ("a/out.md", "a/folder.md", "a/none.md", "none/x.md"):
                with pytest.raises((UnreadableFile, OSError)):
                    read_next(folder, path)
    assert len(os.listdir("/dev/fd")) == before


def judge(path: str) -> UnreadableFile | None:
    """Refuse any file in a real folder called kept."""
    kept = "kept" in path.split("/")
    return UnreadableFile("it is kept", "ask for another") if kept else None


def test_a_judge_is_asked_of_the_real_path_with_links_and_without(root: Path) -> None:
    """Whatever name it is opened by, and before its existence is known."""
    save_in_place(root / "kept" / "x.md", SECRET)
    (root / "a" / "to.md").symlink_to("../kept/x.md")
    (root / "a" / "none.md").symlink_to("../kept/none.md")
    (root / "b").symlink_to("kept")
    for path in ("kept/x.md", "kept/none.md", "a/to.md", "a/none.md", "b/x.md"):
        with pytest.raises(UnreadableFile) as caught, open_inside(root, path, judge):
            pass
        assert caught.value.reason == "it is kept"
    for path in ("kept", "b"):
        with pytest.raises(UnreadableFile), open_folder(root, path, judge):
            pass
        assert refusal_reason(root, path, judge) is not None
    with open_inside(root, "a/x.md", judge) as descriptor:
        assert os.read(descriptor, 100) == b"inside"
    assert refusal_reason(root, "a/x.md", judge) is None
