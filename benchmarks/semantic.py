"""`python -m benchmarks.semantic`: what the setting `semantic` gains, and its costs.

Quality: of judged collections the nDCG@10 by words alone and with meaning; of trees of
documentation the MRR@10 of queries that are made of their pages. Weights are chosen on
the queries with even numbers, and reported on the others. A judged collection is
`{"docs": [{"id", "title", "text"}], "queries": [{"text", "relevant": {"id": grade}}]}`.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import log2
from pathlib import Path
from statistics import fmean, median
from typing import Final

from asdlc_kb.docs.documents import PageSource
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.search.query.meaning import is_question
from asdlc_kb.search.query.operators import parse_query
from asdlc_kb.search.semantic.semantic_search import open_semantic_search
from asdlc_kb.search.service.fulltext import FullText
from asdlc_kb.search.values import (
    DocumentSource,
    IndexedSection,
    SearchDocument,
    SearchRequest,
)
from benchmarks.arithmetic import percentile
from benchmarks.bench import Section
from benchmarks.policy import make_query_sets
from benchmarks.report import table

RESULTS: Final = 10
SECTIONS: Final = 5_000
"""Sections of the index of which the time of a query is measured."""
QUERIES: Final = 200
HALVES: Final = ("dev", "test")

_MEMORY: Final = """
import sys
from benchmarks.semantic import measure_memory
measure_memory(int(sys.argv[1]), sys.argv[2] == "on")
"""


@dataclass(frozen=True, slots=True)
class Judged:
    """A query, and the grade of each relevant document."""

    text: str
    relevant: Mapping[str, float]


class Collection(DocumentSource):
    """A source of fixed documents."""

    def __init__(self, documents: Sequence[SearchDocument]) -> None:
        self._documents = {document.key: document for document in documents}

    def digests(self) -> Mapping[str, bytes]:
        """Return the digests."""
        return {key: document.digest for key, document in self._documents.items()}

    def document(self, key: str) -> SearchDocument:
        """Return a document."""
        return self._documents[key]


def main(arguments: list[str]) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="benchmarks.semantic", description=__doc__)
    parser.add_argument("--half", choices=HALVES, default="test")
    parser.add_argument("--judged", nargs="*", type=Path, default=[])
    parser.add_argument("--trees", nargs="*", type=Path, default=[])
    given = parser.parse_args(arguments)
    rows = [_measure_judged(path, given.half) for path in given.judged]
    rows += [row for path in given.trees for row in _measure_tree(path, given.half)]
    if rows:
        print(table(_describe_quality(rows, given.half)))
    print(table(_measure_costs()))
    return 0


def read_judged(path: Path) -> tuple[Collection, list[Judged]]:
    """Read a judged collection; each document is one section."""
    data = json.loads(path.read_text(encoding="utf-8"))
    documents = [
        _make_document(str(row["id"]), row["title"], row["text"])
        for row in data["docs"]
    ]
    queries = [
        Judged(row["text"], {str(key): grade for key, grade in row["relevant"].items()})
        for row in data["queries"]
    ]
    return Collection(documents), queries


def _make_document(key: str, title: str, text: str) -> SearchDocument:
    digest = blake2b(f"{key}\0{title}\0{text}".encode(), digest_size=16).digest()
    section = IndexedSection("", "", 0, 1, text)
    return SearchDocument(key, digest, title, "", (), "", (section,))


def ndcg(found: Sequence[str], relevant: Mapping[str, float]) -> float:
    """Return the normalized discounted cumulative gain of the first results."""
    best = sorted(relevant.values(), reverse=True)[:RESULTS]
    ideal = sum((2**grade - 1) / log2(at + 2) for at, grade in enumerate(best))
    gains = (2 ** relevant.get(key, 0) - 1 for key in found[:RESULTS])
    return sum(gain / log2(at + 2) for at, gain in enumerate(gains)) / ideal


def reciprocal_rank(found: Sequence[str], relevant: Mapping[str, float]) -> float:
    """Return the reciprocal rank of the first relevant result."""
    ranks = (at for at, key in enumerate(found[:RESULTS], 1) if relevant.get(key))
    return 1 / next(ranks, float("inf"))


@dataclass(frozen=True, slots=True)
class Quality:
    """The mean measure of some queries, and of those that are questions."""

    name: str
    by_words: Sequence[float]
    with_meaning: Sequence[float]
    are_questions: Sequence[bool]

    def gain(self, *, of_questions: bool) -> float:
        """Return the mean difference."""
        rows = zip(self.with_meaning, self.by_words, self.are_questions, strict=True)
        gains = [
            after - before for after, before, one in rows if one or not of_questions
        ]
        return fmean(gains) if gains else 0.0


def _measure_judged(path: Path, half: str) -> Quality:
    source, queries = read_judged(path)
    return _compare(path.stem, source, queries[HALVES.index(half) :: 2], ndcg)


def _measure_tree(path: Path, half: str) -> Iterator[Quality]:
    """Yield the quality for queries of each kind, made of the pages of a tree."""
    source = PageSource(DocLibrary(path).load())
    for query_set in make_query_sets(source):
        cases = query_set.fixtures.case[HALVES.index(half) :: 2]
        queries = [
            Judged(case.query, dict.fromkeys(case.must_include, 1.0)) for case in cases
        ]
        name = f"{path.name}, {query_set.kind}"
        yield _compare(name, source, queries, reciprocal_rank)


def _compare(
    name: str,
    source: DocumentSource,
    queries: Sequence[Judged],
    measure: Callable[[Sequence[str], Mapping[str, float]], float],
) -> Quality:
    print(name, file=sys.stderr, flush=True)
    scores = []
    for index in (_open(is_semantic=False), _open(is_semantic=True)):
        index.sync(source)
        index.embed()
        found = [_find(index, query.text) for query in queries]
        rows = zip(found, queries, strict=True)
        scores.append([measure(keys, query.relevant) for keys, query in rows])
    asked = [is_question(parse_query(query.text), query.text) for query in queries]
    by_words, with_meaning = scores
    return Quality(name, by_words, with_meaning, asked)


def _open(*, is_semantic: bool) -> FullText:
    semantic = open_semantic_search(lambda done, all_of: None) if is_semantic else None
    return FullText(None, semantic=semantic)


def _find(index: FullText, query: str) -> list[str]:
    request = SearchRequest(query, RESULTS, lambda key, digest: True)
    return [hit.key for hit in index.search(request).hits]


def _describe_quality(measured: Sequence[Quality], half: str) -> Section:
    rows = [
        (
            one.name,
            str(len(one.by_words)),
            f"{fmean(one.by_words):.4f}",
            f"{fmean(one.with_meaning):.4f}",
            f"{one.gain(of_questions=False):+.4f}",
            str(sum(one.are_questions)),
            f"{one.gain(of_questions=True):+.4f}",
        )
        for one in measured
    ]
    return Section(
        f"Quality with meaning, {half} half",
        ("queries of", "count", "words", "meaning", "gain", "questions", "their gain"),
        rows,
        "nDCG@10 of judged collections, MRR@10 of known pages.",
    )


def _measure_costs() -> Section:
    documents = _make_documents(SECTIONS)
    index = _open(is_semantic=True)
    index.sync(Collection(documents))
    started = time.process_time()
    index.embed()
    embedding = (time.process_time() - started) * 1_000 / SECTIONS
    plain = _open(is_semantic=False)
    plain.sync(Collection(documents))
    queries = [
        f"how do I {document.sections[0].text[:40]}?"
        for document in documents[:QUERIES]
    ]
    times = [_time_queries(one, queries) for one in (plain, index)]
    names = ("by words", "with meaning")
    rows = [
        (
            f"a question {name}, ms",
            f"{median(took):.2f}",
            f"{percentile(took, 0.95):.2f}",
        )
        for name, took in zip(names, times, strict=True)
    ]
    off, on = (_run_memory(SECTIONS, state) for state in ("off", "on"))
    return Section(
        f"Costs of meaning with {SECTIONS:,} sections",
        ("what", "p50", "p95"),
        [
            *rows,
            ("embedding a section, ms", f"{embedding:.2f}", ""),
            ("private memory, MB more", f"{on[0] - off[0]:.1f}", ""),
            ("memory of mapped files, MB more", f"{on[1] - off[1]:.1f}", ""),
        ],
        "Processor time of one process; the least of three rounds for each question.",
    )


def _make_documents(count: int) -> list[SearchDocument]:
    """Return documents with one section of about a hundred words each."""
    words = (Path(__file__).parent.parent / "docs" / "search.md").read_text("utf-8")
    vocabulary = sorted({word.lower() for word in words.split() if word.isalpha()})
    documents = []
    for number in range(count):
        state = int.from_bytes(blake2b(str(number).encode()).digest()[:8], "big")
        text = []
        for _ in range(100):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            text.append(vocabulary[(state >> 33) % len(vocabulary)])
        documents.append(_make_document(f"{number}.md", text[0], " ".join(text)))
    return documents


def _time_queries(index: FullText, queries: Sequence[str]) -> list[float]:
    """Return the milliseconds of processor time of each query."""
    rounds = []
    for _ in range(3):
        took = []
        for query in queries:
            started = time.process_time()
            _find(index, query)
            took.append((time.process_time() - started) * 1_000)
        rounds.append(took)
    return [min(row) for row in zip(*rounds, strict=True)]


def _run_memory(count: int, state: str) -> tuple[float, float]:
    """Return the private and the file-backed memory of a process of its own, in MB."""
    command = [sys.executable, "-c", _MEMORY, str(count), state]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    private, mapped = map(float, done.stdout.split())
    return private, mapped


def measure_memory(count: int, is_semantic: bool) -> None:
    """Index documents, search once, and print the memory of this process."""
    index = _open(is_semantic=is_semantic)
    index.sync(Collection(_make_documents(count)))
    index.embed()
    _find(index, "how do I clear the cache?")
    status = Path("/proc/self/status").read_text(encoding="ascii")
    fields = dict(line.split(":", 1) for line in status.splitlines())
    for name in ("RssAnon", "RssFile"):
        print(int(fields[name].split()[0]) / 1024)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
