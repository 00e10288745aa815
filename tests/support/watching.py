"""Running watchers: a bare cache or a whole library, updated while a test runs."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.files import watcher as module
from asdlc_kb.files.snapshot import ScanResult
from asdlc_kb.files.watcher import SWEEP_SECONDS, Watcher
from support.cache import TextCache
from support.files import save_in_place
from support.knowledge import KnowledgeBase
from support.library import answer
from support.peers import BOUND

NEVER = 3600.0
"""An interval beyond all waits: only kernel events cause scans."""


class Published:
    """Publishes scans into a cache; a test can wait for a state of it."""

    def __init__(self, cache: TextCache) -> None:
        self.cache = cache
        self._changed = asyncio.Event()

    def __call__(self, scan: ScanResult[str]) -> None:
        """Publish one scan."""
        self.cache.publish(scan)
        self._changed.set()

    async def next(self) -> None:
        """Wait, at most `BOUND` seconds, for the next publish."""
        self._changed.clear()
        await asyncio.wait_for(self._changed.wait(), BOUND)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait, at most `BOUND` seconds, until a condition holds after a publish."""
        async with asyncio.timeout(BOUND):
            while not holds():
                self._changed.clear()
                await self._changed.wait()


@asynccontextmanager
async def running(watcher: Watcher[Any]) -> AsyncIterator[None]:
    """Run a watcher, and cancel it in the end."""
    task = asyncio.ensure_future(watcher.run())
    try:
        yield
    finally:
        assert not task.done(), "a watcher never ends by itself"
        task.cancel()
        await asyncio.wait((task,), timeout=BOUND)
        assert task.cancelled()


def cache_at(root: Path) -> TextCache:
    """Return a cache that has scanned one file."""
    save_in_place(root / "a" / "x.md", "one")
    cache = TextCache(root)
    cache.scan()
    return cache


class Live:
    """A library that its watcher updates, with reads by name."""

    def __init__(self, library: ArticleLibrary) -> None:
        self.library = library
        self.seen: list[ArticleCatalog] = []
        """Every catalog, oldest first."""
        self._changed = asyncio.Event()
        library.listen(self._note)

    def _note(self, _: ArticleCatalog, after: ArticleCatalog) -> Callable[[], None]:
        def tell() -> None:
            self.seen.append(after)
            self._changed.set()

        return tell

    def ask(self, name: str) -> str:
        """Return an article's title as lists have it, or the error instead."""
        return answer(self.library.catalog, name)

    def body(self, name: str) -> str:
        """Return an article's text in the current catalog."""
        return self.library.catalog.find(name).body

    async def scan(self) -> None:
        """Scan now, independently of the watcher."""
        self.library.publish(await asyncio.to_thread(self.library.scan))

    def codes(self, path: str) -> list[str]:
        """Return the codes of a path's problems."""
        problems = self.library.catalog.snapshot.all_problems()
        return [problem.code for problem in problems if problem.path == path]

    async def until_says(self, slug: str, message: str) -> None:
        """Wait until `ask` returns this."""
        await self.until(lambda: self.ask(slug) == message)

    async def until(self, holds: Callable[[], bool], seconds: float = BOUND) -> None:
        """Wait until a condition holds; it is checked after each new catalog."""
        async with asyncio.timeout(seconds):
            while not holds():
                self._changed.clear()
                await self._changed.wait()


@asynccontextmanager
async def live(
    knowledge: KnowledgeBase,
    *,
    interval: float = SWEEP_SECONDS,
    events: bool = True,
    missing_grace: float = 60.0,
) -> AsyncIterator[Live]:
    """Watch a knowledge base; the first scan is done and the watch is armed."""
    library = ArticleLibrary(knowledge.root, missing_grace=missing_grace)
    library.load()
    it = Live(library)
    looked = asyncio.Event()

    def publish(scan: Any) -> None:
        library.publish(scan)
        looked.set()

    watcher = Watcher(
        *(knowledge.root, library.scan, publish),
        interval=interval,
        events=events,
        scan_unfinished=library.scan_unfinished,
        refresh=library.refresh_changed,
        check=library.check,
    )
    async with running(watcher):
        await asyncio.wait_for(looked.wait(), BOUND)
        yield it


@contextmanager
def time_held(it: Live, now: float = 0.0) -> Iterator[None]:
    """Hold a library's clocks: files written after `now` do not settle."""
    cache = it.library._cache
    clock, timer = cache._clock, cache._timer
    cache._clock, cache._timer = (lambda: now), (lambda: 0.0)
    try:
        yield
    finally:
        cache._clock, cache._timer = clock, timer


def deafen(monkeypatch: Any, error: Exception) -> None:
    """Prevent new watches: only the periodic scan remains."""

    async def refuse(*_: object, **__: object) -> AsyncIterator[object]:
        nothing: tuple[object, ...] = ()
        for each in nothing:
            yield each
        raise error

    monkeypatch.setattr(module, "watch_folders", refuse)


def save_silently(path: Path, text: str) -> None:
    """Write a file of equal length in place, and restore its mtime, as rsync does."""
    status = os.stat(path)
    save_in_place(path, text)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert os.stat(path).st_size == status.st_size
