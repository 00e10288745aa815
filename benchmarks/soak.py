"""`python -m benchmarks.soak [--minutes 20]`: stability of a server under load.

Fifty requests a second in both eras and to the website, one edit a second, and five
hundred streams that come and go, against one server as a user starts it. Each second
begins with the mix, without a pause between requests, and has new searches, searches
without hits and pages. Each answer is checked; memory, descriptors and threads are
read from `/proc`. The result is how much the memory grew after the first tenth.
"""

import argparse
import os
import resource
import shutil
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from typing import Final

from benchmarks import corpus, servers
from benchmarks.arithmetic import figure, percentile
from benchmarks.bench import Section
from benchmarks.cache import CACHE
from benchmarks.client import Client
from benchmarks.failure import BenchFailure
from benchmarks.new_searches import distinct
from benchmarks.report import table
from benchmarks.requests import ToolCall, Wire, hot, searches
from benchmarks.servers import Cores, Running
from benchmarks.streams import listen, open_session
from benchmarks.writes import save_atomically, save_in_place

ARTICLES: Final = 300
RATE: Final = 50
"""Requests a second."""
BURST: Final = 100
"""Requests of the mix at the beginning of each second."""
DISTINCT: Final = 20_000
"""Searches after which they are repeated: more than any cache keeps."""
MAX_GROWTH: Final = 12.0
"""MiB that an hour may add to the memory after the first tenth of the run."""
STREAMS: Final = 500
RENEWED: Final = 10
"""Streams that are replaced per second."""
ROWS: Final = 10
"""Lines of the table."""
_PAGES: Final = ("/", "/patterns/", "/search?q=agent", "/llms.txt", "/feed.xml")


class Load:
    """The load of one second, repeated."""

    def __init__(self, running: Running, root: Path, stack: ExitStack) -> None:
        self._running = running
        self._root = root
        self._pick = Random("soak")
        self._asks = hot(ARTICLES)["mix"]
        self._new = self._list_new()
        self._paths = [
            f"/{sample.category}/{sample.slug}" for sample in corpus.samples(ARTICLES)
        ]
        self._client = stack.enter_context(Client(running.port))
        self._streams: deque[Client] = deque()
        self._opened = 0
        self._number = 0
        self.latencies: list[float] = []
        self._dues = self._requests()
        stack.callback(self._close)

    def second(self, number: int) -> None:
        """Call, edit, and renew streams; raise BenchFailure for a wrong answer."""
        began = time.monotonic()
        (save_atomically if number % 2 else save_in_place)(self._root, number)
        self._toggle(number)
        for _ in range(RENEWED):
            self._renew()
        for _ in range(BURST):
            self._number += 1
            self._call(self._pick.choice(self._asks), self._number)()
        for index in range(RATE):
            wait = began + index / RATE - time.monotonic()
            if wait > 0:
                time.sleep(wait)
            next(self._dues)()
        for stream in self._streams:
            _drain(stream)

    def _requests(self) -> Iterator[Callable[[], None]]:
        """Yield ten kinds of requests in turn: half of them searches that are new."""
        while True:
            self._number += 1
            number = self._number
            match number % 10:
                case 0:
                    query = {"query": f"save {number}", "mode": "fulltext"}
                    yield self._call(ToolCall("search_articles", query), number)
                case 1:
                    yield partial(self._ask, _get(_PAGES[number // 10 % len(_PAGES)]))
                case 2 | 3:
                    yield partial(self._ask, _get(self._pick.choice(self._paths)))
                case 4 | 5 | 6 | 7:
                    yield self._call(next(self._new), number)
                case _:
                    yield self._call(self._pick.choice(self._asks), number)

    def _list_new(self) -> Iterator[ToolCall]:
        """Yield mostly distinct searches, with further ones without hits each time."""
        calls = distinct(ARTICLES, DISTINCT)
        for lap in count():
            yield from calls
            yield from searches(corpus.missing(DISTINCT // 10, DISTINCT * (lap + 1)))

    def _call(self, ask: ToolCall, number: int) -> Callable[[], None]:
        wire = Wire.STATELESS if number % 2 else Wire.SESSIONLESS
        return partial(self._ask, ask.request(number, wire))

    def _ask(self, request: bytes) -> None:
        began = time.perf_counter()
        self._client.ask(request)
        self.latencies.append((time.perf_counter() - began) * 1000)

    def _toggle(self, number: int) -> None:
        """Add an article, demote it, delete it: one of them each second."""
        path = self._root / "practices" / "comes-and-goes.md"
        text = (self._root / "concepts" / "newest.md").read_text(encoding="utf-8")
        match number % 3:
            case 0:
                path.write_text(text, encoding="utf-8")
            case 1:
                draft = text.replace('status: "Live"', 'status: "Draft"')
                path.write_text(draft, encoding="utf-8")
            case _:
                path.unlink(missing_ok=True)

    def _renew(self) -> None:
        if len(self._streams) >= STREAMS:
            self._streams.popleft().socket.close()
        connect = listen if self._opened % 2 else open_session
        self._streams.append(connect(self._running, self._opened % STREAMS))
        self._streams[-1].socket.setblocking(False)
        self._opened += 1

    def _close(self) -> None:
        for stream in self._streams:
            stream.socket.close()


def _drain(stream: Client) -> None:
    try:
        if not stream.socket.recv(65_536):
            raise BenchFailure("the server ended a stream")
    except BlockingIOError:
        return


def _get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()


def main(arguments: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="benchmarks.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=20)
    minutes: float = parser.parse_args(arguments).minutes
    hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard_limit, hard_limit))
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        root = Path(folder) / "content"
        shutil.copytree(corpus.prepare(ARTICLES, CACHE), root)
        save_atomically(root, 0)
        # A separate index, deleted with the folder; feeds need a base URL.
        cache = ("--cache-dir", str(Path(folder) / "cache"))
        server = servers.ours(*cache, "--base-url", "http://127.0.0.1:8420")
        cores = Cores.split(frozenset(os.sched_getaffinity(0)))
        running, _ = stack.enter_context(
            servers.start(server, root, cores, Path(folder))
        )
        print(table(_run(running, Load(running, root, stack), round(minutes * 60))))
    return 0


def _run(running: Running, load: Load, seconds: int) -> Section:
    rows, sizes, seen = [], [], 0
    step = max(1, seconds // ROWS)
    for number in range(1, seconds + 1):
        load.second(number)
        if number % step == 0:
            recent, seen = load.latencies[seen:], len(load.latencies)
            figures = (percentile(recent, 0.5), percentile(recent, 0.99), max(recent))
            sizes.append(running.memory())
            rows.append((_clock(number), *_read(running), *map(figure, figures)))
            print(rows[-1], file=sys.stderr, flush=True)
    columns = ("after", "MiB", "descriptors", "threads", "p50 ms", "p99", "worst")
    title = f"{len(load.latencies):,} requests"
    return Section(title, columns, rows, describe_growth(sizes, seconds))


def describe_growth(sizes: Sequence[float], seconds: int) -> str:
    """Return how much the memory grew from the first of some MiB to the last."""
    growth = sizes[-1] - sizes[0]
    is_met = "yes" if growth <= MAX_GROWTH else "**no**"
    return (
        f"Resident memory grew by {figure(growth)} MiB from {_clock(seconds // ROWS)} "
        f"to {_clock(seconds)}; goal: at most {MAX_GROWTH:g} MiB in an hour: {is_met}."
    )


def _read(running: Running) -> tuple[str, str, str]:
    process = Path(f"/proc/{running.pid}")
    files, threads = (len(list((process / at).iterdir())) for at in ("fd", "task"))
    return figure(running.memory()), str(files), str(threads)


def _clock(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
