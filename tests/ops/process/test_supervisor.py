"""Workers as real processes: each test runs a small parent of its own.

It is a script, for a parent has no thread, and the test runner has some.
"""

import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

BOUND = 60.0

PARENT = """
import os, select, signal, socket, sys, time
from asdlc_kb.ops.process.supervisor import Supervisor

told = int(sys.argv[1])
told = socket.socket(fileno=told)

def say(*words):
    told.send(" ".join(map(str, words)).encode() + b"\\n")

class Line:
    wants_to_write = False
    def __init__(self, number, channel):
        self.number, self.channel = number, channel
    def read(self):
        try:
            data = self.channel.recv(100)
        except BlockingIOError:
            return True
        if data:
            say("heard", self.number, data.decode())
        return bool(data)
    def write(self):
        pass
    def close(self):
        self.channel.close()

def on_hangup():
    say("reload")
    return True

{work}

given = dict({given})
code = Supervisor(
    {count}, work, Line, on_hangup=on_hangup, ended=lambda: say("ending"), **given
).run()
say("returned", code)
sys.exit(code)
"""

OBEDIENT = """
class Leave(Exception):
    pass

def leave(*_):
    raise Leave

def work(number, channel):
    # A signal right before a call that blocks would be handled after it.
    signaled, on_signal = socket.socketpair()
    on_signal.setblocking(False)
    try:
        signal.set_wakeup_fd(on_signal.fileno())
        signal.signal(signal.SIGTERM, leave)
        signal.signal(signal.SIGHUP, lambda *_: say("reloaded", number))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGHUP])
        channel.send(b"hello")
        say("born", number, os.getpid())
        wait(channel, signaled)
    except (Leave, ConnectionError):
        pass
    say("left", number)
    return 0

def wait(channel, signaled):
    while True:
        ready, _, _ = select.select([channel, signaled], [], [])
        if not ready[0].recv(100):
            return
"""


class Script:
    """A running parent, and the output of it and its workers."""

    def __init__(self, process: "subprocess.Popen[bytes]", ear: socket.socket) -> None:
        self.process = process
        self._ear = ear
        self._text = ""

    def hear(self, *beginning: object) -> list[str]:
        """Wait for a line with this beginning; return the rest of its words."""
        start = " ".join(map(str, beginning))
        deadline = time.monotonic() + BOUND
        while True:
            for line in self._text.splitlines(keepends=True):
                if line.endswith("\n") and f"{line.rstrip()} ".startswith(f"{start} "):
                    self._text = self._text.replace(line, "", 1)
                    return line.split()[len(start.split()) :]
            left = max(0.0, deadline - time.monotonic())
            ready, _, _ = select.select([self._ear], [], [], left)
            assert ready, f"nobody said {start!r}, but {self._text!r}"
            data = self._ear.recv(4096)
            assert data, f"nobody said {start!r}, but {self._text!r}"
            self._text += data.decode()

    def born(self, number: int) -> int:
        """Wait for a worker to exist; return its process."""
        (pid,) = self.hear("born", number)
        return int(pid)

    def end(self) -> tuple[int, str]:
        """Wait for the end; return the exit code and stderr."""
        _, stderr = self.process.communicate(timeout=BOUND)
        return self.process.returncode, stderr.decode()


@contextmanager
def parent(work: str = OBEDIENT, count: int = 2, given: str = "") -> Iterator[Script]:
    """Run a parent; warnings are errors in it, those of forks with threads too."""
    ear, mouth = socket.socketpair()
    with ear, mouth:
        process = subprocess.Popen(
            [
                *(sys.executable, "-W", "error::DeprecationWarning", "-c"),
                PARENT.format(work=work, count=count, given=given),
                str(mouth.fileno()),
            ],
            pass_fds=[mouth.fileno()],
            stderr=subprocess.PIPE,
        )
        mouth.close()
        try:
            yield Script(process, ear)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait(BOUND)
            assert process.stderr is not None
            process.stderr.close()


def test_each_worker_has_a_number_and_a_channel() -> None:
    """D-125: the parent starts N workers, each with its own channel."""
    with parent() as script:
        pids = {script.born(0), script.born(1)}
        assert len(pids) == 2
        assert script.hear("heard", 0) == script.hear("heard", 1) == ["hello"]
        script.process.terminate()
        assert script.end() == (0, "")


def test_sigterm_ends_all() -> None:
    """D-094: workers leave by themselves, then the parent, with 0."""
    with parent() as script:
        script.born(0), script.born(1)
        script.process.send_signal(signal.SIGTERM)
        script.hear("ending")
        script.hear("left", 0), script.hear("left", 1)
        assert script.end() == (0, "")


def test_a_worker_that_has_not_begun_to_work_may_end_by_the_signal() -> None:
    """SIGTERM comes at any moment, also while another one is started: exit code 0."""
    work = """
def work(number, channel):
    say("born", number, os.getpid())
    signal.pause()
"""
    with parent(work, count=1) as script:
        script.born(0)
        script.process.terminate()
        assert script.end() == (0, "")


def test_a_worker_that_dies_is_replaced() -> None:
    """D-125: kill -9 of one does not affect the others."""
    with parent() as script:
        first, second = script.born(0), script.born(1)
        os.kill(first, signal.SIGKILL)
        assert script.born(0) != first
        os.kill(second, 0)
        script.process.terminate()
        code, stderr = script.end()
        assert code == 0
        assert "worker exited" in stderr


CROWDED = f"""{OBEDIENT}
fork, left = os.fork, [1, 0, 0, 1]

def fork_if_there_is_room():
    if not left or left.pop(0):
        return fork()
    raise BlockingIOError(11, "no room")

os.fork = fork_if_there_is_room
"""


def test_a_machine_without_room_for_a_process_is_asked_again() -> None:
    """D-125: the limit of processes is reached; the others serve on meanwhile."""
    with parent(CROWDED, given="pauses=(0.01, 0.02)") as script:
        first = script.born(0)
        script.born(1)
        os.kill(first, 0)
        script.process.send_signal(signal.SIGHUP)
        script.hear("reloaded", 0), script.hear("reloaded", 1)
        script.process.terminate()
        code, stderr = script.end()
    assert code == 0
    assert stderr.split("\n") == ["worker could not be started"] * 2 + [""]


def test_a_worker_that_keeps_dying_is_not_replaced_at_once_each_time() -> None:
    """D-125: the pause doubles, up to its bound."""
    work = "def work(number, channel):\n    say('born', number, 0)\n    return 1\n"
    work += "import logging\nlogging.basicConfig(format='%(pause)s')\n"
    with parent(work, 1, "pauses=(0.01, 0.05)") as script:
        for _ in range(5):
            script.born(0)
        script.process.terminate()
        _, stderr = script.end()
    assert stderr.split()[:4] == ["0.01", "0.02", "0.04", "0.05"]


def test_one_that_gives_up_at_the_start_ends_all_with_its_code() -> None:
    """D-125: a missing folder is missing for the next worker too."""
    work = f"{OBEDIENT}\nwell = work\n"
    work += "def work(number, channel):\n"
    work += "    return 3 if number else well(number, channel)\n"
    with parent(work, given="is_established=lambda: False") as script:
        script.hear("left", 0)
        code, stderr = script.end()
    assert (code, stderr) == (3, "")


def test_sighup_is_handed_on() -> None:
    """D-095: the parent validates, then every worker gets the signal."""
    with parent() as script:
        script.born(0), script.born(1)
        script.process.send_signal(signal.SIGHUP)
        script.hear("reload")
        script.hear("reloaded", 0), script.hear("reloaded", 1)
        script.process.terminate()
        assert script.end() == (0, "")


SLOW = f"""{OBEDIENT}
begun = work

def work(number, channel):
    say("forked", number)
    deadline = time.monotonic() + {BOUND}
    while signal.SIGHUP not in signal.sigpending() and time.monotonic() < deadline:
        pass
    return begun(number, channel)
"""


def test_sighup_waits_for_a_worker_that_only_begins() -> None:
    """D-095: it was forked with the former settings, which it must not keep."""
    with parent(SLOW, 1) as script:
        script.hear("forked", 0)
        script.process.send_signal(signal.SIGHUP)
        script.hear("reloaded", 0)
        script.process.terminate()
        assert script.end() == (0, "")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_the_death_of_the_parent_closes_every_channel(number: int) -> None:
    """D-125: workers notice it and end, although others were forked after them."""
    with parent() as script:
        _, last = script.born(0), script.born(1)
        # Whoever was forked later must not hold the channels of the others.
        os.kill(last, signal.SIGSTOP)
        script.process.send_signal(number)
        script.hear("left", 0)
        os.kill(last, signal.SIGCONT)
        script.hear("left", 1)


STUBBORN = """
def work(number, channel):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    say("born", number, os.getpid())
    while True:
        time.sleep(100)
"""


def test_a_worker_that_does_not_end_is_killed() -> None:
    """D-094: nothing outlives the bound of the drain."""
    with parent(STUBBORN, given="stop_seconds=0.1") as script:
        script.born(0), script.born(1)
        script.process.terminate()
        code, stderr = script.end()
    assert (code, stderr.count("worker did not stop in time")) == (1, 2)


def test_a_worker_that_hangs_is_replaced() -> None:
    """D-125: a stopped worker sends nothing; the others serve meanwhile."""
    work = f"{OBEDIENT}\ndef wait(channel, signaled):\n    while True:\n"
    work += "        channel.send(b'.')\n        time.sleep(0.02)\n"
    with parent(work, 1, "silent_seconds=3.0, tick_seconds=0.05") as script:
        first = script.born(0)
        said = 0
        while said < 200:
            said += len(script.hear("heard", 0)[0])
        # It has lived for longer than it may be silent.
        os.kill(first, 0)
        os.kill(first, signal.SIGSTOP)
        assert script.born(0) != first
        script.process.terminate()
        code, stderr = script.end()
    assert code == 0
    assert "worker is unresponsive" in stderr


def test_the_parent_looks_around_again_and_again() -> None:
    """A watchdog of the parent gets keepalives."""
    given = "tick=lambda: say('tick'), tick_seconds=0.01"
    with parent(count=1, given=given) as script:
        for _ in range(3):
            script.hear("tick")
        script.process.terminate()
        assert script.end() == (0, "")
