"""Files that are saved, written and deleted: rows of the table of faults."""

import asyncio
import itertools
import os
import time
from functools import partial
from pathlib import Path

import pytest
from support.files import save_in_place, save_over
from support.knowledge import KnowledgeBase, article_text
from support.peers import BOUND
from support.watching import (
    NEVER,
    Live,
    live,
    save_silently,
    time_held,
)

GONE = "Article 'x' not found"


def titles(it: Live) -> set[str]:
    """Return the names in the list of articles."""
    return {article.id for article in it.library.catalog.articles}


@pytest.mark.parametrize(
    "temporary", ["4913", ".x.md.swp", "x.md~", ".#x.md", "#x.md#", ".x.md.tmp"]
)
async def test_atomic_save(knowledge: KnowledgeBase, temporary: str) -> None:
    """The new version comes by events alone; files of editors are never listed."""
    path = knowledge.write("concepts/x", title="One")
    async with live(knowledge, interval=NEVER) as it:
        names = titles(it)
        temporary_file = save_in_place(
            path.parent / temporary, article_text("x", title="Two")
        )
        temporary_file.rename(path)
        await it.until(lambda: it.ask("x") == "Two")
        save_in_place(path.parent / temporary, article_text("x", title="Left over"))
        knowledge.write("concepts/x", title="Three")
        await it.until(lambda: it.ask("x") == "Three")
        for catalog in it.seen:
            assert {article.id for article in catalog.articles} == names
        assert it.codes(f"concepts/{temporary}") == []


@pytest.mark.parametrize("way", ["in place", "truncate then write", "append"])
async def test_in_place_write_truncate_then_write_appends(
    knowledge: KnowledgeBase, way: str
) -> None:
    """D-067: the last good version stays until the file was settled for 100 ms."""
    path = knowledge.write("concepts/x", title="Old", body="old\n")
    whole = article_text("x", title="New", body="1\n2\n3\n4\n5\n")
    async with live(knowledge, interval=NEVER) as it:
        if way == "append":
            parts = whole.partition("1\n")
        else:
            parts = (whole[:20], whole[20:60], whole[60:])
        flags = os.O_WRONLY | (os.O_TRUNC if way != "in place" else 0)
        with time_held(it):
            descriptor = os.open(path, flags)
            for part in parts:
                os.write(descriptor, part.encode())
                await it.scan()
                assert it.body("x") == "old\n"
            os.ftruncate(descriptor, len(whole))
            os.close(descriptor)
        await it.until(lambda: it.ask("x") == "New")
        bodies = {catalog.find("x").body for catalog in it.seen}
        assert bodies - {"old\n"} == {"1\n2\n3\n4\n5\n"}


async def test_a_slow_writer_keeps_the_old_version(knowledge: KnowledgeBase) -> None:
    """D-067: text written without a pause is not read."""
    path = knowledge.write("concepts/x", title="Old")
    async with live(knowledge, interval=NEVER) as it:
        with time_held(it), path.open("w") as file:
            file.write(article_text("x", title="New"))
            for _ in range(100):
                file.write("more\n")
                file.flush()
                await it.scan()
                assert it.ask("x") == "Old"
        await it.until(lambda: it.ask("x") == "New")


@pytest.mark.parametrize("way", ["same key", "future", "past"])
async def test_mtime_granularity_same_mtime_and_size_mtime_in_the_past_or_future(
    knowledge: KnowledgeBase, way: str
) -> None:
    """D-064: seen through ctime and inode, whatever the mtime is."""
    path = knowledge.write("concepts/x", title="One")
    async with live(knowledge, interval=NEVER) as it:
        if way == "same key":
            with time_held(it, time.time() + 3600):
                await it.scan()  # No file is read again only because it is recent.
            with time_held(it):
                save_silently(path, article_text("x", title="Two"))
        else:
            save_in_place(path, article_text("x", title="Two"))
            when = 2_145_916_800 if way == "future" else 0
            os.utime(path, (when, when))
        await it.until(lambda: it.ask("x") == "Two")
        knowledge.write("concepts/x", title="Six")
        os.utime(path, (0, 0))
        await it.until(lambda: it.ask("x") == "Six")


async def test_a_file_deleted_and_re_created(
    knowledge: KnowledgeBase, caplog: pytest.LogCaptureFixture
) -> None:
    """Gone, then back, without a burst of errors."""
    path = knowledge.write("concepts/x", title="One")
    async with live(knowledge, interval=NEVER) as it:
        caplog.clear()
        for title in ("Two", "Three"):
            path.unlink()
            await it.until(lambda: it.ask("x") == GONE)
            save_in_place(path, article_text("x", title=title))
            await it.until_says("x", title)
    assert [r for r in caplog.records if r.levelname in ("WARNING", "ERROR")] == []


async def test_continuous_churn(knowledge: KnowledgeBase) -> None:
    """Edits without a pause elsewhere do not delay a saved article."""
    path = knowledge.write("concepts/x", title="Old")
    async with live(knowledge, interval=NEVER) as it:
        knowledge.write("concepts/x", title="New")
        async with asyncio.timeout(BOUND):
            for number in itertools.count():
                if it.ask("x") == "New":
                    break
                path.with_name(f"{number}.txt").touch()
                await asyncio.sleep(0)


async def test_invalid_utf8_utf16_nul_lone_cr(knowledge: KnowledgeBase) -> None:
    """D-071: reported, and the last good one kept; BOM and CRLF become LF."""
    path = knowledge.write("concepts/x", title="Good", body="one\ntwo\n")
    text = article_text("x", title="Bad")
    bad = [b"\xff\xfe\xfa", text.encode("utf-16"), b"a\0b", b"a\rb"]

    def are_reported(it: Live, number: int) -> bool:
        paths = (f"concepts/new-{number}.md", "concepts/x.md")
        return all(it.codes(path) for path in paths)

    async with live(knowledge, interval=NEVER) as it:
        for number, data in enumerate(bad):
            knowledge.save(path, data)
            knowledge.save(path.parent / f"new-{number}.md", data)
            await it.until(partial(are_reported, it, number))
            assert it.ask("x") == "Good"
            assert it.ask(f"new-{number}") == f"Article 'new-{number}' not found"
        windows = article_text("x", title="Windows", body="one\ntwo\n")
        knowledge.save(path, b"\xef\xbb\xbf" + windows.replace("\n", "\r\n").encode())
        await it.until(lambda: it.ask("x") == "Windows")
        assert it.body("x") == "one\ntwo\n"
        assert it.codes("concepts/x.md") == []


async def test_a_fault_is_logged_once_not_at_each_sweep(
    knowledge: KnowledgeBase, caplog: pytest.LogCaptureFixture
) -> None:
    """D-051: one log line a change; /health counts, check names it."""
    path = knowledge.write("concepts/x")
    async with live(knowledge, interval=0.01) as it:
        before = len(it.library.catalog.snapshot.all_problems())
        caplog.clear()
        knowledge.save(path, b"\xff")
        await it.until(lambda: it.codes("concepts/x.md") == ["KB001"])
        for _ in range(20):
            await asyncio.to_thread(it.library.scan)
        assert len(it.library.catalog.snapshot.all_problems()) == before + 1
    warnings = [r.getMessage() for r in caplog.records if r.levelname == "WARNING"]
    assert warnings.count("content has problems: run 'asdlc-kb check'") == 1


async def test_neither_events_nor_sweep_get_article_is_fresh_at_once(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """D-066: `get_article` makes one `stat`: after an atomic save it is never stale."""
    path = knowledge.write("concepts/x", title="One")
    async with live(knowledge, interval=NEVER, events=False) as it:
        for number in range(20):
            save_over(path, article_text("x", title=f"Version {number}"))
            catalog = await it.library.fetch("x")
            assert catalog.find("x").title == f"Version {number}"
            assert it.ask("x") == f"Version {number}"
