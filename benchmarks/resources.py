"""Rows `startup`, `memory` and `growth`: cost of a larger corpus."""

import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks import load, servers
from benchmarks.arithmetic import figure, ratio
from benchmarks.bench import Bench, Outcome, Section
from benchmarks.failure import BenchFailure
from benchmarks.requests import hot, write_file
from benchmarks.servers import Server

SIZES: Final = (30, 300, 3_000, 30_000)
STORED_SECONDS: Final = 60.0
"""Seconds after its start within which a server has written its parsed files."""
PEERS: Final = tuple(
    server
    for server in servers.ALL
    if server not in {servers.OURS, servers.OURS_QUIET, servers.OURS_STATELESS}
)


def startup(bench: Bench) -> Outcome:
    """Measure from the start of the process to its first answer, in turns."""
    outcome, cells = Outcome(), dict[tuple[str, int], str]()
    sizes = bench.sizes(*SIZES)
    for count in sizes:
        root = bench.corpus(count)
        bench.report(f"startup, {count} articles")
        times = 1 if bench.is_quick else 5 if count <= 3_000 else 3
        started = _variants(bench, root, count)
        took: dict[str, list[float]] = {server.name: [] for server in started}
        for _ in range(times):
            for server in started:
                with bench.start(server, root) as (_, seconds):
                    took[server.name].append(seconds)
        for name, values in took.items():
            cells[name, count] = figure(median(values))
            outcome.facts[f"startup/{name}/{count}"] = median(values)
    outcome.sections.append(
        Section(
            "Start to first answer, seconds",
            ("server", *(f"{count:,}" for count in sizes)),
            [(name, *(cells[name, count] for count in sizes)) for name in took],
            "The files are in the page cache. Only a server that starts from its "
            "cache finds anything of an earlier start.",
        )
    )
    return outcome


def memory(bench: Bench) -> Outcome:
    """Measure resident memory once the articles are loaded, and after the mix."""
    outcome, cells = Outcome(), dict[tuple[str, int], str]()
    sizes = bench.sizes(*SIZES)
    for count in sizes:
        root, calls = bench.corpus(count), hot(count)["mix"]
        bench.report(f"memory, {count} articles")
        for server in (measured := _variants(bench, root, count)):
            with bench.serving(server, root) as running:
                loaded = running.memory()
                path = write_file(calls, server.wire, bench.folder)
                load.run(running, path, 16, bench.seconds)
                mixed = running.memory()
            cells[server.name, count] = f"{figure(loaded)} → {figure(mixed)}"
            outcome.facts[f"memory/loaded/{server.name}/{count}"] = loaded
            outcome.facts[f"memory/mixed/{server.name}/{count}"] = mixed
    outcome.facts |= _per_article(outcome.facts, min(sizes), max(sizes))
    names = [server.name for server in measured]
    outcome.sections.append(
        Section(
            "Resident memory, MiB: loaded → after the mix",
            ("server", *(f"{count:,}" for count in sizes)),
            [(name, *(cells[name, count] for count in sizes)) for name in names],
        )
    )
    return outcome


def _variants(bench: Bench, root: Path, count: int) -> Sequence[Server]:
    """Return ours without a cache and with a complete one, and the peers."""
    cached = fill_cache(bench, root, bench.folder / f"cache-{count}")
    return (servers.OURS_UNCACHED, cached, *PEERS)


def fill_cache(bench: Bench, root: Path, folder: Path) -> Server:
    """Return ours with a cache folder that has the parsed files of a root.

    A server writes them a few seconds after its start, when it may be at rest already.
    """
    cached = servers.ours_cached(folder)
    with bench.serving(cached, root) as running:
        deadline = time.monotonic() + STORED_SECONDS
        while not any((folder / "parsed").glob("articles-*")):
            if time.monotonic() > deadline:
                raise BenchFailure(f"no parsed files within {STORED_SECONDS:.0f} s")
            time.sleep(0.05)
        running.settle()
    return cached


def _per_article(facts: dict[str, float], few: int, many: int) -> dict[str, float]:
    """Return the KiB of each further article."""
    return {
        f"memory/{when}/each": (
            (facts[f"memory/{when}/{own}/{many}"] - facts[f"memory/{when}/{own}/{few}"])
            * 1024
            / (many - few)
        )
        for own in (servers.OURS_UNCACHED.name,)
        for when in ("loaded", "mixed")
        if many > few
    }


def growth(bench: Bench) -> Outcome:
    """Measure the cost of a hot request for each size, in interleaved rounds."""
    sizes = bench.sizes(*SIZES)
    costs: dict[int, list[float]] = {count: [] for count in sizes}
    rates: dict[int, list[float]] = {count: [] for count in sizes}
    with ExitStack() as stack:
        running = {
            count: stack.enter_context(bench.serving(servers.OURS, bench.corpus(count)))
            for count in sizes
        }
        files = {
            count: write_file(hot(count)["mix"], servers.OURS.wire, bench.folder)
            for count in sizes
        }
        for count, server in running.items():
            load.run(server, files[count], 16, 1)
        for number in range(bench.rounds):
            bench.report(f"growth, round {number + 1} of {bench.rounds}")
            for count, server in running.items():
                seen = load.run(server, files[count], 16, bench.seconds)
                costs[count].append(seen.cpu)
                rates[count].append(seen.rate)
    few, many = min(sizes), max(sizes)
    rise = ratio(costs[many], costs[few])
    rows = [
        (f"{count:,}", figure(median(rates[count])), figure(median(costs[count])))
        for count in sizes
    ]
    return Outcome(
        [Section("Hot mix, ours, 16 connections", ("articles", "req/s", "µs"), rows)],
        {f"growth/{few}/{many}": rise},
    )
