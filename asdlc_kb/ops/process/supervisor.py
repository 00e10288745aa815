"""Several processes that do the same: started, replaced when they die, ended together.

The parent forks them and does nothing else: it has no event loop and no thread, which a
fork would leave in pieces, only what the kernel tells it of signals and of the channel
that each worker has to it. What is said over the channels is another one's business.
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
"""A worker that has not ended so long after it was told to is killed; its own bounds
end it before."""

FIRST_PAUSE: Final = 0.1
"""From the death of a worker to its replacement; doubled with each that dies young."""

MAX_PAUSE_SECONDS: Final = 10.0
"""The same, however many die."""

STABLE_AFTER_SECONDS: Final = 10.0
"""One that has lived for so long is no longer young."""

SILENT_SECONDS: Final = 30.0
"""A worker that has said nothing for so long hangs, and is killed."""

TICK_SECONDS: Final = 1.0
"""The parent looks around so often, if nothing happens before."""

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)


class ServiceChannel(Protocol):
    """The parent's end of the channel to one worker."""

    @property
    def wants_to_write(self) -> bool:
        """Whether something waits to be sent."""

    def read(self) -> bool:
        """Take what came; False if nothing ever will again. Never blocks."""

    def write(self) -> None:
        """Send what waits, as far as the channel takes it. Never blocks."""

    def close(self) -> None:
        """Forget the worker."""


RunWorker: TypeAlias = Callable[[int, socket.socket], int]
"""What a worker does, in a process of its own: it is given its number and channel,
and returns its exit code. SIGHUP waits, blocked, until it has a handler for it."""


@dataclass(slots=True)
class _Worker:
    """One place; processes come and go."""

    number: int
    pid: int = 0
    """Zero while there is none."""
    line: ServiceChannel | None = None
    channel: socket.socket | None = None
    born: float = 0.0
    pause: float = FIRST_PAUSE
    due: float | None = None
    """When the next one is started."""
    silence: float = 0.0
    """Seconds since it last said something."""


@dataclass(slots=True)
class Supervisor:
    """The parent: `run` returns in each worker, and in the parent at the end."""

    count: int
    work: RunWorker
    connect: Callable[[int, socket.socket], ServiceChannel]
    """Opens the parent's end of a channel."""
    hung_up: Callable[[], bool]
    """Called on SIGHUP; says whether workers are to have the signal too."""
    ended: Callable[[], None] = lambda: None
    """Called when the end begins."""
    tick: Callable[[], None] = lambda: None
    """Called every `tick_seconds`."""
    is_established: Callable[[], bool] = lambda: True
    """Whether all have worked. Until then one that gives up ends all: with the same
    settings the next would give up too."""
    tick_seconds: float = TICK_SECONDS
    stop_seconds: float = STOP_SECONDS
    silent_seconds: float = SILENT_SECONDS
    pauses: tuple[float, float] = (FIRST_PAUSE, MAX_PAUSE_SECONDS)
    _all: list[_Worker] = field(default_factory=list)
    _pending: list[int] = field(default_factory=list)
    """Signals that came and were not seen to."""
    _selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    _ticked: float = field(default_factory=time.monotonic)
    _deadline: float | None = None
    """When workers are killed; None while all is to go on."""
    _code: int = 0

    def run(self) -> int:
        """Keep the workers going; return an exit code.

        In a worker that is the one of its work.
        """
        self._all = [_Worker(n, pause=self.pauses[0]) for n in range(self.count)]
        woken, waking = socket.socketpair()
        for end in (woken, waking):
            end.setblocking(False)
        with woken, waking, self._selector, _handled(self._pending, waking):
            self._selector.register(woken, selectors.EVENT_READ)
            for worker in self._all:
                if self._start(worker):
                    return self._become(worker, (woken, waking))
            while self._is_needed():
                self._wait(woken)
                self._see_to_signals()
                self._see_to_deaths()
                self._see_to_time()
                for worker in self._all:
                    if self._is_due(worker) and self._start(worker):
                        return self._become(worker, (woken, waking))
        return self._code

    def stop(self, code: int = 0) -> None:
        """End all workers; the first code that is not zero is the exit code."""
        self._code = self._code or code
        if self._deadline is not None:
            return
        self._deadline = time.monotonic() + self.stop_seconds
        self.ended()
        self._signal(signal.SIGTERM)

    def _is_needed(self) -> bool:
        return self._deadline is None or any(worker.pid for worker in self._all)

    def _start(self, worker: _Worker) -> bool:
        """Fork; return whether this is the worker.

        A machine may be out of processes for a while: it is tried again.
        """
        worker.due = None
        try:
            pid, channel = _fork()
        except OSError as error:
            self._plan(worker, "a worker cannot be started", reason=error.strerror)
            return False
        worker.channel = channel
        if pid == 0:
            return True
        channel.setblocking(False)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        worker.pid, worker.born, worker.silence = pid, time.monotonic(), 0
        worker.line = self.connect(worker.number, channel)
        self._selector.register(channel, selectors.EVENT_READ, worker)
        return False

    def _become(self, worker: _Worker, wake: Sequence[socket.socket]) -> int:
        """Work as a worker: all that is the parent's goes."""
        signal.set_wakeup_fd(-1)
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        # It stays blocked until there is something to reload: what is ignored is lost.
        signal.signal(signal.SIGHUP, lambda number, frame: None)
        self._selector.close()
        for end in wake:
            end.close()
        for other in self._all:
            # Who holds such an end keeps a channel open whose parent died.
            if other is not worker and other.line is not None:
                other.line.close()
        awaited = set(_SIGNALS) - {signal.SIGHUP}
        signal.pthread_sigmask(signal.SIG_UNBLOCK, awaited)
        assert worker.channel is not None
        return self.work(worker.number, worker.channel)

    def _wait(self, woken: socket.socket) -> None:
        """Let pass what time there is, and see to the channels."""
        for worker in self._all:
            if worker.line is not None and worker.channel is not None:
                wanted = selectors.EVENT_READ
                if worker.line.wants_to_write:
                    wanted |= selectors.EVENT_WRITE
                self._selector.modify(worker.channel, wanted, worker)
        for key, mask in self._selector.select(self._find_pause()):
            if key.data is None:
                woken.recv(4096)
                continue
            self._speak(key.data, mask)

    def _speak(self, worker: _Worker, mask: int) -> None:
        line = worker.line
        if line is not None and mask & selectors.EVENT_READ:
            worker.silence = 0
            if not line.read():
                self._hang_up(worker)
                return
        if line is not None and mask & selectors.EVENT_WRITE:
            line.write()

    def _hang_up(self, worker: _Worker) -> None:
        if worker.line is not None and worker.channel is not None:
            self._selector.unregister(worker.channel)
            worker.line.close()
            worker.line = worker.channel = None

    def _find_pause(self) -> float:
        now = time.monotonic()
        moments = [worker.due for worker in self._all if worker.due is not None]
        moments.append(self._ticked + self.tick_seconds)
        if self._deadline is not None:
            moments.append(self._deadline)
        return max(0.0, min(moments) - now)

    def _see_to_signals(self) -> None:
        while self._pending:
            number = self._pending.pop(0)
            if number in (signal.SIGTERM, signal.SIGINT):
                self.stop()
            elif number == signal.SIGHUP and self._deadline is None and self.hung_up():
                self._signal(signal.SIGHUP)

    def _see_to_deaths(self) -> None:
        for worker in self._all:
            if not worker.pid:
                continue
            pid, status = os.waitpid(worker.pid, os.WNOHANG)
            if pid:
                self._bury(worker, os.waitstatus_to_exitcode(status))

    def _bury(self, worker: _Worker, code: int) -> None:
        """Take note of a death, and plan for another one."""
        if worker.line is not None:
            # What it said last may still be there to be read.
            worker.line.read()
        self._hang_up(worker)
        worker.pid = 0
        if self._deadline is not None:
            # Who had not begun to work is ended by the signal itself.
            is_well = code in (0, -signal.SIGTERM)
            self._code = self._code or int(not is_well)
            return
        if code > 0 and not self.is_established():
            self.stop(code)
            return
        if time.monotonic() - worker.born >= STABLE_AFTER_SECONDS:
            worker.pause = self.pauses[0]
        self._plan(worker, "a worker died", code=code)

    def _plan(self, worker: _Worker, event: str, **about: object) -> None:
        """Say why there is no worker, and when there will be another one."""
        told = {"worker": worker.number, **about, "pause": worker.pause}
        logger.error(event, extra=told)
        worker.due = time.monotonic() + worker.pause
        worker.pause = min(self.pauses[1], worker.pause * 2)

    def _is_due(self, worker: _Worker) -> bool:
        is_due = worker.due is not None and time.monotonic() >= worker.due
        return is_due and self._deadline is None

    def _see_to_time(self) -> None:
        """Kill what should have ended or hangs, once in a while."""
        now = time.monotonic()
        if self._deadline is not None and now >= self._deadline:
            self._deadline = float("inf")
            self._code = self._code or 1
            for worker in self._all:
                self._kill(worker, "a worker did not end")
        passed = now - self._ticked
        if passed < self.tick_seconds:
            return
        self._ticked = now
        self.tick()
        for worker in self._all:
            # A machine that was asleep was silent as a whole.
            worker.silence += min(passed, 2 * self.tick_seconds)
            if worker.silence > self.silent_seconds:
                self._kill(worker, "a worker hangs")

    def _kill(self, worker: _Worker, reason: str) -> None:
        if worker.pid:
            worker.silence = 0
            logger.error(reason, extra={"worker": worker.number})
            os.kill(worker.pid, signal.SIGKILL)

    def _signal(self, number: int) -> None:
        for worker in self._all:
            if worker.pid:
                os.kill(worker.pid, number)


def _fork() -> tuple[int, socket.socket]:
    """Fork; return what `os.fork` does, and each process's end of a channel.

    Signals stay blocked: what is sent meanwhile waits until the child has handlers of
    its own.
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
    kept, other = (ours, theirs) if pid else (theirs, ours)
    other.close()
    return pid, kept


@contextmanager
def _handled(pending: list[int], waking: socket.socket) -> Iterator[None]:
    """Have signals noted, and wake who waits for anything."""

    def note(number: int, frame: object) -> None:
        pending.append(number)

    before = {number: signal.signal(number, note) for number in _SIGNALS}
    woke = signal.set_wakeup_fd(waking.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(woke)
        for number, handler in before.items():
            signal.signal(number, handler)
