"""How an article looks from outside: as JSON (seeds 000, 002) and as Markdown (001)."""

from collections.abc import Sequence
from typing import Any, Literal
from urllib.parse import quote

from msgspec import UNSET, UnsetType, to_builtins
from msgspec.structs import replace

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import Catalog, Selection
from asdlc_kb.articles.links import URI_PREFIX
from asdlc_kb.articles.status import Status
from asdlc_kb.mcp.schema import Answer, describe
from asdlc_kb.mcp.types import Annotations
from asdlc_kb.providers.full_text import Corrections, list_corrections, tell
from asdlc_kb.providers.parts import OutlineEntry, Part
from asdlc_kb.search.document import Hit, Results

MARKDOWN = "text/markdown"

_SUMMARY = 100
"""Characters of a description in a search text (seed 001)."""


class ArticleView(Answer, frozen=True):
    """An article. `removed` counts invisible characters that were left out.

    What full text found says where: under which heading, and the passage. Of a long
    article `content` is a part: characters `start` to `end` of `characters`.
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


class Articles(Answer, frozen=True):
    """Some articles, and how many there are in all.

    Full text says which words it took for others, and which it would look for instead.
    """

    articles: tuple[ArticleView, ...]
    total: int
    mode: Literal["fulltext"] | UnsetType = UNSET
    corrected: Corrections = UNSET
    suggestion: str | UnsetType = UNSET


def view(
    article: Article, catalog: Catalog, *, content: bool, hit: Hit | None = None
) -> ArticleView:
    """Return an article as JSON clients see it, and where full text found it."""
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
        anchor=hit.anchor if hit else UNSET,
        snippet=hit.snippet if hit else UNSET,
        removed=article.removed or UNSET,
    )


def view_part(article: Article, catalog: Catalog, part: Part) -> ArticleView:
    """Return an article with a part of its text."""
    return replace(
        view(article, catalog, content=False),
        content=part.text,
        characters=part.total,
        start=part.start,
        end=part.end,
        outline=part.outline or UNSET,
        next_cursor=part.next_cursor or UNSET,
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
    blocks = [
        _block(article, catalog, _cut(article.description))
        for article in selection.articles
    ]
    return f"Found {selection.total} articles:\n\n" + "\n\n".join(blocks)


def found_text(
    passages: Sequence[tuple[Article, Hit]],
    catalog: Catalog,
    query: str,
    results: Results,
) -> str:
    """Return what full text found as text, with the passage of each article."""
    lead = tell(list_corrections(results), results.suggestion or UNSET)
    if not passages:
        return " ".join((f"No articles found matching '{query}'.", *lead))
    blocks = []
    for article, hit in passages:
        section = (f"Section: {hit.heading}",) if hit.heading else ()
        blocks.append(_block(article, catalog, *section, hit.snippet))
    return "\n\n".join((*lead, f"Found {results.total} articles:", *blocks))


def _block(article: Article, catalog: Catalog, *lines: str) -> str:
    """Return what a search text says of one article."""
    return "\n  ".join(
        (
            f"- {article.title} ({catalog.name(article)})",
            f"Category: {article.category}",
            *lines,
        )
    )


def _cut(text: str) -> str:
    return text if len(text) <= _SUMMARY else f"{text[:_SUMMARY].rstrip()}..."


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
