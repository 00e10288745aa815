"""A real server under attack while a good client goes on calling."""

import asyncio
import json
import os
import resource
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from support import good_client
from support.attacks import HOST, Attacker, attacking, each, reach
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.processes import Finished, Served, serve_process
from support.wire import chunked

FULL: Final = b"GET /llms-full.txt HTTP/1.1\r\n" + HOST + b"\r\n"
HEAD: Final = b"POST /mcp HTTP/1.1\r\n" + HOST
GET: Final = b"GET /mcp HTTP/1.1\r\n" + HOST + b"Accept: text/event-stream\r\n\r\n"
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
    """Return a message as an HTTP request."""
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


@dataclass
class Attacked:
    """A server under attack, and its use of resources before."""

    served: Served
    good: "subprocess.Popen[bytes]"
    fds: int = 0
    rss: int = 0
    taken: int = 0
    """KiB that the server has more than before, after the attack."""

    @property
    def pid(self) -> int:
        """The server's process id."""
        return self.served.running.process.pid

    @property
    def port(self) -> int:
        """The server's port."""
        return self.served.port

    def count_fds(self) -> int:
        """Return the number of open descriptors."""
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def count_rss(self) -> int:
        """Return the resident memory in KiB."""
        pages = Path(f"/proc/{self.pid}/statm").read_text().split()[1]
        return int(pages) * resource.getpagesize() // 1024

    async def is_as_before(self) -> None:
        """Wait until all connections of attackers are released."""
        await reach(lambda: self.count_fds() <= self.fds + 5)
        # Python keeps the memory of freed objects for reuse, up to a bound.
        await reach(lambda: self.count_rss() < self.rss + 64 * 1024)

    async def go_on(self) -> None:
        """Wait for some more calls of the good client."""
        assert self.good.stdout is not None
        for _ in "12":
            line = await asyncio.to_thread(self.good.stdout.readline)
            assert line == b"on it goes\n", line


@asynccontextmanager
async def attacked(
    site: KnowledgeBase, scanner: Scanner, *options: str, before: tuple[str, ...] = ()
) -> AsyncIterator[tuple[Attacked, list[Finished]]]:
    """Serve, with a good client that goes on calling; the end fills the list."""
    finished: list[Finished] = []
    with serve_process(site.root, *options, scanner=scanner, prefix=before) as served:
        # Lazily created objects do not count as growth.
        async with attacking(served.port, 8, net=2) as first:
            requests = iter((FULL, GET, post(READ), post(BAD), *MALFORMED[:4]))
            await each(first, lambda one: ask(one, next(requests)))
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
                yield target, finished
                await target.go_on()
            finally:
                good.stdin.close()
                output = await asyncio.to_thread(good.stdout.read)
                target.taken = target.count_rss() - target.rss
        figures = json.loads(output.splitlines()[-1])
        assert figures["errors"] == []
        finished.append(served.stop())
        _print(figures["times"], target)
    _check_log(finished[0])


async def ask(one: Attacker, request: bytes) -> None:
    """Send a request, and read the first bytes of the response."""
    await one.send(request)
    await one.read_first()


def _is_steady(target: Attacked) -> bool:
    """Whether the descriptors are as many as at the last check, which is recorded."""
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


def _check_log(finished: Finished) -> None:
    """Check that the server ended well and logged little."""
    rows = [json.loads(line) for line in finished.err.splitlines()]
    assert finished.code == 0
    assert not [row for row in rows if "traceback" in row or row["level"] == "error"]
    others = [row for row in rows if row["event"] != "request"]
    assert len(others) < 60


def count_events(finished: list[Finished], event: str) -> int:
    """Return how many events the lines of a kind add up to."""
    known = {"time", "level", "event"}
    rows = [json.loads(line) for line in finished[0].err.splitlines()]
    return sum(
        count
        for row in rows
        if row["event"] == event
        for name, count in row.items()
        if name not in known
    )
