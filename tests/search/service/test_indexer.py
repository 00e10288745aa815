"""Keeping an index up to date, outside the event loop."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from support.texts import DOCUMENTS, Texts, document, find, keys

from asdlc_kb.search.index.manifest import MANIFEST
from asdlc_kb.search.query.execution import run_search
from asdlc_kb.search.service.fulltext import FullText
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.search.values import (
    DocumentSource,
    SearchDocument,
    SearchRequest,
    SearchResults,
)

BOUND = 60.0


class ObservedFullText(FullText):
    """An index that notifies the loop whenever it has followed a source."""

    def __init__(self, folder: Path | None = None) -> None:
        super().__init__(folder)
        self.followed: asyncio.Queue[bool] = asyncio.Queue()
        self.checked = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def sync(self, source: DocumentSource) -> bool:
        """Sync, and notify."""
        try:
            return super().sync(source)
        finally:
            self._loop.call_soon_threadsafe(self.followed.put_nowait, True)

    def has_stale_documents(self, source: DocumentSource) -> bool:
        """Check, and notify."""
        try:
            return super().has_stale_documents(source)
        finally:
            self._loop.call_soon_threadsafe(self.checked.set)

    async def wait(self) -> None:
        """Return once a source was followed that was not awaited yet."""
        await asyncio.wait_for(self.followed.get(), BOUND)


class Gate(Texts):
    """A source that cannot be read until the test allows it."""

    def __init__(self, *documents: SearchDocument) -> None:
        super().__init__(*documents)
        self.opened = threading.Event()
        self.entered = threading.Event()

    def digests(self) -> Mapping[str, bytes]:
        """Return the digests, once they may be read."""
        self.entered.set()
        assert self.opened.wait(BOUND)
        return super().digests()


@asynccontextmanager
async def running(indexer: Indexer) -> AsyncIterator[None]:
    """Run an indexer for the length of the block."""
    task = asyncio.ensure_future(indexer.run())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_it_indexes_at_once_and_after_each_poke() -> None:
    """The current state of the source, whatever it was at the request."""
    sources = [Texts(*DOCUMENTS[:1]), Texts(*DOCUMENTS)]
    index = ObservedFullText()
    indexer = Indexer(index, lambda: sources[0], delay=0)
    async with running(indexer):
        await index.wait()
        assert keys(find((index, sources[0]), "nginx")) == []
        sources.pop(0)
        indexer.request_update()
        await index.wait()
    assert keys(find((index, sources[0]), "nginx")) == ["guides/deploy.md"]


async def test_memory_is_released_in_a_thread_after_each_update() -> None:
    """An update leaves much of it unused; the index does not know who has it."""
    loop, released = asyncio.get_running_loop(), asyncio.Queue[int]()

    def release() -> None:
        loop.call_soon_threadsafe(released.put_nowait, threading.get_ident())

    source = Texts(*DOCUMENTS)
    index = FullText(None)
    indexer = Indexer(index, lambda: source, delay=0, release_memory=release)
    async with running(indexer), asyncio.timeout(BOUND):
        for _ in range(2):
            assert await released.get() != threading.get_ident()
            assert index.is_ready
            indexer.request_update()


async def test_without_a_run_the_first_search_builds_the_index() -> None:
    """And the others wait for that: the source is read once."""
    source = Texts(*DOCUMENTS)
    index = FullText(None)
    indexer = Indexer(index, lambda: source)
    async with asyncio.timeout(BOUND):
        await asyncio.gather(*(indexer.ready() for _ in range(5)))
    assert sorted(source.asked) == sorted(source.documents)
    assert keys(find((index, source), "nginx")) == ["guides/deploy.md"]


async def test_a_failed_search_rebuilds_the_index_and_is_repeated_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """D-090: no document is reported absent because an index is damaged."""
    source = Texts(*DOCUMENTS)
    index = FullText(None)
    indexer = Indexer(index, lambda: source)
    failing = [True, False]

    def fail_once(*args: Any) -> SearchResults:
        if failing.pop(0):
            raise ValueError
        return run_search(*args)

    monkeypatch.setattr("asdlc_kb.search.query.execution.run_search", fail_once)
    results = await indexer.search(SearchRequest("nginx", 5, source.accepts), BOUND)
    assert keys(results) == ["guides/deploy.md"]
    assert failing == []


async def test_a_search_waits_no_longer_than_its_limit() -> None:
    """The caller decides what that means."""
    indexer = Indexer(FullText(None), lambda: Texts(*DOCUMENTS))
    with pytest.raises(TimeoutError):
        await indexer.search(SearchRequest("nginx", 5, lambda key, digest: True), 0)


async def test_a_search_finds_nothing_only_in_an_index() -> None:
    """One that was stopped before its index was made has no results to report."""
    source = Texts(*DOCUMENTS)
    indexer = Indexer(FullText(None), lambda: source)
    indexer.stop()
    with pytest.raises(TimeoutError):
        await indexer.search(SearchRequest("nginx", 5, source.accepts), BOUND)


async def test_the_loop_serves_while_an_index_is_made() -> None:
    """It is made in a thread; of changes meanwhile only the latest state counts."""
    gate, skipped, last = (
        Gate(*DOCUMENTS[:1]),
        Texts(*DOCUMENTS[:2]),
        Texts(*DOCUMENTS[:3]),
    )
    latest: list[Texts] = [gate]
    index = ObservedFullText()
    indexer = Indexer(index, lambda: latest[-1], delay=0)
    async with running(indexer):
        assert await asyncio.to_thread(gate.entered.wait, BOUND)
        for source in (skipped, last):
            latest.append(source)
            indexer.request_update()
        gate.opened.set()
        await index.wait()
        await index.wait()
    assert skipped.asked == []
    assert last.asked == [DOCUMENTS[1].key, DOCUMENTS[2].key]


async def test_a_source_that_fails_is_no_end(caplog: pytest.LogCaptureFixture) -> None:
    """The former state is served, and the next change is followed."""
    broken = Texts(*DOCUMENTS)
    broken.documents.clear()
    broken.digests = lambda: {"secret-name": b""}  # type: ignore[method-assign]
    latest = [broken]
    index = ObservedFullText()
    indexer = Indexer(index, lambda: latest[-1], delay=0)
    async with running(indexer):
        await index.wait()
        assert not index.is_ready
        latest.append(Texts(document("a.md", "Zebra")))
        indexer.request_update()
        await index.wait()
    assert keys(find((index, latest[-1]), "zebra")) == ["a.md"]
    assert "indexing failed" in caplog.text
    assert "secret-name" not in caplog.text


async def test_a_purge_that_fails_is_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Deleted text leaves the files after a full disk, and changes are followed."""
    latest = [Texts(*DOCUMENTS)]
    index = ObservedFullText(tmp_path / "index")
    indexer = Indexer(index, lambda: latest[-1], delay=0, check_seconds=0.01)
    purge, calls, is_purged = index.purge, count(1), threading.Event()

    def fail_once(is_cancelled: Callable[[], bool]) -> bool:
        if index.needs_purge and next(calls) == 1:
            raise OSError(28, "No space left on device")
        is_done = purge(is_cancelled)
        is_purged.set()
        return is_done

    async with running(indexer):
        await index.wait()
        monkeypatch.setattr(index, "purge", fail_once)
        latest.append(Texts(*DOCUMENTS[1:]))
        indexer.request_update()
        assert await asyncio.to_thread(is_purged.wait, BOUND)
        assert not index.needs_purge
        latest.append(Texts(document("a.md", "Zebra")))
        while not keys(find((index, latest[-1]), "zebra")):
            indexer.request_update()
            await index.wait()
    index.close()
    failed = [vars(record) for record in caplog.records if "error" in vars(record)]
    assert [row["error"] for row in failed] == ["OSError"]


async def test_a_lazy_indexer_waits_for_the_first_search() -> None:
    """A small server without searches need not hold an index."""
    index = ObservedFullText()
    indexer = Indexer(index, lambda: Texts(*DOCUMENTS), is_lazy=True, delay=0)
    async with running(indexer):
        await asyncio.wait_for(index.checked.wait(), BOUND)
        for _ in range(3):
            await asyncio.sleep(0)
        await asyncio.get_running_loop().shutdown_default_executor()
    assert not index.is_ready
    assert index.followed.empty()


async def test_a_lazy_indexer_is_ready_for_a_search() -> None:
    """Without an index there is no statement about what is absent."""
    index = ObservedFullText()
    indexer = Indexer(index, lambda: Texts(*DOCUMENTS), is_lazy=True, delay=0)
    async with running(indexer):
        await asyncio.wait_for(indexer.ready(), BOUND)
        assert index.is_ready


@pytest.mark.parametrize("is_whole", [True, False])
async def test_a_lazy_one_sees_to_an_index_that_holds_what_is_gone(
    tmp_path: Path, is_whole: bool
) -> None:
    """D-089: hidden text leaves the files, with or without a query."""
    before = FullText(tmp_path / "index")
    before.sync(Texts(*DOCUMENTS))
    before.close()
    if not is_whole:
        (tmp_path / "index" / MANIFEST).write_bytes(b"")
    index = ObservedFullText(tmp_path / "index")
    remaining = Texts(*DOCUMENTS[:2])
    assert index.has_stale_documents(remaining)
    async with running(Indexer(index, lambda: remaining, is_lazy=True, delay=0)):
        await index.wait()
    index.close()
    assert not index.has_stale_documents(remaining)
    assert keys(find((index, remaining), "nginx")) == ["guides/deploy.md"]


async def test_a_lazy_one_leaves_an_index_that_is_true_alone(tmp_path: Path) -> None:
    """Nor one that lacks something: it is read by the next query."""
    before = FullText(tmp_path / "index")
    before.sync(Texts(*DOCUMENTS[:2]))
    before.close()
    assert not before.has_stale_documents(Texts(*DOCUMENTS))
    assert not FullText(None).has_stale_documents(Texts())
    assert not FullText(tmp_path / "none").has_stale_documents(Texts())


async def test_files_that_another_program_changed_are_noticed_without_a_change(
    tmp_path: Path,
) -> None:
    """D-090: they are checked from time to time, and the index is made again."""
    source = Texts(*DOCUMENTS)
    index = FullText(tmp_path / "index")
    indexer = Indexer(index, lambda: source, check_seconds=0.01)
    running = asyncio.ensure_future(indexer.run())
    try:
        async with asyncio.timeout(BOUND):
            await indexer.ready()
            for path in (tmp_path / "index").glob("*-*/*.store"):
                os.truncate(path, 0)
            while index.generation < 2 or index.has_lost_files():
                await asyncio.sleep(0)
        assert keys(find((index, source), "nginx")) == ["guides/deploy.md"]
    finally:
        indexer.stop()
        running.cancel()


@pytest.mark.parametrize("query", ["zqj", "okapi zqjx", "nginx", "ngnix", "+zqj", "*"])
async def test_only_a_search_that_finds_something_takes_a_thread(query: str) -> None:
    """In a small index, for a short query; the results are the same as in a thread."""
    source = Texts(*DOCUMENTS)
    index = FullText(None)
    indexer = Indexer(index, lambda: source)
    await indexer.ready()
    request = SearchRequest(query, 5, source.accepts)
    expected = index.search(request)
    searched: list[int] = []

    def search(request: SearchRequest) -> SearchResults:
        searched.append(threading.get_ident())
        return FullText.search(index, request)

    index.search = search  # type: ignore[method-assign]
    assert await indexer.search(request, BOUND) == expected
    assert threading.get_ident() not in searched
    if expected.total:
        assert len(searched) == 1


async def test_a_long_query_or_a_large_index_is_left_to_a_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The event loop serves meanwhile."""
    source = Texts(*DOCUMENTS)
    index = FullText(None)
    request = SearchRequest("zqj", 5, source.accepts)
    assert index.search_unmatched(request) is None
    index.sync(source)
    assert index.search_unmatched(request) == SearchResults()
    long = SearchRequest("zqj " * 50, 5, source.accepts)
    assert index.search_unmatched(long) is None
    monkeypatch.setattr("asdlc_kb.search.service.fulltext.MAX_SMALL_INDEX_DOCUMENTS", 1)
    assert index.search_unmatched(request) is None


async def test_memory_is_released_after_the_first_search_built_the_index() -> None:
    """A search does not wait for that: the running indexer does it."""
    released = asyncio.Event()
    loop = asyncio.get_running_loop()
    source = Texts(*DOCUMENTS)
    index = ObservedFullText()

    def release() -> None:
        loop.call_soon_threadsafe(released.set)

    indexer = Indexer(
        index, lambda: source, is_lazy=True, delay=0, release_memory=release
    )
    async with running(indexer), asyncio.timeout(BOUND):
        await index.checked.wait()
        assert not released.is_set()
        results = await indexer.search(SearchRequest("nginx", 5, source.accepts), BOUND)
        assert keys(results) == ["guides/deploy.md"]
        await released.wait()
