"""A blocked event loop: a row of the table of faults."""

import asyncio
import os
import signal
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from support.knowledge import KnowledgeBase
from support.loglines import LogLines, captured
from support.peers import BOUND

from asdlc_kb.app import Runtime, build, serve, serve_stdio
from asdlc_kb.settings import Settings


@asynccontextmanager
async def over_http(app: Runtime) -> AsyncIterator[None]:
    """Serve over HTTP in this process."""
    announced = asyncio.Event()
    running = asyncio.ensure_future(serve(app, lambda _: announced.set()))
    await asyncio.wait_for(announced.wait(), BOUND)
    yield
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.wait_for(running, BOUND)


@asynccontextmanager
async def over_stdio(app: Runtime) -> AsyncIterator[None]:
    """Serve over two pipes in this process."""
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    running = asyncio.ensure_future(serve_stdio(app, to_read, from_write))
    await asyncio.sleep(0)
    yield
    os.close(to_write)
    await asyncio.wait_for(running, BOUND)
    for descriptor in (to_read, from_read, from_write):
        os.close(descriptor)


def block_loop(lines: LogLines) -> None:
    """Block until the log reports it."""
    # On a busy machine the start may have blocked it already; a line follows in 10 s.
    while True:
        assert lines.is_written.wait(BOUND)
        lines.is_written.clear()
        if "in block_loop\\n" in lines.text:
            return


@pytest.mark.parametrize("transport", [over_http, over_stdio])
async def test_event_loop_blocked(
    knowledge: KnowledgeBase,
    transport: Callable[[Runtime], AbstractAsyncContextManager[None]],
) -> None:
    """D-140: one line has the stack while the loop is blocked."""
    app = build(Settings(content=str(knowledge.root), port=0))
    with captured("asdlc_kb.ops.process.loop_watchdog") as lines:
        async with transport(app):
            block_loop(lines)
    (line,) = [row for row in lines.rows if "in block_loop\n" in row["stack"]]
    assert (line["level"], line["event"]) == ("warning", "event loop blocked")
    for thread in threading.enumerate():
        if thread.name == "watchdog":
            thread.join(BOUND)
            assert not thread.is_alive()
