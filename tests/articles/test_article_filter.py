"""Filters of articles: the same by keyword and in the full text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.articles import make_article

from asdlc_kb.articles.article_filter import (
    ArticleQuery,
    apply_filters,
    find_category,
    find_keys,
    split_query,
)
from asdlc_kb.articles.keyword_search import KeywordSearch
from asdlc_kb.articles.sorting import sort_articles
from asdlc_kb.search.filters import Filter, FilteredQuery

CATEGORIES = ("concepts", "patterns", "Zoo")
DATES = ("2024-12-31", "2025-01-01", "2025-06-15", "2026-01-31", "2026-02-01")
ARTICLES = sort_articles(
    make_article(f"{category}/{number}", last_updated=day)
    for category in CATEGORIES
    for number, day in enumerate(DATES)
)
VALUES = ("2025", ">2026-01", "<2025", "2025-06..2026-01", ">=2024", ">2027", "<2000")
filters = st.one_of(
    st.builds(Filter, st.just("updated"), st.sampled_from(VALUES), st.booleans()),
    st.builds(Filter, st.just("category"), st.sampled_from(CATEGORIES), st.booleans()),
    st.builds(
        Filter, st.just("source"), st.sampled_from(["articles", "api"]), st.booleans()
    ),
    st.builds(Filter, st.just("version"), st.just("1.0"), st.booleans()),
)


@given(st.lists(filters, min_size=1, max_size=3).map(tuple))
def test_both_searches_filter_alike(chosen: tuple[Filter, ...]) -> None:
    """The slots of keyword search and the keys of full text are the same articles."""
    found, total = KeywordSearch.of(ARTICLES).find("", None, 50, (), chosen)
    ids = [article.id for article in found]
    assert frozenset(ids) == find_keys(ARTICLES, chosen)
    assert total == len(ids)
    assert ids == [article.id for article in ARTICLES if article.id in ids]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("loop", ArticleQuery("loop")),
        ("category:patterns loop", ArticleQuery("loop", "patterns")),
        ("category:ZOO loop", ArticleQuery("loop", "Zoo")),
        ("category:secret loop", ArticleQuery("category:secret loop")),
        ("source:api loop", ArticleQuery("source:api loop")),
        (
            "-category:patterns loop",
            ArticleQuery("loop", None, (Filter("category", "patterns", True),)),
        ),
        ("source:Articles x", ArticleQuery("x", None, (Filter("source", "Articles"),))),
        ("version:1.0 loop", ArticleQuery("version:1.0 loop")),
    ],
)
def test_a_known_category_is_that_of_the_query(
    query: str, expected: ArticleQuery
) -> None:
    """As if it were given as an argument; an unknown one is text."""
    assert split_query(query, None, CATEGORIES) == expected


def test_a_category_in_the_query_narrows_that_of_the_argument() -> None:
    """Both must be met."""
    query = split_query("category:patterns x", "concepts", CATEGORIES)
    assert query == ArticleQuery("x", "concepts", (Filter("category", "patterns"),))
    found, _ = KeywordSearch.of(ARTICLES).find("", query.category, 9, (), query.filters)
    assert found == ()


def test_what_only_another_source_has_no_article_has() -> None:
    """A version of documentation, or a category there."""
    for one in (Filter("version", "1.0"), Filter("category", "guide")):
        parsed = FilteredQuery("x", (one,))
        query = apply_filters(parsed, None, CATEGORIES)
        assert find_keys(ARTICLES, query.filters) == frozenset()


def test_without_filters_all_are_searched() -> None:
    """No set of keys is made."""
    assert find_keys(ARTICLES, ()) is None


def test_a_category_is_found_in_any_case_if_it_is_the_only_one() -> None:
    """An exact name wins."""
    assert find_category("zoo/", CATEGORIES) == "Zoo"
    assert find_category("A", ("a", "A")) == "A"
    assert find_category("Ab", ("ab", "AB")) is None
