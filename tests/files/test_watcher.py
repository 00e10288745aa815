"""The watcher: scans repeatedly, whatever a scan meets."""

import asyncio
import logging
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from support.canary import CANARY
from support.files import ordinary_user, save_in_place, save_over
from support.loglines import captured
from support.peers import BOUND
from support.watching import NEVER, Published, cache_at, deafen, running

from asdlc_kb.files import watcher as module
from asdlc_kb.files.folder_events import FolderChanges
from asdlc_kb.files.snapshot import ScanResult
from asdlc_kb.files.watcher import (
    POLL_SECONDS,
    SWEEP_SECONDS,
    Folders,
    Watcher,
    find_folders,
)


def test_a_sweep_comes_every_two_seconds_at_least() -> None:
    """D-063: events are hints, the scan every 2 s is authoritative."""
    assert SWEEP_SECONDS == 2.0


async def test_a_save_a_new_file_and_a_deletion_are_published(tmp_path: Path) -> None:
    """A running watcher brings changes on disk into the cache by itself."""
    cache = cache_at(tmp_path)
    published = Published(cache)
    watcher = Watcher(tmp_path, cache.cache.scan, published, interval=0.01)
    async with running(watcher):
        save_over(tmp_path / "a" / "x.md", "two")
        await published.until(lambda: cache.values == {"a/x.md": "two"})
        save_in_place(tmp_path / "b" / "y.md", "new")
        await published.until(lambda: cache.values.get("b/y.md") == "new")
        (tmp_path / "a" / "x.md").unlink()
        await published.until(lambda: cache.values == {"b/y.md": "new"})


async def test_a_file_being_written_is_looked_at_again_soon(tmp_path: Path) -> None:
    """D-067: an unsettled file does not wait for a whole interval."""
    cache = cache_at(tmp_path)
    path = save_in_place(tmp_path / "a" / "x.md", "two")
    cache.clock.pass_after(path, 0.0)
    published = Published(cache)

    def look() -> ScanResult[str]:
        cache.clock.now += 0.06
        return cache.cache.scan()

    async with running(Watcher(tmp_path, look, published, interval=3600)):
        await published.until(lambda: cache.values == {"a/x.md": "two"})


async def test_a_look_that_raises_is_logged_and_watching_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A supervised watcher survives any failure of a scan or a publish."""
    cache = cache_at(tmp_path)
    published = Published(cache)
    failures = [OSError("look"), RuntimeError("look")]
    refusals = [ValueError("publish")]

    def look() -> ScanResult[str]:
        if failures:
            raise failures.pop()
        return cache.cache.scan()

    def publish(found: ScanResult[str]) -> None:
        if refusals:
            raise refusals.pop()
        published(found)

    save_over(tmp_path / "a" / "x.md", "two")
    with caplog.at_level(logging.ERROR, "asdlc_kb"):
        async with running(Watcher(tmp_path, look, publish, interval=0)):
            await published.until(lambda: cache.values == {"a/x.md": "two"})
    messages = [record.getMessage() for record in caplog.records]
    assert messages == ["content scan failed"] * 3


async def test_looks_do_not_block_the_loop(tmp_path: Path) -> None:
    """A scan runs in a thread: the loop runs while the disk is slow."""
    cache = cache_at(tmp_path)
    published = Published(cache)
    loop = asyncio.get_running_loop()
    turned = asyncio.Event()

    def look() -> ScanResult[str]:
        # The loop must run this while the look waits for it, or the wait times out.
        asyncio.run_coroutine_threadsafe(turn(), loop).result(BOUND)
        return cache.cache.scan()

    async def turn() -> None:
        turned.set()

    save_over(tmp_path / "a" / "x.md", "two")
    async with running(Watcher(tmp_path, look, published, interval=0.01)):
        await published.until(lambda: cache.values == {"a/x.md": "two"})
    assert turned.is_set()


async def test_kernel_events_alone_show_every_kind_of_change(tmp_path: Path) -> None:
    """Events alone: the periodic scan would come in an hour."""
    cache = cache_at(tmp_path)
    published = Published(cache)
    watcher = Watcher(tmp_path, cache.cache.scan, published, interval=NEVER)
    async with running(watcher):
        await published.next()
        save_over(tmp_path / "a" / "x.md", "atomic")
        await published.until(lambda: cache.values == {"a/x.md": "atomic"})
        save_in_place(tmp_path / "a" / "x.md", "in place")
        await published.until(lambda: cache.values == {"a/x.md": "in place"})
        save_in_place(tmp_path / "new" / "y.md", "in a new folder")
        await published.until(lambda: cache.values.get("new/y.md") is not None)
        save_over(tmp_path / "new" / "y.md", "and again")
        await published.until(lambda: cache.values["new/y.md"] == "and again")
        (tmp_path / "a" / "x.md").unlink()
        await published.until(lambda: cache.values == {"new/y.md": "and again"})


async def test_sweeps_alone_show_every_kind_of_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scans alone: no watch can be made."""
    deafen(monkeypatch, OSError(28, "No space left on device"))
    cache = cache_at(tmp_path)
    published = Published(cache)
    watcher = Watcher(tmp_path, cache.cache.scan, published, interval=0.05)
    async with running(watcher):
        await published.next()
        save_over(tmp_path / "a" / "x.md", "atomic")
        await published.until(lambda: cache.values == {"a/x.md": "atomic"})
        save_in_place(tmp_path / "new" / "y.md", "in a new folder")
        await published.until(lambda: cache.values.get("new/y.md") is not None)
        shutil.rmtree(tmp_path / "a")
        await published.until(lambda: cache.values == {"new/y.md": "in a new folder"})


async def test_without_events_a_poll_comes_every_300_ms(tmp_path: Path) -> None:
    """`--poll`: no watch is made, and the interval is shorter."""
    assert POLL_SECONDS == 0.3
    cache = cache_at(tmp_path)
    published = Published(cache)
    watcher = Watcher(tmp_path, cache.cache.scan, published, events=False)
    async with running(watcher):
        await published.next()
        save_over(tmp_path / "a" / "x.md", "two")
        await published.until(lambda: cache.values == {"a/x.md": "two"})
        assert watcher._listener is None
        assert watcher._interval == POLL_SECONDS


@pytest.mark.parametrize("folder", [".", "a"])
@pytest.mark.parametrize("how", ["deleted", "renamed", "swapped"])
async def test_a_folder_that_went_and_came_back_is_watched_again(
    tmp_path: Path, folder: str, how: str
) -> None:
    """D-063: a watch is deaf once its folder is replaced, so it is renewed.

    The scan is far too slow to help: what is seen then came from events.
    """
    root = tmp_path / "root"
    cache = cache_at(root)
    published = Published(cache)
    place = root / folder
    watcher = Watcher(root, cache.cache.scan, published, interval=0.05)
    async with running(watcher):
        await published.next()
        if how == "deleted":
            shutil.rmtree(place)
        else:
            place.rename(tmp_path / "away")
        if how == "renamed":
            (tmp_path / "away").rename(place)
        save_over(root / "a" / "x.md", "two")
        await published.until(lambda: cache.values == {"a/x.md": "two"})
        await published.next()
        watcher._interval = NEVER
        await published.next()
        save_over(root / "a" / "x.md", "three")
        await published.until(lambda: cache.values == {"a/x.md": "three"})


async def test_a_name_that_is_not_utf8_ends_no_watch(tmp_path: Path) -> None:
    """D-063: it is reported as a name that is not served, and events go on."""
    cache = cache_at(tmp_path)
    published = Published(cache)
    watcher = Watcher(tmp_path, cache.cache.scan, published, interval=NEVER)
    odd = os.fsencode(tmp_path / "a" / CANARY) + b"\xff.md"
    with captured("asdlc_kb.files.watcher") as lines:
        async with running(watcher):
            await published.next()
            listener = watcher._listener
            with open(odd, "wb"):
                pass
            await published.until(lambda: any("KB002" in it for it in cache.faults))
            save_over(tmp_path / "a" / "x.md", "two")
            await published.until(lambda: cache.values.get("a/x.md") == "two")
            assert watcher._listener is listener
    assert lines.text == ""


async def test_another_failure_after_a_success_is_logged_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line for each change between working and deaf, however many scans fail."""
    turns = ["deaf", "deaf", "hears", "deaf", "deaf"]

    async def watch(*_: object, **__: object) -> AsyncIterator[FolderChanges]:
        if turns and turns.pop(0) == "hears":
            yield FolderChanges({"some file"})
        raise ExceptionGroup("a group", [OSError(24, "Too many open files")])

    monkeypatch.setattr(module, "watch_folders", watch)
    cache = cache_at(tmp_path)
    published = Published(cache)
    watcher = Watcher(tmp_path, cache.cache.scan, published, interval=0)
    with captured("asdlc_kb.files.watcher") as lines:
        async with running(watcher):
            await published.until(lambda: not turns)
            await published.next()
    reasons = [row["reason"] for row in lines.rows]
    assert reasons == ["[Errno 24] Too many open files"] * 2


async def test_folders_that_cannot_be_listed_are_scanned(tmp_path: Path) -> None:
    """Without events; each scan tries again."""
    cache = cache_at(tmp_path)
    published = Published(cache)

    def find(root: Path) -> Folders:
        raise OSError(24, "Too many open files")

    watcher = Watcher(tmp_path, cache.cache.scan, published, interval=0, find=find)
    with captured("asdlc_kb.files.watcher") as lines:
        async with running(watcher):
            save_over(tmp_path / "a" / "x.md", "two")
            await published.until(lambda: cache.values == {"a/x.md": "two"})
    reasons = [row["reason"] for row in lines.rows]
    assert reasons == ["[Errno 24] Too many open files"]


async def test_a_missing_root_is_not_watched_until_it_is_there(tmp_path: Path) -> None:
    """D-130: a named folder may appear later: then its events count, too."""
    root = tmp_path / "later"
    made = cache_at(tmp_path / "made")
    made.cache.root = root
    published = Published(made)
    watcher = Watcher(root, made.cache.scan, published, interval=0.05)
    async with running(watcher):
        await published.next()
        assert watcher._listener is None
        (tmp_path / "made").rename(root)
        await published.until(lambda: watcher._listener is not None)
        watcher._interval = NEVER
        await published.next()
        save_over(root / "a" / "x.md", "two")
        await published.until(lambda: made.values == {"a/x.md": "two"})


def test_the_root_and_its_served_folders_are_watched(tmp_path: Path) -> None:
    """Nothing below them, nothing that is not served, no dangling link."""
    root = tmp_path / "root"
    for name in ("a/deeper", ".git/objects", "odd name", "..data"):
        (root / name).mkdir(parents=True)
    os.mkdir(os.fsencode(root) + b"/not-utf8-\xff")
    save_in_place(root / "file.md", "")
    (root / "linked").symlink_to("a")
    (root / "nowhere").symlink_to("missing")
    (root / "loop").symlink_to("loop")
    assert set(find_folders(root)) == {str(root), f"{root}/a", f"{root}/linked"}
    assert find_folders(root)[f"{root}/linked"] == find_folders(root)[f"{root}/a"]
    assert find_folders(tmp_path / "missing") == {}


def test_a_folder_that_cannot_be_read_is_not_watched() -> None:
    """EACCES: the others are."""
    with ordinary_user() as root:
        for name in "ab":
            save_in_place(root / name / "x.md", name)
        (root / "b").chmod(0)
        assert set(find_folders(root)) == {str(root), f"{root}/a"}
        (root / "b").chmod(0o700)
        assert set(find_folders(root)) == {str(root), f"{root}/a", f"{root}/b"}


async def test_a_folder_that_goes_before_it_is_watched_is_no_fault(
    tmp_path: Path,
) -> None:
    """Listed, then deleted: nothing to log."""
    cache = cache_at(tmp_path)
    watcher = Watcher(tmp_path, cache.cache.scan, Published(cache))
    with captured("asdlc_kb.files.watcher") as lines:
        gone = {str(tmp_path): (0, 0), str(tmp_path / "gone"): (0, 0)}
        await asyncio.wait_for(watcher._listen(gone), BOUND)
    assert lines.text == ""


async def test_temporary_names_do_not_cause_a_look(tmp_path: Path) -> None:
    """Only the rename that follows them counts; a ConfigMap's `..data` does."""
    cache = cache_at(tmp_path / ".root")
    watcher = Watcher(cache.root, cache.cache.scan, Published(cache))
    watcher._watched = find_folders(cache.root)
    a = f"{cache.root}/a"
    for path in (a, str(cache.root), f"{a}/x.md", f"{a}/..data", f"{a}/4913"):
        assert watcher._accepts_path(path)
    for path in (f"{a}/.x.md.swp", f"{a}/.#x.md", f"{cache.root}/.git"):
        assert not watcher._accepts_path(path)


async def test_the_watch_names_no_file_in_the_log(tmp_path: Path) -> None:
    """watchfiles logs every name at DEBUG, a line a change at INFO: none appears."""
    assert logging.getLogger("watchfiles.main").getEffectiveLevel() == logging.WARNING
    cache = cache_at(tmp_path)
    published = Published(cache)
    watcher = Watcher(tmp_path, cache.cache.scan, published, interval=NEVER)
    with captured("") as lines:
        async with running(watcher):
            await published.next()
            save_over(tmp_path / "a" / f"{CANARY}.md", "two")
            await published.until(lambda: f"a/{CANARY}.md" in cache.values)
    assert not [row for row in lines.rows if CANARY in str(row)]


async def test_a_cancelled_watcher_leaves_no_thread_and_no_task(tmp_path: Path) -> None:
    """Stopping a watcher stops its watch too."""
    cache = cache_at(tmp_path)
    published = Published(cache)
    watcher = Watcher(tmp_path, cache.cache.scan, published)
    async with running(watcher):
        await published.next()
        assert len(asyncio.all_tasks()) > 1
    async with asyncio.timeout(BOUND):
        assert asyncio.all_tasks() == {asyncio.current_task()}
