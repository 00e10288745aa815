"""Events of folders: batches of changed paths, from the kernel and from watchfiles."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from support.files import count_inotify_instances, save_in_place, save_over
from support.peers import BOUND

from asdlc_kb.files import folder_events, inotify
from asdlc_kb.files.folder_events import (
    FolderChanges,
    try_watch,
    watch_folders,
    watch_portably,
)


def everything(path: str) -> bool:
    """Accept each path."""
    return True


def is_present(path: Path, changes: FolderChanges) -> bool:
    """Whether changes name a path as created or written."""
    return str(path) in changes.present


class Batches:
    """Collects the batches of a watch."""

    def __init__(self) -> None:
        self.all = FolderChanges()
        self.number = 0
        self._arrived = asyncio.Event()

    async def follow(self, batches: AsyncIterator[FolderChanges]) -> None:
        """Add up the batches, until the watch ends."""
        async for changes in batches:
            self.number += 1
            self.all.present |= changes.present
            self.all.removed |= changes.removed
            self.all.is_incomplete |= changes.is_incomplete
            self.all.is_ended |= changes.is_ended
            self._arrived.set()

    async def until(self, holds: Callable[[FolderChanges], bool]) -> None:
        """Wait until the sum of all batches fulfils a condition."""
        async with asyncio.timeout(BOUND):
            while not holds(self.all):
                self._arrived.clear()
                await self._arrived.wait()


@asynccontextmanager
async def following(batches: AsyncIterator[FolderChanges]) -> AsyncIterator[Batches]:
    """Follow a watch in a task; it is armed."""
    seen = Batches()
    task = asyncio.ensure_future(seen.follow(batches))
    await asyncio.sleep(0)
    try:
        yield seen
    finally:
        task.cancel()
        await asyncio.wait((task,), timeout=BOUND)


async def test_each_kind_of_change_names_its_file(tmp_path: Path) -> None:
    """Created, written in place, renamed over, deleted."""
    old = save_in_place(tmp_path / "old.md", "one")
    async with following(watch_folders([str(tmp_path)], everything)) as seen:
        new = save_in_place(tmp_path / "new.md", "new")
        await seen.until(lambda them: str(new) in them.present)
        with old.open("a") as file:
            file.write("more")
        await seen.until(lambda them: str(old) in them.present)
        moved = tmp_path / "moved.md"
        new.rename(moved)
        await seen.until(lambda them: str(moved) in them.present)
        await seen.until(lambda them: str(new) in them.removed)
        old.unlink()
        await seen.until(lambda them: str(old) in them.removed)
        assert not seen.all.is_ended
        assert not seen.all.is_incomplete


async def test_watchfiles_names_the_same_files(tmp_path: Path) -> None:
    """For systems without inotify."""
    watch = watch_portably((str(tmp_path),), everything)
    async with following(watch) as seen:
        # Its thread is armed later than the first step of the watch.
        name = tmp_path / "x.md"
        async with asyncio.timeout(BOUND):
            while str(name) not in seen.all.present:
                save_over(name, "text")
                await asyncio.sleep(0.05)
        name.unlink()
        await seen.until(lambda them: str(name) in them.removed)


async def test_a_save_is_one_batch(tmp_path: Path) -> None:
    """The steps of a save follow each other within the debounce time."""
    async with following(watch_folders([str(tmp_path)], everything)) as seen:
        path = save_over(tmp_path / "x.md", "text")
        await seen.until(lambda them: str(path) in them.present)
        assert seen.number == 1


async def test_rejected_paths_leave_an_empty_batch(tmp_path: Path) -> None:
    """So that it is known that the folder changed."""
    async with following(watch_folders([str(tmp_path)], lambda path: False)) as seen:
        save_in_place(tmp_path / "x.md", "text")
        await seen.until(lambda them: seen.number > 0)
        assert not seen.all


@pytest.mark.parametrize("how", ["deleted", "renamed"])
async def test_a_watch_ends_with_its_folder(tmp_path: Path, how: str) -> None:
    """A kernel's watch stays with the old folder, whatever takes its place."""
    folder = tmp_path / "a"
    folder.mkdir()
    watched = [str(tmp_path), str(folder)]
    async with following(watch_folders(watched, everything)) as seen:
        if how == "deleted":
            folder.rmdir()
        else:
            folder.rename(tmp_path / "b")
        await seen.until(lambda them: them.is_ended)


async def test_a_folder_with_two_paths_names_both(tmp_path: Path) -> None:
    """A link to a folder is the same watch for the kernel."""
    (tmp_path / "real").mkdir()
    link = tmp_path / "link"
    link.symlink_to("real")
    watched = [str(tmp_path / "real"), str(link)]
    async with following(watch_folders(watched, everything)) as seen:
        save_in_place(tmp_path / "real" / "x.md", "text")
        both = {f"{tmp_path}/real/x.md", f"{link}/x.md"}
        await seen.until(lambda them: both <= them.present)


async def test_lost_events_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel's queue has 16,384 places by default, and says when it is full."""
    full = inotify.KernelEvent(-1, inotify.OVERFLOW, 0, b"")
    real = inotify.Inotify.read

    def read(self: inotify.Inotify) -> list[inotify.KernelEvent]:
        events = list(real(self))
        return [*events, full] if events else []

    monkeypatch.setattr(inotify.Inotify, "read", read)
    async with following(watch_folders([str(tmp_path)], everything)) as seen:
        save_in_place(tmp_path / "x.md", "text")
        await seen.until(lambda them: them.is_incomplete)


async def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    """It was removed after it was listed."""
    watch = watch_folders([str(tmp_path / "missing")], everything)
    with pytest.raises(FileNotFoundError):
        await anext(watch)


async def test_a_name_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    """As Python names it everywhere else."""
    odd = os.fsencode(tmp_path) + b"/\xff.md"
    async with following(watch_folders([str(tmp_path)], everything)) as seen:
        with open(odd, "wb"):
            pass
        await seen.until(lambda them: os.fsdecode(odd) in them.present)


async def test_a_closed_watch_leaves_no_descriptor(tmp_path: Path) -> None:
    """However often the folders change."""
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        async with following(watch_folders([str(tmp_path)], everything)):
            pass
    assert len(os.listdir("/proc/self/fd")) <= before + 1


async def test_all_watches_of_a_loop_share_an_instance(tmp_path: Path) -> None:
    """A user has 128. Each watch gets the events of its folders, also common ones."""
    both, own = tmp_path / "both", tmp_path / "own"
    both.mkdir()
    own.mkdir()
    before = count_inotify_instances()
    watches = [
        watch_folders(map(str, folders), everything)
        for folders in ([both], [both, own], [own])
    ]
    async with following(watches[0]) as first, following(watches[1]) as second:
        assert count_inotify_instances() == before + 1
        async with following(watches[2]) as third:
            path = save_in_place(both / "x.md", "text")
            await first.until(lambda them: str(path) in them.present)
            await second.until(lambda them: str(path) in them.present)
            own.rmdir()
            await third.until(lambda them: them.is_ended)
            await second.until(lambda them: them.is_ended)
            assert not third.all.present - {str(own)}
        late = save_in_place(both / "y.md", "text")
        await first.until(lambda them: str(late) in them.present)
        assert not first.all.is_ended
    assert count_inotify_instances() == before


async def test_a_watch_that_is_not_read_keeps_a_bounded_number_of_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then its reader knows that events were lost."""
    monkeypatch.setattr(folder_events, "_MAX_EVENTS", 5)
    slow = watch_folders([str(tmp_path)], everything)
    async with following(watch_folders([str(tmp_path)], everything)) as seen:
        first = asyncio.ensure_future(anext(slow))
        path = save_in_place(tmp_path / "0.md", "text")
        assert str(path) in (await first).present
        for number in range(9):
            path = save_in_place(tmp_path / f"{number}.md", "text")
            await seen.until(partial(is_present, path))
        changes = await anext(slow)
        assert changes.is_incomplete
        assert str(path) in changes.present
        assert len(changes.present) < 5
    await slow.aclose()


def test_an_attempt_shows_whether_folders_can_be_watched(tmp_path: Path) -> None:
    """For the command that looks for obstacles."""
    try_watch([str(tmp_path)])
    with pytest.raises(FileNotFoundError):
        try_watch([str(tmp_path / "missing")])
