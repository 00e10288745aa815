"""Texts of a scan on disk: what it parses before the parsed cache has it.

A first start parses all files, and their texts would be in memory at once until the
parsed cache is written. The file has no name, so it ends with its last reader.
"""

import logging
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final, Generic, TypeVar

import msgspec

from asdlc_kb.exceptions import OperationalError
from asdlc_kb.files.lazy_value import LazyValue, StoredPlace
from asdlc_kb.files.parsed_cache import ParsedCacheFormat
from asdlc_kb.files.parsed_cache_file import ParsedCacheFile, pack_place
from asdlc_kb.files.snapshot import CachedFile
from asdlc_kb.trusted_files import refuse_untrusted

logger = logging.getLogger(__name__)

T = TypeVar("T")

MAX_HELD_BYTES: Final = 16 * 1024 * 1024
"""Bytes of parsed files that wait in memory; a scan of fewer writes no file."""


class TextSpill(Generic[T]):
    """The texts that one scan parses. In one thread."""

    def __init__(
        self,
        folder: Path,
        stored_as: ParsedCacheFormat[T],
        recover: Callable[[str, bytes], Any],
    ) -> None:
        """Write to a file in a folder; `recover` is that of `ParsedCacheFile`."""
        self._folder = folder
        self._format = stored_as
        self._recover = recover
        self._encoder = msgspec.msgpack.Encoder()
        self._held: dict[str, CachedFile[T]] = {}
        self._held_bytes = 0
        self._file: ParsedCacheFile | None = None
        self._size = 0
        self._is_usable = True

    def add(self, path: str, entry: CachedFile[T] | None) -> None:
        """Move the text of a parsed file to the disk, with the next ones."""
        text = self._format.find_text(entry.value) if entry is not None else None
        if entry is None or text is None or text.stored_place is not None:
            return
        if not self._is_usable:
            return
        self._held[path] = entry
        self._held_bytes += entry.signature.size
        if self._held_bytes >= MAX_HELD_BYTES:
            held, self._held, self._held_bytes = self._held, {}, 0
            try:
                self._write(held)
            except (OSError, OperationalError) as error:
                # As without a cache folder: the texts stay in memory.
                self._is_usable = False
                logger.info("texts kept in memory", extra={"error": str(error)})

    def _write(self, entries: dict[str, CachedFile[T]]) -> None:
        """Write the texts that may be stored, and move them out of memory."""
        if self._file is None:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            refuse_untrusted(os.lstat(self._folder))
            with TemporaryFile(dir=self._folder) as made:
                descriptor = os.dup(made.fileno())
            self._file = ParsedCacheFile(descriptor, self._format.texts, self._recover)
        values = {path: entry.value for path, entry in entries.items()}
        moved: list[tuple[LazyValue[Any], StoredPlace, str]] = []
        with self._file.append() as file:
            for path in self._format.find_served(values):
                if (text := self._format.find_text(values[path])) is not None:
                    data = self._encoder.encode(text.get())
                    place = StoredPlace(self._file, pack_place(self._size, data))
                    self._size += file.write(data)
                    moved.append((text, place, path))
        for text, place, path in moved:
            text.move(place, path, entries[path].digest)
