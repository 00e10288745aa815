"""Filter of articles by category, source and last update."""

from bisect import bisect_left
from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.sorting import date_key, sort_key
from asdlc_kb.search.filters import (
    ARTICLES,
    DateRange,
    Filter,
    FilteredQuery,
    parse_filters,
)


class ArticleQuery(msgspec.Struct, frozen=True):
    """A keyword or full-text query of articles."""

    text: str
    category: str | None = None
    """As it is written; None for all."""
    filters: tuple[Filter, ...] = ()
    """Further conditions."""


def find_category(written: str, categories: Sequence[str]) -> str | None:
    """Return the category of a name, in any case if it is unambiguous, or None."""
    if written in categories:
        return written
    folded = written.strip().strip("/").casefold()
    matches = [name for name in categories if name.casefold() == folded]
    return matches[0] if len(matches) == 1 else None


def knows_filter(categories: Sequence[str], wanted: Filter) -> bool:
    """Whether a visible article has the value of a filter, other than of `updated`."""
    if wanted.name == "category":
        return find_category(wanted.value, categories) is not None
    return wanted.name == "source" and _is_of_articles(wanted)


def split_query(
    query: str, category: str | None, categories: Sequence[str]
) -> ArticleQuery:
    """Return a query without its filters, and these."""
    if ":" not in query:
        return ArticleQuery(query, category)
    parsed = parse_filters(query, lambda wanted: knows_filter(categories, wanted))
    return apply_filters(parsed, category, categories)


def apply_filters(
    parsed: FilteredQuery, category: str | None, categories: Sequence[str]
) -> ArticleQuery:
    """Return the query of a parsed one; a known category is that of the query.

    The same then counts as if it were given as `category`.
    """
    filters: list[Filter] = []
    for each in parsed.filters:
        if each.name != "category":
            filters.append(each)
            continue
        found = find_category(each.value, categories)
        if found is not None and category is None and not each.is_excluded:
            category = found
        else:
            filters.append(replace(each, value=found or each.value))
    return ArticleQuery(parsed.text, category, tuple(filters))


def find_keys(
    articles: Sequence[Article], filters: Sequence[Filter]
) -> frozenset[str] | None:
    """Return the ids of the articles that pass filters; None without any."""
    if not filters:
        return None
    others: list[Filter] = []
    for each in filters:
        if each.dates is not None and each.name == "updated" and not each.is_excluded:
            begin, end = find_updated(articles, each.dates)
            articles = articles[begin:end]
        else:
            others.append(each)
    return frozenset(
        article.id
        for article in articles
        if all(has_value(article, each) != each.is_excluded for each in others)
    )


def find_updated(articles: Sequence[Article], dates: DateRange) -> tuple[int, int]:
    """Return where the articles of some dates begin and end in the order of lists."""
    return (
        bisect_left(articles, date_key(dates.last), key=sort_key),
        bisect_left(articles, date_key(dates.first, 1), key=sort_key),
    )


def has_value(article: Article, wanted: Filter) -> bool:
    """Whether an article has the value of a filter; a category is as it is stored."""
    match wanted.name:
        case "category":
            return article.category == wanted.value
        case "source":
            return _is_of_articles(wanted)
        case "updated":
            dates = wanted.dates
            return dates is not None and dates.includes(article.last_updated)
        case _:
            # Articles have no versions, and no language is known of them.
            return False


def _is_of_articles(wanted: Filter) -> bool:
    return wanted.value.strip().casefold() == ARTICLES
