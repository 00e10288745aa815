"""Parsed cache: parsed files on disk, so that a start parses only what has changed.

A row holds what the content cache holds of a file. It is used for a file with the same
signature, and for one with the same bytes: a restored or checked-out file is read, but
not parsed. The rows of another version of this package, of Python, or of other rules
are not used at all (D-178). Texts of values that are not served are not stored (D-179).
"""

import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from itertools import compress, filterfalse, islice
from operator import is_not
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import msgspec

import asdlc_kb
from asdlc_kb.exceptions import OperationalError, UnreadableFile
from asdlc_kb.files.lazy_value import LazyValue, StoredPlace
from asdlc_kb.files.parsed_cache_file import (
    IDENTITY_BYTES,
    NO_TEXT,
    ParsedCacheBusy,
    ParsedCacheFile,
    ParsedCacheFileWriter,
    ParsedCacheUnusable,
    open_parsed_cache,
)
from asdlc_kb.files.signature import Signature
from asdlc_kb.files.snapshot import CachedFile

logger = logging.getLogger(__name__)

T = TypeVar("T")

SCHEMA: Final = 2
"""Version of the rows; raise it when their types change."""

MAX_CHANGED_SHARE: Final = 0.05
"""Share of the files up to which the file is not rewritten: the next start parses them
in less time than a rewrite takes."""

CHUNK_FILES: Final = 256
"""Files whose rows are decoded together. What of them is not needed is replaced before
the next, so that its memory is used again."""

_LENGTH_BYTES: Final = 4

MAX_DEPENDENCIES: Final = 64
"""Dependencies of a stored file; one with more is parsed at each start."""

Entries = Mapping[str, CachedFile[T]]


@dataclass(frozen=True, slots=True)
class ParsedCacheFormat(Generic[T]):
    """How the values of one kind of content are stored."""

    values: Any
    """The type of the values, for msgspec."""
    texts: Any
    """The type of what their lazy values hold."""
    find_text: Callable[[T | None], LazyValue[Any] | None]
    """Return the lazy value of a value, if it has one."""
    find_served: Callable[[Mapping[str, T | None]], Set[str]]
    """Return the paths of the values whose texts may be stored, of all by path."""
    packages: tuple[str, ...]
    """The parts of this package that parse."""
    adopt: Callable[[T | None, str, bytes], None] = lambda value, path, digest: None
    """Give a decoded value the path and the digest of its file as the same objects."""
    is_served_alone: bool = False
    """Whether a value is served or not whatever the others are, and at any time."""
    describe_rules: Callable[[], str] = lambda: ""
    """Return what the parser depends on besides the file and this package's version."""


class Cancelled(Exception):
    """Raised to end a write."""


class ParsedCacheReport(msgspec.Struct, frozen=True):
    """The state of a parsed cache as the first scan found it."""

    path: Path
    fault: str | None
    """Why it is not used; None if it is, or if there is none."""
    files: int
    """The files in it that are used if they have not changed."""
    size: int | None
    """In bytes; None if there is no file."""
    parsed: int
    """The files that were parsed because they are not in it, or have changed."""


class ParsedCache(Generic[T]):
    """The parsed files of one root, in one file that several processes may read."""

    def __init__(
        self,
        path: Path,
        stored_as: ParsedCacheFormat[T],
        recover: Callable[[str, bytes], Any],
    ) -> None:
        """Keep it at a path; `recover` reads a text from a file by path and digest."""
        self.path = path
        self._format = stored_as
        self._recover = recover
        self._file: ParsedCacheFile | None = None
        self._fault: str | None = None
        self._saved: Entries[T] = {}
        """The entries in the file."""
        self._without_text: frozenset[str] | set[str] = frozenset()
        """The paths of those of them that have no text in the file."""
        self._was_checked = False

    def load(
        self, rules: str, revision: int, files: Mapping[str, Signature] | None = None
    ) -> dict[str, CachedFile[T]]:
        """Return the stored entries by path; none if the file is not usable.

        Their revision is that of the rules now. Paths and signatures that are equal to
        those of `files` are the same objects.
        """
        try:
            file, rows = open_parsed_cache(
                self.path, self._identify(rules), self._format.texts, self._recover
            )
            chunks = self._decode(file, rows)
            entries = self._collect(chunks, revision, files or {})
        except (ParsedCacheUnusable, OperationalError, msgspec.MsgspecError) as error:
            # A Path raises an error for a file in a folder that cannot be opened.
            if os.path.exists(self.path):
                reason = "damaged" if isinstance(error, ValueError) else str(error)
                self._fault = reason
                logger.info("parsed cache not used", extra={"reason": reason})
            return {}
        self._file, self._saved = file, entries
        return entries

    def _collect(
        self,
        chunks: Iterable[dict[str, CachedFile[T]]],
        revision: int,
        files: Mapping[str, Signature],
    ) -> dict[str, CachedFile[T]]:
        """Return the entries of all chunks, with the objects that exist already."""
        known = dict(zip(files, files, strict=True))
        entries: dict[str, CachedFile[T]] = {}
        without_text = set[str]()
        for chunk in chunks:
            for stored_path, entry in chunk.items():
                path = known.get(stored_path, stored_path)
                if (signature := files.get(path)) == entry.signature:
                    msgspec.structs.force_setattr(entry, "signature", signature)
                self._format.adopt(entry.value, path, entry.digest)
                text = self._format.find_text(entry.value)
                if text is not None:
                    text.bind(path, entry.digest)
                stored = text.stored_place if text is not None else None
                if stored is None or not stored.place:
                    without_text.add(path)
                if entry.revision != revision:
                    entry = msgspec.structs.replace(entry, revision=revision)
                entries[path] = entry
        self._without_text = without_text
        return entries

    def inspect(self, parsed: int) -> ParsedCacheReport:
        """Return the state after `load`, and the number of files parsed since."""
        try:
            size = self.path.stat().st_size
        except OSError:
            size = None
        return ParsedCacheReport(self.path, self._fault, len(self._saved), size, parsed)

    def is_due(self, entries: Entries[T]) -> bool:
        """Whether the file is to be rewritten with the current entries.

        At the first call if anything differs; later if much does, or if it has a text
        that is no longer served.
        """
        is_first, self._was_checked = not self._was_checked, True
        if self._file is None or self._file.is_damaged:
            return True
        saved = self._saved
        if entries is saved:
            return False
        is_other = map(is_not, map(saved.get, entries), entries.values())
        changed = set(compress(entries, is_other))
        changed |= saved.keys() - entries.keys()
        if not changed:
            # One mapping of the same entries is enough.
            self._saved = entries
        different = sum(self._is_different(path, entries) for path in changed)
        max_different = 0 if is_first else MAX_CHANGED_SHARE * len(entries)
        return different > max_different or self._has_withdrawn(changed, entries)

    def _is_different(self, path: str, entries: Entries[T]) -> bool:
        """Whether a file is to be stored otherwise, or not at all."""
        saved, entry = self._saved.get(path), entries.get(path)
        if saved is None or entry is None:
            return entry is None or _is_stored(entry)
        return _is_stored(entry) and saved.digest != entry.digest

    def _has_withdrawn(self, changed: Set[str], entries: Entries[T]) -> bool:
        """Whether the file has a text that is no longer served."""
        known: Iterable[str] = self._saved
        if self._format.is_served_alone:
            known = changed & self._saved.keys()
            entries = {path: entries[path] for path in known if path in entries}
        served = self._find_served(entries)
        return not self._without_text.issuperset(
            filterfalse(served.__contains__, known)
        )

    def _find_served(self, entries: Entries[T]) -> Set[str]:
        values = {path: entry.value for path, entry in entries.items()}
        return self._format.find_served(values)

    def save(
        self, entries: Entries[T], rules: str, is_cancelled: Callable[[], bool]
    ) -> int:
        """Write the entries, move their texts out of memory, return the file's size.

        Returns 0 if another process writes. Blocks. Raises OSError, OperationalError
        for a folder of another user, and Cancelled.
        """
        identity = self._identify(rules)
        stored = {path: entry for path, entry in entries.items() if _is_stored(entry)}
        places: dict[str, bytes] = {}
        try:
            with ParsedCacheFileWriter(self.path) as writer:
                rows = self._encode(stored, writer, places, is_cancelled)
                file = writer.finish(identity, rows, self._format.texts, self._recover)
        except ParsedCacheBusy:
            return 0
        self._move_texts(entries, places, file)
        self._file, self._saved = file, entries
        self._without_text = entries.keys() - places.keys()
        self._was_checked = True
        return self.path.stat().st_size

    def _decode(
        self, file: ParsedCacheFile, rows: bytes
    ) -> Iterator[dict[str, CachedFile[T]]]:
        """Yield the entries of each chunk."""

        def open_text(kind: Any, place: bytes) -> LazyValue[Any]:
            return LazyValue(StoredPlace(file, place))

        kind = dict[str, CachedFile[self._format.values]]  # type: ignore[name-defined]
        decode = msgspec.msgpack.Decoder(kind, dec_hook=open_text).decode
        whole, at = memoryview(rows), 0
        while at < len(rows):
            start = at + _LENGTH_BYTES
            at = start + int.from_bytes(whole[at:start])
            yield decode(whole[start:at])

    def _encode(
        self,
        entries: Entries[T],
        writer: ParsedCacheFileWriter,
        places: dict[str, bytes],
        is_cancelled: Callable[[], bool],
    ) -> bytes:
        """Write the texts; record their places and return the rows.

        They are a map for each chunk of files, after its length.
        """
        served = self._find_served(entries)
        encoder = msgspec.msgpack.Encoder()
        place = NO_TEXT
        rows_encoder = msgspec.msgpack.Encoder(enc_hook=lambda text: place)
        rows, remaining = bytearray(), iter(entries.items())
        while chunk := tuple(islice(remaining, CHUNK_FILES)):
            encoded = bytearray(b"\xdf" + len(chunk).to_bytes(4))
            for path, entry in chunk:
                if is_cancelled():
                    raise Cancelled
                place, text = NO_TEXT, self._format.find_text(entry.value)
                if text is not None and path in served:
                    place = writer.add(_encode_text(text, encoder))
                    places[path] = place
                encoded += rows_encoder.encode(path) + rows_encoder.encode(entry)
            rows += len(encoded).to_bytes(_LENGTH_BYTES) + encoded
        return bytes(rows)

    def _move_texts(
        self, entries: Entries[T], places: Mapping[str, bytes], file: ParsedCacheFile
    ) -> None:
        """Read texts from a file, and what it lacks of others from memory."""
        for path, entry in entries.items():
            text = self._format.find_text(entry.value)
            if text is None:
                continue
            if path in places:
                text.move(StoredPlace(file, places[path]), path, entry.digest)
            elif text.stored_place is not None and text.stored_place.place:
                # Their file would stay on disk as long as one is read from it.
                with suppress(UnreadableFile):
                    text.recall()

    def _identify(self, rules: str) -> bytes:
        code = identify_code(self._format.packages)
        parts = (SCHEMA, sys.version_info[:3], code, rules)
        return blake2b(repr(parts).encode(), digest_size=IDENTITY_BYTES).digest()


def _is_stored(entry: CachedFile[Any]) -> bool:
    """Whether an entry follows from its file alone, and is not to be read again."""
    is_own = entry.is_storable and bool(entry.digest) and not entry.is_retried
    return is_own and len(entry.dependencies) <= MAX_DEPENDENCIES


def _encode_text(text: LazyValue[Any], encoder: msgspec.msgpack.Encoder) -> bytes:
    """Return a text as stored, without decoding it if it is stored already."""
    if (stored := text.stored_place) is not None and isinstance(
        stored.reader, ParsedCacheFile
    ):
        data = stored.reader.read_bytes(stored.place) if stored.place else None
        if data is not None:
            return data
    return encoder.encode(text.get())


@cache
def identify_code(packages: tuple[str, ...]) -> str:
    """Return the digest of this package's version and of the modules of some parts.

    A change of the code counts although it has no new version, as while it is
    developed; another installation of the same code does not. Takes milliseconds.
    """
    state = blake2b(asdlc_kb.__version__.encode(), digest_size=IDENTITY_BYTES)
    root = os.path.dirname(asdlc_kb.__file__)
    for package in packages:
        for path in _list_modules(f"{root}/{package}"):
            with open(path, "rb") as module:
                content = module.read()
            name = path.removeprefix(root)
            state.update(f"{name}\0{len(content)}\0".encode() + content)
    return state.hexdigest()


def _list_modules(folder: str) -> Iterator[str]:
    """Yield the paths of the Python files below a folder, sorted."""
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if entry.name.endswith(".py"):
            yield entry.path
        elif entry.is_dir() and entry.name != "__pycache__":
            yield from _list_modules(entry.path)
