"""Servers of several processes: their workers, and how a test reaches each one."""

import os
import re
import signal
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path

from support.processes import BOUND, Served
from support.wire import Wire, dial

STRICT = {"PYTHONWARNINGS": "error:This process:DeprecationWarning"}
"""Makes it an error to fork a process that has threads."""

_STATE = re.compile(r"\) (\S)")


def find_workers(served: Served, count: int, gone: Iterable[int] = ()) -> list[int]:
    """Wait until a server has so many workers, without those; return their ids."""
    parent = served.running.process.pid
    deadline = time.monotonic() + BOUND
    while True:
        listed = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        pids = [pid for pid in map(int, listed) if pid not in gone]
        if len(pids) == count and all(_find_state(pid) != "Z" for pid in pids):
            return pids
        assert time.monotonic() < deadline, f"there are {pids}"
        time.sleep(0)


@contextmanager
def stopped(pids: Sequence[int]) -> Iterator[None]:
    """Stop processes for the length of the block."""
    deadline = time.monotonic() + BOUND
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        while any(_find_state(pid) != "T" for pid in pids):
            assert time.monotonic() < deadline
            time.sleep(0)
        yield
    finally:
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


@asynccontextmanager
async def reaching(port: int, pids: Sequence[int]) -> AsyncIterator[list[Wire]]:
    """Yield a connection to each of the workers.

    The worker that accepts on a shared socket cannot be chosen, unless all others are
    stopped.
    """
    async with AsyncExitStack() as stack:
        wires = []
        for pid in pids:
            with stopped([other for other in pids if other != pid]):
                wire = await stack.enter_async_context(dial(port))
                await wire.request("GET", "/health")
                assert (await wire.answer()).status == 200
            wires.append(wire)
        yield wires


def is_alive(pid: int) -> bool:
    """Whether a process exists and has not ended."""
    return _find_state(pid) not in ("", "Z")


def _find_state(pid: int) -> str:
    try:
        match = _STATE.search(Path(f"/proc/{pid}/stat").read_text())
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return match[1] if match else ""
