"""The writer of a store: after the start and after changes, never in the way."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

import pytest

from asdlc_kb.exceptions import OperationalError
from asdlc_kb.files.parsed_store import Cancelled
from asdlc_kb.files.store_writer import StoreWriter

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


def open_writer(library: Library) -> StoreWriter:
    """Return a writer that waits for nothing."""
    return StoreWriter(library.save, release_memory=library.release, delay=0.0)


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
    library = Library(77, OSError(28, "No space left on device"))
    writer = open_writer(library)
    task = asyncio.ensure_future(writer.run())
    await library.wait(1)
    writer.request()
    async with asyncio.timeout(BOUND):
        await task
    assert library.released == 1
    written, failed = caplog.records
    assert (written.getMessage(), vars(written)["bytes"]) == (
        "parsed cache written",
        77,
    )
    assert (failed.getMessage(), vars(failed)["error"]) == (
        "parsed cache not written",
        "No space left on device",
    )


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (OperationalError("it belongs to another user"), "parsed cache not written"),
        (OSError(30, "Read-only file system"), "parsed cache not written"),
        (ValueError("unforeseen"), "parsed cache failed"),
        (Cancelled(), None),
    ],
)
async def test_it_ends_when_it_cannot_write(
    failure: Exception, message: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    """The server goes on without; one line says so."""
    caplog.set_level(logging.INFO)
    async with asyncio.timeout(BOUND):
        await open_writer(Library(failure)).run()
    logged = [r.getMessage() for r in caplog.records if "parsed" in r.getMessage()]
    assert logged == ([message] if message else [])


async def test_a_stop_cancels_the_write_in_its_thread() -> None:
    """A server that stops does not wait for a large store."""
    seen: list[bool] = []

    def save(is_cancelled: Callable[[], bool]) -> int:
        seen.append(is_cancelled())
        writer.stop()
        seen.append(is_cancelled())
        raise Cancelled

    writer = StoreWriter(save, delay=0.0)
    async with asyncio.timeout(BOUND):
        await writer.run()
    assert seen == [False, True]
