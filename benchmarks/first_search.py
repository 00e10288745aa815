"""Row `first`: the first keyword search after a start, next to GET /health."""

import select
import time
from typing import Final

from benchmarks import corpus, servers
from benchmarks.arithmetic import figure
from benchmarks.bench import Bench, Outcome, Section
from benchmarks.client import Client, result_of
from benchmarks.requests import searches
from benchmarks.resources import fill_cache
from benchmarks.servers import Running

SIZES: Final = (300, 3_000, 30_000)
PAUSE: Final = 0.001
"""Seconds between two requests for the health."""
AFTER: Final = 2.0
"""Seconds for which they go on after the answer."""

_HEALTH: Final = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def first(bench: Bench) -> Outcome:
    """Measure the first search, and the longest wait for the health meanwhile."""
    outcome, rows = Outcome(), []
    for count in bench.sizes(*SIZES):
        root = bench.corpus(count)
        (query,) = corpus.queries(count, 1)
        cached = fill_cache(bench, root, bench.folder / f"first-{count}")
        for server in (servers.OURS_UNCACHED, cached):
            bench.report(f"first search, {count} articles, {server.name}")
            with bench.serving(server, root) as running:
                took, longest = _search(running, query)
            rows.append((f"{count:,}", server.name, figure(took), figure(longest)))
            outcome.facts[f"first/block/{server.name}/{count}"] = longest
    title = "First keyword search after a start, ms"
    columns = ("articles", "server", "the search", "longest GET /health")
    note = (
        "The search is sent after the first answer. The longest request for the "
        "health, until two seconds after the search was answered, is the longest "
        "block of the event loop plus the overhead of the machine."
    )
    outcome.sections.append(Section(title, columns, rows, note))
    return outcome


def _search(running: Running, query: str) -> tuple[float, float]:
    """Return the milliseconds of the search, and of the slowest health request."""
    (call,) = searches([query])
    request, waits = call.request(1, running.wire), []
    took, end = 0.0, float("inf")
    with Client(running.port) as searcher, Client(running.port) as other:
        sent = time.perf_counter()
        searcher.socket.sendall(request)
        while time.perf_counter() < end:
            began = time.perf_counter()
            other.ask(_HEALTH)
            waits.append(time.perf_counter() - began)
            if select.select([searcher.socket], [], [], PAUSE)[0]:
                result_of(searcher.read(), 1)
                took = time.perf_counter() - sent
                end = time.perf_counter() + AFTER
    return took * 1000, max(waits) * 1000
