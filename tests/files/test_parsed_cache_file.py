"""Files of parsed caches: complete or absent, checked when read, and no crash."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from asdlc_kb.exceptions import OperationalError
from asdlc_kb.files.parsed_cache_file import (
    IDENTITY_BYTES,
    NO_TEXT,
    ParsedCacheBusy,
    ParsedCacheFile,
    ParsedCacheFileWriter,
    ParsedCacheUnusable,
    open_parsed_cache,
)

IDENTITY = b"i" * IDENTITY_BYTES
TEXT = b"\xa5hello"
"""The text `hello` as a value."""


def recover(path: str, digest: bytes) -> str:
    """Stand in for reading the file itself."""
    return f"recovered {path}"


def write(path: Path, *texts: bytes, rows: bytes = b"rows") -> list[bytes]:
    """Write a cache; return the places of the texts."""
    with ParsedCacheFileWriter(path) as writer:
        places = [writer.add(text) for text in texts]
        writer.finish(IDENTITY, rows, str, recover)
    return places


def read(path: Path, identity: bytes = IDENTITY) -> tuple[ParsedCacheFile, bytes]:
    """Open a cache."""
    return open_parsed_cache(path, identity, str, recover)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a cache is to be, in a folder that does not exist yet."""
    return tmp_path / "parsed" / "cache"


def test_rows_and_texts_are_read_as_written(path: Path) -> None:
    """Only the owner can read them."""
    (place,) = write(path, TEXT)
    cache, rows = read(path)
    assert rows == b"rows"
    assert cache.read(place, "a/x.md", b"") == "hello"
    assert not cache.is_damaged
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_text_that_was_not_stored_is_read_from_its_file(path: Path) -> None:
    """That is no damage."""
    write(path)
    cache, _ = read(path)
    assert cache.read(NO_TEXT, "a/x.md", b"") == "recovered a/x.md"
    assert not cache.is_damaged


def test_a_missing_file_is_not_usable(path: Path) -> None:
    """As at the first start."""
    with pytest.raises(ParsedCacheUnusable):
        read(path)


def test_a_file_of_other_rules_is_not_usable(path: Path) -> None:
    """As after an update."""
    write(path)
    with pytest.raises(ParsedCacheUnusable, match="another version"):
        read(path, b"j" * IDENTITY_BYTES)


@pytest.mark.parametrize("size", [0, 10, 50, -1])
def test_a_truncated_file_is_not_usable(path: Path, size: int) -> None:
    """Whatever is left of it."""
    write(path, TEXT)
    os.truncate(path, size if size >= 0 else path.stat().st_size + size)
    with pytest.raises(ParsedCacheUnusable, match="damaged"):
        read(path)


def test_no_changed_byte_of_header_or_rows_is_accepted(path: Path) -> None:
    """One bit of each byte in turn."""
    write(path, TEXT)
    whole = path.read_bytes()
    at_text = whole.index(TEXT)
    for at in range(len(whole)):
        if at_text <= at < at_text + len(TEXT):
            continue
        damaged = bytearray(whole)
        damaged[at] ^= 4
        path.write_bytes(damaged)
        with pytest.raises(ParsedCacheUnusable):
            read(path)


def test_a_changed_text_is_read_from_its_file(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It is logged once."""
    first, second = write(path, TEXT, TEXT)
    cache, _ = read(path)
    damaged = path.read_bytes().replace(TEXT + TEXT, TEXT + b"\xa5jello")
    path.write_bytes(damaged)
    assert cache.read(first, "a/x.md", b"") == "hello"
    for _ in range(2):
        assert cache.read(second, "a/y.md", b"") == "recovered a/y.md"
    assert cache.is_damaged
    warnings = [r.getMessage() for r in caplog.records if r.levelname == "WARNING"]
    assert warnings == ["parsed cache is damaged: content files are read instead"]


def test_a_file_truncated_while_it_is_open_ends_no_process(path: Path) -> None:
    """No SIGBUS: nothing is mapped."""
    (place,) = write(path, TEXT)
    cache, _ = read(path)
    os.truncate(path, 0)
    assert cache.read(place, "a/x.md", b"") == "recovered a/x.md"


def test_an_open_file_outlives_its_name(path: Path) -> None:
    """Another process may replace it at any time."""
    (place,) = write(path, TEXT)
    cache, _ = read(path)
    write(path, b"\xa5other")
    path.unlink()
    assert cache.read(place, "a/x.md", b"") == "hello"


@pytest.mark.parametrize("part", ["file", "folder"])
def test_a_file_that_others_can_write_is_refused(path: Path, part: str) -> None:
    """D-165."""
    write(path)
    (path if part == "file" else path.parent).chmod(0o777)
    with pytest.raises(OperationalError, match="other users can write to it"):
        read(path)


def test_a_file_of_another_user_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-165; it is not replaced either."""
    write(path)
    monkeypatch.setattr("asdlc_kb.trusted_files._ROOT_USER", -1)
    monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
    with pytest.raises(OperationalError, match="belongs to another user"):
        read(path)
    with pytest.raises(OperationalError, match="belongs to another user"):
        ParsedCacheFileWriter(path)


@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
def test_only_a_regular_file_is_a_cache(path: Path, kind: str) -> None:
    """Opening a pipe does not block."""
    path.parent.mkdir(0o700)
    if kind == "link":
        write(path.with_name("other"))
        path.symlink_to("other")
    elif kind == "folder":
        path.mkdir()
    else:
        os.mkfifo(path, 0o600)
    with pytest.raises(ParsedCacheUnusable):
        read(path)


def test_an_unfinished_write_leaves_the_file_as_it_was(path: Path) -> None:
    """The new file is deleted."""
    write(path, rows=b"one")
    with pytest.raises(ZeroDivisionError), ParsedCacheFileWriter(path) as writer:
        writer.add(TEXT)
        raise ZeroDivisionError
    assert read(path)[1] == b"one"
    assert list(path.parent.iterdir()) == [path]


def test_one_process_at_a_time_writes(path: Path) -> None:
    """The other one leaves it."""
    with ParsedCacheFileWriter(path) as writer:
        with pytest.raises(ParsedCacheBusy):
            ParsedCacheFileWriter(path)
        writer.finish(IDENTITY, b"one", str, recover)
    write(path, rows=b"two")
    assert read(path)[1] == b"two"


def test_a_writer_that_waited_for_another_does_not_write_into_its_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file that it opened got the name of the cache meanwhile."""
    writer = ParsedCacheFileWriter(path)
    import fcntl

    lock = fcntl.flock

    def finish_first(descriptor: int, operation: int) -> None:
        monkeypatch.setattr(fcntl, "flock", lock)
        with writer:
            writer.finish(IDENTITY, b"one", str, recover)
        lock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", finish_first)
    with pytest.raises(ParsedCacheBusy):
        ParsedCacheFileWriter(path)
    assert read(path)[1] == b"one"


DIE_WHILE_WRITING = """
import os, signal, sys
from pathlib import Path
from asdlc_kb.files.parsed_cache_file import ParsedCacheFileWriter
writer = ParsedCacheFileWriter(Path(sys.argv[1]))
writer.add(bytes(1_000_000))
os.kill(os.getpid(), signal.SIGKILL)
"""
"""Begins a cache, and ends as by a power cut."""


def test_a_crash_while_writing_leaves_the_file_and_the_next_write_works(
    path: Path,
) -> None:
    """What it left is overwritten."""
    write(path, rows=b"one")
    command = [sys.executable, "-c", DIE_WHILE_WRITING, str(path)]
    done = subprocess.run(command, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(list(path.parent.iterdir())) == 2
    assert read(path)[1] == b"one"
    write(path, rows=b"two")
    assert read(path)[1] == b"two"
    assert list(path.parent.iterdir()) == [path]


def test_a_foreign_file_in_the_place_of_the_new_one_is_refused(path: Path) -> None:
    """A second name of another file is not overwritten."""
    path.parent.mkdir(0o700)
    other = path.with_name("other")
    other.write_bytes(b"mine")
    os.link(other, path.with_name("cache.new"))
    with pytest.raises(OperationalError, match="not a file of this program"):
        ParsedCacheFileWriter(path)
    assert other.read_bytes() == b"mine"


def test_a_file_that_cannot_be_deleted_leaves_nothing_open(path: Path) -> None:
    """The next attempt gets the lock: here a folder took the place of the file."""
    opened = len(os.listdir("/proc/self/fd"))
    new = path.with_name("cache.new")
    with pytest.raises(OSError), ParsedCacheFileWriter(path):
        new.rename(path)
        new.mkdir()
    assert len(os.listdir("/proc/self/fd")) == opened
    new.rmdir()
    path.rename(new)
    write(path, TEXT)
    assert read(path)[1] == b"rows"
