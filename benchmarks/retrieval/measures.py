"""Measures of a ranking: rank of the first relevant result, MRR, nDCG."""

from collections.abc import Collection, Mapping, Sequence
from math import log2
from statistics import fmean
from typing import Final

DEPTH: Final = 10
"""Number of first results that are evaluated."""


def find_rank(found: Sequence[str], relevant: Collection[str]) -> int | None:
    """Return the rank of the first relevant result, from 1; None without any."""
    ranks = (rank for rank, key in enumerate(found[:DEPTH], 1) if key in relevant)
    return next(ranks, None)


def share_within(ranks: Sequence[int | None], most: int) -> float:
    """Return the share of ranks that are at most a number."""
    return fmean(rank is not None and rank <= most for rank in ranks)


def mean_reciprocal(ranks: Sequence[int | None]) -> float:
    """Return the mean reciprocal rank."""
    return fmean(0.0 if rank is None else 1 / rank for rank in ranks)


def ndcg(found: Sequence[str], grades: Mapping[str, float]) -> float:
    """Return the discounted gain of the results, relative to the ideal order."""
    ideal = sorted(grades.values(), reverse=True)
    return _gain([grades.get(key, 0.0) for key in found]) / _gain(ideal)


def _gain(grades: Sequence[float]) -> float:
    return sum(grade / log2(at + 1) for at, grade in enumerate(grades[:DEPTH], 1))
