"""Row `pages`: cost of a page compared with MCP, its size, and the site as files."""

import gzip
import random
import re
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks import corpus, load, servers
from benchmarks.arithmetic import figure, milliseconds, ratio
from benchmarks.bench import Bench, Outcome, Section
from benchmarks.client import Client
from benchmarks.failure import BenchFailure
from benchmarks.load import Load
from benchmarks.nginx import nginx, write_files
from benchmarks.requests import ToolCall, write_requests
from benchmarks.servers import Running

SERVED: Final = 300
"""Articles that are requested as pages and over MCP."""
CONNECTIONS: Final = 16
SIZES: Final = (300, 3_000)
"""Articles of the sites that are written as files."""
PAGE: Final = "page"
FILE: Final = "nginx, static file"
LEVEL: Final = 6
"""Compression level of gzip, as web servers use it."""

# A process inherits the peak of the one that starts it. The benchmarks are larger than
# a build, so a small process starts it.
_MEASURE_PEAK: Final = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""

_LINKED: Final = re.compile(rb'(?:src|href)="(/-/[^"]+\.(css|js))"')
_KINDS: Final = ("HTML", "CSS", "scripts")


def pages(bench: Bench) -> Outcome:
    """Measure pages over HTTP, their bytes, and the static build."""
    outcome = Outcome()
    root = bench.corpus(SERVED)
    samples = list(corpus.samples(SERVED))
    paths = [f"/{sample.category}/{sample.slug}" for sample in samples]
    slugs = [sample.slug for sample in samples]
    bench.report(f"pages, {SERVED} articles")
    with bench.serving(servers.OURS, root) as running:
        outcome.add(_compare(bench, running, paths, slugs))
        outcome.add(_weigh(running, paths))
    outcome.add(_build(bench))
    return outcome


def _compare(
    bench: Bench, running: Running, paths: Sequence[str], slugs: Sequence[str]
) -> Outcome:
    """Load the server alternately with pages and calls, both cached; and nginx."""
    asks = [ToolCall("get_article", {"slug": slug}) for slug in slugs]
    calls = [ask.request(n, running.wire) for n, ask in enumerate(asks, 1)]
    wanted = {
        PAGE: [page_request(path) for path in paths],
        "get_article": calls,
        FILE: [page_request(path) for path in paths],
    }
    files = bench.folder / "files"
    with Client(running.port) as client:
        bodies = {path: client.ask(page_request(path)) for path in paths}
        for request in calls:
            client.ask(request)
    write_files(bodies, files)
    running.settle()
    loads: defaultdict[str, list[Load]] = defaultdict(list)
    with bench.serving(nginx(bench.folder), files) as other:
        _require_same(other, bodies)
        for _ in range(bench.rounds):
            for name in random.sample(sorted(wanted), len(wanted)):
                file = write_requests(wanted[name], bench.folder)
                server = other if name == FILE else running
                seen = load.run(server, file, CONNECTIONS, bench.seconds)
                loads[name].append(seen)
    return tabulate(loads)


def _require_same(other: Running, bodies: Mapping[str, bytes]) -> None:
    with Client(other.port) as client:
        for path, body in bodies.items():
            if client.ask(page_request(path)) != body:
                raise BenchFailure(f"{other.name} answers {path} with another body")


def tabulate(loads: Mapping[str, Sequence[Load]]) -> Outcome:
    """Return how pages, calls and files compare: by processor time and requests."""
    pages, calls, files = (loads[name] for name in (PAGE, "get_article", FILE))
    cost = ratio([p.cpu for p in pages], [c.cpu for c in calls])
    rate = ratio([c.rate for c in calls], [p.rate for p in pages])
    above = ratio([p.cpu for p in pages], [f.cpu for f in files])
    rows = [
        (
            name,
            figure(median(one.rate for one in loads[name])),
            figure(median(one.cpu for one in loads[name])),
            milliseconds(median(one.p50 for one in loads[name])),
            milliseconds(median(one.p99 for one in loads[name])),
        )
        for name in (PAGE, "get_article", FILE)
    ]
    note = (
        f"{SERVED} articles, {CONNECTIONS} connections. A page takes {figure(cost)} "
        f"times the processor time of a call and {figure(rate)} times as long, and "
        f"{figure(above)} times the processor time of the same bytes from nginx, both "
        "with their access log."
    )
    title = "An article as a page, over MCP, and as a file"
    columns = ("answer", "req/s", "CPU µs/req", "p50 ms", "p99 ms")
    facts = {"pages/cost": cost, "pages/time": rate, "pages/nginx": above}
    return Outcome([Section(title, columns, rows, note)], facts)


def page_request(path: str) -> bytes:
    """Return the request of a browser for a page."""
    head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:8420\r\nAccept: text/html\r\n\r\n"
    return head.encode()


def _weigh(running: Running, paths: Sequence[str]) -> Outcome:
    """Measure the bytes of the page of median size with all that it loads."""
    with Client(running.port) as client:
        found = sorted((client.ask(page_request(path)) for path in paths), key=len)
        html = found[len(found) // 2]
        linked = dict.fromkeys(_LINKED.findall(html))
        bodies = {kind: [html] if kind == "HTML" else [] for kind in _KINDS}
        for path, suffix in linked:
            kind = "CSS" if suffix == b"css" else "scripts"
            bodies[kind].append(client.ask(page_request(path.decode())))
    plain = {kind: sum(map(len, parts)) for kind, parts in bodies.items()}
    packed = {
        kind: sum(len(gzip.compress(part, LEVEL)) for part in parts)
        for kind, parts in bodies.items()
    }
    rows = [(k, f"{plain[k]:,}", f"{packed[k]:,}") for k in _KINDS]
    rows.append(("all", f"{sum(plain.values()):,}", f"{sum(packed.values()):,}"))
    return Outcome(
        [
            Section(
                "An article's page, bytes",
                ("part", "plain", "gzip"),
                rows,
                "The page of median size. Browsers cache style sheet and scripts "
                "for a year.",
            )
        ],
        {"pages/weight": sum(packed.values()) / 1024},
    )


def _build(bench: Bench) -> Outcome:
    """Write whole sites as files."""
    outcome, rows = Outcome(), []
    for count in bench.sizes(*SIZES):
        bench.report(f"pages, {count} articles as files")
        root, target = bench.corpus(count), bench.folder / f"site-{count}"
        took, peak = _run_build(bench, root, target)
        files = sum(path.is_file() for path in target.rglob("*"))
        shutil.rmtree(target)
        rows.append((f"{count:,}", f"{files:,}", figure(took), figure(peak)))
        outcome.facts |= {f"build/{count}": took, f"build/peak/{count}": peak}
    title = "The whole site as files"
    columns = ("articles", "files", "seconds", "peak MiB")
    outcome.sections.append(Section(title, columns, rows))
    return outcome


def _run_build(bench: Bench, root: Path, target: Path) -> tuple[float, float]:
    """Return the seconds and the peak memory of a build."""
    command = [*servers.command(), "build", target, root]
    options = ["--base-url", "https://kb.example.com"]
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE_PEAK, *map(str, command), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=bench.folder,
        env=servers.environment(),
    )
    if done.returncode:
        raise BenchFailure(f"build failed with {done.returncode}")
    return time.perf_counter() - began, int(done.stdout) / 1024
