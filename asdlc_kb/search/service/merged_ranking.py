"""One ranking of the hits of several indexes.

A score is a sum over the terms of a query, each weighted by how rare it is in its
index. One word can be rare in one index and common in another, so the scores of an
index are scaled as if all documents were in one: by the rarity of the terms in all
indexes together, divided by that in its own (D-194).
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from heapq import merge
from typing import NamedTuple

from asdlc_kb.search.values import IndexFrequencies, SearchResults


class RankedHit(NamedTuple):
    """Where a hit is in the results of several indexes."""

    source: int
    """The number of the results."""
    number: int
    """The number of the hit in these."""


def rank_hits(found: Sequence[SearchResults]) -> Iterator[RankedHit]:
    """Yield the hits of merged searches of one query, best first.

    Documents of which a name equals the query come first. The hits of each index keep
    their order.
    """
    scales = find_scales([results.frequencies for results in found])
    ranked = merge(
        *(
            _list_hits(source, results, scale)
            for source, (results, scale) in enumerate(zip(found, scales, strict=True))
        )
    )
    return (hit for *_, hit in ranked)


def find_scales(indexes: Sequence[IndexFrequencies]) -> list[float]:
    """Return the factor by which the scores of each index become comparable."""
    documents = sum(index.documents for index in indexes)
    counts: Counter[str] = Counter()
    for index in indexes:
        counts.update({stem: term.documents for stem, term in index.terms.items()})
    scales = []
    for index in indexes:
        known = [(stem, term) for stem, term in index.terms.items() if term.documents]
        together = sum(t.weight * _rarity(documents, counts[s]) for s, t in known)
        alone = sum(t.weight * _rarity(index.documents, t.documents) for _, t in known)
        scales.append(together / alone if alone else 1.0)
    return scales


def _list_hits(
    source: int, results: SearchResults, scale: float
) -> Iterator[tuple[int, float, RankedHit]]:
    """Yield hits in the order of the ranking, the lowest first."""
    for number, hit in enumerate(results.hits):
        yield -hit.match, -hit.score * scale, RankedHit(source, number)


def _rarity(documents: int, having: int) -> float:
    """Return the inverse document frequency of BM25, as the engine computes it."""
    return math.log(1 + (documents - having + 0.5) / (having + 0.5))
