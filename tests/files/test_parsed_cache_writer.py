"""The writer of a parsed cache: after the start and after changes, never in the way."""

import asyncio
import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest

from asdlc_kb.exceptions import OperationalError
from asdlc_kb.files.parsed_cache import Cancelled
from asdlc_kb.files.parsed_cache_writer import (
    DELAY_SECONDS,
    RETRY_SECONDS,
    ParsedCacheWriter,
)

BOUND = 60


class Library:
    """Counts saves; each returns or raises the next of `results`, then 0."""

    def __init__(self, *results: int | Exception) -> None:
        self.results = list(results)
        self.saves = 0
        self.saved = asyncio.Event()
        self.loop = asyncio.get_running_loop()
        self.released = 0

    def save(self, is_cancelled: Callable[[], bool]) -> int:
        """Count a save."""
        self.saves += 1
        self.loop.call_soon_threadsafe(self.saved.set)
        result = self.results.pop(0) if self.results else 0
        if isinstance(result, Exception):
            raise result
        return result

    def release(self) -> None:
        """Count a release of memory."""
        self.released += 1

    async def wait(self, saves: int) -> None:
        """Return after a number of saves."""
        async with asyncio.timeout(BOUND):
            while self.saves < saves:
                self.saved.clear()
                await self.saved.wait()


def open_writer(library: Library) -> ParsedCacheWriter:
    """Return a writer that waits for nothing."""
    return ParsedCacheWriter(
        library.save, release_memory=library.release, delay=0.0, retry_seconds=0.0
    )


def list_logged(caplog: pytest.LogCaptureFixture) -> list[tuple[str, Any]]:
    """Return the lines about the parsed cache, with their size or reason."""
    records = [vars(record) for record in caplog.records]
    return [
        (record["msg"], record["bytes"] if "bytes" in record else record["error"])
        for record in records
        if record["msg"].startswith("parsed cache")
    ]


async def test_it_saves_at_the_start_and_after_each_change() -> None:
    """Not by itself: an idle server writes nothing."""
    library = Library()
    writer = open_writer(library)
    task = asyncio.ensure_future(writer.run())
    await library.wait(1)
    writer.request()
    await library.wait(2)
    await asyncio.sleep(0)
    assert library.saves == 2
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def test_memory_is_released_after_a_write(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The texts have left it; the log has the size."""
    caplog.set_level(logging.INFO)
    library = Library(77, Cancelled())
    writer = open_writer(library)
    task = asyncio.ensure_future(writer.run())
    await library.wait(1)
    writer.request()
    async with asyncio.timeout(BOUND):
        await task
    assert library.released == 1
    assert list_logged(caplog) == [("parsed cache written", 77)]


async def test_it_ends_in_a_folder_of_another_user(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The server goes on without; one line has the reason."""
    caplog.set_level(logging.INFO)
    reason = "it belongs to another user"
    async with asyncio.timeout(BOUND):
        await open_writer(Library(OperationalError(reason))).run()
    assert list_logged(caplog) == [("parsed cache not written", reason)]


async def test_it_tries_again_after_a_failure(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """D-179: withdrawn text leaves the cache, and no change is needed for that.

    A failure is logged once, and again after a write or for another reason.
    """
    caplog.set_level(logging.INFO)
    full = OSError(28, "No space left on device")
    bug = ValueError("part of a text")
    library = Library(full, full, bug, bug, full, 7, full, Cancelled())
    writer = open_writer(library)
    task = asyncio.ensure_future(writer.run())
    await library.wait(6)
    writer.request()
    async with asyncio.timeout(BOUND):
        await task
    assert library.saves == 8
    failed, unknown = (
        ("parsed cache not written", "No space left on device"),
        ("parsed cache failed", "ValueError"),
    )
    written = "parsed cache written", 7
    assert list_logged(caplog) == [failed, unknown, failed, written, failed]


async def test_it_tries_again_without_a_free_thread(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The machine may have one later."""
    caplog.set_level(logging.INFO)
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    library = Library()
    default = threading.stack_size(1 << 46)
    task = asyncio.ensure_future(open_writer(library).run())
    try:
        async with asyncio.timeout(BOUND):
            while not list_logged(caplog):
                await asyncio.sleep(0)
    finally:
        threading.stack_size(default)
    await library.wait(1)
    assert list_logged(caplog) == [("parsed cache failed", "RuntimeError")]
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def test_it_waits_between_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is not written to each second."""
    pauses: list[float] = []

    async def record(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", record)
    library = Library(OSError(28, "No space left on device"), Cancelled())
    async with asyncio.timeout(BOUND):
        await ParsedCacheWriter(library.save).run()
    assert pauses == [DELAY_SECONDS, RETRY_SECONDS]


async def test_a_stop_cancels_the_write_in_its_thread() -> None:
    """A server that stops does not wait for a large cache."""
    seen: list[bool] = []

    def save(is_cancelled: Callable[[], bool]) -> int:
        seen.append(is_cancelled())
        writer.stop()
        seen.append(is_cancelled())
        raise Cancelled

    writer = ParsedCacheWriter(save, delay=0.0)
    async with asyncio.timeout(BOUND):
        await writer.run()
    assert seen == [False, True]
