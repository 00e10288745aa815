"""One ranking of the hits of several indexes.

A score is a sum over the terms of a query, each weighted by how rare it is in its
index. One word can be rare in one index and common in another, so the scores of an
index are scaled as if all documents were in one: by the rarity of the terms in the
pages and sections of all indexes together, divided by that in its own (D-197).
"""

import math
from collections.abc import Iterator, Sequence
from heapq import merge
from typing import Final, NamedTuple

from asdlc_kb.search.policy import QUERY_POLICY
from asdlc_kb.search.values import IndexFrequencies, SearchResults, TermFrequency

_NEVER: Final = TermFrequency(0.0, 0, 0)


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
    together = _add(indexes)
    scales = []
    for index in indexes:
        known = [stem for stem, term in index.terms.items() if term.documents]
        alone = sum(_weigh(index, stem, index.terms[stem].weight) for stem in known)
        shared = sum(_weigh(together, stem, index.terms[stem].weight) for stem in known)
        scales.append(shared / alone if alone else 1.0)
    return scales


def _add(indexes: Sequence[IndexFrequencies]) -> IndexFrequencies:
    """Return the frequencies of all indexes together; weights do not matter."""
    terms: dict[str, TermFrequency] = {}
    for index in indexes:
        for stem, term in index.terms.items():
            _, documents, sections = terms.get(stem, _NEVER)
            terms[stem] = TermFrequency(
                1.0, documents + term.documents, sections + term.sections
            )
    return IndexFrequencies(
        sum(index.documents for index in indexes),
        sum(index.sections for index in indexes),
        terms,
    )


def _weigh(index: IndexFrequencies, stem: str, weight: float) -> float:
    """Return how much a term adds to a score, of a page and its best section."""
    term = index.terms[stem]
    share = QUERY_POLICY.section_share
    of_page = _rarity(index.documents, term.documents)
    of_section = _rarity(index.sections, term.sections)
    return weight * ((1 - share) * of_page + share * of_section)


def _list_hits(
    source: int, results: SearchResults, scale: float
) -> Iterator[tuple[int, float, RankedHit]]:
    """Yield hits in the order of the ranking, the lowest first."""
    for number, hit in enumerate(results.hits):
        yield -hit.match, -hit.score * scale, RankedHit(source, number)


def _rarity(documents: int, having: int) -> float:
    """Return the inverse document frequency of BM25, as the engine computes it."""
    return math.log(1 + (documents - having + 0.5) / (having + 0.5))
