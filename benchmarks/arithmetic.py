"""Medians, ratios and the format of figures."""

from collections.abc import Sequence
from statistics import median


def ratio(ones: Sequence[float], others: Sequence[float]) -> float:
    """Return the median of the ratios of each round."""
    return median(
        one / other if other else float("inf")
        for one, other in zip(ones, others, strict=True)
    )


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that this share of the values does not exceed."""
    ranked = sorted(values)
    return ranked[max(0, -(-len(ranked) * share // 1).__int__() - 1)]


def figure(value: float) -> str:
    """Return a number with three significant digits."""
    size = abs(value)
    if size >= 100:
        return f"{value:,.0f}"
    if size >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}"


def milliseconds(microseconds: float) -> str:
    """Return a latency in milliseconds."""
    return figure(microseconds / 1000)
