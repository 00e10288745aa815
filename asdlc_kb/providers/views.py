"""How an article looks from outside: as JSON (seeds 000, 002) and as Markdown (001)."""

from typing import Any
from urllib.parse import quote

from msgspec import UNSET, UnsetType, to_builtins

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import Catalog, Selection
from asdlc_kb.articles.links import URI_PREFIX
from asdlc_kb.articles.status import Status
from asdlc_kb.mcp.schema import Answer, describe
from asdlc_kb.mcp.types import Annotations

MARKDOWN = "text/markdown"

_SUMMARY = 100
"""Characters of a description in a search text (seed 001)."""


class ArticleView(Answer, frozen=True):
    """An article. `removed` counts invisible characters that were left out."""

    slug: str
    category: str
    title: str
    description: str
    tags: tuple[str, ...]
    last_updated: str
    status: str
    maturity: str | UnsetType = UNSET
    related_ids: tuple[str, ...] | UnsetType = UNSET
    content: str | UnsetType = UNSET
    removed: int | UnsetType = UNSET


class Articles(Answer, frozen=True):
    """Some articles, and how many there are in all."""

    articles: tuple[ArticleView, ...]
    total: int


def view(article: Article, catalog: Catalog, *, content: bool) -> ArticleView:
    """Return an article as JSON clients see it."""
    return ArticleView(
        slug=article.slug,
        category=article.category,
        title=article.title,
        description=article.description,
        tags=article.tags,
        last_updated=article.last_updated,
        status=article.status.value,
        maturity=article.maturity or UNSET,
        related_ids=catalog.related(article) or UNSET,
        content=article.body if content else UNSET,
        removed=article.removed or UNSET,
    )


def whole_schema() -> dict[str, Any]:
    """Return the schema of an article that has its body."""
    schema = describe(ArticleView)
    schema["required"].append("content")
    return schema


def plain(answer: Answer) -> dict[str, Any]:
    """Return an answer as JSON values."""
    values: dict[str, Any] = to_builtins(answer)
    return values


def markdown(article: Article) -> str:
    """Return an article as one text: title, body and a footer (seed 001)."""
    title = f"# {article.title}"
    first, _, rest = article.body.partition("\n")
    body = (rest if first.strip() == title else article.body).strip("\n")
    status = article.status.value
    if article.status is Status.EXPERIMENTAL:
        status += " (high-risk: an emerging pattern, not yet proven)"
    footer = (
        f"Author: {article.author or 'Unknown'}\n"
        f"Category: {article.category}\n"
        f"Tags: {', '.join(article.tags) or 'None'}\n"
        f"Published: {article.published or article.last_updated}\n"
        f"Status: {status}"
    )
    return "\n\n".join(part for part in (title, body, footer) if part)


def found(selection: Selection, catalog: Catalog, query: str) -> str:
    """Return search results as text (seed 001), with names that find the articles."""
    if not selection.articles:
        return f"No articles found matching '{query}'."
    blocks = []
    for article in selection.articles:
        summary = article.description
        if len(summary) > _SUMMARY:
            summary = f"{summary[:_SUMMARY].rstrip()}..."
        blocks.append(
            f"- {article.title} ({catalog.name(article)})\n"
            f"  Category: {article.category}\n"
            f"  {summary}"
        )
    return f"Found {selection.total} articles:\n\n" + "\n\n".join(blocks)


def uri(name: str) -> str:
    """Return the resource URI of an article's name."""
    return URI_PREFIX + quote(name, safe="/")


def annotations(article: Article) -> Annotations:
    """Return the hints that come with an article: Live before Experimental."""
    return Annotations(
        audience=("user", "assistant"),
        priority=0.8 if article.status is Status.LIVE else 0.4,
        last_modified=f"{article.last_updated}T00:00:00Z",
    )
