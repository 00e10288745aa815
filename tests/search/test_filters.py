"""Filters of a query: what is one, what is text, and which dates are meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.search.filters import (
    DateRange,
    Filter,
    FilteredQuery,
    parse_dates,
    parse_filters,
)

KNOWN = {
    ("category", "guide"),
    ("category", "getting started"),
    ("language", "fr"),
    ("source", "api"),
    ("version", "1.0"),
    ("version", "2.0"),
}


def knows(one: Filter) -> bool:
    """Whether a filter has a value of the tests' content."""
    return (one.name, one.value.casefold()) in KNOWN


def show(query: str) -> tuple[str, str]:
    """Return the text of a query, and its filters in short form."""
    parsed = parse_filters(query, knows)
    filters = (f"{'-' * f.is_excluded}{f.name}={f.value}" for f in parsed.filters)
    return parsed.text, " ".join(filters)


@pytest.mark.parametrize(
    ("query", "text", "filters"),
    [
        ("category:guide timeout", "timeout", "category=guide"),
        ("rate limit source:api", "rate limit", "source=api"),
        ("a version:1.0 b", "a b", "version=1.0"),
        ("LANGUAGE:FR a", "a", "language=FR"),
        ('category:"Getting started" a', "a", "category=Getting started"),
        ("updated:2026 a", "a", "updated=2026"),
        ("a updated:>2026-01", "a", "updated=>2026-01"),
        ("source:api", "", "source=api"),
        ("-version:1.0 a", "a", "-version=1.0"),
        ("+version:1.0 a", "a", "version=1.0"),
        ("a NOT version:1.0", "a", "-version=1.0"),
        ("a NOT -version:1.0", "a", "version=1.0"),
        ("a AND source:api", "a", "source=api"),
        ("source:api AND a", "a", "source=api"),
        ("a AND source:api AND b", "a AND b", "source=api"),
        ("a AND NOT version:1.0 AND b", "a AND b", "-version=1.0"),
        ("source:api AND version:1.0 client", "client", "source=api version=1.0"),
        ("source:api AND version:1.0 AND a", "a", "source=api version=1.0"),
        ("a AND source:api AND NOT version:1.0", "a", "source=api -version=1.0"),
        ("source:api a AND version:1.0 b", "a b", "source=api version=1.0"),
        ("(a OR b) AND source:api", "(a OR b)", "source=api"),
        ("source:api AND (a OR b)", "(a OR b)", "source=api"),
        ("a OR b source:api", "a OR b", "source=api"),
        ('"a b" source:api -c', '"a b" -c', "source=api"),
        ("version:1.0 -version:2.0", "", "version=1.0 -version=2.0"),
    ],
)
def test_a_filter_is_split_from_the_text(query: str, text: str, filters: str) -> None:
    """Wherever it stands, with the operator that joins it to other words."""
    assert show(query) == (text, filters)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "timeout",
        "foo:bar",
        "http://example.com/a",
        "std::move",
        "version:",
        "version: 1.0",
        "version:9",
        "category:secret plans",
        "source:",
        "updated:",
        "updated:soon",
        "updated:2026-13",
        "updated:2026-02-30",
        "updated:20",
        "updated:..",
        "updated:=2026",
        "updated:>>2026",
        "x-source:api",
        "source:api,other",
        "source:api)",
        '"in source:api"',
        '"source:api',
        'source:"api"x',
        'source:""',
        "source:api OR a",
        "a OR source:api",
        "a OR b AND source:api",
        "(source:api)",
        "(a source:api) b",
        "how do I " * 4 + "source:api",
        "source:api " + "x" * 190,
    ],
)
def test_what_only_looks_like_a_filter_is_text(query: str) -> None:
    """Unknown values, other keys, and what stands in an alternative."""
    assert parse_filters(query, knows) == FilteredQuery(query)


@given(
    st.lists(
        st.one_of(
            st.sampled_from(["AND", "OR", "NOT", "(", ")", '"', "-", "+", "a", "b:c"]),
            st.sampled_from(["source:api", "-version:1.0", "updated:2026", "version:"]),
            st.text(max_size=6),
        ),
        max_size=12,
    )
)
def test_no_query_is_an_error(words: list[str]) -> None:
    """And what is left has no filter that could have been split off before."""
    query = " ".join(words)
    parsed = parse_filters(query, knows)
    if parsed.filters:
        assert len(parsed.text) < len(query)
        assert " ".join(parsed.text.split()) == parsed.text
    else:
        assert parsed.text == query


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026", "2026-01-01", "2026-12-31"),
        ("2026-02", "2026-02-01", "2026-02-28"),
        ("2024-02", "2024-02-01", "2024-02-29"),
        ("2026-12", "2026-12-01", "2026-12-31"),
        ("2026-01-31", "2026-01-31", "2026-01-31"),
        (">2026", "2027-01-01", "9999-12-31"),
        (">2026-01", "2026-02-01", "9999-12-31"),
        (">2026-01-31", "2026-02-01", "9999-12-31"),
        (">=2026-01", "2026-01-01", "9999-12-31"),
        ("<2025-06-30", "0001-01-01", "2025-06-29"),
        ("<2025", "0001-01-01", "2024-12-31"),
        ("<=2025-06", "0001-01-01", "2025-06-30"),
        ("2026-01..2026-06", "2026-01-01", "2026-06-30"),
        ("2025..", "2025-01-01", "9999-12-31"),
        ("..2025", "0001-01-01", "2025-12-31"),
        (">9998", "9999-01-01", "9999-12-31"),
    ],
)
def test_dates_are_periods(text: str, first: str, last: str) -> None:
    """A year and a month have all of their days; after one is after its last."""
    assert parse_dates(text) == DateRange(first, last)


@pytest.mark.parametrize(
    "text", ["", ">", "9999", "0001", "2026-1", "2026-01-", "٢٠٢٦"]
)
def test_what_is_no_date_has_no_range(text: str) -> None:
    """Also a year before or after which there is none."""
    assert parse_dates(text) is None


def test_a_range_includes_both_ends() -> None:
    """A page without a date is in none."""
    dates = DateRange("2026-01-01", "2026-01-31")
    inside = ["2026-01-01", "2026-01-31"]
    outside = ["2025-12-31", "2026-02-01", ""]
    assert all(map(dates.includes, inside))
    assert not any(map(dates.includes, outside))
    assert not DateRange().includes("")
