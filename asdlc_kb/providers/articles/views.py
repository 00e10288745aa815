"""Serialization of articles, as JSON and as Markdown."""

from typing import Literal
from urllib.parse import quote

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.links import URI_PREFIX
from asdlc_kb.articles.status import ArticleStatus
from asdlc_kb.mcp.protocol.model import Annotations
from asdlc_kb.mcp.protocol.tool_schema import ToolAnswer
from asdlc_kb.providers.shared.chunks import OutlineEntry
from asdlc_kb.providers.shared.full_text import Corrections, list_corrections
from asdlc_kb.providers.shared.size_budget import MAX_DESCRIPTION_CHARS, truncate_names
from asdlc_kb.search.values import SearchHit, SearchResults

_SUMMARY = 100
"""Characters of a description in a search text."""


class ArticleView(ToolAnswer, frozen=True):
    """An article. `removed` counts the invisible characters removed.

    A full-text hit has the heading and passage that matched. `content` of a long
    article is a chunk: characters `start` to `end` of `characters`.
    """

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
    heading: str | UnsetType = UNSET
    anchor: str | UnsetType = UNSET
    snippet: str | UnsetType = UNSET
    removed: int | UnsetType = UNSET
    characters: int | UnsetType = UNSET
    start: int | UnsetType = UNSET
    end: int | UnsetType = UNSET
    outline: tuple[OutlineEntry, ...] | UnsetType = UNSET
    next_cursor: str | UnsetType = UNSET


class Articles(ToolAnswer, frozen=True):
    """A page of articles, with the total.

    A full-text search includes corrected words, and a suggested query.
    """

    articles: tuple[ArticleView, ...]
    total: int
    next_cursor: str | UnsetType = UNSET
    mode: Literal["fulltext"] | UnsetType = UNSET
    corrected: Corrections = UNSET
    suggestion: str | UnsetType = UNSET


def view_article(
    article: Article,
    catalog: ArticleCatalog,
    *,
    content: bool,
    hit: SearchHit | None = None,
) -> ArticleView:
    """Return an article as structured content, with the passage of a full-text hit."""
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
        heading=hit.heading if hit else UNSET,
        anchor=hit.anchor if hit and (hit.anchor or not hit.heading) else UNSET,
        snippet=hit.snippet if hit else UNSET,
        removed=article.removed or UNSET,
    )


def shorten(shown: ArticleView) -> ArticleView:
    """Return an article with its metadata cut to the limits of a list."""
    related = shown.related_ids
    return replace(
        shown,
        description=shown.description[:MAX_DESCRIPTION_CHARS],
        tags=truncate_names(shown.tags),
        related_ids=UNSET
        if isinstance(related, UnsetType)
        else truncate_names(related),
    )


def article_row(
    article: Article,
    catalog: ArticleCatalog,
    *,
    content: bool = False,
    hit: SearchHit | None = None,
) -> ArticleView:
    """Return an article as a list row: whole only if its content is requested."""
    shown = view_article(article, catalog, content=content, hit=hit)
    return shown if content else shorten(shown)


def full_text_answer(results: SearchResults) -> Articles:
    """Return full-text results as structured content, without the rows."""
    return Articles(
        articles=(),
        total=results.total,
        mode="fulltext",
        corrected=list_corrections(results),
        suggestion=results.suggestion or UNSET,
    )


def article_markdown(article: Article) -> str:
    """Format an article as Markdown: title, body and a footer."""
    title = f"# {article.title}"
    first, _, rest = article.body.partition("\n")
    body = (rest if first.strip() == title else article.body).strip("\n")
    status = article.status.value
    if article.status is ArticleStatus.EXPERIMENTAL:
        status += " (high-risk: an emerging pattern, not yet proven)"
    footer = (
        f"Author: {article.author or 'Unknown'}\n"
        f"Category: {article.category}\n"
        f"Tags: {', '.join(article.tags) or 'None'}\n"
        f"Published: {article.published or article.last_updated}\n"
        f"Status: {status}"
    )
    return "\n\n".join(part for part in (title, body, footer) if part)


def format_row(article: Article, catalog: ArticleCatalog, hit: SearchHit | None) -> str:
    """Format a search result as text, with a name that identifies the article.

    It has the description, or the section and passage of a full-text hit.
    """
    lines = [f"- {article.title} ({catalog.name(article)})"]
    lines.append(f"Category: {article.category}")
    if hit is not None and hit.heading:
        lines.append(f"Section: {hit.heading}")
    lines.append(_cut(article.description) if hit is None else hit.snippet)
    return "\n  ".join(lines)


def _cut(text: str) -> str:
    return text if len(text) <= _SUMMARY else f"{text[:_SUMMARY].rstrip()}..."


def article_uri(name: str) -> str:
    """Return the resource URI for an article's name."""
    return URI_PREFIX + quote(name, safe="/")


def annotations(article: Article) -> Annotations:
    """Return an article's annotations: Live has priority over Experimental."""
    return Annotations(
        audience=("user", "assistant"),
        priority=0.8 if article.status is ArticleStatus.LIVE else 0.4,
        last_modified=f"{article.last_updated}T00:00:00Z",
    )
