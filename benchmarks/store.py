"""`python -m benchmarks.store --store URL`: what a store of many pages costs.

For each size, a generated documentation tree is written into an empty database of
PostgreSQL, once as a whole and once with one changed page, and served from it: first
without a mirror, then with one. The table has times, sizes, memory and searches.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Final

import psycopg

from benchmarks import corpus, servers
from benchmarks.arithmetic import figure, percentile
from benchmarks.bench import Section
from benchmarks.cache import CACHE
from benchmarks.client import Client, result_of
from benchmarks.failure import BenchFailure
from benchmarks.full_text import questions
from benchmarks.report import table
from benchmarks.requests import ToolCall
from benchmarks.servers import Cores, Running, Server

SIZES: Final = (1_000, 10_000, 100_000)
FREQUENT: Final = ("budget", "review session", "agent policy owner")
"""Queries of words that very many pages have."""
BOUND: Final = 7_200.0
"""Maximum seconds until a server's first answer."""
PAUSE: Final = 0.2
"""Seconds between two requests while an index is built."""
_MIB: Final = 2**20


def main(arguments: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="benchmarks.store", description=__doc__)
    parser.add_argument("--store", required=True, help="an empty database")
    parser.add_argument("--pages", type=int, nargs="+", default=SIZES)
    options = parser.parse_args(arguments)
    columns = [_measure(options.store, count) for count in options.pages]
    names = ("", *(f"{count:,} pages" for count in options.pages))
    rows = [(name, *(column[name] for column in columns)) for name in columns[0]]
    print(table(Section("Sources in PostgreSQL", names, rows, "")))
    return 0


def _measure(store: str, count: int) -> Mapping[str, str]:
    """Return the figures of one size, by what they are."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        root = folder / "pages"
        shutil.copytree(corpus.prepare(count, CACHE), root)
        found = {}
        for name, value in chain(
            _ingest(store, root, folder), _serve(store, count, folder)
        ):
            print(f"{count:,} pages: {name}: {value}", file=sys.stderr, flush=True)
            found[name] = value
        _run("source", "remove", "pages", "--store", store)
    return found


def _ingest(store: str, root: Path, folder: Path) -> Iterator[tuple[str, str]]:
    """Write the tree, and one changed page of it."""
    cache = ("--cache-dir", str(folder / "writer"))
    command = ("ingest", "--docs", f"pages={root}", "--store", store, *cache)
    wall, processor = _time(*command)
    yield "first ingest, seconds", figure(wall)
    yield "its processor time", figure(processor)
    yield "size of the schema, MiB", figure(_read_size(store))
    changed = next(root.rglob("*.md"))
    changed.write_text(changed.read_text("utf-8") + "\nAn addition.\n", "utf-8")
    wall, processor = _time(*command)
    yield "ingest of one changed page, seconds", figure(wall)
    yield "its processor time again", figure(processor)


def _serve(store: str, count: int, folder: Path) -> Iterator[tuple[str, str]]:
    """Serve the store without and with a mirror."""
    with _serving(store, folder) as (running, seconds):
        yield "first answer without a mirror, seconds", figure(seconds)
        yield "search complete after, seconds", figure(_await_index(running))
    with _serving(store, folder) as (running, seconds):
        yield "first answer with a mirror, seconds", figure(seconds)
        _await_index(running)
        running.settle()
        yield "memory, MiB", figure(running.memory())
        for kind, queries in (("", questions(count)), (" of frequent words", FREQUENT)):
            waits = _search(running, queries)
            figures = (figure(percentile(waits, share)) for share in (0.5, 0.95))
            yield f"search{kind}, p50 and p95, ms", " and ".join(figures)
        yield "memory after searches, MiB", figure(running.memory())
    mirror = sum(path.stat().st_size for path in (folder / "server").rglob("*"))
    yield "cache folder, MiB", figure(mirror / _MIB)


@contextmanager
def _serving(store: str, folder: Path) -> Iterator[tuple[Running, float]]:
    cache = ("--cache-dir", str(folder / "server"))
    server = Server(
        "a store",
        lambda root, port: [
            *(*servers.command(), "serve", "-p", str(port), "--wait"),
            *("--rate-limit", "off", "--store", store, *cache),
        ],
        first=ToolCall("list_doc_pages", {}),
    )
    cores = Cores.split(frozenset(os.sched_getaffinity(0)))
    with servers.start(server, folder, cores, folder, bound=BOUND) as started:
        yield started


def _await_index(running: Running) -> float:
    """Return the seconds until a search is answered: its index is complete."""
    began = time.perf_counter()
    request = ToolCall("search_docs", {"query": "agent"}).request(1, running.wire)
    with Client(running.port) as client:
        while json.loads(client.ask(request))["result"].get("isError"):
            if time.perf_counter() - began > BOUND:
                raise BenchFailure(f"no index within {BOUND:.0f} s")
            time.sleep(PAUSE)
    return time.perf_counter() - began


def _search(running: Running, queries: Sequence[str]) -> Sequence[float]:
    """Return the milliseconds of each search, which is new."""
    waits = []
    with Client(running.port) as client:
        for query in queries:
            request = ToolCall("search_docs", {"query": query}).request(1, running.wire)
            began = time.perf_counter()
            answer = client.ask(request)
            waits.append((time.perf_counter() - began) * 1000)
            result_of(answer, 1)
    return waits


def _time(*words: str) -> tuple[float, float]:
    """Return the seconds and the processor seconds of a command of ours."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    _run(*words)
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _run(*words: str) -> None:
    subprocess.run(
        [*servers.command(), *words],
        check=True,
        stdout=subprocess.DEVNULL,
        env=servers.environment(),
    )


def _read_size(store: str) -> float:
    """Return the MiB of all tables and indexes of the schema."""
    statement = (
        "SELECT sum(pg_total_relation_size(pg_class.oid))::bigint FROM pg_class"
        " JOIN pg_namespace ON pg_namespace.oid = relnamespace"
        " WHERE nspname = 'asdlc_kb' AND relkind = 'r'"
    )
    with psycopg.connect(store) as connection:
        ((size,),) = connection.execute(statement).fetchall()
    return float(size) / _MIB


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
