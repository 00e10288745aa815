"""The life of a server: load, serve, work beside it, stop."""

import asyncio
import logging
import math
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Protocol

from asdlc_kb.app.http_service import HttpService, load, start_work, stop_work
from asdlc_kb.app.wiring import Runtime
from asdlc_kb.ops.metrics.counters import metrics
from asdlc_kb.ops.process.loop_watchdog import LoopWatchdog
from asdlc_kb.ops.process.shutdown import (
    MAX_EXIT_SECONDS,
    MAX_STOP_SECONDS,
    join_threads,
    start_time_limit,
    time_limit,
)
from asdlc_kb.ops.process.systemd import SystemdNotifier, inherited_sockets
from asdlc_kb.settings import Settings
from asdlc_kb.stdio import StdioTransport
from asdlc_kb.web.http_server import open_sockets

if TYPE_CHECKING:
    from asdlc_kb.cluster.membership import ClusterMembership
    from asdlc_kb.cluster.pooled_metrics import PooledMetrics

logger = logging.getLogger(__name__)

STOP_SECONDS: Final = 3.5
"""What a stdio peer asked for before the end of its input, or SIGTERM, may take so
long."""

STOP_MARGIN_SECONDS: Final = 0.2
"""What cancelling takes where stopping is given up."""


class ServiceNotifier(Protocol):
    """Tells whoever started this process what it does."""

    @property
    def pause(self) -> float | None:
        """Seconds between two signs of life; None for no sign."""

    def tell_ready(self) -> None:
        """Say that requests are served, from the start or again after a reload."""

    def tell_reloading(self) -> None:
        """Say that settings are read again; `tell_ready` ends it."""

    def tell_stopping(self) -> None:
        """Say that the service is on its way out."""

    def tell_alive(self) -> None:
        """Give a sign of life."""


async def serve(
    app: Runtime,
    announce: Callable[[int], None],
    read: Callable[[], Settings] | None = None,
    company: "ClusterMembership | None" = None,
) -> None:
    """Serve over HTTP until SIGTERM or SIGINT; `announce` is told the port.

    On SIGHUP settings are read again by `read`, and come into force.
    """
    sockets, herald = listen(app.settings), SystemdNotifier(os.environ)
    await serve_sockets(app, sockets, announce, read, herald=herald, company=company)


def listen(settings: Settings) -> list[socket.socket]:
    """Return the sockets to serve: those that were handed over, or our own."""
    return inherited_sockets(os.environ) or open_sockets(settings.host, settings.port)


async def serve_sockets(
    app: Runtime,
    sockets: list[socket.socket],
    announce: Callable[[int], None],
    read: Callable[[], Settings] | None,
    *,
    herald: ServiceNotifier,
    company: "ClusterMembership | None" = None,
    figures: "PooledMetrics | None" = None,
    orphaned: asyncio.Event | None = None,
) -> None:
    """Serve on these sockets until it is time to end: also once `orphaned` is set."""
    with _watchdog():
        hung_up = _signal_event(signal.SIGHUP)
        stopped = _signal_event(signal.SIGTERM, signal.SIGINT)
        async with _background_tasks(_heartbeat(herald)):
            if not await _is_loaded(app, stopped):
                herald.tell_stopping()
                for listening in sockets:
                    listening.close()
                return
            service = HttpService(app, sockets, company, figures)
            announce(service.port or app.settings.port)
            herald.tell_ready()
            async with _background_tasks(
                _reload(service, hung_up, herald, read),
                _forward_event(orphaned, stopped),
            ):
                await stopped.wait()
            herald.tell_stopping()
            await _stop_in_time(service.stop())


async def serve_stdio(app: Runtime, source: int, sink: int) -> None:
    """Serve one peer over two descriptors until its input ends or SIGTERM.

    From then on it takes `MAX_STOP_SECONDS` at most, whatever is being answered.
    """
    loop = asyncio.get_running_loop()
    with _watchdog():
        # Content is fresh, and a peer of its own has no other settings.
        _signal_event(signal.SIGHUP)
        stopped = _signal_event(signal.SIGTERM, signal.SIGINT)
        if not await _is_loaded(app, stopped):
            return

        began = math.inf

        def end() -> None:
            """Stop as at SIGTERM; in a thread, so also while a call holds the loop."""
            nonlocal began
            if math.isinf(began) and not stopped.is_set():
                began = monotonic()
                start_time_limit(MAX_STOP_SECONDS)
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(stopped.set)

        working = start_work(app)
        door = StdioTransport(
            app.server,
            app.settings.max_body,
            logs_queries=app.settings.log_queries,
            on_end=end,
        )
        serving = asyncio.ensure_future(door.run(source, sink))
        stopping = asyncio.ensure_future(stopped.wait())
        await asyncio.wait((serving, stopping), return_when=asyncio.FIRST_COMPLETED)
        door.stop()
        spent = max(0.0, monotonic() - began)
        stopping_work = _stop_stdio(app, serving, (*working, stopping), spent)
        await _stop_in_time(stopping_work, spent)


async def _stop_stdio(
    app: Runtime,
    serving: asyncio.Task[None],
    tasks: Sequence[asyncio.Task[Any]],
    spent: float,
) -> None:
    """Answer what the peer asked for before, and end the rest.

    `spent` seconds have passed since stopping began.
    """
    done, _ = await asyncio.wait((serving,), timeout=max(0.0, STOP_SECONDS - spent))
    if not done:
        logger.warning("stopped before everything was answered")
    await stop_work(app, (*tasks, serving))


async def _is_loaded(app: Runtime, stopped: asyncio.Event) -> bool:
    """Load; False if it is time to end before that is done."""
    loading = asyncio.ensure_future(load(app))
    async with _background_tasks(_cancel_after(stopped, loading)):
        await asyncio.wait((loading,))
    if not loading.cancelled():
        loading.result()
    return not stopped.is_set()


async def _stop_in_time(
    stopping: Coroutine[Any, Any, None], spent: float = 0.0
) -> None:
    """Finish what is under way, or give it up; `spent` seconds passed before."""
    seconds = max(2 * STOP_MARGIN_SECONDS, MAX_STOP_SECONDS - spent)
    with time_limit(seconds):
        try:
            await asyncio.wait_for(stopping, seconds - STOP_MARGIN_SECONDS)
        except TimeoutError:
            logger.warning("stopped before everything was finished")


async def _cancel_after(event: asyncio.Event, task: asyncio.Task[None]) -> None:
    """Cancel a task once an event is set."""
    await event.wait()
    task.cancel()


async def _reload(
    service: HttpService,
    hung_up: asyncio.Event,
    herald: ServiceNotifier,
    read: Callable[[], Settings] | None,
) -> None:
    """Put other settings into force whenever somebody asks for it."""
    while True:
        await hung_up.wait()
        hung_up.clear()
        if read is not None:
            herald.tell_reloading()
            await service.reload(read)
            herald.tell_ready()


async def _forward_event(event: asyncio.Event | None, other: asyncio.Event) -> None:
    """Set one event after another."""
    if event is not None:
        await event.wait()
        other.set()


async def _heartbeat(herald: ServiceNotifier) -> None:
    """Have it known that the loop turns."""
    while herald.pause is not None:
        herald.tell_alive()
        await asyncio.sleep(herald.pause)


@asynccontextmanager
async def _background_tasks(*works: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Have some work go on within."""
    tasks = tuple(map(asyncio.ensure_future, works))
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run a server to its end, on uvloop where it is installed (`asdlc-kb[fast]`)."""
    factory = None
    if find_spec("uvloop") is not None:
        factory = import_module("uvloop").new_event_loop
    executor = ThreadPoolExecutor(thread_name_prefix="asyncio")
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.get_loop().set_default_executor(executor)
        runner.run(work)
        with time_limit(MAX_EXIT_SECONDS):
            join_threads(executor)


def claim_stdout() -> int:
    """Return a private descriptor of stdout, and send everything else to stderr.

    A stray print can then not break the protocol.
    """
    private = os.dup(1)
    os.dup2(2, 1)
    return private


def _watchdog() -> LoopWatchdog:
    """Return what watches the running loop."""
    ask = asyncio.get_running_loop().call_soon_threadsafe
    return LoopWatchdog(ask, note=metrics.note_lateness)


def _signal_event(*numbers: int) -> asyncio.Event:
    """Return what is set by these signals."""
    event = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in numbers:
        loop.add_signal_handler(number, event.set)
    # Whoever started this process may have had some of them wait.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, numbers)
    return event
