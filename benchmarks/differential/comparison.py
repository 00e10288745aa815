"""Comparison of two servers, case by case."""

import asyncio
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from benchmarks.differential.cases import Case, list_smaller
from benchmarks.differential.exchange import Answers, exchange
from benchmarks.differential.messages import write_initialize
from benchmarks.differential.requests import (
    ASSET,
    ETAG,
    HOST,
    SESSION,
    SESSION_VERSION,
    fill,
)
from benchmarks.failure import BenchFailure

AT_ONCE: Final = 16
"""Cases in progress; a server allows more connections of one address."""
PATIENCE: Final = 1.0
"""Seconds of silence after which a connection counts as open."""
LONG_PATIENCE: Final = 5.0
"""Instead, where answers differ: one of the servers may only have been slow."""
REPEATS: Final = 3
"""How often a case must differ to count."""
MAX_TRIES: Final = 60
"""Smaller cases that are tried for one that differs."""

_INITIALIZE: Final = write_initialize(SESSION_VERSION)
_INITIALIZED: Final = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
_POST: Final = (
    b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Accept: application/json, text/event-stream\r\nConnection: close\r\n"
)
_PAGE: Final = (
    b"GET /concepts/alpha HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
)


@dataclass(frozen=True)
class Difference:
    """A case that two servers answer differently, and their answers."""

    case: Case
    first: Answers
    second: Answers

    def __str__(self) -> str:
        """Return the case, and both answers from where they differ."""
        one, other = self.first.data, self.second.data
        common = next(
            (
                n
                for n, pair in enumerate(zip(one, other, strict=False))
                if len(set(pair)) > 1
            ),
            min(len(one), len(other)),
        )
        start = max(0, common - 200)
        shown = [
            f"{len(found.data)} bytes, {'closed' if found.is_closed else 'open'}, from "
            f"{start}: {found.data[start : common + 300]!r}"
            for found in (self.first, self.second)
        ]
        return "\n  ".join((str(self.case), *shown))


async def compare(
    ports: tuple[int, int], cases: Iterable[Case], token: bytes = b""
) -> list[Difference]:
    """Return the cases whose answers differ, made smaller where possible.

    Three of four cases send the token, if there is one.
    """
    return await _Comparison(ports, token).run(cases)


class _Comparison:
    """Two servers, and what the first gave."""

    def __init__(self, ports: tuple[int, int], token: bytes) -> None:
        self._ports = ports
        self._credentials = {}
        if token:
            self._credentials[HOST] = HOST + b"Authorization: Bearer %b\r\n" % token
        self._given: dict[bytes, bytes] = {}

    async def run(self, cases: Iterable[Case]) -> list[Difference]:
        differences: list[Difference] = []
        waiting = iter(cases)
        await self._read_page()

        async def work() -> None:
            for case in waiting:
                found = await self._differ(case)
                if found is None:
                    continue
                differences.append(await self._shrink(found))

        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(work())
        return differences

    async def _differ(self, case: Case) -> Difference | None:
        """Return a difference that is seen each time, if there is one."""
        found = None
        for patience in (PATIENCE, *[LONG_PATIENCE] * (REPEATS - 1)):
            one, other = await asyncio.gather(
                *(self._ask(port, case, patience) for port in self._ports)
            )
            one, other = one.normalise(), other.normalise()
            if one == other:
                return None
            found = Difference(case, one, other)
        return found

    async def _ask(self, port: int, case: Case, patience: float) -> Answers:
        source = f"127.0.{1 + case.number // 200 % 200}.{1 + case.number % 200}"
        values = dict(self._given)
        if case.number % 4:
            values |= self._credentials
        if SESSION in case.data:
            values[SESSION] = await self._open_session(port, source)
        pieces = case.pieces(fill(case.data, values))
        return await exchange(port, pieces, source, patience)

    async def _open_session(self, port: int, source: str) -> bytes:
        """Return the id of a new session; raise BenchFailure if there is none."""
        session = b""
        for message in (_INITIALIZE, _INITIALIZED):
            stated = b"Mcp-Session-Id: %b\r\n" % session if session else b""
            stated += b"Content-Length: %d\r\n\r\n" % len(message)
            request = fill(_POST + stated + message, self._credentials)
            answers = await exchange(port, [request], source, LONG_PATIENCE)
            session = session or _find(rb"(?i)\r\nmcp-session-id: ([^\r\n]+)", answers)
        if not session:
            raise BenchFailure(f"the server opened no session: {answers.data[:500]!r}")
        return session

    async def _read_page(self) -> None:
        """Take from a page what requests repeat."""
        request = fill(_PAGE, self._credentials)
        source = "127.0.0.1"
        answers = await exchange(self._ports[0], [request], source, LONG_PATIENCE)
        self._given = {
            ETAG: _find(rb"(?i)\r\netag: ([^\r\n]+)", answers),
            ASSET: _find(rb'href="(/-/[^"]+\.css)"', answers),
        }

    async def _shrink(self, found: Difference) -> Difference:
        """Return a difference with less in it, as small as a few tries make it."""
        tries = 0
        candidates: Iterator[Case] = list_smaller(found.case)
        while tries < MAX_TRIES and (case := next(candidates, None)) is not None:
            tries += 1
            if (smaller := await self._differ(case)) is not None:
                found, candidates = smaller, list_smaller(case)
        return found


def _find(pattern: bytes, answers: Answers) -> bytes:
    found = re.search(pattern, answers.data)
    return found[1] if found else b""
