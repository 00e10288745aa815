"""Articles as values, without files."""

from typing import Any

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.status import ArticleStatus


def make_article(name: str, **fields: Any) -> Article:
    """Return an article called `category/slug`, by default Live."""
    category, slug = name.split("/")
    values = {
        "title": f"Title of {slug}",
        "description": "About it",
        "tags": (),
        "last_updated": "2025-01-01",
        "status": ArticleStatus.LIVE,
        "body": "Text.\n",
        **fields,
    }
    return Article(category=category, slug=slug, **values)
