"""Tests of replacing a user's file: atomically, with a backup."""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files import writer
from asdlc_kb.files.writer import (
    delete,
    move_aside,
    read_original,
    rename,
    replace,
)


def test_a_file_is_replaced_and_kept(tmp_path: Path) -> None:
    """D-135: a backup, the mode unchanged, no other file left."""
    path = tmp_path / "config.json"
    path.write_bytes("\ufeffalt\r\n".encode())
    path.chmod(0o640)
    original = read_original(path)
    assert original.text == "\ufeffalt\r\n"
    backup = replace(original, "neu ü\r\n")
    assert backup == tmp_path / "config.json.bak"
    assert path.read_bytes() == "neu ü\r\n".encode()
    assert backup.read_bytes() == "\ufeffalt\r\n".encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert stat.S_IMODE(backup.stat().st_mode) == 0o640
    assert sorted(os.listdir(tmp_path)) == ["config.json", "config.json.bak"]


def test_generated_files_have_no_backup(tmp_path: Path) -> None:
    """They are replaced and deleted without a trace, unless they changed."""
    path = tmp_path / "rule.md"
    path.write_text("first")
    assert replace(read_original(path), "second", has_backup=False) is None
    assert path.read_text() == "second"
    original = read_original(path)
    path.write_text("another")
    with pytest.raises(UnreadableFile, match="changed meanwhile"):
        delete(original)
    delete(read_original(path))
    assert os.listdir(tmp_path) == []
    tmp_path.joinpath("a").mkdir()
    with pytest.raises(UnreadableFile, match="changed meanwhile"):
        delete(original)


def test_the_first_backup_is_kept(tmp_path: Path) -> None:
    """D-135: it is the state before the first edit."""
    path = tmp_path / "config.json"
    path.write_text("first")
    backup = replace(read_original(path), "second")
    assert backup is not None
    assert replace(read_original(path), "third") is None
    assert path.read_text() == "third"
    assert move_aside(read_original(path)) is None
    assert backup.read_text() == "first"
    assert os.listdir(tmp_path) == ["config.json.bak"]


def test_a_private_file_is_never_readable_by_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other servers' keys are in such files: not even for a moment."""
    path = tmp_path / "config.json"
    path.write_text("old")
    path.chmod(0o600)
    seen = []
    change = os.fchmod

    def look(number: int, mode: int) -> None:
        seen.append(stat.S_IMODE(os.fstat(number).st_mode))
        change(number, mode)

    monkeypatch.setattr(os, "fchmod", look)
    mask = os.umask(0)
    try:
        replace(read_original(path), "new")
    finally:
        os.umask(mask)
    assert seen == [0o600, 0o600]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_is_not_there_is_made(tmp_path: Path) -> None:
    """Folders too; there is no backup, and the mode is the usual one."""
    path = tmp_path / "a" / "b" / "config.json"
    mask = os.umask(0o027)
    try:
        assert replace(read_original(path), "new") is None
    finally:
        os.umask(mask)
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(path.parent) == ["config.json"]


def test_a_private_file_and_its_folders_are_created_for_the_user_alone(
    tmp_path: Path,
) -> None:
    """Whatever the umask allows; what exists keeps its mode."""
    path = tmp_path / "a" / "b" / "config.json"
    mask = os.umask(0)
    try:
        replace(read_original(path), "new", is_private=True)
    finally:
        os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    modes = [stat.S_IMODE(each.stat().st_mode) for each in path.parents[:2]]
    assert modes == [0o700, 0o700]
    path.chmod(0o644)
    path.parent.chmod(0o755)
    replace(read_original(path), "newer", is_private=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o755


def test_a_link_stays_and_its_file_is_replaced(tmp_path: Path) -> None:
    """Configurations are often links into a repository of dotfiles."""
    (tmp_path / "dotfiles").mkdir()
    real = tmp_path / "dotfiles" / "real.json"
    real.write_text("old")
    link = tmp_path / "config.json"
    link.symlink_to("dotfiles/real.json")
    backup = replace(read_original(link), "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert not real.is_symlink()
    assert backup == real.with_name("real.json.bak")


def test_a_backup_is_not_written_through_a_link(tmp_path: Path) -> None:
    """The file under the backup's name is replaced itself."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    path = tmp_path / "config.json"
    path.write_text("old")
    (tmp_path / "config.json.bak").symlink_to(victim)
    replace(read_original(path), "new")
    assert victim.read_text() == "precious"
    assert (tmp_path / "config.json.bak").read_text() == "old"


def test_a_file_that_somebody_wrote_meanwhile_is_left(tmp_path: Path) -> None:
    """A running client writes its file too."""
    path = tmp_path / "config.json"
    path.write_text("old")
    original = read_original(path)
    path.write_text("theirs")
    changes: list[Callable[[], object]] = [
        lambda: replace(original, "ours"),
        lambda: move_aside(original),
    ]
    for change in changes:
        with pytest.raises(UnreadableFile, match="changed meanwhile: try again"):
            change()
    assert path.read_text() == "theirs"
    assert os.listdir(tmp_path) == ["config.json"]


def test_a_file_that_appears_meanwhile_is_left(tmp_path: Path) -> None:
    """The same for one that did not exist."""
    path = tmp_path / "config.json"
    original = read_original(path)
    path.write_text("theirs")
    with pytest.raises(UnreadableFile, match="changed meanwhile"):
        replace(original, "ours")
    assert path.read_text() == "theirs"


def test_a_failed_write_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk costs only the edit."""
    path = tmp_path / "config.json"
    path.write_text("old")
    original = read_original(path)

    def fail(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(UnreadableFile, match=r"\(No space left on device\)"):
        replace(original, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["config.json"]


def test_a_file_set_aside_is_its_own_backup(tmp_path: Path) -> None:
    """A file that is entirely ours is removed, and can be restored."""
    path = tmp_path / "asdlc.yaml"
    assert move_aside(read_original(path)) is None
    path.write_text("ours")
    assert move_aside(read_original(path)) == tmp_path / "asdlc.yaml.bak"
    assert os.listdir(tmp_path) == ["asdlc.yaml.bak"]


def test_what_may_not_be_replaced_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folders, pipes, dangling links, files that are no text or too large."""
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "nowhere").symlink_to("gone")
    (tmp_path / "round").symlink_to("round")
    (tmp_path / "latin").write_bytes(b"caf\xe9")
    (tmp_path / "large").write_bytes(b"x" * 101)
    monkeypatch.setattr(writer, "MAX_BYTES", 100)
    refused = {
        "folder": "not a regular file",
        "pipe": "not a regular file",
        "nowhere": "the link is broken",
        "round": "the system refused it",
        "latin": "not UTF-8 at byte 3",
        "large": "101 bytes is too large",
    }
    for name, reason in refused.items():
        with pytest.raises(UnreadableFile, match=reason):
            read_original(tmp_path / name)


def test_another_user_s_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With sudo it would belong to root, and its owner be locked out."""
    path = tmp_path / "config.json"
    path.write_text("old")
    monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
    with pytest.raises(UnreadableFile, match="another user: run this as that user"):
        read_original(path)


def test_a_file_can_be_replaced_without_a_backup(tmp_path: Path) -> None:
    """Where version control keeps what was."""
    path = tmp_path / "a"
    path.write_text("old")
    assert replace(read_original(path), "new", has_backup=False) is None
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["a"]


def test_a_file_gets_another_name(tmp_path: Path) -> None:
    """Unless another file has it; the file is then where it was."""
    path = tmp_path / "a.md"
    path.write_text("text")
    path.chmod(0o640)
    rename(read_original(path), "A.md")
    assert os.listdir(tmp_path) == ["A.md"]
    assert (tmp_path / "A.md").stat().st_mode & 0o777 == 0o640
    (tmp_path / "b").symlink_to("nowhere")
    for taken in ("b", "B"):
        (tmp_path / "B").write_text("other")
        with pytest.raises(FileExistsError):
            rename(read_original(tmp_path / "A.md"), taken)
    assert sorted(os.listdir(tmp_path)) == ["A.md", "B", "b"]
    assert (tmp_path / "B").read_text() == "other"


def test_a_file_changed_meanwhile_keeps_its_name(tmp_path: Path) -> None:
    """It may not be the one that was read."""
    path = tmp_path / "a"
    path.write_text("old")
    original = read_original(path)
    path.write_text("newer")
    with pytest.raises(UnreadableFile, match="changed meanwhile"):
        rename(original, "b")
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("is_taken", [True, False])
def test_a_name_changes_without_hard_links_and_where_case_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_taken: bool
) -> None:
    """As on exFAT and APFS."""
    path = tmp_path / "a"
    path.write_text("text")
    original = read_original(path)

    def link(source: Path, target: Path, *, follow_symlinks: bool) -> None:
        if not is_taken:
            raise OSError(errno.EPERM, "Operation not permitted")
        raise FileExistsError(target)

    monkeypatch.setattr(os, "link", link)
    if is_taken:
        monkeypatch.setattr(writer, "_is_same", lambda path, original: True)
    rename(original, "A")
    assert os.listdir(tmp_path) == ["A"]
