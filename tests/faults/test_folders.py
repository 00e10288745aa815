"""Folders that are removed, restored and swapped: rows of the table of faults."""

import asyncio
import shutil
import signal
import time
from functools import partial
from pathlib import Path

import pytest
from support.canary import Scanner
from support.files import save_in_place
from support.knowledge import VISIBLE_COUNT, KnowledgeBase, article_text
from support.peers import BOUND
from support.processes import serve_process
from support.stateless import call
from support.watching import NEVER, Live, live

from asdlc_kb.files import watcher

MISSING = "Article 'x' not found"
MAX_START_SECONDS = 30
"""With 1,000 articles; a second on a machine that has nothing else to do."""
SOON = 0.1
"""The interval of scans in these tests, where only a scan can help."""


def count(it: Live) -> int:
    """Return the number of listed articles."""
    return len(it.library.catalog.articles)


async def test_a_category_deleted_re_created_renamed_in(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """Its articles go; they are back when it is back, from wherever it comes."""
    knowledge.write("patterns/x", title="One")
    patterns = knowledge.root / "patterns"
    async with live(knowledge, interval=NEVER) as it:
        shutil.rmtree(patterns)
        await it.until(lambda: it.ask("x") == MISSING)
        knowledge.write("patterns/x", title="Two")
        await it.until(lambda: it.ask("x") == "Two")
        patterns.rename(tmp_path / "away")
        await it.until(lambda: it.ask("x") == MISSING)
        (tmp_path / "away").rename(patterns)
        await it.until(lambda: it.ask("x") == "Two")
        knowledge.write("patterns/x", title="Three")
        await it.until(lambda: it.ask("x") == "Three")


@pytest.mark.parametrize("grace", [60.0, 0.0])
async def test_the_root_deleted_re_created_renamed_in(
    knowledge: KnowledgeBase, tmp_path: Path, grace: float
) -> None:
    """D-069: missing: the last good set for the grace period, then nothing."""
    knowledge.write("patterns/x", title="One")
    async with live(knowledge, interval=SOON, missing_grace=grace) as it:
        knowledge.root.rename(tmp_path / "away")
        await it.until(lambda: it.codes(".") == ["KB001"])
        if grace:
            assert (it.ask("x"), count(it)) == ("One", VISIBLE_COUNT + 1)
        else:
            await it.until(lambda: count(it) == 0)
        (tmp_path / "away").rename(knowledge.root)
        await it.until(lambda: it.ask("x") == "One" and it.codes(".") == [])
        shutil.rmtree(knowledge.root)
        KnowledgeBase(knowledge.root).write("patterns/x", title="Two")
        await it.until(lambda: it.ask("x") == "Two")


@pytest.mark.parametrize("link", ["root", "category", "data"])
async def test_symlink_swap(tmp_path: Path, link: str) -> None:
    """D-065: the new set, all or nothing, while it is read (ConfigMap, releases)."""
    for version in ("v1", "v2"):
        base = KnowledgeBase(tmp_path / version)
        for number in range(20):
            base.write(f"patterns/x-{number}", title=version)
    root = tmp_path / "root"
    if link == "root":
        swapped = root
    else:
        root.mkdir()
        swapped = root / ("patterns" if link == "category" else "..data")
    below = "patterns" if link == "category" else "."
    for version in ("v1", "v2"):
        if link != "root":
            (tmp_path / version).rename(root / f"..{version}")
    prefix = "" if link == "root" else ".."
    swapped.symlink_to(Path(f"{prefix}v1") / below)
    if link == "data":
        (root / "patterns").mkdir()
        for number in range(20):
            name = f"x-{number}.md"
            (root / "patterns" / name).symlink_to(f"../..data/patterns/{name}")
    knowledge = KnowledgeBase.__new__(KnowledgeBase)
    knowledge.root = root
    async with live(knowledge, interval=SOON) as it:
        for version in ("v2", "v1", "v2"):
            temporary = root.parent / "..new"
            temporary.symlink_to(Path(f"{prefix}{version}") / below)
            temporary.rename(swapped)
            await it.until_says("x-0", version)
        for catalog in it.seen:
            found = {a.title for a in catalog.articles if a.slug.startswith("x-")}
            assert len(found) == 1


async def test_git_checkout_of_5000_files_rsync(knowledge: KnowledgeBase) -> None:
    """Saved without a pause, they are one reload or two: 500 files stand for 5,000."""
    for number in range(500):
        knowledge.write(f"patterns/x-{number}", title="One")
    async with live(knowledge, interval=NEVER) as it:
        await it.until(lambda: it.ask("x-499") == "One")
        before = len(it.seen)
        for number in range(500):
            knowledge.write(f"patterns/x-{number}", title="Two")
        await it.until(lambda: all(it.ask(f"x-{n}") == "Two" for n in range(500)))
        assert len(it.seen) - before <= 5


async def test_overflow(knowledge: KnowledgeBase, scanner: Scanner) -> None:
    """A stopped process misses events beyond the queue's end; a scan repairs that.

    The events that fit in have names that are not read.
    """
    path = knowledge.write("patterns/x", title="One")
    temporary_files = [knowledge.root / "patterns" / f".{name}" for name in "ab"]
    with serve_process(knowledge.root, scanner=scanner) as served:
        # By the second save the watcher runs, and nothing else starts a scan.
        for title in ("First", "Second"):
            knowledge.save(path, article_text("x", title=title))
            async with asyncio.timeout(BOUND):
                while title.encode() not in (await list_articles(served.port)):
                    await asyncio.sleep(0.01)
        served.running.signal(signal.SIGSTOP)
        for number in range(20_000):
            temporary_files[number % 2].touch()
        knowledge.save(path, article_text("x", title="Afterwards"))
        served.running.signal(signal.SIGCONT)
        async with asyncio.timeout(BOUND):
            while b"Afterwards" not in (await list_articles(served.port)):
                await asyncio.sleep(0.01)


async def list_articles(port: int) -> bytes:
    """Request the list of articles in the stateless era."""
    params = {"name": "list_articles", "arguments": {}}
    return (await call(port, "tools/call", params, "list_articles")).body


async def test_nfs_overlay_docker_desktop_no_events(
    knowledge: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change without an event: the scan every two seconds finds it.

    The kernel sends events for a file to the folder of the name that was used.
    """
    monkeypatch.setattr(watcher, "find_filesystem_type", lambda root: "nfs4")
    path = knowledge.write("patterns/x", title="One")
    elsewhere = tmp_path / "other-name.md"
    elsewhere.hardlink_to(path)
    async with live(knowledge) as it:
        await it.until(lambda: it.ask("x") == "One")
        save_in_place(elsewhere, article_text("x", title="Two"))
        await it.until(lambda: it.ask("x") == "Two")


async def test_content_dir_missing_at_start_appears_later(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """D-130: a missing named folder is waited for, then served and watched."""
    knowledge.write("patterns/x", title="One")
    knowledge.root.rename(tmp_path / "elsewhere")
    async with live(knowledge, interval=SOON) as it:
        assert not it.library.catalog.snapshot.was_seen
        (tmp_path / "elsewhere").rename(knowledge.root)
        await it.until(lambda: it.ask("x") == "One")
        assert it.library.catalog.snapshot.was_seen


async def test_clock_jumps_back_and_forward(
    knowledge: KnowledgeBase,
) -> None:
    """D-098: a wall clock that is a day off neither hides a change nor tears one."""

    def shifted_time(days: int) -> float:
        return time.time() + days * 86_400

    async with live(knowledge, interval=NEVER) as it:
        for number, days in enumerate((-1, 1, 0)):
            it.library._cache._clock = partial(shifted_time, days)
            title = f"Version {number}"
            knowledge.write("patterns/x", title=title)
            await it.until_says("x", title)
            path = knowledge.root / "patterns" / "x.md"
            path.write_text(article_text("x", title=f"In place {number}"))
            await it.until_says("x", f"In place {number}")


def test_kill_9_anywhere(knowledge: KnowledgeBase, scanner: Scanner) -> None:
    """D-068: the next start serves exactly the disk, soon, and nothing else."""
    for number in range(1000):
        path = knowledge.root / "patterns" / f"x-{number}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(article_text(f"x-{number}"))
    for served_count in (1000, 999):
        started = time.monotonic()
        with serve_process(knowledge.root, scanner=scanner) as served:
            assert time.monotonic() - started < MAX_START_SECONDS
            text = f"{VISIBLE_COUNT + served_count} served"
            lines = [served.running.read_line() for _ in range(2)]
            assert text.encode() in lines[-1]
            done = served.stop(signal.SIGKILL)
        assert done.code == -signal.SIGKILL
        (knowledge.root / "patterns" / "x-0.md").unlink(missing_ok=True)
