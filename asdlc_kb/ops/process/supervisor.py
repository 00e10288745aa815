"""A supervisor of worker processes: starts, restarts and stops them.

The parent only forks and waits for signals and for the channels of its workers: it has
no event loop and no threads, which a fork would break. The protocol of the channels is
not defined here.
"""

import logging
import os
import selectors
import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias

logger = logging.getLogger(__name__)

STOP_SECONDS: Final = 5.5
"""Grace period between SIGTERM and SIGKILL."""

FIRST_PAUSE: Final = 0.1
"""Restart delay; doubled after each early exit."""

MAX_PAUSE_SECONDS: Final = 10.0
"""Maximum restart delay."""

STABLE_AFTER_SECONDS: Final = 10.0
"""Run time that resets the restart delay."""

SILENT_SECONDS: Final = 30.0
"""Silence after which a worker is killed."""

TICK_SECONDS: Final = 1.0
"""Interval of the periodic checks."""

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)


class ServiceChannel(Protocol):
    """The parent's end of the channel to one worker."""

    @property
    def wants_to_write(self) -> bool:
        """Whether there is buffered data to send."""

    def read(self) -> bool:
        """Process received data; False at the end of the channel. Never blocks."""

    def write(self) -> None:
        """Send buffered data, as far as the channel accepts it. Never blocks."""

    def close(self) -> None:
        """Close the channel."""


RunWorker: TypeAlias = Callable[[int, socket.socket], int]
"""The main function of a worker process: gets its number and channel, and returns its
exit code. SIGHUP is blocked until it installs a handler."""


@dataclass(slots=True)
class _Worker:
    """The slot of one worker; processes in it are replaced."""

    number: int
    pid: int = 0
    """Zero while no process runs."""
    link: ServiceChannel | None = None
    channel: socket.socket | None = None
    started_at: float = 0.0
    pause: float = FIRST_PAUSE
    restart_at: float | None = None
    """Time of the next start."""
    silence: float = 0.0
    """Seconds since it last sent something."""


@dataclass(slots=True)
class Supervisor:
    """The parent: `run` returns in each worker, and in the parent at the end."""

    count: int
    work: RunWorker
    connect: Callable[[int, socket.socket], ServiceChannel]
    """Opens the parent's end of a channel."""
    on_hangup: Callable[[], bool]
    """Called on SIGHUP; returns whether to forward it to the workers."""
    ended: Callable[[], None] = lambda: None
    """Called when the shutdown starts."""
    tick: Callable[[], None] = lambda: None
    """Called every `tick_seconds`."""
    is_established: Callable[[], bool] = lambda: True
    """Whether all workers have been ready. Until then a failing worker ends all: with
    the same settings its successor would fail too."""
    tick_seconds: float = TICK_SECONDS
    stop_seconds: float = STOP_SECONDS
    silent_seconds: float = SILENT_SECONDS
    pauses: tuple[float, float] = (FIRST_PAUSE, MAX_PAUSE_SECONDS)
    _workers: list[_Worker] = field(default_factory=list)
    _pending: list[int] = field(default_factory=list)
    """Received signals that were not handled yet."""
    _selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    _ticked: float = field(default_factory=time.monotonic)
    _deadline: float | None = None
    """Time of SIGKILL for all workers; None before the shutdown."""
    _code: int = 0

    def run(self) -> int:
        """Supervise the workers; return the exit code.

        In a worker it is that of `work`.
        """
        self._workers = [_Worker(n, pause=self.pauses[0]) for n in range(self.count)]
        wake_reader, wake_writer = socket.socketpair()
        for end in (wake_reader, wake_writer):
            end.setblocking(False)
        with (
            wake_reader,
            wake_writer,
            self._selector,
            _signal_handlers(self._pending, wake_writer),
        ):
            self._selector.register(wake_reader, selectors.EVENT_READ)
            for worker in self._workers:
                if self._start(worker):
                    return self._run_worker(worker, (wake_reader, wake_writer))
            while self._is_needed():
                self._poll(wake_reader)
                self._handle_signals()
                self._reap_workers()
                self._run_timers()
                for worker in self._workers:
                    if self._is_due(worker) and self._start(worker):
                        return self._run_worker(worker, (wake_reader, wake_writer))
        return self._code

    def stop(self, code: int = 0) -> None:
        """Stop all workers; the first code that is not zero is the exit code."""
        self._code = self._code or code
        if self._deadline is not None:
            return
        self._deadline = time.monotonic() + self.stop_seconds
        self.ended()
        self._signal(signal.SIGTERM)

    def _is_needed(self) -> bool:
        return self._deadline is None or any(worker.pid for worker in self._workers)

    def _start(self, worker: _Worker) -> bool:
        """Fork; return whether this is the worker.

        A failed fork is retried: the process limit may be reached for a while.
        """
        worker.restart_at = None
        try:
            pid, channel = _fork()
        except OSError as error:
            self._schedule_restart(
                worker, "worker could not be started", reason=error.strerror
            )
            return False
        worker.channel = channel
        if pid == 0:
            return True
        channel.setblocking(False)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        worker.pid, worker.started_at, worker.silence = pid, time.monotonic(), 0
        worker.link = self.connect(worker.number, channel)
        self._selector.register(channel, selectors.EVENT_READ, worker)
        return False

    def _run_worker(self, worker: _Worker, wake: Sequence[socket.socket]) -> int:
        """Run as a worker, after releasing the parent's resources."""
        signal.set_wakeup_fd(-1)
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        # It stays blocked until the worker can reload: an ignored signal is lost.
        signal.signal(signal.SIGHUP, lambda number, frame: None)
        self._selector.close()
        for end in wake:
            end.close()
        for other in self._workers:
            # An inherited end would keep the channel open after the parent's death.
            if other is not worker and other.link is not None:
                other.link.close()
        awaited = set(_SIGNALS) - {signal.SIGHUP}
        signal.pthread_sigmask(signal.SIG_UNBLOCK, awaited)
        assert worker.channel is not None
        return self.work(worker.number, worker.channel)

    def _poll(self, wake_reader: socket.socket) -> None:
        """Wait for signals, channels or the next timer, and serve the channels."""
        for worker in self._workers:
            if worker.link is not None and worker.channel is not None:
                events = selectors.EVENT_READ
                if worker.link.wants_to_write:
                    events |= selectors.EVENT_WRITE
                self._selector.modify(worker.channel, events, worker)
        for key, mask in self._selector.select(self._next_timeout()):
            if key.data is None:
                wake_reader.recv(4096)
                continue
            self._serve_channel(key.data, mask)

    def _serve_channel(self, worker: _Worker, mask: int) -> None:
        link = worker.link
        if link is not None and mask & selectors.EVENT_READ:
            worker.silence = 0
            if not link.read():
                self._disconnect(worker)
                return
        if link is not None and mask & selectors.EVENT_WRITE:
            link.write()

    def _disconnect(self, worker: _Worker) -> None:
        if worker.link is not None and worker.channel is not None:
            self._selector.unregister(worker.channel)
            worker.link.close()
            worker.link = worker.channel = None

    def _next_timeout(self) -> float:
        now = time.monotonic()
        deadlines = [
            worker.restart_at
            for worker in self._workers
            if worker.restart_at is not None
        ]
        deadlines.append(self._ticked + self.tick_seconds)
        if self._deadline is not None:
            deadlines.append(self._deadline)
        return max(0.0, min(deadlines) - now)

    def _handle_signals(self) -> None:
        while self._pending:
            number = self._pending.pop(0)
            if number in (signal.SIGTERM, signal.SIGINT):
                self.stop()
            elif (
                number == signal.SIGHUP and self._deadline is None and self.on_hangup()
            ):
                self._signal(signal.SIGHUP)

    def _reap_workers(self) -> None:
        for worker in self._workers:
            if not worker.pid:
                continue
            pid, status = os.waitpid(worker.pid, os.WNOHANG)
            if pid:
                self._handle_exit(worker, os.waitstatus_to_exitcode(status))

    def _handle_exit(self, worker: _Worker, code: int) -> None:
        """Handle the exit of a worker, and schedule a restart."""
        if worker.link is not None:
            # Its last messages may still be unread.
            worker.link.read()
        self._disconnect(worker)
        worker.pid = 0
        if self._deadline is not None:
            # A worker without a handler yet is ended by the signal itself.
            is_well = code in (0, -signal.SIGTERM)
            self._code = self._code or int(not is_well)
            return
        if code > 0 and not self.is_established():
            self.stop(code)
            return
        if time.monotonic() - worker.started_at >= STABLE_AFTER_SECONDS:
            worker.pause = self.pauses[0]
        self._schedule_restart(worker, "worker exited", code=code)

    def _schedule_restart(self, worker: _Worker, event: str, **fields: object) -> None:
        """Log why a worker is missing, and schedule its restart."""
        extra = {"worker": worker.number, **fields, "pause": worker.pause}
        logger.error(event, extra=extra)
        worker.restart_at = time.monotonic() + worker.pause
        worker.pause = min(self.pauses[1], worker.pause * 2)

    def _is_due(self, worker: _Worker) -> bool:
        is_due = worker.restart_at is not None and time.monotonic() >= worker.restart_at
        return is_due and self._deadline is None

    def _run_timers(self) -> None:
        """Kill workers that hang or did not stop in time; call `tick`."""
        now = time.monotonic()
        if self._deadline is not None and now >= self._deadline:
            self._deadline = float("inf")
            self._code = self._code or 1
            for worker in self._workers:
                self._kill(worker, "worker did not stop in time")
        passed = now - self._ticked
        if passed < self.tick_seconds:
            return
        self._ticked = now
        self.tick()
        for worker in self._workers:
            # After a suspension of the machine all workers were silent.
            worker.silence += min(passed, 2 * self.tick_seconds)
            if worker.silence > self.silent_seconds:
                self._kill(worker, "worker is unresponsive")

    def _kill(self, worker: _Worker, reason: str) -> None:
        if worker.pid:
            worker.silence = 0
            logger.error(reason, extra={"worker": worker.number})
            os.kill(worker.pid, signal.SIGKILL)

    def _signal(self, number: int) -> None:
        for worker in self._workers:
            if worker.pid:
                os.kill(worker.pid, number)


def _fork() -> tuple[int, socket.socket]:
    """Fork; return the result of `os.fork`, and each process's end of a channel.

    Signals stay blocked: those sent meanwhile stay pending until the child has its
    handlers.
    """
    ours, theirs = socket.socketpair()
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        pid = os.fork()
    except OSError:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        ours.close()
        theirs.close()
        raise
    own, other = (ours, theirs) if pid else (theirs, ours)
    other.close()
    return pid, own


@contextmanager
def _signal_handlers(pending: list[int], wake_writer: socket.socket) -> Iterator[None]:
    """Record signals, and wake the selector on each."""

    def record(number: int, frame: object) -> None:
        pending.append(number)

    before = {number: signal.signal(number, record) for number in _SIGNALS}
    woke = signal.set_wakeup_fd(wake_writer.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(woke)
        for number, handler in before.items():
            signal.signal(number, handler)
