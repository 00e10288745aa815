"""One read of one open file: its signature, its bytes, its text."""

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
"""Bytes; a larger file is refused by its size, before it is read."""


HEAD: Final = 32 * 1024
"""Bytes that are looked at of a file that is refused."""


class ChangedWhileRead(Exception):
    """Raised when a file is being written: it is not finished, or was not when read."""


@dataclass(frozen=True, slots=True)
class RawFile:
    """A file as it was at one moment."""

    path: str
    """Relative to the root, with slashes."""
    signature: Signature
    digest: bytes
    text: str
    """Without byte order mark, lines ended by LF."""


def read_file(
    root: Path,
    path: str,
    *,
    folder: OpenFolder | None = None,
    judge: NameFilter | None = None,
    is_finished: Callable[[int, Signature], bool] = lambda descriptor, found: True,
) -> RawFile:
    """Read a text file below `root`; quicker with a `folder` kept open for several.

    The judge is asked of its real path where no folder is given, which has its own, and
    `is_finished` of the open file before it is read.

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
            advice = f"split it: {MAX_FILE_BYTES:,} bytes is the most"
            head = _head(_read_all(descriptor, HEAD))
            raise UnreadableFile(f"{before.size:,} bytes is too large", advice, head)
        data = _read_all(descriptor, before.size)
        if len(data) != before.size or Signature.of(os.fstat(descriptor)) != before:
            raise ChangedWhileRead(path)
    finally:
        os.close(descriptor)
    digest = blake2b(data, digest_size=16).digest()
    return RawFile(path, before, digest, _decode(data))


def _read_all(descriptor: int, size: int) -> bytes:
    """Read as much as is expected, and a byte more of a file that grew."""
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
        raise UnreadableFile("a NUL character is in it", advice, _head(data))
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if "\r" in text:
        advice = "save it with LF line ends"
        raise UnreadableFile("lines end in a lone CR", advice, _head(data))
    return text


def _head(data: bytes) -> str:
    """Return how a file begins, in letters of any encoding that ASCII is part of.

    The NULs of UTF-16 are left out and every line end is LF.
    """
    head = data[:HEAD].decode("latin-1").replace("\0", "")
    return head.replace("\r\n", "\n").replace("\r", "\n")
