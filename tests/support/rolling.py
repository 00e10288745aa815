"""Replicas behind nginx that are restarted on their ports, and their clients."""

import asyncio
import json
import random
import signal
import socket
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from support.canary import Scanner
from support.load import CALL, HEADERS
from support.peers import JSON, message
from support.processes import Served, serve_process
from support.wire import BOUND, Answer, Wire, ask, dial

LEGACY: Final = "2025-11-25"

PORTS: Final = range(20_000, 30_000)
"""Below the ephemeral ports, so that a freed one stays free."""


def find_port() -> int:
    """Return a free port of this machine."""
    for port in random.sample(PORTS, 100):
        with socket.socket() as trial, suppress(OSError):
            trial.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no free port")


class Replica:
    """A server that is started again on the same port."""

    def __init__(
        self,
        content: Path,
        options: Sequence[str],
        env: Mapping[str, str],
        scanner: Scanner,
        stack: ExitStack,
    ) -> None:
        self.port = find_port()
        self._content = content
        self._options = (*options, "--port", str(self.port))
        self._env = env
        self._scanner = scanner
        self._stack = stack
        self._served: Served | None = None

    async def start(self) -> None:
        """Start it, and wait until it is ready."""
        starting = serve_process(
            self._content, *self._options, scanner=self._scanner, env=self._env
        )
        self._served = await asyncio.to_thread(self._stack.enter_context, starting)
        async with asyncio.timeout(BOUND):
            while (await ask(self.port, "GET", "/ready")).status != 200:
                await asyncio.sleep(0.01)

    async def end(self, number: int = signal.SIGTERM) -> int:
        """Send it a signal; return its exit code."""
        assert self._served is not None
        self._served.running.signal(number)
        done = await asyncio.to_thread(self._served.running.wait)
        return done.code


@dataclass
class Clients:
    """The outcomes of the requests of several kinds of clients."""

    port: int
    answered: Counter[str] = field(default_factory=Counter)
    ended_sessions: int = 0
    """Calls of sessions that ended with their server (404): clients start over."""
    failures: list[str] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)
    """Connections that ended instead of an answer."""
    is_over: bool = False

    @property
    def total(self) -> int:
        """Requests with the expected answer."""
        return self.answered.total()

    async def reach(self, count: int) -> None:
        """Wait until so many more requests were answered."""
        expected = self.total + count
        async with asyncio.timeout(6 * BOUND):
            while self.total < expected:
                await asyncio.sleep(0.01)

    async def call(self, wire: Wire) -> bool:
        """Make a stateless call; return whether the connection is kept."""
        return self._note("call", await _post(wire, HEADERS, CALL))

    async def read(self, wire: Wire) -> bool:
        """Read a page; return whether the connection is kept."""
        return self._note("page", await _get(wire, "/"))

    async def search(self, wire: Wire) -> bool:
        """Search on the website; return whether the connection is kept."""
        return self._note("search", await _get(wire, "/search?q=knowledge"))

    async def converse(self, wire: Wire) -> bool:
        """Make calls in a session; return whether the connection is kept."""
        opened = await _post(wire, JSON, _HELLO)
        if not self._note("initialize", opened):
            return False
        headers = {**JSON, "Mcp-Session-Id": opened.headers["mcp-session-id"]}
        while not self.is_over:
            listed = await _post(wire, headers, _write("tools/list", {}))
            if is_ended(listed):
                self.ended_sessions += 1
                return _is_kept(listed)
            if not self._note("session", listed):
                return False
        return False

    async def run(self, action: "Callable[[Wire], Coroutine[Any, Any, bool]]") -> None:
        """Repeat an action on kept connections."""
        while not self.is_over:
            try:
                async with dial(self.port) as wire:
                    while not self.is_over and await action(wire):
                        pass
            except (OSError, EOFError, TimeoutError) as error:
                self.cut.append(repr(error))

    def _note(self, kind: str, answer: Answer) -> bool:
        if answer.status == 200:
            self.answered[kind] += 1
        else:
            self.failures.append(f"{kind}: {answer.status} {answer.body[:80]!r}")
        return answer.status == 200 and _is_kept(answer)


async def open_session(port: int) -> Mapping[str, str]:
    """Begin a session with the server on a port; return the headers of its calls."""
    opened = await ask(port, "POST", headers=JSON, body=_HELLO)
    assert opened.status == 200, opened.body
    return {**JSON, "Mcp-Session-Id": opened.headers["mcp-session-id"]}


async def call_in_session(port: int, headers: Mapping[str, str]) -> Answer:
    """List the tools in a session, on a connection of its own."""
    body = _write("tools/list", {})
    return await ask(port, "POST", headers=headers, body=body)


def is_ended(answer: Answer) -> bool:
    """Whether a client has to begin a new session (2025-11-25, session management)."""
    return answer.status == 404 and b"Session not found" in answer.body


def _is_kept(answer: Answer) -> bool:
    """Whether the connection stays: nginx ends each after 1,000 requests."""
    return answer.headers.get("connection", "").lower() != "close"


def _write(method: str, params: Mapping[str, Any]) -> bytes:
    return json.dumps(message(method, params)).encode()


_HELLO: Final = _write(
    "initialize",
    {
        "protocolVersion": LEGACY,
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    },
)


async def _post(wire: Wire, headers: Mapping[str, str], body: bytes) -> Answer:
    await wire.request("POST", headers=headers, body=body)
    return await wire.answer()


async def _get(wire: Wire, path: str) -> Answer:
    await wire.request("GET", path, {"Accept": "text/html"})
    return await wire.answer()


@asynccontextmanager
async def asking(port: int) -> AsyncIterator[Clients]:
    """Send requests of eight clients of four kinds until the block ends."""
    clients = Clients(port)
    kinds = (clients.call, clients.read, clients.search, clients.converse)
    tasks = [asyncio.ensure_future(clients.run(kind)) for kind in kinds * 2]
    try:
        yield clients
    finally:
        clients.is_over = True
        done, _ = await asyncio.wait(tasks, timeout=2 * BOUND)
        for task in tasks:
            task.cancel()
        assert len(done) == len(tasks), "a request was never answered"
