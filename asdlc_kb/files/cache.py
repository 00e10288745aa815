"""Content cache: parsed files, keyed by path and signature.

Snapshots are immutable and numbered. `scan` (any thread) scans the disk and parses only
changed files; `publish` (the event loop's thread only) makes the merged result current.
A file that cannot be read or parsed keeps its last good version, unless its parser
decides otherwise.
"""

import errno
import logging
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import Final, Generic, NamedTuple, TypedDict, TypeVar

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.article_listing import Listing, check_article_path, list_files
from asdlc_kb.files.paths import NameFilter, OpenFolder
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.reader import ChangedWhileRead, RawFile, read_file
from asdlc_kb.files.signature import Signature
from asdlc_kb.files.snapshot import CachedFile, ParseResult, ScanResult, Snapshot
from asdlc_kb.files.write_monitor import MAX_WRITE_SECONDS, WriteMonitor

logger = logging.getLogger(__name__)

T = TypeVar("T")

MISSING_GRACE: Final = 60.0
"""Seconds for which the content of a missing root is still served."""

_TICK_SECONDS: Final = 0.02
"""Seconds within which two changes can leave the same signature."""


class _RootIdentity(NamedTuple):
    """Identity of a root: its real path, and the folder at that path."""

    path: str = ""
    device: int = 0
    inode: int = 0

    @classmethod
    def of(cls, root: Path) -> "_RootIdentity":
        path = os.path.realpath(root)
        try:
            status = os.stat(path)
        except OSError:
            return cls(path)
        return cls(path, status.st_dev, status.st_ino)


class CacheOptions(TypedDict, total=False):
    """Parameters of a cache that do not depend on the kind of content."""

    missing_grace: float
    uses_kernel_state: bool
    clock: Callable[[], float]


class ContentCache(Generic[T]):
    """Cache of the files of one root, parsed by one parser."""

    def __init__(
        self,
        root: Path,
        parse: Callable[[RawFile], ParseResult[T]],
        *,
        list_files: Callable[[Path], Listing] = list_files,
        judge: NameFilter = check_article_path,
        keeps_last_good: Callable[[str], bool] = lambda head: True,
        missing_grace: float = MISSING_GRACE,
        uses_kernel_state: bool = True,
        clock: Callable[[], float] = time.time,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        """Create an empty cache. See `WriteMonitor` for `uses_kernel_state`."""
        self.root = root
        self.snapshot: Snapshot[T] = Snapshot()
        self._root_identity = _RootIdentity()
        self._populated_root: _RootIdentity | None = None
        self._parse = parse
        self._list_files = list_files
        self._judge = judge
        self._keeps_last_good = keeps_last_good
        self._missing_grace = missing_grace
        self._clock = clock
        self._timer = timer
        self._missing_since: float | None = None
        self._writes = WriteMonitor(
            root, uses_kernel_state=uses_kernel_state, clock=clock, timer=timer
        )
        self._scan_lock = Lock()

    def scan(self, *, patience: float = MAX_WRITE_SECONDS) -> ScanResult[T]:
        """Scan the disk for changes since the snapshot; blocks while it does.

        A file that has been unfinished for longer than `patience` seconds is reported.
        """
        with self._scan_lock:
            base, started = self.snapshot, self._clock()
            self._root_identity = _RootIdentity.of(self.root)
            try:
                listing = self._list_files(self.root)
                self._refuse_bare_mount_point(listing)
            except OSError as error:
                return self._report_missing_root(base, error)
            self._missing_since = None
            with OpenFolder(self.root, self._judge) as folder:
                scan = self._compare(base, listing, folder)
            problems = (*listing.problems, *self._writes.find_problems(patience))
            folders = self._trusted_signatures(listing.folders, started)
            scan = replace(
                scan, problems=problems, folders=folders, links=listing.links
            )
            if _RootIdentity.of(self.root) != self._root_identity:
                # The root was replaced during the scan: discard the mix of both.
                return ScanResult(base, is_unsettled=True, is_partial=True)
            return scan

    def scan_unfinished(self) -> ScanResult[T]:
        """Scan only the files that were unfinished; blocks."""
        with self._scan_lock, OpenFolder(self.root, self._judge) as folder:
            base = self.snapshot
            changed: dict[str, CachedFile[T] | None] = {}
            for path in self._writes.paths:
                try:
                    signature = Signature.of(os.stat(f"{self.root}/{path}"))
                except OSError:
                    continue  # Deleted, or a broken link: left to the next full scan.
                self._compare_file(path, signature, base, folder, changed)
            is_unsettled = self._writes.is_unsettled
            if _RootIdentity.of(self.root) != self._root_identity:
                return ScanResult(base, is_unsettled=True, is_partial=True)
            return ScanResult(base, changed, is_unsettled=is_unsettled, is_partial=True)

    def _trusted_signatures(
        self, folders: Mapping[str, Signature], started: float
    ) -> Mapping[str, Signature | None]:
        """Replace folder signatures by None where a later change may leave them equal.

        Kernel clocks tick every 10 ms at most. A future ctime is from another clock.
        """
        now = self._clock()
        return {
            path: None
            if started - _TICK_SECONDS < signature.ctime_ns / 1e9 <= now
            else signature
            for path, signature in folders.items()
        }

    def _refuse_bare_mount_point(self, listing: Listing) -> None:
        """Raise FileNotFoundError if an empty folder has replaced one with files.

        An unmounted file system leaves an empty mount point; an emptied folder keeps
        its identity.
        """
        if listing.files:
            self._populated_root = self._root_identity
        elif self._populated_root not in (None, self._root_identity):
            reason = "it is empty and not the folder that was read before"
            raise FileNotFoundError(errno.ENOENT, reason)

    def merge(self, scan: ScanResult[T]) -> Snapshot[T]:
        """Return the snapshot that results from a scan; safe in any thread.

        The generation counts changes of content, not of signatures.
        """
        current = self.snapshot
        entries = dict(current.entries) if scan.changed else {}
        has_new_content = False
        for path, entry in scan.changed.items():
            known = current.entries.get(path)
            # A newer version was published since: left to the next scan.
            if known is not scan.base.entries.get(path):
                continue
            has_new_content |= _content_of(known) != _content_of(entry)
            if entry is None:
                entries.pop(path, None)
            else:
                entries[path] = entry
        merged = current
        if scan.changed:
            merged = replace(current, entries=MappingProxyType(entries))
        if not scan.is_partial:
            merged = replace(
                merged,
                problems=scan.problems,
                folders=current.folders if scan.is_missing else scan.folders,
                links=current.links if scan.is_missing else scan.links,
                was_seen=current.was_seen or not scan.is_missing,
                is_missing=scan.is_missing,
            )
        if has_new_content or _root_state(merged) != _root_state(current):
            merged = replace(merged, generation=current.generation + 1)
        return merged

    def is_current(self, path: str) -> bool:
        """Whether a file still has the signature of the last read."""
        known = self.snapshot.entries.get(path)
        try:
            status = os.stat(f"{self.root}/{path}")
        except OSError:
            return False
        return known is not None and known.signature == Signature.of(status)

    def publish(self, snapshot: Snapshot[T]) -> None:
        """Make a merged snapshot the current one."""
        self.snapshot = snapshot

    def has_changed(self, folder: str) -> bool:
        """Whether names in a folder may have changed since the last scan: one `stat`.

        The cost is independent of the folder's content, and the same for an unknown
        folder: the root is checked instead.
        """
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
        base = self.snapshot
        known = base.entries.get(path)
        file = self.root / path
        try:
            signature = Signature.of(os.stat(file))
        except FileNotFoundError:
            # Broken links and deleted folders are left to `scan`.
            if known is None or file.is_symlink() or not file.parent.is_dir():
                return None
            return lambda: ScanResult(base, {path: None}, is_partial=True)
        except OSError:
            return None
        if known is None or known.signature == signature:
            return None
        if _RootIdentity.of(self.root) != self._root_identity:
            return None
        return partial(self._scan_file, base, path, signature)

    def _scan_file(
        self, base: Snapshot[T], path: str, signature: Signature
    ) -> ScanResult[T]:
        try:
            with OpenFolder(self.root, self._judge) as folder:
                entry = self._read(path, signature, base.entries[path], folder)
        except ChangedWhileRead:
            return ScanResult(base, is_partial=True)
        return ScanResult(base, {path: entry}, is_partial=True)

    def _report_missing_root(self, base: Snapshot[T], error: OSError) -> ScanResult[T]:
        """Report a missing root, which counts as deleted once the grace has expired.

        A root that exists but cannot be listed never counts as deleted.
        """
        now = self._timer()
        is_gone = isinstance(error, (FileNotFoundError, NotADirectoryError))
        if self._missing_since is None or not is_gone:
            self._missing_since = now
        message = f"the content folder cannot be listed: {error.strerror}"
        problems = (Problem(".", 1, 1, "KB001", message),)
        is_expired = is_gone and now - self._missing_since >= self._missing_grace
        changed = dict.fromkeys(base.entries) if is_expired else {}
        return ScanResult(base, changed, problems, is_missing=True)

    def _compare(
        self, base: Snapshot[T], listing: Listing, folder: OpenFolder
    ) -> ScanResult[T]:
        changed: dict[str, CachedFile[T] | None] = {}
        self._writes.discard(set(self._writes.paths) - listing.files.keys())
        self._writes.watch(listing.folders)
        for path, signature in listing.files.items():
            self._compare_file(path, signature, base, folder, changed)
        unreadable = tuple(listing.unreadable)
        for path in base.entries.keys() - listing.files.keys():
            if not (unreadable and path.startswith(unreadable)):
                changed[path] = None
        return ScanResult(base, changed, is_unsettled=self._writes.is_unsettled)

    def _compare_file(
        self,
        path: str,
        signature: Signature,
        base: Snapshot[T],
        folder: OpenFolder,
        changed: dict[str, CachedFile[T] | None],
    ) -> None:
        """Read a file if it changed and is finished; record a differing entry."""
        known = base.entries.get(path)
        if known is not None and known.signature == signature:
            if not (known.is_racy or known.is_retried):
                self._writes.discard((path,))
                return
        try:
            entry = self._read(path, signature, known, folder)
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
    ) -> CachedFile[T]:
        """Return a file's new entry, with the last good value where it is kept."""
        last = known.value if known is not None else None
        before = known.signature if known is not None else None

        def is_finished(descriptor: int, opened: Signature) -> bool:
            return self._writes.is_finished(path, descriptor, opened, before)

        try:
            raw = read_file(self.root, path, folder=folder, is_finished=is_finished)
        except UnreadableFile as error:
            problem = Problem(path, 1, 1, "KB001", str(error))
            keeps_last = not error.head or self._keeps_last_good(error.head)
            return CachedFile(
                listed, value=last if keeps_last else None, problems=(problem,)
            )
        except OSError as error:
            message = f"cannot be read ({error.strerror}): check its permissions"
            problem = Problem(path, 1, 1, "KB001", message)
            return CachedFile(listed, value=last, problems=(problem,), is_retried=True)
        if raw.signature != listed:
            # A write began after the file was found to be finished.
            raise ChangedWhileRead(path)
        is_racy = raw.signature.is_racy(self._clock())
        if known is not None and known.digest == raw.digest:
            return replace(
                known, signature=raw.signature, is_racy=is_racy, is_retried=False
            )
        result = self._parse_file(raw)
        keeps_last = result.keeps_last_good and last is not None
        return CachedFile(
            raw.signature,
            raw.digest,
            last if keeps_last else result.value,
            result.problems,
            is_racy,
        )

    def _parse_file(self, raw: RawFile) -> ParseResult[T]:
        """Parse a file; an exception of the parser drops this file only."""
        try:
            return self._parse(raw)
        except Exception as error:
            fault = {"path": raw.path, "error": type(error).__name__}
            logger.error("parser failed", extra=fault)
            message = "cannot be parsed because of a bug in asdlc-kb: please report it"
            return ParseResult(None, (Problem(raw.path, 1, 1, "KB001", message),))


def _root_state(snapshot: Snapshot[T]) -> tuple[object, ...]:
    """Return the state of the root in a snapshot."""
    return snapshot.problems, snapshot.links, snapshot.was_seen, snapshot.is_missing


def _content_of(
    entry: CachedFile[T] | None,
) -> tuple[T | None, tuple[Problem, ...]] | None:
    """Return the content of an entry, without its signature."""
    return None if entry is None else (entry.value, entry.problems)
