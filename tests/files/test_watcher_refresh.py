"""The watcher refreshes changed files beside its scans."""

import asyncio
import threading
from collections.abc import Collection
from pathlib import Path

from support.files import save_over
from support.loglines import captured
from support.peers import BOUND
from support.watching import NEVER, Published, cache_at, running

from asdlc_kb.files import watcher as module
from asdlc_kb.files.snapshot import ScanResult
from asdlc_kb.files.watcher import Watcher


async def test_a_changed_file_does_not_wait_for_a_running_scan(tmp_path: Path) -> None:
    """D-066: a scan of many files takes long beside a busy event loop."""
    cache = cache_at(tmp_path)
    refreshed: asyncio.Queue[set[str]] = asyncio.Queue()
    is_scanning, may_end = threading.Event(), threading.Event()

    def scan() -> ScanResult[str]:
        is_scanning.set()
        assert may_end.wait(BOUND)
        return cache.cache.scan()

    async def refresh(paths: Collection[str]) -> bool:
        refreshed.put_nowait(set(paths))
        return True

    watcher = Watcher(tmp_path, scan, Published(cache), interval=NEVER, refresh=refresh)
    async with running(watcher):
        try:
            assert await asyncio.to_thread(is_scanning.wait, BOUND)
            save_over(tmp_path / "a" / "x.md", "two")
            assert await asyncio.wait_for(refreshed.get(), BOUND) == {"a/x.md"}
        finally:
            may_end.set()


async def test_a_deleted_file_is_left_to_the_scan(tmp_path: Path) -> None:
    """D-069: only a scan knows an unmounted folder from an emptied one."""
    cache = cache_at(tmp_path)
    published, refreshed = Published(cache), list[str]()

    async def refresh(paths: Collection[str]) -> bool:
        refreshed.extend(paths)
        return True

    watcher = Watcher(
        tmp_path, cache.cache.scan, published, interval=NEVER, refresh=refresh
    )
    async with running(watcher):
        await published.next()
        (tmp_path / "a" / "x.md").unlink()
        await published.until(lambda: cache.values == {})
    assert refreshed == []


async def test_a_refresh_that_raises_is_logged_and_watching_goes_on(
    tmp_path: Path,
) -> None:
    """The scan after it shows the change."""
    cache = cache_at(tmp_path)
    published = Published(cache)

    async def refresh(paths: Collection[str]) -> bool:
        raise RuntimeError(paths)

    watcher = Watcher(
        tmp_path, cache.cache.scan, published, interval=NEVER, refresh=refresh
    )
    with captured(module.__name__) as lines:
        async with running(watcher):
            await published.next()
            save_over(tmp_path / "a" / "x.md", "two")
            await published.until(lambda: cache.values == {"a/x.md": "two"})
    assert "content refresh failed" in lines.text
