"""Stored entries of a content cache: what a start takes from disk, and leaves there.

Without a parsed cache there are none, and nothing is saved.
"""

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from asdlc_kb.exceptions import OperationalError, UnreadableFile
from asdlc_kb.files.listing import Listing
from asdlc_kb.files.parsed_cache import (
    ParsedCache,
    ParsedCacheFormat,
    ParsedCacheReport,
)
from asdlc_kb.files.paths import NameFilter
from asdlc_kb.files.reader import ChangedWhileRead, RawFile, read_file
from asdlc_kb.files.snapshot import CachedFile, ParseResult, Snapshot
from asdlc_kb.files.text_spill import TextSpill

logger = logging.getLogger(__name__)

T = TypeVar("T")


class StoredEntries(Generic[T]):
    """The entries of a parsed cache during the first scan; it is kept for saves."""

    def __init__(
        self,
        root: Path,
        judge: NameFilter,
        parse: Callable[[RawFile], ParseResult[T]],
        stored_as: ParsedCacheFormat[T] | None,
        path: Path | None,
    ) -> None:
        """Use the file at `path`; `judge` and `parse` are the content cache's."""
        self._root = root
        self._judge = judge
        self._parse = parse
        self._format = stored_as
        self._cache: ParsedCache[T] | None = None
        if stored_as is not None and path is not None:
            self._cache = ParsedCache(path, stored_as, self._recover_text)
        self._entries: Mapping[str, CachedFile[T]] | None = None
        """None before the first scan, empty after it."""
        self._rules = (0, "")
        """Revision and description of the rules of the last scan."""
        self._is_loading = True
        self._parsed = 0
        """The number of files that the first scan parsed."""

    def load(self, listing: Listing) -> None:
        """Read the parsed cache before the first scan, by the rules of its listing."""
        if self._cache is None or self._format is None:
            return
        self._rules = listing.revision, self._format.describe_rules()
        if self._entries is None:
            self._entries = self._cache.load(
                self._rules[1], listing.revision, listing.files
            )

    def get(self, path: str) -> CachedFile[T] | None:
        """Return the stored entry of a file, during the first scan."""
        return self._entries.get(path) if self._entries else None

    def end_load(self, files: int, parsed: int) -> None:
        """End the first scan: release what it did not use, and log its result."""
        if self._cache is not None and self._is_loading:
            self._is_loading, self._entries, self._parsed = False, {}, parsed
            numbers = {"files": files, "parsed": parsed}
            logger.info("files loaded", extra=numbers)

    def open_spill(self) -> Callable[[str, CachedFile[T] | None], None]:
        """Return what takes the entries of a scan, and moves their texts to the disk.

        Without a parsed cache they stay in memory.
        """
        if self._cache is None or self._format is None:
            return lambda path, entry: None
        folder = self._cache.path.parent
        return TextSpill(folder, self._format, self._recover_text).add

    def save(self, snapshot: Snapshot[T], is_cancelled: Callable[[], bool]) -> int:
        """Write a snapshot if that is due; return the bytes written.

        Blocks; in one thread at a time. Raises OSError, OperationalError, Cancelled.
        """
        revision, rules = self._rules
        is_current = snapshot.was_seen and snapshot.revision == revision
        if self._cache is None or snapshot.is_missing or not is_current:
            return 0
        if not self._cache.is_due(snapshot.entries):
            return 0
        return self._cache.save(snapshot.entries, rules, is_cancelled)

    def inspect(self) -> ParsedCacheReport | None:
        """Return its state after the first scan; None without a parsed cache."""
        if self._cache is None:
            return None
        return self._cache.inspect(self._parsed)

    def drop(self) -> None:
        """Delete the parsed cache; raise OperationalError if it cannot be deleted."""
        if self._cache is not None:
            try:
                self._cache.path.unlink(missing_ok=True)
            except OSError as error:
                message = f"{self._cache.path} cannot be deleted: {error.strerror}"
                raise OperationalError(message) from None

    def _recover_text(self, path: str, digest: bytes) -> Any:
        """Return the text of a file that a damaged cache, or one without it, lacks.

        Raises UnreadableFile if the file has changed since it was parsed.
        """
        changed = UnreadableFile("it has changed since it was read", "try again")
        try:
            raw = read_file(self._root, path, judge=self._judge)
        except (OSError, ChangedWhileRead):
            raise changed from None
        assert self._format is not None
        text = self._format.find_text(self._parse(raw).value)
        if raw.digest != digest or text is None:
            raise changed
        return text.get()
