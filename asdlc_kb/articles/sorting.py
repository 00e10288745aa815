"""The order of every list: newest first, then by category, then by slug."""

from typing import Final

from asdlc_kb.articles.article import Article

SEED_CATEGORIES: Final = ("concepts", "patterns", "practices")
"""The seeds' three come before all others."""


def sort_categories(category: str) -> tuple[int, str]:
    """Order categories: the seeds' three first, the others by name."""
    if category in SEED_CATEGORIES:
        return SEED_CATEGORIES.index(category), category
    return len(SEED_CATEGORIES), category


def sort_key(article: Article) -> str:
    """Return the article's place in every list, as a string that sorts.

    A blank sorts before all that a name may hold, so `a` comes before `a-b`.
    """
    newest_first = 99999999 - int(article.last_updated.replace("-", ""))
    number, category = sort_categories(article.category)
    return f"{newest_first:08} {number} {category} {article.slug}"
