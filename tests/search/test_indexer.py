"""Keeping an index in step, off the event loop."""

import asyncio
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress

import pytest
from support.texts import SHELF, Texts, document, find, keys

from asdlc_kb.search.document import Document
from asdlc_kb.search.fulltext import FullText
from asdlc_kb.search.indexer import Indexer

BOUND = 20.0


@asynccontextmanager
async def running(indexer: Indexer) -> AsyncIterator[None]:
    """Run an indexer for as long as the block."""
    task = asyncio.ensure_future(indexer.run())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def until(fulltext: FullText, generation: int) -> None:
    """Wait until an index has that generation, or a later one."""
    async with asyncio.timeout(BOUND):
        while fulltext.generation < generation:
            await asyncio.sleep(0.005)


async def test_it_is_ready_when_the_first_source_was_followed() -> None:
    """And not before."""
    fulltext = FullText(None)
    indexer = Indexer(fulltext)
    source = Texts(*SHELF)
    async with running(indexer):
        waiting = asyncio.ensure_future(indexer.ready())
        await asyncio.sleep(0)
        assert not waiting.done()
        indexer.poke(source)
        await asyncio.wait_for(waiting, BOUND)
    assert keys(find((fulltext, source), "nginx")) == ["guides/deploy.md"]


class Gate(Texts):
    """A source that lets nobody read it until told so."""

    def __init__(self, *documents: Document) -> None:
        super().__init__(*documents)
        self.opened = threading.Event()
        self.entered = threading.Event()

    def digests(self) -> Mapping[str, bytes]:
        """Return the digests, once they may be read."""
        self.entered.set()
        assert self.opened.wait(BOUND)
        return super().digests()


async def test_the_loop_serves_while_an_index_is_made() -> None:
    """It is made in a thread; of what came meanwhile only the latest is taken."""
    fulltext = FullText(None)
    indexer = Indexer(fulltext, delay=0)
    gate, skipped, last = Gate(*SHELF[:1]), Texts(*SHELF[:2]), Texts(*SHELF[:3])
    async with running(indexer):
        indexer.poke(gate)
        assert await asyncio.to_thread(gate.entered.wait, BOUND)
        indexer.poke(skipped)
        indexer.poke(last)
        gate.opened.set()
        await until(fulltext, 2)
    assert skipped.asked == []
    assert last.asked == [SHELF[1].key, SHELF[2].key]


async def test_a_source_that_fails_is_no_end(caplog: pytest.LogCaptureFixture) -> None:
    """The state before is served, and the next change is followed."""
    fulltext = FullText(None)
    indexer = Indexer(fulltext, delay=0)
    broken = Texts(*SHELF)
    broken.documents.clear()
    broken.digests = lambda: {"secret-name": b""}  # type: ignore[method-assign]
    failed = asyncio.Event()
    loop = asyncio.get_running_loop()

    def note(record: object) -> bool:
        loop.call_soon_threadsafe(failed.set)
        return True

    caplog.handler.addFilter(note)
    async with running(indexer):
        indexer.poke(broken)
        await asyncio.wait_for(failed.wait(), BOUND)
        source = Texts(document("a.md", "Zebra"))
        indexer.poke(source)
        await asyncio.wait_for(indexer.ready(), BOUND)
    caplog.handler.removeFilter(note)
    assert keys(find((fulltext, source), "zebra")) == ["a.md"]
    assert "secret-name" not in caplog.text
