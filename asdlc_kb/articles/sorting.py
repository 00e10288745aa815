"""Sort order of article lists: newest first, then by category, then by slug."""

from collections.abc import Iterable
from operator import attrgetter
from typing import Final

from asdlc_kb.articles.article import Article

LEADING_CATEGORIES: Final = ("concepts", "patterns", "practices")
"""Categories sorted before all others."""


def sort_categories(category: str) -> tuple[int, str]:
    """Return a category's sort key: the leading three first, the others by name."""
    if category in LEADING_CATEGORIES:
        return LEADING_CATEGORIES.index(category), category
    return len(LEADING_CATEGORIES), category


def sort_key(article: Article) -> str:
    """Return an article's sort key, a string.

    A blank sorts before every character of a name, so `a` comes before `a-b`.
    """
    number, category = sort_categories(article.category)
    newest_first = date_key(article.last_updated)
    return f"{newest_first} {number} {category} {article.slug}"


def date_key(day: str, later: int = 0) -> str:
    """Return the beginning of the sort keys of a date, or of `later` ones after it."""
    # The article of an author's preview may have no date.
    return f"{99999999 + later - int(day.replace('-', '') or 0):08}"


def sort_articles(articles: Iterable[Article]) -> list[Article]:
    """Return articles sorted by their sort keys.

    Stable sorts by one field after the other take half the time of sorts by the key.
    """
    ordered = sorted(articles, key=attrgetter("slug"))
    categories = sorted({a.category for a in ordered}, key=sort_categories)
    rank = {category: number for number, category in enumerate(categories)}
    ordered.sort(key=lambda article: rank[article.category])
    ordered.sort(key=attrgetter("last_updated"), reverse=True)
    return ordered
