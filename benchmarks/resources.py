"""Rows `startup`, `memory` and `growth`: cost of a larger corpus."""

from contextlib import ExitStack
from statistics import median
from typing import Final

from benchmarks import load, servers
from benchmarks.arithmetic import figure, ratio
from benchmarks.bench import Bench, Outcome, Section
from benchmarks.requests import hot, write_file

SIZES: Final = (30, 300, 3_000, 30_000)
STARTED: Final = tuple(
    server
    for server in servers.ALL
    if server not in {servers.OURS_QUIET, servers.OURS_STATELESS}
)
"""Servers whose startup is measured: our variants start alike."""


def startup(bench: Bench) -> Outcome:
    """Measure from the start of the process to its first answer."""
    outcome, cells = Outcome(), dict[tuple[str, int], str]()
    sizes = bench.sizes(*SIZES)
    for count in sizes:
        root = bench.corpus(count)
        bench.report(f"startup, {count} articles")
        times = 1 if bench.is_quick or count > 3_000 else 5
        took: dict[str, list[float]] = {server.name: [] for server in STARTED}
        for _ in range(times):
            for server in STARTED:
                with bench.start(server, root) as (_, seconds):
                    took[server.name].append(seconds)
        for name, values in took.items():
            cells[name, count] = figure(median(values))
        outcome.facts[f"startup/{count}"] = median(took[servers.OURS.name])
    outcome.sections.append(
        Section(
            "Start to first answer, seconds",
            ("server", *(f"{count:,}" for count in sizes)),
            [
                (server.name, *(cells[server.name, count] for count in sizes))
                for server in STARTED
            ],
            "Nothing is kept on disk between starts; the files are in the page cache.",
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
        for server in STARTED:
            with bench.serving(server, root) as running:
                loaded = running.memory()
                path = write_file(calls, server.wire, bench.folder)
                load.run(running, path, 16, bench.seconds)
                mixed = running.memory()
            cells[server.name, count] = f"{figure(loaded)} → {figure(mixed)}"
            if server is servers.OURS:
                outcome.facts[f"memory/loaded/{count}"] = loaded
                outcome.facts[f"memory/mixed/{count}"] = mixed
    outcome.facts |= _per_article(outcome.facts, min(sizes), max(sizes))
    outcome.sections.append(
        Section(
            "Resident memory, MiB: loaded → after the mix",
            ("server", *(f"{count:,}" for count in sizes)),
            [
                (server.name, *(cells[server.name, count] for count in sizes))
                for server in STARTED
            ],
        )
    )
    return outcome


def _per_article(facts: dict[str, float], few: int, many: int) -> dict[str, float]:
    """Return the KiB of each further article."""
    return {
        f"memory/{when}/each": (
            (facts[f"memory/{when}/{many}"] - facts[f"memory/{when}/{few}"])
            * 1024
            / (many - few)
        )
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
