"""Parsed cache file: the parsed files of a root in one file on disk.

The file is a header, the lazy values, and the rows of all files in one block. The
header names the identity of the rules by which the files were parsed, and the checksum
of header and rows; each lazy value has its own checksum. A file is complete from the
moment at which it gets its name, and is never changed after that. Values are read by
position from an open descriptor, so a file that another program truncates or replaces
costs a read of the original, never a crash.
"""

import fcntl
import logging
import os
import stat
import struct
from binascii import crc32
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Self

import msgspec

from asdlc_kb.exceptions import OperationalError
from asdlc_kb.trusted_files import refuse_untrusted

logger = logging.getLogger(__name__)

IDENTITY_BYTES: Final = 16

NO_TEXT: Final = b""
"""The place of a value that is not stored."""

_MAGIC: Final = b"asdlc-kb parsed\n"
_HEADER: Final = struct.Struct(f">16s{IDENTITY_BYTES}sQQ16s")
"""Magic, identity, offset and length of the rows, checksum."""
_PLACE: Final = struct.Struct(">HIII")
"""Upper and lower part of the offset, length and checksum of a value. In memory, 14
bytes take 16 less than 16 do."""
_SUFFIX: Final = ".new"
_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_WRITE: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_BUFFER_BYTES: Final = 1024 * 1024


class ParsedCacheUnusable(Exception):
    """Raised if there is no file, or one that is damaged or of other rules."""


class ParsedCacheBusy(Exception):
    """Raised if another process writes the file."""


class ParsedCacheFile:
    """An open file, which reads lazy values."""

    def __init__(
        self, descriptor: int, kind: Any, recover: Callable[[str, bytes], Any]
    ) -> None:
        """Read values of `kind`; `recover` reads one from the file that it is part of.

        It is called with the path and the digest of that file.
        """
        self._descriptor = descriptor
        self._decode = msgspec.msgpack.Decoder(kind).decode
        self._recover = recover
        self.is_damaged = False
        """Whether a value was found to be damaged."""

    def __del__(self) -> None:
        os.close(self._descriptor)

    def append(self) -> IO[bytes]:
        """Open it to add values; they can be read once what is returned is closed."""
        return open(self._descriptor, "ab", _BUFFER_BYTES, closefd=False)

    def read(self, place: bytes, path: str, digest: bytes) -> Any:
        """Return the value at a place; that of the file itself if it is damaged."""
        if place == NO_TEXT:
            return self._recover(path, digest)
        data = self.read_bytes(place)
        if data is None:
            return self._recover(path, digest)
        return self._decode(data)

    def read_bytes(self, place: bytes) -> bytes | None:
        """Return the bytes at a place; None if they are damaged."""
        upper, lower, length, checksum = _PLACE.unpack(place)
        try:
            data = _read_at(self._descriptor, upper << 32 | lower, length)
        except OSError:
            data = b""
        if len(data) == length and crc32(data) == checksum:
            return data
        if not self.is_damaged:
            self.is_damaged = True
            logger.warning("parsed cache is damaged: content files are read instead")
        return None


def open_parsed_cache(
    path: Path, identity: bytes, kind: Any, recover: Callable[[str, bytes], Any]
) -> tuple[ParsedCacheFile, bytes]:
    """Open a file; return it with its rows.

    Raises ParsedCacheUnusable, and OperationalError if other users can write it
    (D-165).
    """
    try:
        refuse_untrusted(os.lstat(path.parent))
        descriptor = os.open(path, _READ)
    except OSError as error:
        raise ParsedCacheUnusable(f"it cannot be read: {error.strerror}") from error
    file = ParsedCacheFile(descriptor, kind, recover)
    status = os.fstat(descriptor)
    refuse_untrusted(status)
    if not stat.S_ISREG(status.st_mode):
        raise ParsedCacheUnusable("it is not a regular file")
    try:
        return file, _read_rows(descriptor, status.st_size, identity)
    except OSError as error:
        raise ParsedCacheUnusable(f"it cannot be read: {error.strerror}") from error


def pack_place(offset: int, data: bytes) -> bytes:
    """Return the place of a value whose bytes are at an offset."""
    upper, lower = divmod(offset, 1 << 32)
    return _PLACE.pack(upper, lower, len(data), crc32(data))


def _read_rows(descriptor: int, size: int, identity: bytes) -> bytes:
    header = _read_at(descriptor, 0, _HEADER.size)
    if len(header) < _HEADER.size or not header.startswith(_MAGIC):
        raise ParsedCacheUnusable("it is damaged")
    _, found, offset, length, checksum = _HEADER.unpack(header)
    if found != identity:
        raise ParsedCacheUnusable("it is of another version or configuration")
    if offset + length != size:
        raise ParsedCacheUnusable("it is damaged")
    rows = _read_at(descriptor, offset, length)
    if len(rows) != length or _checksum(identity, offset, rows) != checksum:
        raise ParsedCacheUnusable("it is damaged")
    return rows


def _read_at(descriptor: int, offset: int, length: int) -> bytes:
    """Read up to `length` bytes from an offset."""
    data = os.pread(descriptor, length, offset)
    while 0 < len(data) < length:
        part = os.pread(descriptor, length - len(data), offset + len(data))
        if not part:
            break
        data += part
    return data


def _checksum(identity: bytes, offset: int, rows: bytes) -> bytes:
    digest = blake2b(identity + offset.to_bytes(8, "big"), digest_size=16)
    digest.update(rows)
    return digest.digest()


class ParsedCacheFileWriter:
    """A new file that replaces that of a path; without `finish` nothing changes.

    A context manager. One process at a time writes; the file of one that was killed is
    overwritten by the next.
    """

    def __init__(self, path: Path) -> None:
        """Begin a file; a missing folder is created.

        Raises OSError, ParsedCacheBusy, or OperationalError as `open_parsed_cache`.
        """
        self._path = path
        self._new = path.with_name(path.name + _SUFFIX)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        refuse_untrusted(os.lstat(path.parent))
        self._descriptor = _lock(self._new)
        self._is_finished = False
        self._file = open(self._descriptor, "wb", _BUFFER_BYTES, closefd=False)
        self._offset = self._file.write(bytes(_HEADER.size))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Delete the file unless it was finished, and release the lock."""
        try:
            if not self._is_finished:
                self._new.unlink(missing_ok=True)
        finally:
            with suppress(OSError):
                # A full disk: what is buffered is not needed.
                self._file.close()
            # Explicitly: a child may just have a duplicate of the descriptor.
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)
            os.close(self._descriptor)

    def add(self, data: bytes) -> bytes:
        """Write a value; return its place."""
        place = pack_place(self._offset, data)
        self._offset += self._file.write(data)
        return place

    def finish(
        self, identity: bytes, rows: bytes, kind: Any, recover: Callable[..., Any]
    ) -> ParsedCacheFile:
        """Write the rows and replace the file; return the new one."""
        checksum = _checksum(identity, self._offset, rows)
        self._file.write(rows)
        self._file.seek(0)
        header = _HEADER.pack(_MAGIC, identity, self._offset, len(rows), checksum)
        self._file.write(header)
        self._file.flush()
        os.fsync(self._descriptor)
        file = ParsedCacheFile(os.open(self._new, _READ), kind, recover)
        os.replace(self._new, self._path)
        self._is_finished = True
        return file


def _lock(path: Path) -> int:
    """Open a file that only this process writes; raise OSError or ParsedCacheBusy."""
    descriptor = os.open(path, _WRITE, 0o600)
    try:
        status = os.fstat(descriptor)
        refuse_untrusted(status)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            raise OperationalError("it is not a file of this program")
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not _is_at(path, status):
            # Another process finished it meanwhile: it is the parsed cache now.
            raise ParsedCacheBusy
        os.ftruncate(descriptor, 0)
    except BlockingIOError:
        os.close(descriptor)
        raise ParsedCacheBusy from None
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _is_at(path: Path, status: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.lstat(path), status)
    except OSError:
        return False
