"""The content cache: what each file says, keyed on its path and signature.

A snapshot is immutable and numbered. `look` (any thread) finds what changed on disk and
parses only that; `publish` (one thread, the event loop's) makes the next snapshot of
it. A file that cannot be read or understood keeps its last good version, unless its
domain says otherwise.
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
from typing import Final, Generic, NamedTuple, TypeVar

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
"""Seconds for which a root that vanished keeps serving what it held."""

_TICK_SECONDS: Final = 0.02
"""Two changes so close to each other can leave the same signature, and no others."""


class _RootIdentity(NamedTuple):
    """Which folder a root is: where its links lead, and the folder that is there."""

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


class ContentCache(Generic[T]):
    """The files of one root, parsed by one domain."""

    def __init__(
        self,
        root: Path,
        parse: Callable[[RawFile], ParseResult[T]],
        *,
        list_files: Callable[[Path], Listing] = list_files,
        judge: NameFilter = check_article_path,
        keeps_last_good: Callable[[str], bool] = lambda head: True,
        missing_grace: float = MISSING_GRACE,
        asks_kernel: bool = True,
        clock: Callable[[], float] = time.time,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        """Read nothing yet; `asks_kernel` is explained at `WriteMonitor`."""
        self.root = root
        self.snapshot: Snapshot[T] = Snapshot()
        self._whereabouts = _RootIdentity()
        self._held: _RootIdentity | None = None
        self._parse = parse
        self._list_files = list_files
        self._judge = judge
        self._keeps_last_good = keeps_last_good
        self._missing_grace = missing_grace
        self._clock = clock
        self._timer = timer
        self._missing_since: float | None = None
        self._writes = WriteMonitor(
            root, asks_kernel=asks_kernel, clock=clock, timer=timer
        )
        self._looking = Lock()

    def look(self, *, patience: float = MAX_WRITE_SECONDS) -> ScanResult[T]:
        """Compare the disk with the snapshot; blocks while it lists and reads.

        A file that has been unfinished for longer than `patience`, in seconds, is
        reported.
        """
        with self._looking:
            base, began = self.snapshot, self._clock()
            self._whereabouts = _RootIdentity.of(self.root)
            try:
                listing = self._list_files(self.root)
                self._refuse_a_bare_mount_point(listing)
            except OSError as error:
                return self._look_at_nothing(base, error)
            self._missing_since = None
            with OpenFolder(self.root, self._judge) as folder:
                look = self._compare(base, listing, folder)
            problems = (*listing.problems, *self._writes.find_problems(patience))
            folders = self._trust(listing.folders, began)
            look = replace(look, problems=problems, folders=folders)
            if _RootIdentity.of(self.root) != self._whereabouts:
                # Half of one folder and half of another is neither.
                return ScanResult(base, is_unsettled=True, is_partial=True)
            return look

    def look_at_unfinished(self) -> ScanResult[T]:
        """Look again at the files that were unfinished, and at no others; blocks."""
        with self._looking, OpenFolder(self.root, self._judge) as folder:
            base = self.snapshot
            changed: dict[str, CachedFile[T] | None] = {}
            for path in self._writes.paths:
                try:
                    signature = Signature.of(os.stat(f"{self.root}/{path}"))
                except OSError:
                    continue  # Gone, or a link: what it is now, the sweep says.
                self._compare_file(path, signature, base, folder, changed)
            is_unsettled = self._writes.is_unsettled
            if _RootIdentity.of(self.root) != self._whereabouts:
                return ScanResult(base, is_unsettled=True, is_partial=True)
            return ScanResult(base, changed, is_unsettled=is_unsettled, is_partial=True)

    def _trust(
        self, folders: Mapping[str, Signature], began: float
    ) -> Mapping[str, Signature | None]:
        """Return folders without the signatures that a further change may leave equal.

        The kernel's clock ticks every 10 ms at most. A time to come is another clock's.
        """
        now = self._clock()
        return {
            path: None if began - _TICK_SECONDS < found.ctime_ns / 1e9 <= now else found
            for path, found in folders.items()
        }

    def _refuse_a_bare_mount_point(self, listing: Listing) -> None:
        """Raise FileNotFoundError for an empty folder in the place of one with files.

        It is what is left where a file system was mounted; a folder that was emptied is
        still the folder that it was.
        """
        if listing.files:
            self._held = self._whereabouts
        elif self._held not in (None, self._whereabouts):
            reason = "it is empty, and another one than before"
            raise FileNotFoundError(errno.ENOENT, reason)

    def merge(self, look: ScanResult[T]) -> Snapshot[T]:
        """Return what the next snapshot would be after a look, in any thread.

        The generation counts changes of what files say, not of their signatures.
        """
        current = self.snapshot
        entries = dict(current.entries) if look.changed else {}
        says_more = False
        for path, entry in look.changed.items():
            known = current.entries.get(path)
            # Somebody published a newer reading since: the next look sees to it.
            if known is not look.base.entries.get(path):
                continue
            says_more = says_more or _say(known) != _say(entry)
            if entry is None:
                entries.pop(path, None)
            else:
                entries[path] = entry
        following = current
        if look.changed:
            following = replace(current, entries=MappingProxyType(entries))
        if not look.is_partial:
            following = replace(
                following,
                problems=look.problems,
                folders=current.folders if look.is_missing else look.folders,
                was_seen=current.was_seen or not look.is_missing,
                is_missing=look.is_missing,
            )
        if says_more or _state(following) != _state(current):
            following = replace(following, generation=current.generation + 1)
        return following

    def is_current(self, path: str) -> bool:
        """Whether a file is, by its signature, the one that was read last."""
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
        """Whether names in a folder may have changed since the last look: one `stat`.

        No name in it is asked for, so it costs the same whatever is there. Nor does a
        folder that is not known cost less: the root is asked in its place.
        """
        folders = self.snapshot.folders
        where = f"{self.root}/{folder}" if folder in folders else self.root
        try:
            found = Signature.of(os.stat(where))
        except OSError:
            return False
        return folders.get(folder, found) != found

    def notice(self, path: str) -> Callable[[], ScanResult[T]] | None:
        """Tell by one `stat` whether a known file was saved anew.

        Returns None, or what reads that file: it blocks, may be called in any thread,
        and its look is to be published. New files are left to `look`, and everything
        once the root is another folder.
        """
        base = self.snapshot
        known = base.entries.get(path)
        file = self.root / path
        try:
            signature = Signature.of(os.stat(file))
        except FileNotFoundError:
            # A link that leads nowhere and a folder that is gone are `look`'s.
            if known is None or file.is_symlink() or not file.parent.is_dir():
                return None
            return lambda: ScanResult(base, {path: None}, is_partial=True)
        except OSError:
            return None
        if known is None or known.signature == signature:
            return None
        if _RootIdentity.of(self.root) != self._whereabouts:
            return None
        return partial(self._look_at, base, path, signature)

    def _look_at(
        self, base: Snapshot[T], path: str, signature: Signature
    ) -> ScanResult[T]:
        try:
            with OpenFolder(self.root, self._judge) as folder:
                entry = self._read(path, signature, base.entries[path], folder)
        except ChangedWhileRead:
            return ScanResult(base, is_partial=True)
        return ScanResult(base, {path: entry}, is_partial=True)

    def _look_at_nothing(self, base: Snapshot[T], error: OSError) -> ScanResult[T]:
        """A missing root is a fault, not a deletion, until the grace is over.

        A root that is there but cannot be listed is no deletion ever.
        """
        now = self._timer()
        is_gone = isinstance(error, (FileNotFoundError, NotADirectoryError))
        if self._missing_since is None or not is_gone:
            self._missing_since = now
        message = f"the content folder cannot be listed: {error.strerror}"
        problems = (Problem(".", 1, 1, "KB001", message),)
        is_over = is_gone and now - self._missing_since >= self._missing_grace
        changed = dict.fromkeys(base.entries) if is_over else {}
        return ScanResult(base, changed, problems, is_missing=True)

    def _compare(
        self, base: Snapshot[T], listing: Listing, folder: OpenFolder
    ) -> ScanResult[T]:
        changed: dict[str, CachedFile[T] | None] = {}
        self._writes.end(set(self._writes.paths) - listing.files.keys())
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
        """Read a file if it changed and is finished; add its entry if that differs."""
        known = base.entries.get(path)
        if known is not None and known.signature == signature:
            if not (known.is_racy or known.is_retried):
                self._writes.end((path,))
                return
        try:
            entry = self._read(path, signature, known, folder)
        except ChangedWhileRead:
            self._writes.wait(path, signature)
            return
        self._writes.end((path,))
        if entry != known:
            changed[path] = entry

    def _read(
        self,
        path: str,
        listed: Signature,
        known: CachedFile[T] | None,
        folder: OpenFolder,
    ) -> CachedFile[T]:
        """Return a file's new entry, with the last good value where it must stay."""
        last = known.value if known is not None else None
        before = known.signature if known is not None else None

        def is_finished(descriptor: int, found: Signature) -> bool:
            return self._writes.is_finished(path, descriptor, found, before)

        try:
            raw = read_file(self.root, path, folder=folder, is_finished=is_finished)
        except UnreadableFile as refused:
            problem = Problem(path, 1, 1, "KB001", str(refused))
            keeps = not refused.head or self._keeps_last_good(refused.head)
            return CachedFile(
                listed, value=last if keeps else None, problems=(problem,)
            )
        except OSError as error:
            message = f"cannot be read ({error.strerror}): check its permissions"
            problem = Problem(path, 1, 1, "KB001", message)
            return CachedFile(listed, value=last, problems=(problem,), is_retried=True)
        if raw.signature != listed:
            # A write began since the file was found to be still.
            raise ChangedWhileRead(path)
        is_racy = raw.signature.is_racy(self._clock())
        if known is not None and known.digest == raw.digest:
            return replace(
                known, signature=raw.signature, is_racy=is_racy, is_retried=False
            )
        reading = self._understand(raw)
        keeps = reading.keeps_last_good and last is not None
        return CachedFile(
            raw.signature,
            raw.digest,
            last if keeps else reading.value,
            reading.problems,
            is_racy,
        )

    def _understand(self, raw: RawFile) -> ParseResult[T]:
        """Parse a file; a parser that fails on it serves nothing of it, only of it."""
        try:
            return self._parse(raw)
        except Exception as error:
            fault = {"path": raw.path, "error": type(error).__name__}
            logger.error("a parser failed", extra=fault)
            message = "cannot be parsed, by a fault of this program: please report it"
            return ParseResult(None, (Problem(raw.path, 1, 1, "KB001", message),))


def _state(snapshot: Snapshot[T]) -> tuple[tuple[Problem, ...], bool, bool]:
    """Return what a snapshot says of its root."""
    return snapshot.problems, snapshot.was_seen, snapshot.is_missing


def _say(entry: CachedFile[T] | None) -> tuple[T | None, tuple[Problem, ...]] | None:
    """Return what an entry tells its domain."""
    return None if entry is None else (entry.value, entry.problems)
