"""The watcher: looks again and again, whatever a look meets."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from support.cache import Shelf
from support.files import save_in_place, save_over
from support.peers import BOUND

from asdlc_kb.files.cache import Look
from asdlc_kb.files.watcher import SWEEP_SECONDS, Watcher


class Published:
    """Publishes looks into a cache, and lets a test wait for a state of it."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self._changed = asyncio.Event()

    def __call__(self, look: Look[str]) -> None:
        """Publish one look."""
        self.shelf.cache.publish(look)
        self._changed.set()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait, at most `BOUND` seconds, until something holds after a publish."""
        async with asyncio.timeout(BOUND):
            while not holds():
                self._changed.clear()
                await self._changed.wait()


@asynccontextmanager
async def running(watcher: Watcher[str]) -> AsyncIterator[None]:
    """Run a watcher, and cancel it in the end."""
    task = asyncio.ensure_future(watcher.run())
    try:
        yield
    finally:
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, BOUND)


def shelf_at(root: Path) -> Shelf:
    """Return a cache that has looked at one file."""
    save_in_place(root / "a" / "x.md", "one")
    shelf = Shelf(root)
    shelf.look()
    return shelf


def test_a_sweep_comes_every_two_seconds_at_least() -> None:
    """Events are hints, the sweep is the truth: 2 s (finding on deaf watchers)."""
    assert SWEEP_SECONDS == 2.0


async def test_a_save_a_new_file_and_a_deletion_are_published(tmp_path: Path) -> None:
    """A running watcher brings the disk into the cache, without being told."""
    shelf = shelf_at(tmp_path)
    published = Published(shelf)
    watcher = Watcher(shelf.cache.look, published, interval=0.01)
    async with running(watcher):
        save_over(tmp_path / "a" / "x.md", "two")
        await published.until(lambda: shelf.values == {"a/x.md": "two"})
        save_in_place(tmp_path / "b" / "y.md", "new")
        await published.until(lambda: shelf.values.get("b/y.md") == "new")
        (tmp_path / "a" / "x.md").unlink()
        await published.until(lambda: shelf.values == {"b/y.md": "new"})


async def test_a_file_being_written_is_looked_at_again_soon(tmp_path: Path) -> None:
    """An unsettled file is not left for a whole interval (file changes: in place)."""
    shelf = shelf_at(tmp_path)
    path = save_in_place(tmp_path / "a" / "x.md", "two")
    shelf.clock.pass_after(path, 0.0)
    published = Published(shelf)

    def look() -> Look[str]:
        shelf.clock.now += 0.06
        return shelf.cache.look()

    async with running(Watcher(look, published, interval=3600)):
        await published.until(lambda: shelf.values == {"a/x.md": "two"})


async def test_a_look_that_raises_is_logged_and_watching_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A supervised watcher outlives any failure of a look or of a publish."""
    shelf = shelf_at(tmp_path)
    published = Published(shelf)
    failures = [OSError("look"), RuntimeError("look")]
    refusals = [ValueError("publish")]

    def look() -> Look[str]:
        if failures:
            raise failures.pop()
        return shelf.cache.look()

    def publish(found: Look[str]) -> None:
        if refusals:
            raise refusals.pop()
        published(found)

    save_over(tmp_path / "a" / "x.md", "two")
    with caplog.at_level(logging.ERROR, "asdlc_kb"):
        async with running(Watcher(look, publish, interval=0)):
            await published.until(lambda: shelf.values == {"a/x.md": "two"})
    messages = [record.getMessage() for record in caplog.records]
    assert messages == ["a look at the content failed"] * 3


async def test_looks_do_not_block_the_loop(tmp_path: Path) -> None:
    """A look runs in a thread: the loop turns while the disk is slow (design)."""
    shelf = shelf_at(tmp_path)
    published = Published(shelf)
    loop = asyncio.get_running_loop()
    turned = asyncio.Event()

    def look() -> Look[str]:
        # The loop must run this while the look waits for it, or the wait times out.
        asyncio.run_coroutine_threadsafe(turn(), loop).result(BOUND)
        return shelf.cache.look()

    async def turn() -> None:
        turned.set()

    save_over(tmp_path / "a" / "x.md", "two")
    async with running(Watcher(look, published, interval=0.01)):
        await published.until(lambda: shelf.values == {"a/x.md": "two"})
    assert turned.is_set()
