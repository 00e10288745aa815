"""The lifecycle of a server: load, serve, reload, stop."""

import asyncio
import logging
import math
import os
import signal
import socket
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Protocol

from asdlc_kb.app.http_service import HttpService, load, start_tasks, stop_tasks
from asdlc_kb.app.tls import require_no_tls
from asdlc_kb.app.wiring import Runtime
from asdlc_kb.ops.metrics import definitions
from asdlc_kb.ops.process.background_tasks import BackgroundTasks
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
"""Time limit of a stdio peer's pending requests: after SIGTERM of all of them, after
the end of input of the next answer.
"""

STOP_MARGIN_SECONDS: Final = 0.2
"""Time reserved for cancelling after a failed stop."""


class ServiceNotifier(Protocol):
    """Notifies the service manager or the parent process of state changes."""

    @property
    def pause(self) -> float | None:
        """Seconds between two heartbeats; None for no heartbeat."""

    def notify_ready(self, banner: str = "") -> None:
        """Notify that requests are served, after the start or a reload."""

    def notify_reloading(self) -> None:
        """Notify that a reload began; `notify_ready` ends it."""

    def notify_stopping(self) -> None:
        """Notify that the service is stopping."""

    def notify_alive(self) -> None:
        """Send a heartbeat."""


async def serve(
    app: Runtime,
    announce: Callable[[int], None],
    read: Callable[[], Settings] | None = None,
    membership: "ClusterMembership | None" = None,
    notifier: SystemdNotifier | None = None,
) -> None:
    """Serve over HTTP until SIGTERM or SIGINT; call `announce` with the port.

    On SIGHUP reload the settings returned by `read`.
    """
    sockets, notifier = listen(app.settings), notifier or SystemdNotifier(os.environ)
    await serve_sockets(
        app, sockets, announce, read, notifier=notifier, membership=membership
    )


def listen(settings: Settings) -> list[socket.socket]:
    """Return the listening sockets: inherited ones, or new ones."""
    sockets = inherited_sockets(os.environ)
    if settings.tls_cert is not None:
        require_no_tls(sockets)
    return sockets or open_sockets(settings.host, settings.port)


async def serve_sockets(
    app: Runtime,
    sockets: list[socket.socket],
    announce: Callable[[int], str | None],
    read: Callable[[], Settings] | None,
    *,
    notifier: ServiceNotifier,
    membership: "ClusterMembership | None" = None,
    pooled_metrics: "PooledMetrics | None" = None,
    orphaned: asyncio.Event | None = None,
) -> None:
    """Serve on these sockets until a signal, or until `orphaned` is set.

    Raises the exception of a background task that failed.

    `announce` may return a startup banner for the notifier.
    """
    with _watchdog(app):
        on_hangup = _signal_event(signal.SIGHUP)
        stopped = _signal_event(signal.SIGTERM, signal.SIGINT)
        background = app.background
        async with background.running(
            _heartbeat(notifier), _forward_event(background.failed, stopped)
        ):
            if not await _is_loaded(app, stopped):
                notifier.notify_stopping()
                for listening in sockets:
                    listening.close()
                return
            service = HttpService(app, sockets, membership, pooled_metrics)
            banner = announce(service.port or app.settings.port) or ""
            notifier.notify_ready(banner)
            following = (
                _reload(service, on_hangup, notifier, read, banner),
                _forward_event(orphaned, stopped),
                *_follow_store(app),
                *(() if app.store is None else (service.follow_store(app.store),)),
            )
            tasks = background.start(following)
            await stopped.wait()
            logger.info("stopping")
            notifier.notify_stopping()
            await _stop_in_time(_stop_http(service, tasks))
            logger.info("stopped")
    background.raise_failure()


async def _stop_http(
    service: HttpService, tasks: Sequence[asyncio.Task[object]]
) -> None:
    """Drain while the tasks end, one of which may wait for a server that hangs."""
    for task in tasks:
        task.cancel()
    await service.stop()
    await asyncio.wait(tasks)


async def serve_stdio(app: Runtime, source: int, sink: int) -> None:
    """Serve one peer over two descriptors until its input ends or SIGTERM.

    Stopping takes at most `MAX_STOP_SECONDS`, whatever is in progress: after SIGTERM
    from the signal, after the end of input from the last answer. Raises the exception
    of a background task that failed.
    """
    loop = asyncio.get_running_loop()
    with _watchdog(app):
        # Ignore it: content is always fresh, and settings are fixed.
        _signal_event(signal.SIGHUP)
        stopped = _signal_event(signal.SIGTERM, signal.SIGINT)
        if not await _is_loaded(app, stopped):
            return

        began = math.inf
        ended = asyncio.Event()

        def end() -> None:
            """Begin to stop; runs in a thread, also while the loop is blocked."""
            nonlocal began
            if math.isinf(began) and not stopped.is_set():
                began = monotonic()
                start_time_limit(MAX_STOP_SECONDS)
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(ended.set)

        failing = _forward_event(app.background.failed, stopped)
        following = app.background.start((failing, *_follow_store(app)))
        tasks = (*start_tasks(app), *following)
        transport = StdioTransport(
            app.server,
            app.settings.max_body,
            logs_queries=app.settings.log_queries,
            access_log=app.telemetry.access_log,
            recorder=app.telemetry.recorder,
            on_end=end,
        )
        serving = asyncio.ensure_future(transport.run(source, sink))
        stopping = asyncio.ensure_future(stopped.wait())
        ending = asyncio.ensure_future(ended.wait())
        await _await_first(serving, stopping, ending)
        transport.stop()
        if ended.is_set():
            began = await _await_answers(transport, serving, stopping, began)
        spent = max(0.0, monotonic() - began)
        stopping_tasks = _stop_stdio(app, serving, (*tasks, stopping, ending), spent)
        await _stop_in_time(stopping_tasks, spent)
    app.background.raise_failure()


async def _await_answers(
    transport: StdioTransport,
    serving: asyncio.Future[None],
    stopping: asyncio.Future[Any],
    began: float,
) -> float:
    """Wait while a peer whose input ended reads answers, or until SIGTERM.

    Return when the last one was written, at the earliest `began`.
    """
    while not (serving.done() or stopping.done()):
        began = max(began, transport.written_at)
        seconds = began + STOP_SECONDS - monotonic()
        if seconds <= 0:
            break
        start_time_limit(MAX_STOP_SECONDS)
        await _await_first(serving, stopping, timeout=seconds)
    return began


async def _await_first(
    *futures: asyncio.Future[Any], timeout: float | None = None
) -> None:
    await asyncio.wait(futures, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)


async def _stop_stdio(
    app: Runtime,
    serving: asyncio.Task[None],
    tasks: Sequence[asyncio.Task[object]],
    spent: float,
) -> None:
    """Answer pending requests, and stop the tasks.

    `spent` seconds have passed since stopping began.
    """
    done, _ = await asyncio.wait((serving,), timeout=max(0.0, STOP_SECONDS - spent))
    if not done:
        logger.warning("stopped with unanswered requests")
    await stop_tasks(app, (*tasks, serving))


async def _is_loaded(app: Runtime, stopped: asyncio.Event) -> bool:
    """Load the sources; False if stopped before the end."""
    await _run_until(stopped, load(app))
    return not stopped.is_set()


async def run_until_signal(work: Coroutine[Any, Any, None]) -> None:
    """Run work until it ends, or SIGTERM or SIGINT cancels it."""
    await _run_until(_signal_event(signal.SIGTERM, signal.SIGINT), work)


async def _run_until(stopped: asyncio.Event, work: Coroutine[Any, Any, None]) -> None:
    """Run work until it ends or the event cancels it."""
    working = asyncio.ensure_future(work)
    async with BackgroundTasks().running(_cancel_after(stopped, working)):
        await asyncio.wait((working,))
    if not working.cancelled():
        working.result()


def _follow_store(app: Runtime) -> Iterator[Coroutine[Any, Any, None]]:
    """Yield what keeps the mirrors of a store up to date, if one is served."""
    if app.store is None:
        return
    metrics, loop = app.telemetry.metrics, asyncio.get_running_loop()
    for outcome in ("ok", "error"):
        # The first scrape has them.
        metrics.count(definitions.STORE_UPDATES.series(outcome), 0)
    count = metrics.counter(definitions.STORE_UPDATES)

    def record(outcome: str) -> None:
        """Count an outcome; runs in the thread of the writer."""
        loop.call_soon_threadsafe(count, outcome)

    yield app.store.open_writer(record).run()


async def _stop_in_time(
    stopping: Coroutine[Any, Any, None], spent: float = 0.0
) -> None:
    """Await `stopping` within the time limit; `spent` seconds have passed."""
    seconds = max(2 * STOP_MARGIN_SECONDS, MAX_STOP_SECONDS - spent)
    with time_limit(seconds):
        try:
            await asyncio.wait_for(stopping, seconds - STOP_MARGIN_SECONDS)
        except TimeoutError:
            logger.warning("stopped before all work was finished")


async def _cancel_after(event: asyncio.Event, task: asyncio.Task[None]) -> None:
    """Cancel a task when an event is set."""
    await event.wait()
    task.cancel()


async def _reload(
    service: HttpService,
    on_hangup: asyncio.Event,
    notifier: ServiceNotifier,
    read: Callable[[], Settings] | None,
    banner: str,
) -> None:
    """Reload the settings after each SIGHUP."""
    while True:
        await on_hangup.wait()
        on_hangup.clear()
        if read is not None:
            notifier.notify_reloading()
            await service.reload(read)
            notifier.notify_ready(banner)


async def _forward_event(event: asyncio.Event | None, other: asyncio.Event) -> None:
    """Set `other` when `event` is set."""
    if event is not None:
        await event.wait()
        other.set()


async def _heartbeat(notifier: ServiceNotifier) -> None:
    """Send heartbeats while the event loop runs."""
    while notifier.pause is not None:
        notifier.notify_alive()
        await asyncio.sleep(notifier.pause)


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run a server until it ends, on uvloop if installed (`asdlc-kb[fast]`)."""
    executor = ThreadPoolExecutor(thread_name_prefix="asyncio")
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.get_loop().set_default_executor(executor)
        runner.run(work)
        with time_limit(MAX_EXIT_SECONDS):
            join_threads(executor)
            # It waits for the end of tasks that did not end before.
            runner.close()


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return uvloop's factory of event loops; None if uvloop is not installed."""
    try:
        from uvloop import new_event_loop
    except ImportError:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = new_event_loop
    return factory


def claim_stdout() -> int:
    """Return a private descriptor of stdout, and redirect stdout to stderr.

    A stray print can then not corrupt the protocol.
    """
    private = os.dup(1)
    os.dup2(2, 1)
    return private


def _watchdog(app: Runtime) -> LoopWatchdog:
    """Return the watchdog of the running event loop."""
    ask = asyncio.get_running_loop().call_soon_threadsafe
    return LoopWatchdog(ask, record=app.telemetry.metrics.record_lateness)


def _signal_event(*numbers: int) -> asyncio.Event:
    """Return an event that these signals set."""
    event = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in numbers:
        loop.add_signal_handler(number, event.set)
    # The parent process may have blocked some of them.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, numbers)
    return event
