"""The watcher checks instead of scanning, as long as kernel events arrive."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from support.files import save_in_place, save_over
from support.watching import NEVER, Published, cache_at, running

from asdlc_kb.files import watcher as module
from asdlc_kb.files.live_library import LiveLibrary
from asdlc_kb.files.snapshot import ScanResult, Snapshot
from asdlc_kb.files.watcher import Watcher

TICK = 0.01


class Counted(Published):
    """A watched cache that counts its scans and checks."""

    def __init__(self, root: Path, interval: float = TICK) -> None:
        super().__init__(cache_at(root))
        self.scans = 0
        self.checks = 0
        self.watcher: Watcher[ScanResult[str]] = Watcher(
            root,
            self._scan,
            self,
            interval=interval,
            refresh=self._refresh,
            check=self._check,
        )

    def _scan(self) -> ScanResult[str]:
        self.scans += 1
        return self.cache.cache.scan()

    def _check(self, is_announced: bool) -> ScanResult[str] | None:
        self.checks += 1
        return self.cache.cache.check(is_announced=is_announced)

    async def _refresh(self, paths: object) -> bool | None:
        assert isinstance(paths, set)
        for path in paths:
            self.cache.refresh(path)
        self._changed.set()
        if any(self.cache.cache.check_file(path) is not None for path in paths):
            return False
        return True if all(path in self.cache.values for path in paths) else None

    def has(self, path: str, text: str) -> bool:
        """Whether a file has this text."""
        return self.cache.values.get(path) == text

    async def checked(self, number: int) -> None:
        """Wait for some more checks."""
        wanted = self.checks + number
        await self.until(lambda: self.checks >= wanted)

    async def scanned(self, number: int) -> None:
        """Wait for some more scans."""
        wanted = self.scans + number
        await self.until(lambda: self.scans >= wanted)


@asynccontextmanager
async def counting(root: Path) -> AsyncIterator[Counted]:
    """Watch a folder, and count."""
    watched = Counted(root)
    async with running(watched.watcher):
        yield watched


@pytest.fixture
def filesystem(monkeypatch: pytest.MonkeyPatch) -> Callable[[str | None], None]:
    """Set the type that all file systems have."""

    def use(kind: str | None) -> None:
        monkeypatch.setattr(module, "find_filesystem_type", lambda root: kind)

    return use


async def test_an_idle_watcher_scans_once(
    tmp_path: Path, filesystem: Callable[[str | None], None]
) -> None:
    """D-180: on a local file system, each change has an event."""
    filesystem("ext4")
    async with counting(tmp_path) as watched:
        await watched.checked(20)
        assert watched.scans == 1


async def test_a_save_is_published_without_a_scan(
    tmp_path: Path, filesystem: Callable[[str | None], None]
) -> None:
    """D-180: it costs the file, and a look at the folders."""
    filesystem("ext4")
    async with counting(tmp_path) as watched:
        await watched.checked(1)
        for text in ("two", "three", "four"):
            save_over(tmp_path / "a" / "x.md", text)
            await watched.until(partial(watched.has, "a/x.md", text))
            await watched.checked(2)
        assert watched.scans == 1


async def test_a_save_of_a_known_file_needs_no_check_at_once(
    tmp_path: Path, filesystem: Callable[[str | None], None]
) -> None:
    """D-188: a check reads the names in its folder, which may be thousands."""
    filesystem("ext4")
    watched = Counted(tmp_path, interval=NEVER)
    async with running(watched.watcher):
        await watched.scanned(1)
        save_over(tmp_path / "a" / "x.md", "two")
        await watched.until(partial(watched.has, "a/x.md", "two"))
        save_over(tmp_path / "a" / "x.md", "three")
        await watched.until(partial(watched.has, "a/x.md", "three"))
        assert watched.checks == 0
        save_over(tmp_path / "a" / "y.md", "new")
        await watched.until(partial(watched.has, "a/y.md", "new"))
    assert watched.checks == 1


async def test_a_new_file_is_found_by_a_scan(
    tmp_path: Path, filesystem: Callable[[str | None], None]
) -> None:
    """And another one is not made for it."""
    filesystem("ext4")
    async with counting(tmp_path) as watched:
        await watched.checked(1)
        save_in_place(tmp_path / "a" / "y.md", "new")
        await watched.until(lambda: "a/y.md" in watched.cache.values)
        await watched.checked(3)
        scans = watched.scans
        await watched.checked(10)
        assert watched.scans == scans


@pytest.mark.parametrize("kind", ["nfs4", "fuse.sshfs", "9p", "overlay", "other", None])
async def test_elsewhere_each_sweep_is_a_scan(
    tmp_path: Path, filesystem: Callable[[str | None], None], kind: str | None
) -> None:
    """D-180: a file system may be changed behind the kernel that watches."""
    filesystem(kind)
    async with counting(tmp_path) as watched:
        await watched.scanned(10)
        assert watched.checks == 0


async def test_an_overlay_is_trusted_once_an_event_arrived(
    tmp_path: Path, filesystem: Callable[[str | None], None]
) -> None:
    """D-180: the images of containers are overlays."""
    filesystem("overlay")
    async with counting(tmp_path) as watched:
        await watched.scanned(2)
        save_over(tmp_path / "a" / "x.md", "two")
        await watched.checked(10)
        scans = watched.scans
        await watched.checked(10)
        assert watched.scans == scans


async def test_a_change_without_an_event_brings_the_scans_back(
    tmp_path: Path,
    filesystem: Callable[[str | None], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """D-180: it proves that events get lost."""
    filesystem("ext4")
    monkeypatch.setattr(module.Watcher, "_listen", _hear_nothing)
    async with counting(tmp_path) as watched:
        await watched.checked(2)
        assert watched.scans == 1
        save_over(tmp_path / "a" / "x.md", "two")
        await watched.until(lambda: watched.cache.values == {"a/x.md": "two"})
        checks = watched.checks
        save_in_place(tmp_path / "a" / "x.md", "in place")
        await watched.until(lambda: watched.cache.values == {"a/x.md": "in place"})
        assert watched.checks == checks


@pytest.mark.parametrize("is_published", [False, True])
async def test_a_check_that_raises_is_logged_and_scans_go_on(
    tmp_path: Path,
    filesystem: Callable[[str | None], None],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    is_published: bool,
) -> None:
    """A watcher survives any failure, also of what a check publishes."""
    filesystem("ext4")
    watched = Counted(tmp_path)
    checked = ScanResult(watched.cache.snapshot, is_partial=True)

    def check(**_: object) -> ScanResult[str]:
        if is_published:
            return checked
        raise RuntimeError("check")

    def publish_scan(scan: ScanResult[str]) -> None:
        if scan is checked:
            raise RuntimeError("publish")
        watched(scan)

    monkeypatch.setattr(watched.cache.cache, "check", check)
    monkeypatch.setattr(watched.watcher, "_publish", publish_scan)
    with caplog.at_level(logging.ERROR, "asdlc_kb"):
        async with running(watched.watcher):
            await watched.scanned(3)
    assert "content check failed" in {r.getMessage() for r in caplog.records}


async def test_a_library_refreshes_what_an_event_names(tmp_path: Path) -> None:
    """It says whether each file is up to date; one being written is not."""
    held = cache_at(tmp_path)
    library = LiveLibrary(held.cache, _Texts(held.snapshot))
    library.load()
    path = save_over(tmp_path / "a" / "x.md", "two")
    assert await library.refresh_changed(["a/x.md"])
    assert held.values == {"a/x.md": "two"}
    with path.open("a") as file:
        file.write("half")
        file.flush()
        held.clock.pass_after(path, 0.0)
        assert not await library.refresh_changed(["a/x.md"])


@pytest.mark.parametrize("path", ["a/unknown.md", "a", "a/x.md"])
async def test_a_library_leaves_what_it_did_not_read_to_a_check(
    tmp_path: Path, path: str
) -> None:
    """D-188: a new name, a folder, and a file whose last version may be unread."""
    held = cache_at(tmp_path)
    library = LiveLibrary(held.cache, _Texts(held.snapshot))
    library.load()
    save_over(tmp_path / "a" / "y.md", "new")
    assert await library.refresh_changed([path]) is None


async def _hear_nothing(self: object, folders: object) -> None:
    """Listen as a watch that loses all events."""
    await asyncio.Event().wait()


class _Texts:
    """A catalog of texts."""

    is_outdated = False

    def __init__(self, snapshot: Snapshot[str]) -> None:
        self.snapshot = snapshot

    def updated(self, snapshot: Snapshot[str]) -> "_Texts":
        return _Texts(snapshot)

    def precompute(self) -> None:
        """Nothing to compute."""

    def count(self) -> dict[str, int]:
        return {"texts": len(self.snapshot.entries)}
