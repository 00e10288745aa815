"""Consistent read of a file: signature, digest and text."""

import os
from codecs import BOM_UTF8
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.paths import NameFilter, OpenFolder
from asdlc_kb.files.signature import Signature

MAX_FILE_BYTES: Final = 2 * 1024 * 1024
"""A larger file is refused by its size, before it is read."""


HEAD_BYTES: Final = 32 * 1024
"""Bytes inspected of a refused file."""


class ChangedWhileRead(Exception):
    """Raised if a file is unfinished, or changed while it was read."""


@dataclass(frozen=True, slots=True)
class RawFile:
    """A file at one moment."""

    path: str
    """Relative to the root, with slashes."""
    signature: Signature
    digest: bytes
    text: str
    """Without byte order mark, with LF line ends."""


def read_file(
    root: Path,
    path: str,
    *,
    folder: OpenFolder | None = None,
    judge: NameFilter | None = None,
    is_finished: Callable[[int, Signature], bool] = lambda descriptor, signature: True,
) -> RawFile:
    """Read a text file below `root`; faster with a `folder` kept open for several.

    `judge` checks the real path if no folder is given, which has its own filter;
    `is_finished` checks the open file before it is read.

    Raises UnreadableFile for a file that is unsafe, too large or not text, OSError for
    one that cannot be read, ChangedWhileRead for one that is being written.
    """
    if folder is None:
        with OpenFolder(root, judge) as folder:
            return read_file(root, path, folder=folder, is_finished=is_finished)
    descriptor, status = folder.open(path)
    try:
        before = Signature.of(status)
        if not is_finished(descriptor, before):
            raise ChangedWhileRead(path)
        if before.size > MAX_FILE_BYTES:
            advice = f"split it: the maximum is {MAX_FILE_BYTES:,} bytes"
            head = _head(_read_all(descriptor, HEAD_BYTES))
            raise UnreadableFile(f"{before.size:,} bytes is too large", advice, head)
        data = read_unchanged(descriptor, path, before)
    finally:
        os.close(descriptor)
    return RawFile(path, before, digest_content(data), _decode(data))


def read_unchanged(descriptor: int, path: str, before: Signature) -> bytes:
    """Read an open file; raise ChangedWhileRead unless it is as it was `before`."""
    data = _read_all(descriptor, before.size)
    if len(data) != before.size or Signature.of(os.fstat(descriptor)) != before:
        raise ChangedWhileRead(path)
    return data


def digest_content(data: bytes) -> bytes:
    """Return the digest by which contents of files are compared."""
    return blake2b(data, digest_size=16).digest()


def _read_all(descriptor: int, size: int) -> bytes:
    """Read `size` bytes, and one more of a file that grew."""
    data = part = os.read(descriptor, size + 1)
    while part and len(data) < size:
        part = os.read(descriptor, size + 1 - len(data))
        data += part
    return data


def _decode(data: bytes) -> str:
    try:
        text = data.removeprefix(BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        reason = f"not UTF-8 at byte {error.start:,}"
        raise UnreadableFile(reason, "save it as UTF-8", _head(data)) from None
    if "\0" in text:
        advice = "save it as UTF-8 text"
        raise UnreadableFile("it contains a NUL character", advice, _head(data))
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if "\r" in text:
        advice = "save it with LF line ends"
        raise UnreadableFile("lines end in a lone CR", advice, _head(data))
    return text


def _head(data: bytes) -> str:
    """Return the head of a file, readable in any superset of ASCII.

    NULs, as of UTF-16, are dropped and line ends are LF.
    """
    head = data[:HEAD_BYTES].decode("latin-1").replace("\0", "")
    return head.replace("\r\n", "\n").replace("\r", "\n")
