"""Collections with human judgements: nDCG@10 and MRR of the full-text search.

A collection is a JSON file that is not part of the repository:
`{"docs": [{"id", "title", "text"}], "queries": [{"text", "relevant": {id: grade}}]}`.
"""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from statistics import fmean

import msgspec

from asdlc_kb.search.service.fulltext import FullText
from asdlc_kb.search.values import (
    DocumentSource,
    IndexedSection,
    SearchDocument,
    SearchRequest,
)
from benchmarks.bench import Section
from benchmarks.failure import BenchFailure
from benchmarks.retrieval.measures import DEPTH, find_rank, mean_reciprocal, ndcg


class JudgedDocument(msgspec.Struct, frozen=True):
    """A document of a collection."""

    id: str
    title: str
    text: str


class JudgedQuery(msgspec.Struct, frozen=True):
    """A query, and the grades of its relevant documents."""

    text: str
    relevant: Mapping[str, float]


class JudgedCollection(msgspec.Struct, frozen=True):
    """Documents, and queries with judgements."""

    docs: tuple[JudgedDocument, ...]
    queries: tuple[JudgedQuery, ...]


@dataclass(frozen=True)
class JudgedScores:
    """Measures of one collection, 0 to 1."""

    name: str
    docs: int
    queries: int
    ndcg: float
    mrr: float


class CollectionSource(DocumentSource):
    """The documents of a collection, each as one section without a heading."""

    def __init__(self, collection: JudgedCollection) -> None:
        self._documents = {doc.id: doc for doc in collection.docs}
        self._digests = {doc.id: _digest(doc) for doc in collection.docs}

    def digests(self) -> Mapping[str, bytes]:
        """Return the digests of all documents."""
        return self._digests

    def document(self, key: str) -> SearchDocument:
        """Return a document."""
        judged = self._documents[key]
        return SearchDocument(
            key=key,
            digest=self._digests[key],
            title=judged.title,
            description="",
            tags=(),
            category="",
            sections=(IndexedSection("", "", 1, 1, judged.text),),
        )


def _digest(document: JudgedDocument) -> bytes:
    return blake2b(
        f"{document.title}\0{document.text}".encode(), digest_size=16
    ).digest()


def read_collection(path: Path) -> JudgedCollection:
    """Return the collection of a file; raise BenchFailure if it is not one."""
    try:
        collection = msgspec.json.decode(path.read_bytes(), type=JudgedCollection)
    except OSError as error:
        raise BenchFailure(f"{path}: {error.strerror}") from None
    except msgspec.MsgspecError as error:
        raise BenchFailure(f"{path}: {error}") from None
    if not collection.queries:
        raise BenchFailure(f"{path}: no queries")
    return collection


def measure_collection(name: str, collection: JudgedCollection) -> JudgedScores:
    """Return the measures of the full-text search, its index in memory."""
    source = CollectionSource(collection)
    digests = source.digests()
    gains, ranks = [], []
    with closing(FullText(None)) as index:
        index.sync(source)
        for query in collection.queries:
            request = SearchRequest(
                query.text, DEPTH, lambda key, digest: digests.get(key) == digest
            )
            found = [hit.key for hit in index.search(request).hits]
            gains.append(ndcg(found, query.relevant))
            ranks.append(find_rank(found, query.relevant))
    return JudgedScores(
        name, len(digests), len(ranks), fmean(gains), mean_reciprocal(ranks)
    )


def show_judged(measured: Sequence[JudgedScores]) -> Section:
    """Return the table, with the mean as its last row."""
    rows = [
        (one.name, f"{one.docs:,}", f"{one.queries:,}", *_show(one.ndcg, one.mrr))
        for one in measured
    ]
    means = (fmean(one.ndcg for one in measured), fmean(one.mrr for one in measured))
    return Section(
        "Judged collections",
        ("collection", "documents", "queries", "nDCG@10", "MRR@10"),
        [*rows, ("mean", "", "", *_show(*means))],
    )


def _show(*values: float) -> tuple[str, ...]:
    return tuple(f"{value:.4f}" for value in values)
