"""Writer of mirrors: brings all mirrors of a set to the snapshots of a store.

One process of those that share a set writes, and another one takes over when it ends.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Final

from asdlc_kb.exceptions import OperationalError, StoreMisconfigured, StoreUnavailable
from asdlc_kb.store.change_listener import ChangeListener
from asdlc_kb.store.database import StoreAddress
from asdlc_kb.store.mirror import SourceMirror
from asdlc_kb.store.mirror_set import MirrorSet
from asdlc_kb.store.snapshot_reader import SnapshotReader
from asdlc_kb.store.values import SourceRecord

logger = logging.getLogger(__name__)

RETRY_SECONDS: Final = 1.0
"""Pause after a failure, and while another process writes."""

MAX_RETRY_SECONDS: Final = 60.0
"""Longest pause after a snapshot that cannot be mirrored: each attempt reads it."""

CHECK_SECONDS: Final = 3600.0
"""Interval between checks for mirrors that have lost files; the first is at once."""


class _Failure:
    """A snapshot that cannot be mirrored, which is tried again after a pause."""

    def __init__(self, snapshot: int, reason: str, pause: float) -> None:
        self.snapshot = snapshot
        self.reason = reason
        self.pause = pause
        self.retry_at = monotonic() + pause


class MirrorWriter:
    """Writes the mirrors of a set; for one thread at a time."""

    def __init__(
        self,
        mirrors: MirrorSet,
        address: StoreAddress,
        record: Callable[[str], None] = lambda outcome: None,
    ) -> None:
        """Call `record` with `ok` or `error` after each snapshot that was due."""
        self._mirrors = mirrors
        self._reader = SnapshotReader(address)
        self._listener = ChangeListener(address, self._process_numbers)
        self._update_requested = asyncio.Event()
        """Set once the store may have other snapshots than the mirrors."""
        self._record = record
        self._failures: dict[str, _Failure] = {}
        """The last failure of each source whose mirror is behind."""
        self._postponed: set[str] = set()
        """Sources of which the store could not be read."""
        self._damaged: set[str] = set()
        """Sources whose mirrors have lost files."""
        self._check_at = 0.0
        self._is_failing = False
        self._working = Lock()
        """Held by the thread that works for `run`."""
        self._has_ended = False
        """Whether `run` was cancelled, which ends no thread."""

    def synchronize(self) -> None:
        """Write what the store has and the mirrors have not; blocks.

        Only for the process that claimed the set. Raises OperationalError, for a source
        that no folder can hold after the others were written, and StoreUnavailable: the
        source that could not be read is the last one of the next call.
        """
        self.recover()
        self._find_damaged()
        stored = self._reader.sources()
        records = [each for each in stored if self._mirrors.includes(each.name)]
        records.sort(key=lambda each: each.name in self._postponed)
        self._mirrors.record_contact(is_current=False)
        if not self._mirrors.sources:
            # No process starts before all of them are whole.
            for record in records:
                self._mirrors.set_snapshot(record, None)
        failures = []
        for record in records:
            try:
                self._update(record)
            except OperationalError as error:
                failures.append(error)
                if isinstance(error, StoreUnavailable):
                    self._postponed.add(record.name)
                    break
        names = {record.name for record in records}
        for source in self._mirrors.sources:
            if source.name not in names:
                self._mirrors.remove(source.name)
                logger.info("source removed", extra={"source": source.name})
        if failures:
            raise failures[-1]
        self._mirrors.record_contact(is_current=True)

    def fill(self, seconds: float | None) -> None:
        """Write all mirrors before the start, unless another process does.

        Waits up to `seconds` for the store, for ever if None. Raises OperationalError.
        """
        deadline = monotonic() + (seconds or 0.0)
        if self._mirrors.claim():
            self.recover()
        while not self._mirrors.is_whole:
            reason = self._try_fill(waits=seconds is None)
            if reason is None:
                continue
            if seconds is not None and monotonic() >= deadline:
                raise OperationalError(
                    f"nothing to serve: {reason}; there is no mirror yet: start again "
                    "when the store has content, or with --wait"
                )
            self._report(reason)
            time.sleep(RETRY_SECONDS)
        self.close()

    def _try_fill(self, *, waits: bool) -> str | None:
        """Write all mirrors; return why that was not possible.

        Unless it `waits`, raises StoreMisconfigured for what only an operator changes.
        """
        if not self._mirrors.claim():
            return "another process writes its mirror"
        try:
            self.synchronize()
        except StoreUnavailable as error:
            return str(error)
        except StoreMisconfigured as error:
            if not waits:
                raise
            return str(error)
        return None if self._mirrors.sources else self._describe_missing()

    def _describe_missing(self) -> str:
        """Return that the store has nothing to mirror, and what to do."""
        chosen = " or ".join(f"'{name}'" for name in sorted(self._mirrors.chosen))
        missing = f"no source {chosen}" if chosen else "no source"
        return f"it has {missing}: run 'asdlc-kb ingest' first"

    def close(self) -> None:
        """Close the connections, and let another process write."""
        self._reader.close()
        self._mirrors.release()

    async def run(self) -> None:
        """Keep the mirrors up to date while no other process does; never ends.

        If it is cancelled during an update, other processes wait for the end of that.
        """
        try:
            while not await asyncio.to_thread(self._work, self._try_claim):
                await asyncio.sleep(RETRY_SECONDS)
            listening = asyncio.ensure_future(self._listener.run())
            try:
                await self._follow()
            finally:
                listening.cancel()
                await asyncio.wait((listening,))
        finally:
            self._has_ended = True
            self._close_if_idle()

    def _work(self, work: Callable[[], bool]) -> bool:
        """Work for `run`, in a thread; return False without work once it has ended."""
        with self._working:
            result = not self._has_ended and work()
        if self._has_ended:
            self._close_if_idle()
        return result

    def _close_if_idle(self) -> None:
        """Close, unless a thread works, which does it at its end."""
        if self._working.acquire(blocking=False):
            try:
                self.close()
            finally:
                self._working.release()

    async def _follow(self) -> None:
        while True:
            await self._update_requested.wait()
            self._update_requested.clear()
            if not await asyncio.to_thread(self._work, self._try_synchronize):
                await asyncio.sleep(RETRY_SECONDS)

    async def _process_numbers(self, numbers: Mapping[str, int]) -> None:
        """Request an update if the store has other snapshots, or a check is due."""
        if await asyncio.to_thread(self._record_numbers, numbers):
            self._update_requested.set()

    def _record_numbers(self, numbers: Mapping[str, int]) -> bool:
        """Record a contact to the store; return whether there may be work."""
        is_due = self.is_due(numbers)
        try:
            self._mirrors.record_contact(is_current=not is_due)
        except OperationalError as error:
            self._report(str(error))
        return is_due or monotonic() >= self._check_at

    def is_due(self, numbers: Mapping[str, int]) -> bool:
        """Whether the mirrors have others than these snapshots of the store."""
        wanted = {
            name: number
            for name, number in numbers.items()
            if self._mirrors.includes(name)
        }
        mirrored = {each.name: each.snapshot for each in self._mirrors.sources}
        return wanted != mirrored

    def _try_claim(self) -> bool:
        try:
            return self._mirrors.claim()
        except OperationalError as error:
            self._report(str(error))
            return False

    def _try_synchronize(self) -> bool:
        try:
            if not self._mirrors.claim():
                return False
            self.synchronize()
        except OperationalError as error:
            self._report(str(error))
            return False
        except Exception:
            if not self._is_failing:
                logger.exception("the mirror of the store could not be updated")
            self._is_failing = True
            return False
        self._is_failing = False
        return True

    def _report(self, reason: str) -> None:
        """Log the first of several failures."""
        if not self._is_failing:
            logger.warning("mirror not updated", extra={"reason": reason})
        self._is_failing = True

    def recover(self) -> None:
        """Complete mirrors that a process which died has left; needs no store.

        One that cannot be completed has no snapshot, and its update states the reason.
        """
        for source in self._mirrors.sources:
            if source.snapshot is None:
                record = SourceRecord(source.name, source.kind, source.options, "", 0)
                with (
                    suppress(OperationalError),
                    self._mirrors.writing(record) as folder,
                ):
                    self._complete(record, folder)

    def _find_damaged(self) -> None:
        """Look for mirrors that have lost files, if that is due."""
        if monotonic() < self._check_at:
            return
        for source in self._mirrors.sources:
            if source.snapshot is None or source.name in self._damaged:
                continue
            folder = self._mirrors.locate(source)
            if not SourceMirror(folder, source.name, self._reader).has_all_files():
                logger.warning("mirror lost files", extra={"source": source.name})
                self._damaged.add(source.name)
        self._check_at = monotonic() + CHECK_SECONDS

    @contextmanager
    def _applying(self, record: SourceRecord) -> Iterator[None]:
        """Have scans wait while files are moved, then record the snapshot."""
        with self._mirrors.writing(record) as folder:
            try:
                yield
            finally:
                # After a failure this is the former snapshot.
                self._complete(record, folder)

    def _complete(self, record: SourceRecord, folder: Path) -> None:
        """Record the whole snapshot in a folder, if it has one."""
        mirror = SourceMirror(folder, record.name, self._reader)
        self._mirrors.set_snapshot(record, mirror.number)

    def _update(self, record: SourceRecord) -> None:
        """Write the snapshot of a source, unless its mirror has all of it.

        One that failed is tried again after a pause; OperationalError is raised until
        then too.
        """
        known = self._mirrors.find(record.name)
        is_known = known is not None and known.snapshot == record.snapshot
        if is_known and record.name not in self._damaged:
            return
        failure = self._failures.get(record.name)
        if failure is not None and failure.snapshot != record.snapshot:
            failure = None
        if failure is not None and monotonic() < failure.retry_at:
            raise OperationalError(failure.reason)
        began = monotonic()
        try:
            folder = self._mirrors.locate(record)
            mirror = SourceMirror(folder, record.name, self._reader)
            mirror.update(partial(self._applying, record))
        except Exception as error:
            self._record("error")
            if not isinstance(error, StoreUnavailable):
                pause = RETRY_SECONDS if failure is None else 2 * failure.pause
                self._failures[record.name] = _Failure(
                    record.snapshot, str(error), min(pause, MAX_RETRY_SECONDS)
                )
            raise
        self._failures.pop(record.name, None)
        self._postponed.discard(record.name)
        self._damaged.discard(record.name)
        self._record("ok")
        seconds = round(monotonic() - began, 3)
        facts = {"source": record.name, "snapshot": record.snapshot, "seconds": seconds}
        logger.info("mirror updated", extra=facts)
