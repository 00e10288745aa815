"""Serialization of articles, as JSON and as Markdown."""

from typing import TYPE_CHECKING, Any, Literal

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.status import ArticleStatus
from asdlc_kb.mcp.protocol.model import Annotations
from asdlc_kb.mcp.protocol.tool_schema import ToolAnswer
from asdlc_kb.providers.shared.chunks import OutlineEntry
from asdlc_kb.providers.shared.full_text import Corrections, list_corrections
from asdlc_kb.providers.shared.size_budget import MAX_DESCRIPTION_CHARS, truncate_names
from asdlc_kb.search.values import SearchHit, SearchResults
from asdlc_kb.unicode.truncation import truncate

if TYPE_CHECKING:
    from asdlc_kb.providers.shared.passages import Passage

_SUMMARY = 200
"""Characters of a description in a search text."""


class ArticleView(ToolAnswer, frozen=True):
    """An article. `removed` counts the invisible characters removed.

    A full-text hit has the headings above what matched, its anchor, and a passage or a
    snippet of it. `content` of a long article is a chunk: characters `start` to `end`
    of `characters`.
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
    passage: str | UnsetType = UNSET
    removed: int | UnsetType = UNSET
    characters: int | UnsetType = UNSET
    start: int | UnsetType = UNSET
    end: int | UnsetType = UNSET
    outline: tuple[OutlineEntry, ...] | UnsetType = UNSET
    next_cursor: str | UnsetType = UNSET
    metadata: dict[str, Any] | UnsetType = UNSET


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


def view_article(article: Article, catalog: ArticleCatalog) -> ArticleView:
    """Return an article with all metadata, without its text."""
    return replace(
        _view(article, catalog),
        maturity=article.maturity or UNSET,
        related_ids=catalog.related(article) or UNSET,
        removed=article.removed or UNSET,
        metadata=dict(article.metadata) or UNSET,
    )


def article_row(
    article: Article,
    catalog: ArticleCatalog,
    hit: SearchHit | None = None,
    passage: "Passage | None" = None,
) -> ArticleView:
    """Return an article as a row of a list, with the match of a full-text hit."""
    row = shorten(_view(article, catalog))
    if hit is None:
        return row
    headings = passage.headings if passage else (hit.heading,)
    text = passage.text if passage else ""
    return replace(
        row,
        heading=" > ".join(headings) or UNSET,
        anchor=hit.anchor or UNSET,
        passage=text or UNSET,
        snippet=UNSET if text else hit.snippet,
    )


def _view(article: Article, catalog: ArticleCatalog) -> ArticleView:
    """Return an article with the metadata of a list."""
    return ArticleView(
        slug=catalog.name(article),
        category=article.category,
        title=article.title,
        description=article.description,
        tags=article.tags,
        last_updated=article.last_updated,
        status=article.status.value,
    )


def shorten(shown: ArticleView) -> ArticleView:
    """Return an article with its metadata cut to the limits of a list."""
    related = shown.related_ids
    return replace(
        shown,
        description=truncate(shown.description, MAX_DESCRIPTION_CHARS),
        tags=truncate_names(shown.tags),
        related_ids=UNSET
        if isinstance(related, UnsetType)
        else truncate_names(related),
    )


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


def format_row(row: ArticleView) -> str:
    """Format a row of a list as text: a name that identifies it, and what it is about.

    That is the description, or the section and passage of a full-text hit.
    """
    lines = [f"- {row.title} ({row.slug})", f"Category: {row.category}"]
    if row.heading:
        anchor = f" (#{row.anchor})" if row.anchor else ""
        lines.append(f"Section: {row.heading}{anchor}")
    lines.append(row.snippet or truncate(row.description, _SUMMARY))
    text = "\n".join(lines).replace("\n", "\n  ")
    return f"{text}\n\n{row.passage}" if row.passage else text


def format_listed(row: ArticleView) -> str:
    """Format an article as a line of a list."""
    return f"- {row.slug}: {truncate(row.description, _SUMMARY)}"


def annotations(article: Article) -> Annotations:
    """Return an article's annotations: Live has priority over Experimental."""
    return Annotations(
        audience=("user", "assistant"),
        priority=0.8 if article.status is ArticleStatus.LIVE else 0.4,
        last_modified=f"{article.last_updated}T00:00:00Z",
    )
