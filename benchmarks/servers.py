"""The servers under test: start, pinning, measurement and stop of each."""

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmarks import node, pypi
from benchmarks.client import Client
from benchmarks.failure import BenchFailure
from benchmarks.requests import ToolCall, Wire

PEERS: Final = Path(__file__).parent / "peers"
BOUND: Final = 180.0
"""Maximum seconds until a server's first answer."""
_REST: Final = 0.4
"""Seconds for which an idle server is measured."""
_RESTING: Final = 0.1
"""Maximum share of a processor that an idle server uses."""
_PORTS: Final = (15_000, 32_000)
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")

FIRST: Final = ToolCall("list_articles", {"limit": 1})
"""Request that is repeated until a fresh server answers."""


@dataclass(frozen=True)
class Server:
    """One way to serve a folder of articles."""

    name: str
    command: Callable[[Path, int], Sequence[str | Path]]
    wire: Wire = Wire.SESSIONLESS
    is_fixed: bool = False
    """It answers everything with the same bytes."""
    first: ToolCall = field(default=FIRST, compare=False)
    """Request that is repeated until it answers."""


def _ours(*options: str) -> Callable[[Path, int], Sequence[str | Path]]:
    """As a user starts it; limits of the request rate, if there are any, are off."""

    def start(root: Path, port: int) -> Sequence[str | Path]:
        return [*command(), "serve", root, "-p", str(port), *_unlimited(), *options]

    return start


def _docs(
    program: Sequence[str | Path], *options: str
) -> Callable[[Path, int], Sequence[str | Path]]:
    def start(root: Path, port: int) -> Sequence[str | Path]:
        served = [*program, "serve", "--docs", root, "-p", str(port)]
        return [*served, *_unlimited(), *options]

    return start


def _servemd(root: Path, port: int) -> Sequence[str | Path]:
    """Without its limit of the request rate."""
    environment = {
        "DOCS_ROOT": root,
        "CACHE_ROOT": Path(f"servemd-{port}"),
        "PORT": port,
        "MCP_RATE_LIMIT_REQUESTS": 10**9,
    }
    settings = [f"{name}={value}" for name, value in environment.items()]
    return ["env", *settings, pypi.python().with_name("servemd")]


def serve_project(project: Path) -> Callable[[Path, int], Sequence[str | Path]]:
    """Serve a project together with articles, as a user starts it."""
    return _ours("--project", str(project))


def command() -> Sequence[str | Path]:
    """Return the command that runs our server."""
    script = Path(sys.executable).with_name("asdlc-kb")
    return [script] if script.exists() else [sys.executable, "-m", "asdlc_kb"]


def _unlimited() -> Sequence[str]:
    command_line = [*command(), "serve", "--help"]
    output = subprocess.run(
        command_line, capture_output=True, check=True, text=True
    ).stdout
    limits = ("--rate-limit", "--page-rate-limit")
    return [word for flag in limits if f"{flag} " in output for word in (flag, "off")]


def _python(module: str) -> Callable[[Path, int], Sequence[str | Path]]:
    def command(root: Path, port: int) -> Sequence[str | Path]:
        return [sys.executable, PEERS / f"{module}.py", root, str(port)]

    return command


def _node(kind: str) -> Callable[[Path, int], Sequence[str | Path]]:
    def command(root: Path, port: int) -> Sequence[str | Path]:
        script = PEERS / "typescript.mjs"
        return [node.command(), script, node.packages(), kind, root, str(port)]

    return command


def ours(*options: str) -> Server:
    """Return our own server with further options of its command line."""
    return Server("ours", _ours(*options))


def ours_cached(folder: Path) -> Server:
    """Return our own server with a cache folder, which later starts read."""
    return Server(CACHED, _ours("--cache-dir", str(folder)))


def ours_docs(cache: Path, *, searches: bool = True) -> Server:
    """Return our own server of a documentation tree, with or without full text.

    `cache` takes its index.
    """
    bare = (sys.executable, PEERS / "unsearched.py")
    start = _docs(command() if searches else bare, "--cache-dir", str(cache))
    return Server("ours", start, first=_PAGES)


OURS: Final = ours()
CACHED: Final = "ours, from its cache"
OURS_UNCACHED: Final = Server("ours, no cache", _ours("--cache-dir", "off"))
OURS_QUIET: Final = Server("ours, logs off", _ours("--log-level", "error"))
OURS_STATELESS: Final = Server("ours, 2026-07-28", _ours(), Wire.STATELESS)
BARE: Final = Server("Tornado, fixed bytes", _python("bare"), is_fixed=True)
PYTHON_SDK: Final = Server("Python SDK", _python("python_sdk"))
FASTMCP: Final = Server("FastMCP 4", _python("fastmcp_server"))
TS_SERVER: Final = Server(
    "TypeScript SDK v2, McpServer", _node("server"), Wire.STATELESS
)
TS_LOWLEVEL: Final = Server(
    "TypeScript SDK v2, low level", _node("lowlevel"), Wire.STATELESS
)
_PAGES: Final = ToolCall("list_doc_pages", {})
OURS_DOCS: Final = Server("ours", _docs(command()), first=_PAGES)
SERVEMD: Final = Server("servemd 1.3.0", _servemd, first=_PAGES)
ALL: Final = (
    OURS,
    OURS_QUIET,
    OURS_STATELESS,
    BARE,
    PYTHON_SDK,
    FASTMCP,
    TS_SERVER,
    TS_LOWLEVEL,
)


class Running:
    """A server that was started on its own port."""

    def __init__(self, server: Server, process: "subprocess.Popen[bytes]", port: int):
        self.server = server
        self.name = server.name
        self.wire = server.wire
        self.port = port
        self.origin = f"http://127.0.0.1:{port}"
        self._process = process

    @property
    def pid(self) -> int:
        """The process that was started."""
        return self._process.pid

    def cpu_seconds(self) -> float:
        """Return the processor time that its processes have used so far."""
        return sum(time.clock_gettime(_cpu_clock(pid)) for pid in self._tree())

    def main_thread_seconds(self) -> float:
        """Return the processor time of the main thread of its first process."""
        schedule = Path(f"/proc/{self.pid}/task/{self.pid}/schedstat")
        return int(schedule.read_text(encoding="utf-8").split()[0]) / 1e9

    def settle(self) -> None:
        """Return once it is idle: the work after its start is done.

        Raises BenchFailure if that is not within `BOUND`.
        """
        deadline = time.monotonic() + BOUND
        while time.monotonic() < deadline:
            before = self.cpu_seconds()
            time.sleep(_REST)
            if (self.cpu_seconds() - before) / _REST <= _RESTING:
                return
        raise BenchFailure(f"{self.name} was not at rest within {BOUND:.0f} s")

    def memory(self) -> float:
        """Return the resident memory of its processes in MiB."""
        pages = sum(
            int(Path(f"/proc/{pid}/statm").read_text().split()[1])
            for pid in self._tree()
        )
        return pages * _PAGE / 2**20

    def memory_by_kind(self) -> tuple[float, float]:
        """Return the MB (10^6 bytes) of its first process: its own, and of files."""
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="utf-8")
        fields = dict(line.split(":", 1) for line in status.splitlines())
        anonymous, files = (int(fields[k].split()[0]) for k in ("RssAnon", "RssFile"))
        return anonymous * 1024 / 1e6, files * 1024 / 1e6

    def has_ended(self) -> bool:
        """Whether it is gone before it was stopped."""
        return self._process.poll() is not None

    def stop(self) -> None:
        """Stop it, by force if it does not end."""
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def _tree(self) -> list[int]:
        tree = [self._process.pid]
        for pid in tree:
            for task in Path(f"/proc/{pid}/task").iterdir():
                # A thread may have ended since.
                with suppress(FileNotFoundError, ProcessLookupError):
                    tree += map(int, (task / "children").read_text().split())
        return tree


def _cpu_clock(pid: int) -> int:
    """Return the clock of the processor time of a process (clock_getcpuclockid)."""
    return (~pid << 3) | 2


@dataclass(frozen=True)
class Cores:
    """Processors of the server, and of the other processes."""

    server: frozenset[int]
    load: frozenset[int]

    @classmethod
    def split(cls, available: frozenset[int]) -> "Cores":
        """Give the server the last core; with a single one, all processes share it."""
        last = frozenset({max(available)})
        return cls(last, (available - last) or last)

    @contextmanager
    def all(self) -> Iterator[None]:
        """Let this process use all of them while it loads no server."""
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, self.server | self.load)
        try:
            yield
        finally:
            os.sched_setaffinity(0, before)


@contextmanager
def start(
    server: Server, root: Path, cores: Cores, folder: Path, *, bound: float = BOUND
) -> Iterator[tuple[Running, float]]:
    """Run a server; yield it with the seconds that it took to its first answer.

    `folder` takes its log, which is written as usual and not read, and what it keeps
    in the user's cache folder. Raises BenchFailure after `bound` seconds.
    """
    port = free_port()
    pin = ["taskset", "-c", ",".join(map(str, sorted(cores.server)))]
    command = [*pin, *map(str, server.command(root, port))]
    if shutil.which("taskset") is None:
        raise BenchFailure("taskset is not installed: it is part of util-linux")
    log = folder / f"{port}.log"
    began = time.perf_counter()
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            cwd=folder,
            env={**environment(), "XDG_CACHE_HOME": str(folder / "cache")},
            start_new_session=True,
        ) as process,
    ):
        running = Running(server, process, port)
        try:
            _await(running, began, log, bound)
            yield running, time.perf_counter() - began
        finally:
            running.stop()
    log.unlink()


def _await(running: Running, began: float, log: Path, bound: float) -> None:
    """Return once the server answers; raise BenchFailure if it does not."""
    while time.perf_counter() - began < bound:
        if running.has_ended():
            output = log.read_text(errors="replace").strip()[-2000:]
            raise BenchFailure(f"{running.name} did not start: {output}")
        try:
            with Client(running.port) as client:
                client.ask(running.server.first.request(1, running.wire))
            return
        except OSError:
            time.sleep(0.005)
    raise BenchFailure(f"{running.name} did not answer within {bound:.0f} s")


def free_port() -> int:
    """Return a port without a listener.

    None of those that the kernel gives to connections: one that is tried before a
    server listens might be led to itself, and would keep the port.
    """
    while True:
        port = random.randrange(*_PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def environment() -> Mapping[str, str]:
    """Return the environment without the user's settings."""
    root = Path(__file__).parent.parent
    paths = [str(root), *filter(None, [os.environ.get("PYTHONPATH")])]
    env = {k: v for k, v in os.environ.items() if not k.startswith("ASDLC_KB_")}
    return {**env, "PYTHONPATH": os.pathsep.join(paths)}
