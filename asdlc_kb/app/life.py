"""The life of a server: load, serve, work beside it, stop."""

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from asdlc_kb.app.wiring import App, open_door
from asdlc_kb.ops.memory import share_pools
from asdlc_kb.ops.metrics import metrics
from asdlc_kb.ops.watchdog import Watchdog
from asdlc_kb.stdio import StdioDoor
from asdlc_kb.web.routes import make_application
from asdlc_kb.web.server import WebServer, bind
from asdlc_kb.web.shortcut import Front

SWITCH_SECONDS: Final = 0.001
"""A thread that computes lets the loop in after so long; it asks several times for each
request, and Python's 5 ms would be felt."""

STOP_SECONDS: Final = 5.0
"""What a stdio peer asked for before SIGTERM may take so long."""


async def serve(app: App, announce: Callable[[int], None]) -> None:
    """Serve over HTTP until SIGTERM or SIGINT; `announce` is told the port."""
    sockets = bind(app.settings.host, app.settings.port)
    with _watchdog():
        await _load(app)
        door = open_door(app)
        web = WebServer(Front(make_application(door), door), sockets, door.state)
        stopped = _stop_signal()
        working = _start_work(app)
        announce(web.port)
        await stopped.wait()
        await web.drain()
        await _stop(app, working)


async def serve_stdio(app: App, source: int, sink: int) -> None:
    """Serve one peer over two descriptors until its input ends or SIGTERM."""
    with _watchdog():
        await _load(app)
        working = _start_work(app)
        door = StdioDoor(
            app.server,
            app.settings.max_body,
            logs_queries=app.settings.log_queries,
        )
        serving = asyncio.ensure_future(door.run(source, sink))
        stopping = asyncio.ensure_future(_stop_signal().wait())
        await asyncio.wait((serving, stopping), return_when=asyncio.FIRST_COMPLETED)
        door.stop()
        await asyncio.wait((serving,), timeout=STOP_SECONDS)
        await _stop(app, (*working, stopping, serving))


async def _load(app: App) -> None:
    """Load what is served; the garbage collector need never look at it."""
    share_pools()
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.disable()
    try:
        for source in (*app.corpus, *app.news):
            await asyncio.to_thread(source.load)
    finally:
        gc.freeze()
        gc.enable()


def _start_work(app: App) -> tuple[asyncio.Task[Any], ...]:
    """Begin what goes on beside the requests until it is stopped."""
    watching = (watcher.run() for watcher in app.watchers)
    indexing = (indexer.run() for indexer in app.indexers)
    return tuple(map(asyncio.ensure_future, (*watching, *indexing)))


async def _stop(app: App, tasks: Sequence[asyncio.Task[Any]]) -> None:
    """End what goes on, in threads too: the process waits for those."""
    ending = (asyncio.to_thread(indexer.stop) for indexer in app.indexers)
    await asyncio.gather(*ending)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run a server to its end, on uvloop where it is installed (`asdlc-kb[fast]`)."""
    factory = None
    if find_spec("uvloop") is not None:
        factory = import_module("uvloop").new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(work)


def claim_stdout() -> int:
    """Return a private descriptor of stdout, and send everything else to stderr.

    A stray print can then not break the protocol.
    """
    private = os.dup(1)
    os.dup2(2, 1)
    return private


def _watchdog() -> Watchdog:
    """Return what watches the running loop."""
    ask = asyncio.get_running_loop().call_soon_threadsafe
    return Watchdog(ask, note=metrics.note_lateness)


def _stop_signal() -> asyncio.Event:
    """Return what SIGTERM and SIGINT set. SIGHUP changes nothing: content is fresh."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGHUP, lambda: None)
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    return stopped
