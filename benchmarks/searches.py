"""Row `search`: keyword searches that are new, without hits, and repeated."""

import json
import re
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final

from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.providers.articles.tools import DEFAULT_MATCHES
from benchmarks import corpus, servers
from benchmarks.arithmetic import figure
from benchmarks.bench import Bench, Outcome, Section
from benchmarks.client import Client, result_of
from benchmarks.failure import BenchFailure
from benchmarks.requests import ToolCall
from benchmarks.servers import Running

SIZES: Final = (30, 300, 3_000, 30_000)

Row = tuple[str, tuple[str, ...], str]
"""Title, tags and description in lower case."""


def search(bench: Bench) -> Outcome:
    """Measure the processor time of searches, and of the naive loop in this process."""
    outcome = Outcome()
    rows = []
    sizes = bench.sizes(*SIZES)
    for count in sizes:
        bench.report(f"search, {count} articles")
        limit = 300 if bench.is_quick or count > 3_000 else 2_000
        new = corpus.queries(count, limit)
        repeats = new[:20] * (100 if bench.is_quick else 200)
        none = [f"zq{number}xj" for number in range(len(repeats))]
        naive, totals = _naive(count, new)
        alone = _alone(bench.corpus(count), new, totals)
        with bench.serving(servers.OURS, bench.corpus(count)) as running:
            _cost(running, [f"warm{number}zq" for number in range(20)])
            running.settle()
            uncached, slow = _cost(running, new, totals)
            missed, _ = _cost(running, none)
            _cost(running, new[:20])
            repeated, _ = _cost(running, repeats)
        outcome.facts |= {
            f"search/alone/naive/{count}": alone / naive,
            f"search/missed/{count}": missed,
            f"search/repeated/{count}": repeated,
        }
        figures = (naive, alone, uncached, slow, missed, repeated)
        rows.append((f"{count:,}", *map(figure, figures)))
    few, many = min(sizes), max(sizes)
    for kind in ("missed", "repeated"):
        growth = (
            outcome.facts[f"search/{kind}/{many}"]
            / outcome.facts[f"search/{kind}/{few}"]
        )
        outcome.facts[f"search/{kind}/{few}/{many}"] = growth
    outcome.sections.append(
        Section(
            "Searches, ours, processor µs each",
            (
                "articles",
                "naive loop",
                "our search",
                "request, new query",
                "its p50, wall µs",
                "request without hits",
                "one of 20 repeated",
            ),
            rows,
            "The naive loop and our search rank and count in one process, the loop "
            "over fields in lower case. Requests are sent one after the other and "
            "answered with up to 10 articles, at most 5,000 characters. "
            "Background work of the server, such as scans for changed files, is "
            "included.",
        )
    )
    return outcome


def _cost(
    running: Running, queries: Sequence[str], totals: Sequence[int] | None = None
) -> tuple[float, float]:
    """Return processor and median wall time of a search; check how much it found."""
    mode = {"mode": "keyword"}
    calls = [ToolCall("search_articles", {"query": query, **mode}) for query in queries]
    requests = [ask.request(1, running.wire) for ask in calls]
    bodies, waits = [], []
    with Client(running.port) as client:
        before = running.cpu_seconds()
        for request in requests:
            began = time.perf_counter()
            bodies.append(client.ask(request))
            waits.append(time.perf_counter() - began)
        used = running.cpu_seconds() - before
    for number, body in enumerate(bodies):
        found = _total(result_of(body, 1))
        if totals is not None and found != totals[number]:
            raise BenchFailure(
                f"{queries[number]!r}: {found} found, not {totals[number]}"
            )
    return used / len(queries) * 1e6, median(waits) * 1e6


def _total(result: dict[str, Any]) -> int:
    """Return how many a search found: its rows, or what its note says."""
    first, *notes = result["content"]
    for note in notes:
        if matched := re.search(r"of ([\d,]+) articles shown", note["text"]):
            return int(matched[1].replace(",", ""))
    return len(json.loads(first["text"]))


def _alone(root: Path, queries: Sequence[str], totals: Sequence[int]) -> float:
    """Return the processor time of the search alone."""
    catalog = ArticleLibrary(root).load()
    catalog.precompute()
    before = time.process_time()
    found = [catalog.search(query, None, DEFAULT_MATCHES).total for query in queries]
    used = time.process_time() - before
    if found != list(totals):
        raise BenchFailure("our search does not find as much as the naive loop")
    return used / len(queries) * 1e6


def _naive(count: int, queries: Sequence[str]) -> tuple[float, list[int]]:
    """Return the processor time of the naive loop, and how much each query finds."""
    rows = [
        (
            sample.title.lower(),
            tuple(tag.lower() for tag in sample.tags),
            sample.description.lower(),
        )
        for sample in corpus.samples(count)
    ]
    before = time.process_time()
    totals = [len(find(rows, query)) for query in queries]
    return (time.process_time() - before) / len(queries) * 1e6, totals


def find(rows: Sequence[Row], query: str) -> list[int]:
    """Return positions of rows that have the query, best first, by reading each."""
    folded = query.lower()
    hits = []
    for position, (title, tags, description) in enumerate(rows):
        score = (
            3 * (folded in title)
            + 2 * any(folded in tag for tag in tags)
            + (folded in description)
        )
        if score:
            hits.append((-score, position))
    hits.sort()
    return [position for _, position in hits]
