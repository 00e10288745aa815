"""One read of one open file: bytes, text, refusals."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

import pytest
from support.files import save_in_place
from support.peers import BOUND

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.reader import MAX_FILE_BYTES, ChangedWhileRead, RawFile, read_file
from asdlc_kb.files.signature import Signature


def saved(tmp_path: Path, data: bytes) -> RawFile:
    """Save bytes as a file and read it."""
    save_in_place(tmp_path / "x.md", data)
    return read_file(tmp_path, "x.md")


def refusal(tmp_path: Path, data: bytes) -> str:
    """Return the refusal of a file with these bytes."""
    with pytest.raises(UnreadableFile) as caught:
        saved(tmp_path, data)
    return str(caught.value)


def test_a_file_is_read_with_its_signature_and_digest(tmp_path: Path) -> None:
    """D-003: text, key and digest are of the same bytes."""
    raw = saved(tmp_path, "tëxt\n".encode())
    assert raw == RawFile(
        "x.md",
        Signature.of(os.stat(tmp_path / "x.md")),
        blake2b("tëxt\n".encode(), digest_size=16).digest(),
        "tëxt\n",
    )


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"\xef\xbb\xbf---\na: b\n", "---\na: b\n"),
        (b"---\r\na: b\r\n---\r\n", "---\na: b\n---\n"),
        (b"\xef\xbb\xbfa\r\nb\nc", "a\nb\nc"),
        (b"a\x0bb\x1b[0m", "a\x0bb\x1b[0m"),
    ],
)
def test_byte_order_mark_and_crlf_are_normalised(
    tmp_path: Path, data: bytes, text: str
) -> None:
    """D-071: BOM and CRLF are accepted and normalized to LF text."""
    assert saved(tmp_path, data).text == text


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"caf\xe9", "not UTF-8 at byte 3: save it as UTF-8"),
        ("text".encode("utf-16"), "not UTF-8 at byte 0: save it as UTF-8"),
        (b"\xed\xa0\x80", "not UTF-8 at byte 0: save it as UTF-8"),
        (b"\xc0\xaf", "not UTF-8 at byte 0: save it as UTF-8"),
        (b"a\0b", "it contains a NUL character: save it as UTF-8 text"),
        (
            "text".encode("utf-16-le"),
            "it contains a NUL character: save it as UTF-8 text",
        ),
        (b"a\rb\r", "lines end in a lone CR: save it with LF line ends"),
        (b"a\r\r\nb", "lines end in a lone CR: save it with LF line ends"),
    ],
)
def test_what_is_not_utf8_text_is_refused(
    tmp_path: Path, data: bytes, message: str
) -> None:
    """D-071: invalid UTF-8, UTF-16, NUL and lone CR; the error states what to do."""
    assert refusal(tmp_path, data) == message


def test_the_size_limit_is_two_mebibytes(tmp_path: Path) -> None:
    """D-061: 2 MiB is read, one byte more is refused."""
    assert MAX_FILE_BYTES == 2 * 1024 * 1024
    assert len(saved(tmp_path, b"x" * MAX_FILE_BYTES).text) == MAX_FILE_BYTES
    assert refusal(tmp_path, b"x" * (MAX_FILE_BYTES + 1)) == (
        "2,097,153 bytes is too large: split it: the maximum is 2,097,152 bytes"
    )


def test_a_sparse_giant_is_refused_by_its_size(tmp_path: Path) -> None:
    """D-061: twenty gigabytes of nothing are refused before a byte is read."""
    with open(tmp_path / "x.md", "wb") as file:
        file.truncate(20 * 1024**3)
    with pytest.raises(UnreadableFile, match="21,474,836,480 bytes is too large"):
        read_file(tmp_path, "x.md")


WRITER = """
import os, sys
with open(sys.argv[1], "r+b", buffering=0) as file:
    while os.getppid() == int(sys.argv[2]):
        file.seek(0)
        file.write(b"b" * 1000)
"""


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Write a file in place repeatedly, in a process of its own."""
    command = [sys.executable, "-c", WRITER, str(path), str(os.getpid())]
    with subprocess.Popen(command) as process:
        try:
            yield
        finally:
            process.kill()


def test_a_read_during_a_write_is_thrown_away(tmp_path: Path) -> None:
    """D-067: a key that differs before and after the read voids it."""
    path = save_in_place(tmp_path / "x.md", b"a" * 2_000_000)
    deadline = time.monotonic() + BOUND
    with writing(path), pytest.raises(ChangedWhileRead):
        while time.monotonic() < deadline:
            read_file(tmp_path, "x.md")
