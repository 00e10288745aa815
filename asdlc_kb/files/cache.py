"""Content cache: parsed files, keyed by path and signature.

Snapshots are immutable and numbered. `scan` (any thread) scans the disk and parses only
changed files; `publish` (the event loop's thread only) makes the merged result current.
A file that cannot be read or parsed keeps its last good version, unless its parser
decides otherwise.
"""

import logging
import os
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Generic, TypeVar

import msgspec

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.cache_options import MISSING_GRACE, MirrorLock
from asdlc_kb.files.dependencies import DependencyCheck
from asdlc_kb.files.listing import Listing
from asdlc_kb.files.parsed_cache import ParsedCacheFormat
from asdlc_kb.files.paths import NameFilter, OpenFolder
from asdlc_kb.files.problem import Problem, describe_denial, describe_unreadable
from asdlc_kb.files.reader import ChangedWhileRead, RawFile, read_file
from asdlc_kb.files.root_identity import RootHistory, RootIdentity
from asdlc_kb.files.seen_entries import find_changed_folders, trust_signatures
from asdlc_kb.files.signature import Signature
from asdlc_kb.files.snapshot import (
    CachedFile,
    ParseResult,
    ScanResult,
    Snapshot,
    merge_scan,
)
from asdlc_kb.files.stored_entries import StoredEntries
from asdlc_kb.files.write_monitor import MAX_WRITE_SECONDS, WriteMonitor

logger = logging.getLogger(__name__)

T = TypeVar("T")


class ContentCache(Generic[T]):
    """Cache of the files of one root, parsed by one parser."""

    def __init__(
        self,
        root: Path,
        parse: Callable[[RawFile], ParseResult[T]],
        *,
        list_files: Callable[[Path, int], Listing],
        judge: NameFilter,
        is_listing_current: Callable[[], bool] = lambda: True,
        keeps_last_good: Callable[[str], bool] = lambda head: True,
        stored_as: ParsedCacheFormat[T] | None = None,
        parsed_cache_path: Path | None = None,
        missing_grace: float = MISSING_GRACE,
        max_files: int = sys.maxsize,
        uses_kernel_state: bool = True,
        mirror: MirrorLock | None = None,
        clock: Callable[[], float] = time.time,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        """Create an empty cache. See `WriteMonitor` for `uses_kernel_state`.

        `is_listing_current` returns whether files are listed and parsed by the same
        rules as at the last scan. The first one takes what it can from the
        `parsed_cache_path`. With `mirror` the root is a mirror that changes by whole
        snapshots: nothing but scans compares files with the disk.
        """
        self.root = root
        self.snapshot: Snapshot[T] = Snapshot()
        self._root_identity = RootIdentity()
        self._root_history = RootHistory(missing_grace, lambda: self._timer())
        self._parse = parse
        self._list_files = list_files
        self.is_listing_current = is_listing_current
        self._judge = judge
        self._keeps_last_good = keeps_last_good
        self._max_files = max_files
        self._is_mirror, self._mirror_lock = bool(mirror), mirror or nullcontext
        self._clock = clock
        self._timer = timer
        self._writes = WriteMonitor(
            root, uses_kernel_state=uses_kernel_state, clock=clock, timer=timer
        )
        self._scan_lock = Lock()
        self._revision = 0
        self.stored = StoredEntries(
            root, judge, self._parse_file, stored_as, parsed_cache_path
        )
        self._parsed = 0
        """Files parsed so far."""

    def scan(self, *, patience: float = MAX_WRITE_SECONDS) -> ScanResult[T]:
        """Scan the disk for changes since the snapshot; blocks while it does.

        A file that has been unfinished for longer than `patience` seconds is reported.
        """
        with self._scan_lock, self._mirror_lock():
            base, started = self.snapshot, self._clock()
            self._root_identity = RootIdentity.of(self.root)
            try:
                listing = self._list_files(self.root, self._max_files)
                self._root_history.add(
                    self._root_identity, has_files=bool(listing.files)
                )
            except OSError as error:
                return self._report_missing_root(base, error)
            self.stored.load(listing)
            with OpenFolder(self.root, self._judge) as folder:
                scan = self._compare(base, listing, folder)
            scan = replace(
                scan,
                problems=(*listing.problems, *self._writes.find_problems(patience)),
                is_unlisted=bool(listing.unreadable),
                folders=trust_signatures(listing.folders, started, self._clock()),
                links=listing.links,
                revision=listing.revision,
                seen=listing.seen,
            )
            if RootIdentity.of(self.root) != self._root_identity:
                # The root was replaced during the scan: discard the mix of both.
                return ScanResult(base, is_unsettled=True, is_partial=True)
            self.stored.end_load(len(listing.files), self._parsed)
            return scan

    def check(self, *, is_announced: bool) -> ScanResult[T] | None:
        """Scan what may have changed without an event; blocks, but not for long.

        That are the names in each folder, the targets of links, and files with a
        signature that proves nothing. None if it takes a full scan to find what
        changed, as for a changed folder, unless events announced a change.
        """
        with self._scan_lock, OpenFolder(self.root, self._judge) as folder:
            base, started = self.snapshot, self._clock()
            if not self._is_checkable(base):
                return None
            changed_folders = find_changed_folders(
                self.root, base.folders, base.seen, is_announced=is_announced
            )
            if changed_folders is None:
                return None
            changed: dict[str, CachedFile[T] | None] = {}
            check = DependencyCheck()
            for path in base.unsure:
                try:
                    signature = Signature.at(f"{self.root}/{path}")
                except OSError:
                    return None
                self._compare_file(path, signature, base, folder, changed, check)
            folders = trust_signatures(changed_folders, started, self._clock())
            is_unsettled = self._writes.is_unsettled
            scan = ScanResult(base, changed, is_unsettled=is_unsettled, is_partial=True)
            return replace(scan, folders=folders)

    def _is_checkable(self, base: Snapshot[T]) -> bool:
        """Whether a check can find what changed since the last full scan."""
        is_known = base.was_seen and not base.is_missing and not self._writes.paths
        is_same_root = RootIdentity.of(self.root) == self._root_identity
        return is_known and is_same_root and self.is_listing_current()

    def scan_unfinished(self) -> ScanResult[T]:
        """Scan only the files that were unfinished; blocks."""
        with self._scan_lock, OpenFolder(self.root, self._judge) as folder:
            base = self.snapshot
            changed: dict[str, CachedFile[T] | None] = {}
            check = DependencyCheck()
            for path in self._writes.paths:
                try:
                    signature = Signature.of(os.stat(f"{self.root}/{path}"))
                except OSError:
                    continue  # Deleted, or a broken link: left to the next full scan.
                self._compare_file(path, signature, base, folder, changed, check)
            is_unsettled = self._writes.is_unsettled
            if RootIdentity.of(self.root) != self._root_identity:
                return ScanResult(base, is_unsettled=True, is_partial=True)
            return ScanResult(base, changed, is_unsettled=is_unsettled, is_partial=True)

    def merge(self, scan: ScanResult[T]) -> Snapshot[T]:
        """Return the snapshot that results from a scan; safe in any thread."""
        return merge_scan(self.snapshot, scan)

    def save(self, is_cancelled: Callable[[], bool] = lambda: False) -> int:
        """Write the parsed cache if that is due; return the bytes written.

        Blocks; in one thread at a time. Raises OSError, OperationalError, Cancelled.
        """
        return self.stored.save(self.snapshot, is_cancelled)

    def is_current(self, path: str) -> bool:
        """Whether a file still has the signature of the last read."""
        known = self.snapshot.entries.get(path)
        if self._is_mirror:
            return known is not None
        try:
            status = os.stat(f"{self.root}/{path}")
        except OSError:
            return False
        if known is None or known.signature != Signature.of(status):
            return False
        return self._is_derived(known, DependencyCheck())

    def publish(self, snapshot: Snapshot[T]) -> None:
        """Make a merged snapshot the current one."""
        self.snapshot = snapshot

    def has_changed(self, folder: str) -> bool:
        """Whether names in a folder may have changed since the last scan: one `stat`.

        The cost is independent of the folder's content, and the same for an unknown
        folder: the root is checked instead.
        """
        if self._is_mirror:
            return False
        folders = self.snapshot.folders
        location = f"{self.root}/{folder}" if folder in folders else self.root
        try:
            signature = Signature.of(os.stat(location))
        except OSError:
            return False
        return folders.get(folder, signature) != signature

    def check_file(self, path: str) -> Callable[[], ScanResult[T]] | None:
        """Check by one `stat` whether a known file changed.

        Returns None, or a function that scans the file: it blocks, is safe in any
        thread, and its result is to be published. New files are left to `scan`, as is
        everything once the root was replaced.
        """
        if self._is_mirror:
            return None
        base = self.snapshot
        known = base.entries.get(path)
        try:
            signature = Signature.of(os.stat(f"{self.root}/{path}"))
        except FileNotFoundError:
            file = self.root / path
            # Broken links and deleted folders are left to `scan`.
            if known is None or file.is_symlink() or not file.parent.is_dir():
                return None
            return lambda: ScanResult(base, {path: None}, is_partial=True)
        except OSError:
            return None
        if known is None:
            return None
        if known.signature == signature and self._is_derived(known, DependencyCheck()):
            return None
        if RootIdentity.of(self.root) != self._root_identity:
            return None
        return partial(self._scan_file, base, path, signature)

    def _scan_file(
        self, base: Snapshot[T], path: str, signature: Signature
    ) -> ScanResult[T]:
        try:
            with OpenFolder(self.root, self._judge) as folder:
                known = base.entries[path]
                entry = self._read(path, signature, known, folder, known)
        except ChangedWhileRead:
            return ScanResult(base, is_partial=True)
        return ScanResult(base, {path: entry}, is_partial=True)

    def _report_missing_root(self, base: Snapshot[T], error: OSError) -> ScanResult[T]:
        """Report a missing root, which counts as deleted once the grace has expired."""
        message = f"the content folder cannot be listed: {error.strerror}"
        problems = (Problem(".", 1, 1, "KB001", message, describe_denial(error)),)
        is_expired = self._root_history.is_expired(error)
        changed = dict.fromkeys(base.entries) if is_expired else {}
        return ScanResult(base, changed, problems, is_missing=True)

    def _compare(
        self, base: Snapshot[T], listing: Listing, folder: OpenFolder
    ) -> ScanResult[T]:
        changed: dict[str, CachedFile[T] | None] = {}
        self._writes.discard(set(self._writes.paths) - listing.files.keys())
        self._writes.watch(listing.folders)
        self._revision, check = listing.revision, DependencyCheck()
        spill = self.stored.open_spill()
        for path, signature in listing.files.items():
            self._compare_file(path, signature, base, folder, changed, check)
            spill(path, changed.get(path))
        unreadable = tuple(listing.unreadable)
        for path in base.entries.keys() - listing.files.keys():
            if not path.startswith(unreadable):
                changed[path] = None
        return ScanResult(base, changed, is_unsettled=self._writes.is_unsettled)

    def _compare_file(
        self,
        path: str,
        signature: Signature,
        base: Snapshot[T],
        folder: OpenFolder,
        changed: dict[str, CachedFile[T] | None],
        check: DependencyCheck,
    ) -> None:
        """Read a file if it changed and is finished; record a differing entry."""
        known = base.entries.get(path)
        made = known or self.stored.get(path)
        if made is not None and made.signature == signature:
            is_sure = not (made.is_racy or made.is_retried)
            if is_sure and self._is_derived(made, check):
                self._writes.discard((path,))
                if known is None:
                    changed[path] = made
                return
        try:
            entry = self._read(path, signature, known, folder, made)
        except ChangedWhileRead:
            self._writes.record(path, signature)
            return
        self._writes.discard((path,))
        if entry != known:
            changed[path] = entry

    def _read(
        self,
        path: str,
        listed: Signature,
        known: CachedFile[T] | None,
        folder: OpenFolder,
        made: CachedFile[T] | None,
    ) -> CachedFile[T]:
        """Return a file's new entry, with the last good value where it is kept.

        `made` is `known`, or a stored entry at the first scan: it counts for the same
        bytes, but not as the last good version of others.
        """
        last = known.value if known is not None else None
        before = known.signature if known is not None else None

        def is_finished(descriptor: int, opened: Signature) -> bool:
            return self._is_mirror or self._writes.is_finished(
                path, descriptor, opened, before
            )

        try:
            raw = read_file(self.root, path, folder=folder, is_finished=is_finished)
        except UnreadableFile as error:
            problems = (Problem(path, 1, 1, "KB001", str(error)),)
            keeps_last = not error.head or self._keeps_last_good(error.head)
            return CachedFile(listed, b"", last if keeps_last else None, problems)
        except OSError as error:
            problems = (describe_unreadable(path, error),)
            is_first = made is None or made.is_unread
            return CachedFile(
                listed, b"", last, problems, is_retried=True, is_unread=is_first
            )
        if raw.signature != listed:
            # A write began after the file was found to be finished.
            raise ChangedWhileRead(path)
        now = self._clock()
        is_racy = raw.signature.is_racy(now)
        if made is not None and made.digest == raw.digest:
            # A racy dependency can have changed without a sign of it.
            is_sure = not (made.is_racy and made.dependencies)
            if is_sure and self._is_derived(made, DependencyCheck()):
                return msgspec.structs.replace(
                    made, signature=raw.signature, is_racy=is_racy, is_retried=False
                )
        result = self._parse_file(raw)
        keeps_last = result.keeps_last_good and last is not None
        return CachedFile(
            raw.signature,
            raw.digest,
            last if keeps_last else result.value,
            result.problems,
            is_racy or any(each.is_racy(now) for each in result.dependencies),
            result.dependencies,
            self._revision,
            is_storable=result.is_storable and not keeps_last,
        )

    def _is_derived(self, entry: CachedFile[T], check: DependencyCheck) -> bool:
        """Whether an entry was made by the current rules from files as they are now."""
        if entry.revision != self._revision:
            return False
        return not entry.dependencies or check.are_current(entry.dependencies)

    def _parse_file(self, raw: RawFile) -> ParseResult[T]:
        """Parse a file; an exception of the parser drops this file only."""
        self._parsed += 1
        try:
            return self._parse(raw)
        except Exception as error:
            fault = {"path": raw.path, "error": type(error).__name__}
            logger.error("parser failed", extra=fault)
            message = "cannot be parsed because of a bug in asdlc-kb: please report it"
            return ParseResult(None, (Problem(raw.path, 1, 1, "KB001", message),))
