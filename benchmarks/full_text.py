"""Row `docs`: full-text search of a documentation tree, next to other engines."""

import json
import random
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any, Final, TypeVar

from asdlc_kb.docs.documents import PageSource
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.search.service.fulltext import FullText
from asdlc_kb.search.values import DocumentSource, SearchRequest
from benchmarks import corpus, pypi, servers
from benchmarks.arithmetic import figure, percentile
from benchmarks.bench import Bench, Outcome, Section
from benchmarks.client import Client, result_of
from benchmarks.requests import ToolCall
from benchmarks.servers import OURS_DOCS, SERVEMD, Server, ours_docs

T = TypeVar("T")

SIZES: Final = (100, 1_000, 5_000)
SERVED: Final = 400
"""Pages of the tree that is queried over HTTP."""
MOST_WHOOSH: Final = 1_000
"""With more pages, Whoosh takes minutes to build."""
QUERIES: Final = 100
LIGHT: Final = 100
"""Pages of the tree for which memory is measured."""
COLUMNS: Final = ("build", "reopen", "one change", "p50", "p95")


def full_text(bench: Bench) -> Outcome:
    """Measure building, opening, changing and searching an index; search over HTTP."""
    outcome = Outcome()
    rows = []
    for count in [size for size in SIZES if not bench.is_quick or size <= 100]:
        bench.report(f"docs, {count} pages")
        root, queries = bench.corpus(count), questions(count)
        with bench.cores.all():
            engines = _engines(root, queries, bench.folder, count)
        for name, measured in engines.items():
            rows.append((f"{count:,}", name, *_write(measured)))
            if name == "ours":
                outcome.facts |= {f"docs/{k}/{count}": v for k, v in measured.items()}
    outcome.sections += (
        Section(
            "Full text in one process, milliseconds",
            ("pages", "engine", *COLUMNS),
            rows,
            "Each engine uses all cores, with its code loaded. Build: from files on "
            "disk to the index. Reopen: with every checksum compared. One change: from "
            "a changed page to its index. The last two columns are single queries, "
            "half of them with a typing error, with excerpts.",
        ),
        _over_http(bench, outcome),
        _weigh(bench, outcome),
    )
    return outcome


def questions(count: int) -> Sequence[str]:
    """Return queries: words of titles and descriptions, every other one misspelt."""
    pick = random.Random(count)
    found: list[str] = []
    for sample in pick.choices(list(corpus.samples(count)), k=QUERIES):
        words = sample.description.rstrip(".").split()
        start = pick.randrange(max(1, len(words) - 4))
        query = " ".join([*sample.title.split()[:2], *words[start : start + 3]])
        found.append(_misspell(query, pick) if len(found) % 2 else query)
    return found


def _misspell(query: str, pick: random.Random) -> str:
    words = query.split()
    at = max(range(len(words)), key=lambda n: len(words[n]))
    place = pick.randrange(1, max(2, len(words[at]) - 1))
    words[at] = words[at][:place] + words[at][place + 1 :]
    return " ".join(words)


def _engines(
    root: Path, questions: Sequence[str], folder: Path, count: int
) -> Mapping[str, Mapping[str, float]]:
    measured = {"ours": _measure_ours(root, questions, folder / f"index-{count}")}
    if count <= MOST_WHOOSH:
        measured["Whoosh-Reloaded"] = _measure_whoosh(
            root, questions, folder / f"whoosh-{count}"
        )
    return measured


def _measure_ours(
    root: Path, questions: Sequence[str], folder: Path
) -> Mapping[str, float]:
    def build() -> FullText:
        library = DocLibrary(root)
        index = FullText(folder)
        index.sync(PageSource(library.load()))
        return index

    # The code of both engines is loaded before they are measured.
    import_module("asdlc_kb.search.index.index_store")
    took, index = _time(build)
    index.close()
    catalog = DocLibrary(root).load()
    opened = FullText(folder)
    reopened, _ = _time(lambda: opened.sync(PageSource(catalog)))
    change = _Changed(PageSource(catalog))
    changed, _ = _time(lambda: opened.sync(change))
    requests = [SearchRequest(query, 10, change.accepts) for query in questions]
    waits = [_time(opened.search, request)[0] for request in requests]
    opened.close()
    return {
        "build": took,
        "reopen": reopened,
        "one change": changed,
        "p50": median(waits),
        "p95": percentile(waits, 0.95),
    }


class _Changed(DocumentSource):
    """A source with one changed page."""

    def __init__(self, source: PageSource) -> None:
        self._source = source
        self._digests = dict(source.digests())
        self._digests[next(iter(self._digests))] = b"another"

    def digests(self) -> Mapping[str, bytes]:
        """Return the digests."""
        return self._digests

    def document(self, key: str) -> Any:
        """Return a document."""
        return self._source.document(key)

    def accepts(self, key: str, digest: bytes) -> bool:
        """Whether a document has its current digest."""
        return self._digests.get(key) == digest


def _measure_whoosh(
    root: Path, questions: Sequence[str], folder: Path
) -> Mapping[str, float]:
    script = servers.PEERS / "whoosh_docs.py"
    command = [pypi.python(), script, root, folder]
    done = subprocess.run(
        [str(part) for part in command],
        input=json.dumps(questions),
        capture_output=True,
        check=True,
        text=True,
    )
    measured: Mapping[str, float] = json.loads(done.stdout)
    return measured


def _over_http(bench: Bench, outcome: Outcome) -> Section:
    """Measure single searches of a served tree."""
    root, queries = bench.corpus(SERVED), questions(SERVED)
    rows = []
    for server in (OURS_DOCS, SERVEMD):
        bench.report(f"docs, {server.name} over HTTP")
        waits = _ask(bench, server, root, queries)
        latencies = (median(waits), percentile(waits, 0.95))
        rows.append((server.name, *map(figure, latencies)))
        outcome.facts[f"docs/http/{server.name}"] = median(waits)
    return Section(
        f"search_docs over HTTP, {SERVED} pages, milliseconds",
        ("server", "p50", "p95"),
        rows,
        "New queries, one after the other.",
    )


def _ask(
    bench: Bench, server: Server, root: Path, questions: Sequence[str]
) -> Sequence[float]:
    waits = []
    with bench.serving(server, root) as running, Client(running.port) as client:
        warm = ToolCall("search_docs", {"query": "warm up"}).request(1, running.wire)
        client.ask(warm)
        for query in questions:
            request = ToolCall("search_docs", {"query": query}).request(1, running.wire)
            waits.append(_time(client.ask, request)[0])
    return waits


def _weigh(bench: Bench, outcome: Outcome) -> Section:
    """Measure a server without full text, and one that builds or opens its index."""
    bench.report(f"docs, memory with {LIGHT} pages")
    rows, least = [], 0.0
    for name, searches in (("none", False), ("made", True), ("opened", True)):
        server = ours_docs(bench.folder / "weighed", searches=searches)
        anonymous, files = _read_memory(bench, server, searches=searches)
        least = least or anonymous + files
        more = anonymous + files - least
        rows.append((name, *map(figure, (anonymous, files, more))))
        outcome.facts[f"docs/memory/{name}"] = more
    return Section(
        f"Memory of a server of {LIGHT} pages, MB",
        ("its index", "its own", "of files", "above no index"),
        rows,
        "After three searches. Of files: memory that the kernel maps and shares, "
        "mostly the code of the search engine.",
    )


def _read_memory(bench: Bench, server: Server, *, searches: bool) -> tuple[float, ...]:
    """Return the private and the file-backed MB of an idle server."""
    queries = ("cache agents", "event loop", "stale recrd") if searches else ()
    with bench.serving(server, bench.corpus(LIGHT)) as running:
        running.settle()
        with Client(running.port) as client:
            for number, query in enumerate(queries):
                ask = ToolCall("search_docs", {"query": query})
                result_of(client.ask(ask.request(number, running.wire)), number)
        running.settle()
        return running.memory_by_kind()


def _time(work: Callable[..., T], *arguments: Any) -> tuple[float, T]:
    """Return the milliseconds that some work takes, and its result."""
    began = time.perf_counter()
    result = work(*arguments)
    return (time.perf_counter() - began) * 1000, result


def _write(measured: Mapping[str, float]) -> Sequence[str]:
    return [figure(measured[name]) if name in measured else "" for name in COLUMNS]
