"""Attempts in child processes, each killed when it has used its CPU time."""

import math
import multiprocessing
import resource
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from ctypes import Array, c_longlong
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.sharedctypes import RawArray
from typing import Final, NamedTuple

from benchmarks.hostile.inputs import Hostile

MAX_ATTEMPT_SECONDS: Final = 3.0
"""CPU seconds of one attempt; the kernel ends the process beyond them.

A match of a regular expression holds the interpreter, so nothing within ends it.
"""
MAX_EXPONENT: Final = 1.5
"""The power of the size up to which time that grows so counts as about linear."""
_MAX_MEMORY: Final = 4 * 1024**3
"""Bytes of address space of a child."""
MAX_GROWN_SECONDS: Final = 0.1
"""CPU seconds at a subject's largest size that faster growth may lead to."""
_LEAST_SECONDS: Final = 0.04
"""CPU seconds from which growth is measured; shorter times vary too much."""
_REPEATS: Final = 3
"""Repetitions of a doubtful measurement; the best one counts."""


class Trial(NamedTuple):
    """A hostile text and the part of the subject that reads it."""

    hostile: Hostile
    part: str = ""

    def __str__(self) -> str:
        return f"{self.hostile} in {self.part}" if self.part else str(self.hostile)


class Cost(NamedTuple):
    """CPU time of one trial at the largest size that was tried."""

    size: int
    seconds: float
    """`inf` if the attempt was killed."""
    exponent: float
    """Growth since the previous size; 0 if it was too quick to measure."""


class Subject(NamedTuple):
    """A subject of trials with hostile texts, one after the other."""

    name: str
    trials: Sequence[Trial]
    run: Callable[[str, str], object]
    """Takes the part of a trial and its text."""
    sizes: Sequence[int]
    """Characters, ascending; the last is the most that the subject can be given.

    A trial ends at the first size that shows whether its cost grows too fast.
    """
    most: float = math.inf
    """CPU seconds that any trial may take."""
    max_findings: int = 4
    """The trials end after so many findings."""

    def exceeds(self, cost: Cost) -> bool:
        """Whether a trial took too long, or would at the largest size."""
        if cost.seconds > self.most:
            return True
        exponent = cost.exponent
        return exponent > MAX_EXPONENT and self._is_long(cost, exponent)

    def is_settled(self, cost: Cost) -> bool:
        """Whether no larger size can show more than this one does."""
        return cost.exponent > 0 or not self._is_long(cost, 2.0)

    def _is_long(self, cost: Cost, exponent: float) -> bool:
        growth: float = (self.sizes[-1] / cost.size) ** exponent
        return cost.seconds * growth > MAX_GROWN_SECONDS


class Finding(NamedTuple):
    """A trial that took too long or grew too fast."""

    subject: str
    trial: Trial
    cost: Cost


class Result(NamedTuple):
    """Result of the trials of one subject."""

    subject: Subject
    findings: Sequence[Finding]


def run(subjects: Iterable[Subject], processes: int) -> Iterator[Result]:
    """Yield the result of each subject, in no order."""
    waiting = iter(subjects)
    running: dict[Connection, _Child] = {}
    while True:
        while len(running) < processes and (subject := next(waiting, None)):
            child = _Child(subject)
            running[child.results] = child
        if not running:
            return
        for ready in wait(list(running)):
            assert isinstance(ready, Connection)
            if running[ready].has_ended():
                child = running.pop(ready)
                if result := child.finish():
                    yield result
                else:
                    child.start()
                    running[child.results] = child


class _Child:
    """A process that tries one subject."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._findings: list[Finding] = []
        self._at = RawArray(c_longlong, 2)
        """The number and the size of the trial at work, written by the child."""
        self.start()

    def start(self) -> None:
        """Make the trials from the number on."""
        context = multiprocessing.get_context("fork")
        self.results, theirs = context.Pipe(duplex=False)
        self._process: BaseProcess = context.Process(
            target=_try_all,
            args=(self._subject, self._at, len(self._findings), theirs),
        )
        self._process.start()
        theirs.close()

    def has_ended(self) -> bool:
        """Receive a message of the child; return whether it was the last."""
        try:
            self._findings.append(self.results.recv())
        except EOFError:
            return True
        return False

    def finish(self) -> Result | None:
        """Return the result; None if a trial was killed and others are left."""
        self._process.join()
        self.results.close()
        if code := self._process.exitcode:
            number, size = self._at
            name, trial = self._subject.name, self._subject.trials[number]
            if code != -signal.SIGPROF:
                raise RuntimeError(f"{name}: exit code {code} at {trial}")
            killed = Cost(size, math.inf, math.inf)
            self._findings.append(Finding(name, trial, killed))
            self._at[0] = number + 1
            is_done = len(self._findings) >= self._subject.max_findings
            if not is_done and self._at[0] < len(self._subject.trials):
                return None
        return Result(self._subject, self._findings)


def _try_all(
    subject: Subject, at: Array[c_longlong], found: int, results: Connection
) -> None:
    """Make the trials in turn, in a child process."""
    resource.setrlimit(resource.RLIMIT_AS, (_MAX_MEMORY, _MAX_MEMORY))
    for number in range(at[0], len(subject.trials)):
        at[0] = number
        trial = subject.trials[number]
        signal.setitimer(signal.ITIMER_PROF, MAX_ATTEMPT_SECONDS)
        cost = _measure(subject, trial, at)
        signal.setitimer(signal.ITIMER_PROF, 0)
        if subject.exceeds(cost):
            results.send(Finding(subject.name, trial, cost))
            found += 1
            if found >= subject.max_findings:
                return


def _measure(subject: Subject, trial: Trial, at: Array[c_longlong]) -> Cost:
    """Return the cost of a trial at the first size that decides it."""
    cost = Cost(0, 0.0, 0.0)
    for size in subject.sizes:
        at[1] = size
        cost = _step(subject, trial, size, cost)
        for _ in range(_REPEATS - 1):
            if not subject.exceeds(cost):
                break
            # The machine may have been busy at either size.
            half = _time(subject, trial, size // 2)
            again = _step(subject, trial, size, Cost(size // 2, half, 0.0))
            cost = min(cost, again, key=lambda c: (c.exponent, c.seconds))
        if subject.exceeds(cost) or subject.is_settled(cost):
            break
    return cost


def _step(subject: Subject, trial: Trial, size: int, before: Cost) -> Cost:
    """Return the cost at a size, with its growth since the previous size."""
    seconds = _time(subject, trial, size)
    if seconds < _LEAST_SECONDS or not before.size:
        return Cost(size, seconds, 0.0)
    growth = seconds / max(before.seconds, _LEAST_SECONDS / 20)
    return Cost(size, seconds, math.log(growth) / math.log(size / before.size))


def _time(subject: Subject, trial: Trial, size: int) -> float:
    text = trial.hostile.make(size)
    begin = time.thread_time()
    subject.run(trial.part, text)
    return time.thread_time() - begin
