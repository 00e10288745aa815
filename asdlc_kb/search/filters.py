"""Filters of a query: `category:`, `source:`, `version:`, `language:`, `updated:`.

A filter narrows the whole search, and its text is no part of what is searched for. What
only looks like one is text: an unknown value, a filter in parentheses or beside `OR`,
one in a long query. So no query is an error.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from functools import cache, cached_property
from typing import Final, Literal, TypeAlias, cast

import msgspec

from asdlc_kb.search.policy import QUERY_POLICY

FilterName: TypeAlias = Literal["category", "language", "source", "updated", "version"]

ARTICLES: Final = "articles"
"""The source of articles; documentation trees have their names."""

_MAX_YEAR: Final = 9998
"""The first day after it is a date as well."""

_WORD: Final = (
    r"(?<!\S)(?P<sign>[+-])?(?P<name>category|language|source|updated|version):"
    r"(?:\"(?P<quoted>[^\"]+)\"|(?P<value>[^\s()\"]+))(?!\S)"
    r"|\"[^\"]*\"|[()]|[^\s()\"]+|\""
)
_PERIOD: Final = r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?"


class DateRange(msgspec.Struct, frozen=True):
    """Dates from the first to the last, as ISO 8601 dates."""

    first: str = "0001-01-01"
    last: str = "9999-12-31"

    def includes(self, day: str) -> bool:
        """Whether a date is in the range; an empty one is not."""
        return self.first <= day <= self.last


class Filter(msgspec.Struct, frozen=True, dict=True):
    """One filter, as it is written."""

    name: FilterName
    value: str
    is_excluded: bool = False
    """Whether what has the value is left out."""

    @cached_property
    def dates(self) -> DateRange | None:
        """The range of dates in the value; None if it is none."""
        return parse_dates(self.value)


KnowsFilter: TypeAlias = Callable[[Filter], bool]
"""Whether something visible has the value of a filter, other than of `updated`."""


class FilteredQuery(msgspec.Struct, frozen=True):
    """A query: the text to search for, and filters that must all be met."""

    text: str
    filters: tuple[Filter, ...] = ()


def parse_filters(query: str, knows: KnowsFilter) -> FilteredQuery:
    """Split the known filters from a query."""
    if ":" not in query or _is_prose(query):
        return FilteredQuery(query)
    filters: list[Filter] = []
    left: list[str] = []
    end = 0
    for unit in _split_units(query):
        for found, words in _cut_unit(unit, knows):
            filters.append(found)
            left.append(query[end : words[0].start()])
            end = words[-1].end()
    if not filters:
        return FilteredQuery(query)
    text = " ".join((*left, query[end:]))
    return FilteredQuery(" ".join(text.split()), tuple(filters))


def parse_dates(text: str) -> DateRange | None:
    """Return the range that a text states; None if it is none.

    `2026`, `2026-01` or `2026-01-31`; one of them after `>`, `>=`, `<` or `<=`; two of
    them around `..`, of which one may be missing.
    """
    first, dots, last = text.partition("..")
    if dots:
        begins = _parse_period(first) if first else DateRange()
        ends = _parse_period(last) if last else DateRange()
        if not (begins and ends and (first or last)):
            return None
        return DateRange(begins.first, ends.last)
    period = text.lstrip("<>=")
    found = _parse_period(period)
    if found is None:
        return None
    match text[: len(text) - len(period)]:
        case "":
            return found
        case ">":
            return DateRange(first=_shift(found.last, 1))
        case ">=":
            return DateRange(first=found.first)
        case "<":
            return DateRange(last=_shift(found.first, -1))
        case "<=":
            return DateRange(last=found.last)
    return None


def _parse_period(text: str) -> DateRange | None:
    """Return the days of a year, a month or a day; None for anything else."""
    match = re.fullmatch(_PERIOD, text, re.ASCII)
    if match is None:
        return None
    year, month, day = (int(part) if part else 0 for part in match.groups())
    try:
        first = date(year, month or 1, day or 1)
    except ValueError:
        return None
    if not 1 < year <= _MAX_YEAR:
        return None
    if day:
        last = first
    elif month:
        # No month has more than 31 days, and the next one has more than three.
        last = (first + timedelta(31)).replace(day=1) - timedelta(1)
    else:
        last = date(year, 12, 31)
    return DateRange(first.isoformat(), last.isoformat())


def _shift(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days)).isoformat()


def _is_prose(query: str) -> bool:
    """Whether a query is too long for operators."""
    policy = QUERY_POLICY
    is_long = len(query) > policy.max_operator_chars
    return is_long or len(query.split()) > policy.max_operator_words


def _split_units(query: str) -> Iterator[list[re.Match[str]]]:
    """Yield the words of a query outside of parentheses, joined ones together.

    Words are joined by `AND`, `OR` and `NOT`.
    """
    unit: list[re.Match[str]] = []
    depth = 0
    for token in _find_tokens().finditer(query):
        depth -= token[0] == ")"
        is_inner = depth > 0
        depth += token[0] == "("
        if is_inner:
            continue
        follows = bool(unit) and unit[-1][0] in ("AND", "OR", "NOT")
        if unit and not follows and token[0] not in ("AND", "OR"):
            yield unit
            unit = []
        unit.append(token)
    if unit:
        yield unit


@cache
def _find_tokens() -> re.Pattern[str]:
    # Compiled on demand: most queries have no filters.
    return re.compile(_WORD, re.IGNORECASE)


def _cut_unit(
    unit: Sequence[re.Match[str]], knows: KnowsFilter
) -> Iterator[tuple[Filter, list[re.Match[str]]]]:
    """Yield the known filters of joined words, each with the words that are cut.

    These are itself, and the operators that join it to others.
    """
    texts = [token[0] for token in unit]
    if "OR" in texts:
        return
    end = 0
    for at, token in enumerate(unit):
        if token["name"] is None:
            continue
        first = at
        while first and texts[first - 1] == "NOT":
            first -= 1
        is_excluded = ((at - first) % 2 == 1) != (token["sign"] == "-")
        found = _make_filter(token, is_excluded=is_excluded)
        if found.dates is None if found.name == "updated" else not knows(found):
            continue
        last = at
        if first > end and texts[first - 1] == "AND":
            first -= 1
        elif texts[at + 1 : at + 2] == ["AND"]:
            last += 1
        end = last + 1
        yield found, list(unit[first:end])


def _make_filter(token: re.Match[str], *, is_excluded: bool) -> Filter:
    name = cast(FilterName, token["name"].lower())
    value = token["value"] if token["quoted"] is None else token["quoted"]
    return Filter(name, value, is_excluded)
