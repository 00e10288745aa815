"""Load: connections that send the next request once they are answered."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from support.peers import JSON, envelope, message
from support.wire import BOUND, Answer, Wire, dial

VERSION = "2026-07-28"
CALL = json.dumps(
    message(
        "tools/call",
        {"name": "list_articles", "arguments": {}, "_meta": envelope(VERSION)},
    )
).encode()
HEADERS = {
    **JSON,
    "MCP-Protocol-Version": VERSION,
    "Mcp-Method": "tools/call",
    "Mcp-Name": "list_articles",
}


@dataclass
class Load:
    """The outcomes of the requests so far."""

    port: int
    answered: int = 0
    failures: list[str] = field(default_factory=list)
    connections: int = 0
    """The connections opened."""
    is_over: bool = False
    _moved: asyncio.Event = field(default_factory=asyncio.Event)

    async def reach(self, count: int) -> None:
        """Wait until so many more requests were answered or failed."""
        wanted = self.done + count
        await self.until(lambda: self.done >= wanted)

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until a condition holds, checked after each answer."""
        async with asyncio.timeout(6 * BOUND):
            while not is_so():
                self._moved.clear()
                await self._moved.wait()

    @property
    def done(self) -> int:
        """Requests that were answered or failed."""
        return self.answered + len(self.failures)

    async def ask(self, *, keeps: bool) -> None:
        """Send requests in a loop; `keeps` connections while the server does."""
        while not self.is_over:
            try:
                async with dial(self.port) as wire:
                    self.connections += 1
                    while await self._ask_once(wire) and keeps and not self.is_over:
                        pass
            except OSError as error:
                self._fail(error)

    async def _ask_once(self, wire: Wire) -> bool:
        """Send a request; return whether the connection may be used again."""
        try:
            await wire.request("POST", headers=HEADERS, body=CALL)
            answer = await wire.answer()
        except (OSError, EOFError, TimeoutError) as error:
            self._fail(error)
            return False
        self._note(answer)
        return answer.headers.get("connection") != "close"

    def _note(self, answer: Answer) -> None:
        if answer.status == 200 and "result" in answer.json:
            self.answered += 1
            self._moved.set()
        else:
            self._fail(answer)

    def _fail(self, what: object) -> None:
        self.failures.append(repr(what))
        self._moved.set()


@asynccontextmanager
async def loading(port: int, *, kept: int = 4, fresh: int = 2) -> AsyncIterator[Load]:
    """Load a server over so many kept connections and series of fresh ones."""
    load = Load(port)
    keeps = [True] * kept + [False] * fresh
    tasks = [asyncio.ensure_future(load.ask(keeps=each)) for each in keeps]
    try:
        yield load
    finally:
        load.is_over = True
        done, _ = await asyncio.wait(tasks, timeout=2 * BOUND)
        for task in tasks:
            with suppress(asyncio.CancelledError):
                task.cancel()
        assert len(done) == len(tasks), "a request was never answered"
