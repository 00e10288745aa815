"""Rows `tools` and `mix`: requests a second, processor time, latency."""

import random
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks import load, servers, verify
from benchmarks.arithmetic import figure, milliseconds, ratio
from benchmarks.bench import Bench, Outcome, Section
from benchmarks.load import Load
from benchmarks.requests import ToolCall, hot, write_file
from benchmarks.servers import Running

CONNECTIONS: Final = (1, 16, 64)
QUICK_CONNECTIONS: Final = (16,)
WARM_SECONDS: Final = 1.0
TOOLS: Final = ("get_article", "search_articles", "list_articles")
WORKLOADS: Final = {"mix": ("mix",), "tools": TOOLS}
"""Workloads of each row."""
PAIRS: Final = {
    "quiet/bare": (servers.OURS_QUIET, servers.BARE),
    "ours/bare": (servers.OURS, servers.BARE),
    "ours/python": (servers.OURS, servers.PYTHON_SDK),
    "ours/fastmcp": (servers.OURS, servers.FASTMCP),
    "ours/ts-server": (servers.OURS_STATELESS, servers.TS_SERVER),
    "ours/ts-lowlevel": (servers.OURS_STATELESS, servers.TS_LOWLEVEL),
}
"""Compared servers: of equal wire format, with logs unless named otherwise."""

Loads = dict[tuple[str, int, str], list[Load]]
"""By workload, connections and server: the load of each round."""


def throughput(bench: Bench, rows: Sequence[str]) -> Outcome:
    """Measure the rows `mix` and `tools`, or one of them, over the same servers."""
    workloads = [workload for row in rows for workload in WORKLOADS[row]]
    outcome = Outcome()
    for count in bench.sizes(300):
        loads = _rounds(bench, count, workloads)
        outcome.add(tabulate(loads, count, workloads, _connections(bench)))
    return outcome


def _connections(bench: Bench) -> Sequence[int]:
    return QUICK_CONNECTIONS if bench.is_quick else CONNECTIONS


def _rounds(bench: Bench, count: int, workloads: Sequence[str]) -> Loads:
    """Load every server in turn, round after round, starting with another one."""
    root = bench.corpus(count)
    by_workload = hot(count)
    distinct = [ask for name in TOOLS for ask in by_workload[name]]
    own = verify.collect_fresh(bench, servers.OURS, root, distinct)
    loads: Loads = defaultdict(list)
    with ExitStack() as stack:
        running = [
            stack.enter_context(bench.serving(server, root)) for server in servers.ALL
        ]
        for server in running:
            rehearse(bench, server, by_workload["mix"])
            require_right(bench, server, root, distinct, own)
        for number in range(bench.rounds):
            bench.report(f"{count} articles, round {number + 1} of {bench.rounds}")
            for workload in workloads:
                for connections in _connections(bench):
                    for server in random.sample(running, len(running)):
                        path = write_file(
                            by_workload[workload], server.wire, bench.folder
                        )
                        loads[workload, connections, server.name].append(
                            load.run(server, path, connections, bench.seconds)
                        )
        for server in running:
            rehearse(bench, server, by_workload["mix"])
            require_right(bench, server, root, distinct, own)
    return loads


def require_right(
    bench: Bench,
    server: Running,
    root: Path,
    calls: Sequence[ToolCall],
    own: Sequence[object],
) -> None:
    """Compare ours with a server without cached results, and the peers with ours."""
    if server.name.startswith(servers.OURS.name):
        expected = own
        if server.wire is not servers.OURS.wire:
            expected = verify.collect_fresh(bench, server.server, root, calls)
        verify.require_same(server, calls, expected)
    else:
        verify.require_like(server, calls, own)


def rehearse(bench: Bench, server: Running, calls: Sequence[ToolCall]) -> None:
    """Warm a server up; read every answer."""
    path = write_file(calls, server.wire, bench.folder)
    load.run(server, path, 64, WARM_SECONDS, is_read=True)
    # It closes those connections before it has room for others of one address.
    server.settle()


def tabulate(
    loads: Loads, count: int, workloads: Sequence[str], connections: Sequence[int]
) -> Outcome:
    """Return the tables of some loads, and the ratios and latencies as facts."""
    outcome = Outcome()
    names = [server.name for server in servers.ALL]
    for workload in workloads:
        rows = [
            _row(loads[workload, number, name], number, name)
            for number in connections
            for name in names
        ]
        outcome.sections.append(
            Section(
                f"{workload}, {count} articles",
                ("connections", "server", "req/s", "CPU µs/req", "p50 ms", "p99 ms"),
                rows,
            )
        )
        for number, name in product(connections, names):
            outcome.facts[f"{workload}/rate/{name}/{count}/{number}"] = median(
                load.rate for load in loads[workload, number, name]
            )
        for number in connections:
            slowest = max(
                load.p99 for load in loads[workload, number, servers.OURS.name]
            )
            outcome.facts[f"{workload}/p99/{count}/{number}"] = slowest / 1000
            outcome.facts[f"{workload}/tail/{count}/{number}"] = median(
                load.p99 / max(load.p50, 1)
                for load in loads[workload, number, servers.OURS.name]
            )
    outcome.add(_ratios(loads, count, workloads, connections))
    return outcome


def _row(loads: Sequence[Load], connections: int, name: str) -> Sequence[str]:
    return (
        str(connections),
        name,
        figure(median(load.rate for load in loads)),
        figure(median(load.cpu for load in loads)),
        milliseconds(median(load.p50 for load in loads)),
        milliseconds(median(load.p99 for load in loads)),
    )


def _ratios(
    loads: Loads, count: int, workloads: Sequence[str], connections: Sequence[int]
) -> Outcome:
    outcome = Outcome()
    rows = []
    for workload in workloads:
        for number in connections:
            cells = []
            for name, (own, other) in PAIRS.items():
                ones = loads[workload, number, own.name]
                others = loads[workload, number, other.name]
                rates = ratio([o.rate for o in ones], [o.rate for o in others])
                costs = ratio([o.cpu for o in others], [o.cpu for o in ones])
                cells.append(f"{figure(rates)} / {figure(costs)}")
                outcome.facts[f"{workload}/{name}/{count}/{number}"] = rates
            rows.append((f"{workload} @{number}", *cells))
    pairs = (f"{own.name} : {other.name}" for own, other in PAIRS.values())
    outcome.sections.append(
        Section(
            f"Ratios, {count} articles",
            ("load @ connections", *pairs),
            rows,
            "Requests a second / processor time per request: how many times better "
            "ours is, as the median of the rounds' ratios.",
        )
    )
    return outcome
