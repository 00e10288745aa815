"""Row `edits`: one edit of a large documentation tree.

The server has all cores, as in production: threads write the index.
"""

import shutil
import time
from pathlib import Path
from random import Random
from statistics import median
from typing import Final

from benchmarks.arithmetic import figure
from benchmarks.bench import Bench, Outcome, Section
from benchmarks.client import Client, result_of
from benchmarks.failure import BenchFailure
from benchmarks.requests import ToolCall
from benchmarks.servers import Running, ours_docs
from benchmarks.writes import replace_file

SIZES: Final = (300, 3_000, 30_000)
EDITS: Final = 5
"""Pages that are edited for each figure, one after the other."""
PAUSE: Final = 0.01
"""Seconds between two searches for an edit."""
BOUND: Final = 60.0
"""Seconds after which an edit counts as lost."""
QUIET: Final = 4.0
"""Seconds for which the processor time of one edit is counted."""


def edits(bench: Bench) -> Outcome:
    """Measure from a save until a search finds it, and its processor time."""
    outcome, rows = Outcome(), []
    free = bench.unpinned()
    with bench.cores.all():
        for count in bench.sizes(*SIZES):
            bench.report(f"edits, {count} pages")
            root, cache = bench.folder / "edited", bench.folder / "edited-index"
            shutil.copytree(bench.corpus(count), root)
            with free.serving(ours_docs(cache), root) as running:
                running.settle()
                took, used = _measure(running, root)
            shutil.rmtree(root)
            shutil.rmtree(cache)
            rows.append((f"{count:,}", figure(took), figure(used)))
            outcome.facts[f"edits/searchable/{count}"] = took
            outcome.facts[f"edits/cpu/{count}"] = used
    title = "One edit of a documentation tree"
    columns = ("pages", "searchable after, s", "CPU, ms")
    note = (
        f"Medians of {EDITS} edits each, each an atomic replacement. Processor time is "
        f"that of the {QUIET:.0f} seconds after an edit that nothing searches for, "
        "less that of as many idle seconds."
    )
    outcome.sections.append(Section(title, columns, rows, note))
    return outcome


def _measure(running: Running, root: Path) -> tuple[float, float]:
    """Return the median seconds until an edit is found, and its milliseconds of CPU."""
    pages = sorted(root.rglob("*.md"))
    pick = Random("edits")
    pick.shuffle(pages)
    # So different that none is taken for a misspelling of another.
    words = ["".join(pick.choices("bdfgklmnprstvz", k=12)) for _ in range(2 * EDITS)]
    edited = list(zip(pages, words, strict=False))
    took = [_time(running, path, word) for path, word in edited[:EDITS]]
    running.settle()
    idle = _use(running)
    used = []
    for path, word in edited[EDITS:]:
        _append(path, word)
        used.append(_use(running) - idle)
        _find(running, word)
        running.settle()
    return median(took), max(median(used), 0) * 1000


def _use(running: Running) -> float:
    """Return the processor seconds of the next seconds."""
    before = running.cpu_seconds()
    time.sleep(QUIET)
    return running.cpu_seconds() - before


def _time(running: Running, path: Path, word: str) -> float:
    began = time.perf_counter()
    _append(path, word)
    _find(running, word)
    return time.perf_counter() - began


def _append(path: Path, word: str) -> None:
    text = path.read_text(encoding="utf-8")
    replace_file(path, f"{text}\n\nThe word {word} is new.\n")


def _find(running: Running, word: str) -> None:
    """Search until a page has the word; raise BenchFailure after `BOUND`."""
    request = ToolCall("search_docs", {"query": word}).request(1, running.wire)
    deadline = time.perf_counter() + BOUND
    with Client(running.port) as client:
        while time.perf_counter() < deadline:
            result = result_of(client.ask(request), 1)
            text = result["content"][0]["text"]
            # Without results, the text is a sentence with the query.
            if text.startswith("Found ") and word in text:
                return
            time.sleep(PAUSE)
    raise BenchFailure(f"no search finds an edit within {BOUND:.0f} s")
