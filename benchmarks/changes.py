"""Row `changes`: a documentation tree with many changes at once.

The server has all cores, as in production: threads build the index.
"""

import shutil
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import median
from typing import Final

import tantivy

from benchmarks import pings
from benchmarks.arithmetic import figure, percentile
from benchmarks.bench import Bench, Outcome, Section
from benchmarks.client import Client, result_of
from benchmarks.failure import BenchFailure
from benchmarks.requests import ToolCall, Wire
from benchmarks.servers import Running, ours_docs
from benchmarks.writes import replace_file

TREE: Final = 1_000
"""Pages of the tree that is replaced at once."""
RATE: Final = 100
"""Calls per second during the change."""
AFTER: Final = 6.0
"""Seconds for which the loop is measured before the first and after the last change."""
HIDDEN: Final = 5
"""Pages that are hidden, one after the other."""
DOCUMENT_COUNTS: Final = (0, 200, 1_000)
"""Other pages that change while one is hidden."""
BOUND: Final = 60.0
"""Seconds after which text counts as not deleted."""


def changes(bench: Bench) -> Outcome:
    """Measure the loop while pages change, and the deletion of hidden text."""
    outcome = Outcome()
    free = bench.unpinned()
    with bench.cores.all():
        outcome.add(_late(free))
        outcome.add(_hide(free, [1_000] if bench.is_quick else [1_000, 5_000]))
    return outcome


def _late(bench: Bench) -> Outcome:
    """Replace every page of a tree at once, during calls."""
    outcome, rows = Outcome(), []
    requests = {
        "list_doc_pages": [ToolCall("list_doc_pages", {"limit": 20})],
        "search_docs": [
            ToolCall("search_docs", {"query": f"{word} agents"})
            for word in ("cache", "loop", "record", "review", "context", "budget")
        ],
    }
    for name, calls in requests.items():
        bench.report(f"changes, {TREE} pages, {name}")
        with _served(bench, TREE) as (running, root, _), _asking(running, calls):
            with pings.sending(running.port) as before:
                time.sleep(AFTER)
            with pings.sending(running.port) as during:
                for path in sorted(root.rglob("*.md")):
                    _append(path, "Edited.")
                time.sleep(AFTER)
        waits = [[wait for _, wait in seen] for seen in (before, during)]
        figures = [f for w in waits for f in (percentile(w, 0.99), max(w))]
        rows.append((name, *map(figure, figures)))
        outcome.facts[f"changes/late/{name}"] = max(waits[1])
    outcome.sections.append(
        Section(
            f"The event loop while {TREE:,} pages are replaced, milliseconds",
            (f"{RATE} calls a second", "p99 before", "worst", "p99", "worst"),
            rows,
            "Times of `ping` requests from another process, sent continuously: the "
            "lateness of the loop plus the overhead of the machine.",
        )
    )
    return outcome


@contextmanager
def _served(bench: Bench, count: int) -> Iterator[tuple[Running, Path, Path]]:
    """Serve a tree that may change; yield the server, the tree, and its index."""
    root, cache = bench.folder / "changed", bench.folder / "changed-index"
    shutil.copytree(bench.corpus(count), root)
    try:
        with bench.serving(ours_docs(cache), root) as running:
            running.settle()
            yield running, root, cache
    finally:
        shutil.rmtree(root)
        shutil.rmtree(cache)


def _append(path: Path, words: str) -> None:
    replace_file(path, f"{path.read_text(encoding='utf-8')}\n\n{words}\n")


@contextmanager
def _asking(running: Running, calls: Sequence[ToolCall]) -> Iterator[None]:
    """Make calls in a thread, at a fixed rate, one after the other."""
    is_over = threading.Event()

    def ask() -> None:
        due, number = time.monotonic(), 0
        with Client(running.port) as client:
            while not is_over.wait(max(0.0, due - time.monotonic())):
                number, due = number + 1, due + 1 / RATE
                request = calls[number % len(calls)].request(number, Wire.SESSIONLESS)
                result_of(client.ask(request), number)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def _hide(bench: Bench, sizes: Sequence[int]) -> Outcome:
    """Hide pages, and wait until no file of the index has their words."""
    outcome, rows = Outcome(), []
    for size in sizes:
        for documents in DOCUMENT_COUNTS:
            bench.report(f"changes, a page of {size:,} is hidden, {documents} change")
            with _served(bench, size) as (_, root, cache):
                took = list(_time_hiding(root, cache, documents))
            figures = map(figure, (median(took), max(took)))
            rows.append((f"{size:,}", f"{documents:,}", *figures))
            outcome.facts[f"changes/hidden/{size}/{documents}"] = max(took)
    outcome.sections.append(
        Section(
            "A page is hidden: seconds until the index files have none of its words",
            ("pages", "others changed at once", "median", "worst"),
            rows,
            f"{HIDDEN} pages, one after the other.",
        )
    )
    return outcome


def _time_hiding(root: Path, cache: Path, documents: int) -> Iterator[float]:
    """Yield the seconds after which each of some pages was gone."""
    pages = sorted(root.rglob("*.md"))
    Random("changes").shuffle(pages)
    hidden, others = pages[:HIDDEN], pages[HIDDEN:]
    words = [f"qz{'abcdefgh'[n]}vkj" for n in range(HIDDEN)]
    for path, word in zip(hidden, words, strict=True):
        _append(path, f"The word {word} is here alone.")
    for word in words:
        _wait(cache, word, is_there=True)
    for number, (path, word) in enumerate(zip(hidden, words, strict=True)):
        for other in others[:documents]:
            _append(other, f"Edited {number}.")
        began = time.perf_counter()
        replace_file(path, "---\nstatus: Draft\n---\n# Gone\n")
        _wait(cache, word, is_there=False)
        yield time.perf_counter() - began


def _wait(cache: Path, word: str, *, is_there: bool) -> None:
    deadline = time.monotonic() + BOUND
    while time.monotonic() < deadline:
        if _is_held(cache, word) is is_there:
            return
        time.sleep(0.02)
    raise BenchFailure(f"in {BOUND:.0f} s the index did not follow the files")


def _is_held(cache: Path, word: str) -> bool | None:
    """Whether an index below a folder has a word; None while it changes."""
    try:
        parts = [path.parent for path in cache.rglob("meta.json")]
        searchers = [tantivy.Index.open(str(part)).searcher() for part in parts]
    except (OSError, ValueError):
        return None
    fields = ["words" if part.name.startswith("pages") else "all" for part in parts]
    found = zip(searchers, fields, strict=True)
    return any(searcher.doc_freq(field, word) for searcher, field in found)
