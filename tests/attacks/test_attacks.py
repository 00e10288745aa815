"""Attacks on a real server, while somebody else uses it.

Each prints what the good client saw (`pytest -s`); `docs/reliability.md` has the
figures. What is asserted are errors, ends and counts: times are the machine's.
"""

import asyncio
import json
import os
import resource
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from support import good_client
from support.attacks import HOST, Attacker, attacking, each, reach
from support.canary import Scanner
from support.docs import DocsTree
from support.hasty import prefix
from support.knowledge import KnowledgeBase
from support.processes import Finished, Served, serve_process
from support.wire import chunked

pytestmark = pytest.mark.timeout(seconds=240)

SLOW: Final = prefix("HEAD_SECONDS", "BODY_SECONDS", "STALL_SECONDS")
IDLE: Final = prefix("IDLE_SECONDS")
EVERYBODY: Final = ("--max-connections", "5000")
COUNT: Final = 300
STREAMS: Final = 2_000

GET: Final = b"GET /mcp HTTP/1.1\r\n" + HOST + b"Accept: text/event-stream\r\n\r\n"
HEAD: Final = b"POST /mcp HTTP/1.1\r\n" + HOST
FULL: Final = b"GET /llms-full.txt HTTP/1.1\r\n" + HOST + b"\r\n"
READ: Final = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "resources/read",
        "params": {"uri": "kb://article/long"},
    }
).encode()
BAD: Final = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}}'


def post(body: bytes) -> bytes:
    """Return a message as a request."""
    return HEAD + b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


MALFORMED: Final = (
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 500 + b"\r\n\r\n",
    b"GET /mcp HTTP/9.9\r\n" + HOST + b"\r\n",
    HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    HEAD + b"Content-Length: 2, 3\r\n\r\n{}x",
    HEAD + b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\n{}",
    HEAD + b"X-A: b\r\n c\r\n\r\n",
    HEAD + b"X-A: b\x00c\r\n\r\n",
    HEAD + b"Cookie: a=b\r\n" * 3_000 + b"\r\n",
    HEAD + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}",
    HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunked(b"{" * 9) + b"x\r\n\r\n",
    b"GET /?" + b"a&" * 20_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n",
    b"nonsense\r\n\r\n",
)


@pytest.fixture(autouse=True)
def _many_descriptors() -> Iterator[None]:
    """Have room for both ends: the attackers are in this process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert hard >= 8_192, "the limit of descriptors is too low for this test"
    resource.setrlimit(resource.RLIMIT_NOFILE, (8_192, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture
def site(knowledge: KnowledgeBase) -> KnowledgeBase:
    """Content that has something long in it."""
    knowledge.write("concepts/long", body="long text " * 100_000)
    return knowledge


@pytest.fixture
def docs(tmp_path: Path) -> DocsTree:
    """Documentation of 8 MB, all of which may be asked for at once."""
    tree = DocsTree(tmp_path / "docs")
    for number in range(8):
        tree.write(f"{number}.md", "# Page\n\n```\n" + "x" * 1_000_000 + "\n```\n")
    return tree


@dataclass
class Attacked:
    """A server that is attacked, and what it took before."""

    served: Served
    good: "subprocess.Popen[bytes]"
    fds: int = 0
    rss: int = 0
    taken: int = 0
    """KiB that it has more than before, when all is over."""

    @property
    def pid(self) -> int:
        """Of the server's process."""
        return self.served.running.process.pid

    @property
    def port(self) -> int:
        """Where it listens."""
        return self.served.port

    def count_fds(self) -> int:
        """Return how many descriptors it has."""
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def count_rss(self) -> int:
        """Return how many KiB of memory it has."""
        pages = Path(f"/proc/{self.pid}/statm").read_text().split()[1]
        return int(pages) * resource.getpagesize() // 1024

    async def is_as_before(self) -> None:
        """Wait until it has let go of all its attackers."""
        await reach(lambda: self.count_fds() <= self.fds + 5)
        # Python keeps what objects took, for the next ones. It must not be much.
        await reach(lambda: self.count_rss() < self.rss + 64 * 1024)

    async def go_on(self) -> None:
        """Wait until the good client has made some more calls."""
        assert self.good.stdout is not None
        for _ in "12":
            line = await asyncio.to_thread(self.good.stdout.readline)
            assert line == b"on it goes\n", line


@asynccontextmanager
async def attacked(
    site: KnowledgeBase, scanner: Scanner, *options: str, before: tuple[str, ...] = ()
) -> AsyncIterator[tuple[Attacked, list[Finished]]]:
    """Serve, with a good client that goes on calling; what is left is in the list."""
    left: list[Finished] = []
    with serve_process(site.root, *options, scanner=scanner, prefix=before) as served:
        # Nothing that is made once is to be held against an attack.
        async with attacking(served.port, 8, net=2) as first:
            requests = iter((FULL, GET, post(READ), post(BAD), *MALFORMED[:4]))
            await each(first, lambda one: _ask(one, next(requests)))
        good = subprocess.Popen(
            [sys.executable, good_client.__file__, str(served.port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert good.stdin is not None
        assert good.stdout is not None
        with good, good.stdin, good.stdout:
            assert await asyncio.to_thread(good.stdout.readline) == b"ready\n"
            target = Attacked(served, good)
            await reach(lambda: _is_steady(target))
            try:
                yield target, left
                await target.go_on()
            finally:
                good.stdin.close()
                said = await asyncio.to_thread(good.stdout.read)
                target.taken = target.count_rss() - target.rss
        told = json.loads(said.splitlines()[-1])
        assert told["errors"] == []
        left.append(served.stop())
        _print(told["times"], target)
    _check_log(left[0])


async def _ask(one: Attacker, request: bytes) -> None:
    await one.send(request)
    await one.read_first()


def _is_steady(target: Attacked) -> bool:
    """Whether a server has as many descriptors as at the last look, which it notes."""
    before, target.fds = target.fds, target.count_fds()
    target.rss = target.count_rss()
    return before == target.fds


def _print(times: list[float], target: Attacked) -> None:
    times.sort()
    ranked = [f"{1000 * times[int(len(times) * part)]:.1f}" for part in (0.5, 0.99)]
    name = os.environ["PYTEST_CURRENT_TEST"].split("::")[-1].split(" ")[0]
    print(
        f"\n{name}: {len(times)} good calls, 0 errors, p50 {ranked[0]} ms, "
        f"p99 {ranked[1]} ms, max {1000 * times[-1]:.1f} ms, "
        f"memory {target.taken:+} KiB"
    )


def _check_log(left: Finished) -> None:
    """It ended well, and said little."""
    rows = [json.loads(line) for line in left.err.splitlines()]
    assert left.code == 0
    assert not [row for row in rows if "traceback" in row or row["level"] == "error"]
    others = [row for row in rows if row["event"] != "request"]
    assert len(others) < 60


def drip(data: bytes) -> Any:
    """Return what an attacker does that sends so slowly."""
    return lambda one: one.drip(data)


SLOWNESS = {
    "headers": (b"", HEAD + b"X-Padding: " + b"x" * 10_000),
    "bodies": (HEAD + b"Content-Length: 10000\r\n\r\n", b" "),
    "chunks": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
}


@pytest.mark.parametrize("kind", SLOWNESS)
async def test_slow_senders_are_cut(
    site: KnowledgeBase, scanner: Scanner, kind: str
) -> None:
    """300 that send a byte each tenth of a second: none is there after the deadline."""
    first, rest = SLOWNESS[kind]
    async with attacked(site, scanner, *EVERYBODY, before=SLOW) as (target, left):
        async with attacking(target.port, COUNT, first) as attackers:
            # Each ends when the server hangs up.
            await each(attackers, drip(rest))
        await target.is_as_before()
    assert _count(left, "connections cut") == COUNT


async def test_slow_readers_are_cut(
    site: KnowledgeBase, docs: DocsTree, scanner: Scanner
) -> None:
    """300 that ask for much and read nothing: whole answers, and streamed ones."""
    given = (*EVERYBODY, "--docs", str(docs.root))
    async with attacked(site, scanner, *given, before=SLOW) as (target, left):
        # The good client is not to be measured against the index.
        await reach(lambda: b"index built" in target.served.running.read_stderr())
        async with attacking(target.port, COUNT, window=4096) as attackers:
            for number, one in enumerate(attackers):
                await one.send(FULL if number % 3 else post(READ) * 8)
            await target.is_as_before()
    assert _count(left, "connections cut") == COUNT


async def test_idle_connections_are_cut(site: KnowledgeBase, scanner: Scanner) -> None:
    """300 that say nothing at all; no line of the log is worth it."""
    async with attacked(site, scanner, *EVERYBODY, before=IDLE) as (target, left):
        async with attacking(target.port, COUNT) as attackers:
            await each(attackers, lambda one: one.wait_for_end())
        await target.is_as_before()
    assert _count(left, "connections cut") == 0


async def test_thousands_of_streams_are_held(
    site: KnowledgeBase, scanner: Scanner
) -> None:
    """2,000 from a hundred addresses."""
    async with attacked(site, scanner, *EVERYBODY) as (target, left):
        async with attacking(target.port, STREAMS, GET, each=20) as attackers:
            await each(attackers, lambda one: one.read_first())
            opened = [one for one in attackers if b" 200 OK" in one.received]
            assert len(opened) == STREAMS
            assert target.count_fds() >= target.fds + STREAMS
            print(f"\n{STREAMS} streams: {target.count_rss() - target.rss} KiB")
            # Opened all at once they are a queue; held, they are in nobody's way.
            for _ in range(5):
                await target.go_on()
        await target.is_as_before()
    assert _count(left, "connections cut") == 0


async def test_one_address_gets_its_share_and_no_more(
    site: KnowledgeBase, scanner: Scanner
) -> None:
    """Of 300 connections 64, of those 32 as streams; the others are told so."""
    async with attacked(site, scanner) as (target, left):
        async with attacking(target.port, COUNT, each=COUNT) as attackers:
            await each(attackers, lambda one: _ask(one, GET))
            told = [one.received.partition(b"\r\n")[0] for one in attackers]
            assert told.count(b"HTTP/1.1 200 OK") == 32
            # Some are reset before they have read why.
            assert {*told} <= {
                b"HTTP/1.1 200 OK",
                b"HTTP/1.1 503 Service Unavailable",
                b"",
            }
        await target.is_as_before()
    assert _count(left, "connections refused") == COUNT - 64


async def test_malformed_requests_are_refused(
    site: KnowledgeBase, scanner: Scanner
) -> None:
    """Thousands of twelve kinds, fifty at once: closed or 400, in some lines of log."""
    async with attacked(site, scanner, *EVERYBODY, before=SLOW) as (target, left):
        for _ in range(10):
            for raw in MALFORMED:
                async with attacking(target.port, 20) as attackers:
                    await each(attackers, lambda one, raw=raw: _ask(one, raw))  # type: ignore[misc]
                    for one in attackers:
                        assert one.received[:10] in (b"", b"HTTP/1.1 4")
        await target.is_as_before()
    assert _count(left, "requests not understood") > 1_000


async def test_a_storm_of_errors_is_answered(
    site: KnowledgeBase, scanner: Scanner
) -> None:
    """Thousands of bad calls on fifty connections: some lines, and no traceback."""
    calls = 100

    async def storm(one: Attacker) -> None:
        for _ in range(calls):
            await _ask(one, post(BAD))
            assert one.received.startswith(b"HTTP/1.1 ")
            assert b'"error"' in one.received or b"isError" in one.received

    async with attacked(site, scanner, *EVERYBODY) as (target, left):
        async with attacking(target.port, 50) as attackers:
            await each(attackers, storm)
        await target.is_as_before()
    rows = [json.loads(line) for line in left[0].err.splitlines()]
    bad = [row for row in rows if row.get("code") == -32602]
    told = [row["number"] for row in bad if row["event"] == "requests not logged"]
    assert len(bad) - len(told) + sum(told) >= 50 * calls
    assert len(bad) < 10 * calls


async def test_descriptors_that_run_out_are_no_flood(
    site: KnowledgeBase, scanner: Scanner
) -> None:
    """`ulimit -n 256` and 1,000 that come again and again: some lines, and it lasts.

    Once with the limit that it finds itself, and once with one that is too high.
    """
    limited = ("sh", "-c", 'ulimit -n 256 && exec "$@"', "sh")
    for options in ((), ("--max-connections", "5000")):
        async with attacked(site, scanner, *options, before=limited) as (target, left):
            for _ in range(5):
                async with attacking(target.port, 1_000) as attackers:
                    await each(attackers, lambda one: _ask(one, post(BAD)))
                    told = [one.received[:13] for one in attackers]
                    assert {*told} <= {b"HTTP/1.1 200 ", b"HTTP/1.1 503 ", b""}
                    assert told.count(b"HTTP/1.1 200 ") < 256
            await target.is_as_before()
            async with attacking(target.port, 1, net=2) as (late,):
                await _ask(late, post(BAD))
                assert late.received.startswith(b"HTTP/1.1 200")
        assert _count(left, "connections refused") > 3_000


def _count(left: list[Finished], event: str) -> int:
    """Return how many the lines of such an event tell of."""
    known = {"time", "level", "event"}
    rows = [json.loads(line) for line in left[0].err.splitlines()]
    return sum(
        count
        for row in rows
        if row["event"] == event
        for name, count in row.items()
        if name not in known
    )
