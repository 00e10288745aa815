"""Real processes: the command as a user or a client starts it.

Every wait is bounded, and all output of a process is scanned for canary text.
"""

import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from support.canary import Scanner

BOUND = 60.0
"""Seconds that any one wait for a process may take."""

UNLIMITED = ("--port", "0", "--rate-limit", "off", "--page-rate-limit", "off")
"""Options of a server without rate limits."""

COMMAND = (sys.executable, "-m", "asdlc_kb")
_ADDRESS = re.compile(rb"MCP +https?://\S+?:([0-9]+)/mcp")


def list_loaded(program: str, *arguments: str) -> set[str]:
    """Run a program that prints `sys.modules`; return the names.

    Coverage, which loads modules of its own, does not measure it.
    """
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("COVERAGE_")
    }
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        env=environment,
        timeout=BOUND,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.decode().split())


@dataclass(frozen=True)
class Finished:
    """Exit code and output of a process."""

    code: int
    stdout: bytes
    stderr: bytes

    @property
    def out(self) -> str:
        """Its stdout as text."""
        return self.stdout.decode()

    @property
    def err(self) -> str:
        """Its stderr as text."""
        return self.stderr.decode()


def environment(further: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment without settings of the developer."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("ASDLC_KB_")}
    return {**env, **(further or {})}


def run_cli(
    *args: str | Path,
    scanner: Scanner,
    stdin: bytes = b"",
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    command: Sequence[str | Path] = COMMAND,
) -> Finished:
    """Run `asdlc-kb`, or another command, with a fixed input to its end."""
    done = subprocess.run(
        [*map(str, command), *map(str, args)],
        input=stdin,
        capture_output=True,
        timeout=BOUND,
        cwd=cwd,
        env=environment(env),
        check=False,
    )
    scanner.scan(done.stdout, ("stdout of", *args))
    scanner.scan(done.stderr, ("stderr of", *args))
    return Finished(done.returncode, done.stdout, done.stderr)


class Running:
    """A started process: two pipes to it, and its stderr in a file."""

    def __init__(self, process: "subprocess.Popen[bytes]", stderr: IO[bytes]) -> None:
        self.process = process
        self.written = b""
        """All of its stdout that was read so far."""
        self._stderr = stderr
        self._pending = b""

    def send(self, data: bytes) -> None:
        """Write to its stdin."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def close_stdin(self) -> None:
        """End its input."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def close_stdout(self) -> None:
        """Close its stdout, as a client that disconnected."""
        assert self.process.stdout is not None
        self.process.stdout.close()

    def read_line(self) -> bytes:
        """Return the next line of its stdout; empty at the end."""
        assert self.process.stdout is not None
        number = self.process.stdout.fileno()
        deadline = time.monotonic() + BOUND
        while b"\n" not in self._pending:
            remaining = deadline - time.monotonic()
            ready, _, _ = select.select([number], [], [], max(remaining, 0))
            assert ready, f"nothing came: {self.read_stderr()!r}"
            chunk = os.read(number, 64 * 1024)
            if not chunk:
                break
            self._pending += chunk
        line, newline, self._pending = self._pending.partition(b"\n")
        self.written += line + newline
        return line + newline

    def read_stderr(self) -> bytes:
        """Return its stderr so far."""
        number = self._stderr.fileno()
        # Both processes share one file position.
        return os.pread(number, os.fstat(number).st_size, 0)

    def read_log(self) -> list[dict[str, Any]]:
        """Return the complete lines of its log so far, parsed as JSON."""
        written, _, _ = self.read_stderr().rpartition(b"\n")
        return [json.loads(line) for line in written.splitlines()]

    def wait_for_event(self, event: str, count: int = 1) -> list[dict[str, Any]]:
        """Return the lines of its log with an event, once there are so many."""
        deadline = time.monotonic() + BOUND
        while True:
            lines = [line for line in self.read_log() if line["event"] == event]
            if len(lines) >= count:
                return lines
            assert time.monotonic() < deadline, f"no {event!r}: {self.read_stderr()!r}"
            time.sleep(0.01)

    def wait_for_stderr(self, text: bytes) -> None:
        """Wait until it wrote a text to its stderr."""
        deadline = time.monotonic() + BOUND
        while text not in self.read_stderr():
            assert time.monotonic() < deadline, self.read_stderr()
            time.sleep(0.01)

    def signal(self, number: int = signal.SIGTERM) -> None:
        """Send it a signal."""
        self.process.send_signal(number)

    def pause(self) -> None:
        """Stop it until it gets SIGCONT; return once it is stopped."""
        self.signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WNOWAIT)

    def wait(self) -> Finished:
        """Wait for its end; return its exit code and output."""
        code = self.process.wait(BOUND)
        stdout = self.process.stdout
        if stdout is not None and not stdout.closed:
            self.written += self._pending + stdout.read()
            self._pending = b""
        return Finished(code, self.written, self.read_stderr())


@contextmanager
def start_cli(
    *args: str | Path,
    scanner: Scanner,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    prefix: Sequence[str] = (),
    fds: Sequence[int] = (),
) -> Iterator[Running]:
    """Start `asdlc-kb`; at the end of the block it is killed, and its output scanned.

    `prefix` is a command that executes the one after it, as `env` and `unshare` do. It
    inherits these descriptors too.
    """
    command = (*prefix, *COMMAND, *args)
    with start_command(*command, scanner=scanner, cwd=cwd, env=env, fds=fds) as it:
        yield it


@contextmanager
def start_command(
    *command: str | Path,
    scanner: Scanner,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    fds: Sequence[int] = (),
) -> Iterator[Running]:
    """Start any program in the same way."""
    with tempfile.TemporaryFile() as stderr:
        process = subprocess.Popen(
            [*map(str, command)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            cwd=cwd,
            env=environment(env),
            pass_fds=fds,
        )
        running = Running(process, stderr)
        try:
            yield running
        finally:
            if process.poll() is None:
                process.kill()
            finished = running.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None and not stream.closed:
                    stream.close()
            scanner.scan(finished.stdout, ("stdout of", *command))
            scanner.scan(finished.stderr, ("stderr of", *command))


@dataclass
class Served:
    """A running `asdlc-kb serve`."""

    running: Running
    port: int

    def stop(self, number: int = signal.SIGTERM) -> Finished:
        """Send a signal and wait for the end."""
        self.running.signal(number)
        return self.running.wait()


@contextmanager
def serve_process(
    content: Path | None,
    *options: str,
    scanner: Scanner,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    prefix: Sequence[str] = (),
    fds: Sequence[int] = (),
) -> Iterator[Served]:
    """Run `asdlc-kb serve` on a free port until the block ends.

    Without content the options name the sources, and `cwd` the folder. Requests are not
    limited unless options set a limit.
    """
    args = ("serve", *((content,) if content else ()), *UNLIMITED, *options)
    folder = cwd or (content.parent if content else None)
    with start_cli(
        *args, scanner=scanner, cwd=folder, env=env, prefix=prefix, fds=fds
    ) as it:
        while (line := it.read_line()) and not (match := _ADDRESS.search(line)):
            pass
        assert line, f"no address was told: {it.read_stderr()!r}"
        assert match is not None
        yield Served(it, int(match[1]))
