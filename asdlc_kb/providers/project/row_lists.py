"""Several lists in one result, each cut to as many rows as fit it together."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, Final

from asdlc_kb.mcp.protocol.tool_schema import ToolAnswer
from asdlc_kb.providers.shared.size_budget import SizeBudget

MAX_ROWS: Final = 1_000
"""Maximum rows per list."""


class TruncatedRow(ToolAnswer, frozen=True):
    """A truncated list or text, in rows or characters."""

    part: str
    shown: int
    total: int


class RowLists:
    """The lists of a result, each row measured once."""

    def __init__(self, lists: Mapping[str, Sequence[Any]]) -> None:
        self._lists = lists
        self._sums = {part: _add_sizes(rows) for part, rows in lists.items()}

    def count_fitting(self, chars: int) -> int:
        """Return how many rows of each list fit a number of characters."""
        if self.measure(MAX_ROWS) <= chars:
            return MAX_ROWS
        return max(bisect_right(range(MAX_ROWS), chars, key=self.measure) - 1, 0)

    def measure(self, count: int) -> int:
        """Return the characters of lists of at most `count` rows."""
        return sum(sums[: count + 1][-1] for sums in self._sums.values())

    def list_truncated(self, count: int) -> list[TruncatedRow]:
        """Return the lists that have more than `count` rows."""
        return [
            TruncatedRow(part, count, len(rows))
            for part, rows in self._lists.items()
            if len(rows) > count
        ]

    def cut(self, count: int) -> dict[str, tuple[Any, ...]]:
        """Return the first rows of each list."""
        return {part: tuple(rows[:count]) for part, rows in self._lists.items()}


def describe_truncated(
    truncated: Sequence[TruncatedRow], tools: Mapping[str, str]
) -> tuple[str, ...]:
    """Return a sentence on truncated lists, if any, with tools that return them."""
    if not truncated:
        return ()
    shown = ", ".join(f"{row.shown:,} of {row.total:,} {row.part}" for row in truncated)
    named = [tools[row.part] for row in truncated if row.part in tools]
    ways = " or ".join(filter(None, (", ".join(named), "a larger max_chars")))
    return (f"Shown: {shown}. The rest: {ways}.",)


def _add_sizes(rows: Sequence[Any]) -> list[int]:
    """Return the characters of the first 0, 1, 2 and more rows, with separators."""
    return list(accumulate((_measure(row) for row in rows[:MAX_ROWS]), initial=0))


def _measure(row: Any) -> int:
    return 1 - SizeBudget(0).spend(row).chars
