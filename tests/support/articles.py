"""Articles as values, without files."""

from typing import Any

from asdlc_kb.articles.article import Article, ArticleText
from asdlc_kb.articles.status import ArticleStatus
from asdlc_kb.files.lazy_value import LazyValue


def make_article(name: str, **fields: Any) -> Article:
    """Return an article called `category/slug`, by default Live."""
    category, slug = name.split("/")
    values: dict[str, Any] = {
        "title": f"Title of {slug}",
        "description": "About it",
        "tags": (),
        "last_updated": "2025-01-01",
        "status": ArticleStatus.LIVE,
        **fields,
    }
    body = values.pop("body", "Text.\n")
    values["text"] = LazyValue(ArticleText(body))
    return Article(category=category, slug=slug, **values)
