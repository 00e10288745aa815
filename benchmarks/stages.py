"""Row `stages`: the parts of our server in which a request's processor time goes."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks import corpus, load, servers, verify
from benchmarks.arithmetic import figure
from benchmarks.bench import Bench, Outcome, Section
from benchmarks.client import Client
from benchmarks.failure import BenchFailure
from benchmarks.new_searches import SENT, distinct
from benchmarks.new_searches import WORKLOAD as DISTINCT
from benchmarks.pages import page_request
from benchmarks.requests import ToolCall, hot, searches, write_file, write_requests
from benchmarks.servers import Running, Server
from benchmarks.throughput import rehearse

SERVED: Final = 300
CONNECTIONS: Final = 16
BOUND: Final = 20.0
"""Seconds within which the samples are written."""
OTHER: Final = "event loop, start-up code"
THREADS: Final = "other threads: log, files"
PARTS: Final[Mapping[str, str]] = {
    "asdlc_kb.web.connections": "connections: read, frame, send",
    "asdlc_kb.web.fast_path": "fast path",
    "asdlc_kb.web": "HTTP: admission, routes, headers",
    "tornado": "Tornado",
    "asdlc_kb.mcp": "MCP: parse, cache, encode",
    "asdlc_kb.providers": "tools: arguments, answers",
    "asdlc_kb.articles": "articles: catalog, keyword search",
    "asdlc_kb.search": "full-text search, speller",
    "asdlc_kb.site": "website",
    "asdlc_kb.files": "files: freshness",
    "asdlc_kb.ops": "logs, metrics, limits",
}
"""Parts by the beginning of a module's name, the first that fits."""
STAGES: Final = (*PARTS.values(), THREADS, OTHER)

Shares = Mapping[str, float]
"""Processor µs of a request by part."""


def stages(bench: Bench) -> Outcome:
    """Measure by samples where the time of four kinds of requests goes."""
    root, file = bench.corpus(SERVED), bench.folder / "samples.json"
    calls = hot(SERVED)
    seconds = 1.0 if bench.is_quick else 3 * bench.seconds
    found: dict[str, Shares] = {}
    with bench.serving(Server("ours, sampled", _sampled(file)), root) as running:
        rehearse(bench, running, calls["mix"])
        verify.collect(running, searches(corpus.missing(1)))
        with Client(running.port) as client:
            for name in _list_paths():
                client.ask(page_request(name))
        for name, path in _write_loads(bench, running, calls).items():
            bench.report(f"stages, {name}")
            running.settle()
            threads, began = _thread_seconds(running), running.cpu_seconds()
            os.kill(running.pid, signal.SIGUSR1)
            if name == DISTINCT:
                cost = load.run_once(running, path, CONNECTIONS).cpu
            else:
                cost = load.run(running, path, CONNECTIONS, seconds).cpu
            os.kill(running.pid, signal.SIGUSR2)
            used = running.cpu_seconds() - began
            share = (_thread_seconds(running) - threads) / used
            found[name] = divide(_read_counts(file), cost, min(share, 1))
    return tabulate(found)


def _write_loads(
    bench: Bench, running: Running, calls: Mapping[str, Sequence[ToolCall]]
) -> Mapping[str, Path]:
    """Return the file of requests of each kind."""
    wire, folder = running.wire, bench.folder
    pages = [page_request(path) for path in _list_paths()]
    return {
        "get_article": write_file(calls["get_article"], wire, folder),
        "remembered search": write_file(calls["search_articles"], wire, folder),
        DISTINCT: write_file(distinct(SERVED, SENT), wire, folder),
        "article page": write_requests(pages, folder),
    }


def _list_paths() -> Sequence[str]:
    return [f"/{sample.category}/{sample.slug}" for sample in corpus.samples(SERVED)]


def divide(counts: Mapping[str, int], cost: float, threads: float) -> Shares:
    """Return the µs of each stage of a request that takes `cost` µs.

    `counts` are samples by module, `threads` the share of the time in other threads.
    """
    shares = dict.fromkeys(STAGES, 0.0)
    total = max(sum(counts.values()), 1)
    for module, count in counts.items():
        shares[_find_stage(module)] += cost * (1 - threads) * count / total
    shares[THREADS] = cost * threads
    return shares


def _find_stage(module: str) -> str:
    for prefix, stage in PARTS.items():
        if module == prefix or module.startswith(f"{prefix}."):
            return stage
    return OTHER


def tabulate(found: Mapping[str, Shares]) -> Outcome:
    """Return the table, and each value as a fact."""
    rows = [
        (stage, *(figure(shares[stage]) for shares in found.values()))
        for stage in STAGES
    ]
    rows.append(("all", *(figure(sum(shares.values())) for shares in found.values())))
    facts = {
        f"stages/{name}/{stage}": value
        for name, shares in found.items()
        for stage, value in shares.items()
    }
    note = (
        "Samples of the main thread, taken every few milliseconds of processor time; "
        f"{SERVED} articles, {CONNECTIONS} connections, logs on. Time in the kernel "
        "and in C libraries counts for the part that called them."
    )
    title = "Where the time of a request goes, ours, processor µs"
    return Outcome([Section(title, ("part", *found), rows, note)], facts)


def _sampled(file: Path) -> Callable[[Path, int], Sequence[str | Path]]:
    """Return the command of our server with its profiler, which writes to a file."""

    def start(root: Path, port: int) -> Sequence[str | Path]:
        command = servers.OURS.command(root, port)
        arguments = command[len(servers.command()) :]
        return [sys.executable, servers.PEERS / "sampled.py", file, *arguments]

    return start


def _thread_seconds(running: Running) -> float:
    """Return the processor time of its threads but the main one, and its children."""
    return running.cpu_seconds() - running.main_thread_seconds()


def _read_counts(file: Path) -> Mapping[str, int]:
    """Return the samples, and delete their file."""
    deadline = time.monotonic() + BOUND
    while not file.exists():
        if time.monotonic() > deadline:
            raise BenchFailure(f"no samples were written within {BOUND:.0f} s")
        time.sleep(0.01)
    counts: Mapping[str, int] = json.loads(file.read_text(encoding="utf-8"))
    file.unlink()
    return counts
