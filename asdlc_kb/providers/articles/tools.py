"""The article tools: definitions and argument schemas."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, UnsetType

from asdlc_kb.articles.catalog import Mode
from asdlc_kb.mcp.protocol.model import Tool
from asdlc_kb.mcp.protocol.pagination import Listed
from asdlc_kb.mcp.protocol.tool_schema import Arguments
from asdlc_kb.providers.articles import views
from asdlc_kb.providers.shared.chunks import DEFAULT_CHARS, Cursor, MaxChars
from asdlc_kb.providers.shared.listings import ToolRow, make_tools
from asdlc_kb.search.policy import MAX_QUERY_CHARS

MAX_NAME_CHARS: Final = 500
DEFAULT_LIMIT: Final = 50

CategoryName = Annotated[str, Meta(description="Only this category", max_length=200)]
Limit = Annotated[int, Meta(ge=1, le=1000, description="The most articles to return")]
Format = Annotated[
    Literal["json", "markdown"],
    Meta(description="The form of the text: JSON, or Markdown to read"),
]


class ListArticles(Arguments, frozen=True):
    """Arguments of `list_articles`."""

    category: CategoryName | UnsetType = UNSET
    limit: Limit = DEFAULT_LIMIT
    cursor: Cursor | UnsetType = UNSET


class GetArticle(Arguments, frozen=True):
    """Arguments of `get_article`."""

    slug: Annotated[
        str,
        Meta(
            max_length=MAX_NAME_CHARS,
            description="The article's slug, or category/slug where slugs repeat",
        ),
    ]
    format: Format = "json"
    max_chars: MaxChars = DEFAULT_CHARS
    cursor: Cursor | UnsetType = UNSET


class SearchArticles(Arguments, frozen=True):
    """Arguments of `search_articles`."""

    query: Annotated[
        str,
        Meta(
            max_length=MAX_QUERY_CHARS,
            description=(
                "A keyword, a short phrase or a question. Keywords are looked up "
                "as they are; an empty query finds every article"
            ),
        ),
    ]
    include_content: Annotated[
        bool, Meta(description="Return whole articles instead of metadata")
    ] = False
    category: CategoryName | UnsetType = UNSET
    limit: Limit = DEFAULT_LIMIT
    cursor: Cursor | UnsetType = UNSET
    format: Format = "json"
    mode: Annotated[
        Mode,
        Meta(
            description=(
                "keyword looks in titles, tags and descriptions, fulltext also in "
                "bodies, for a question or several words too; auto is keyword, and "
                "fulltext where that finds nothing"
            )
        ),
    ] = "auto"


_TOOLS: Final = (
    ToolRow(
        "list_articles",
        "List articles",
        "List the articles of this knowledge base with their metadata, newest first, "
        "without their text. Use it for an overview; to find something, "
        "search_articles is quicker.",
        ListArticles,
        views.Articles,
    ),
    ToolRow(
        "get_article",
        "Get an article",
        "Get one article with its full Markdown text by its slug. Take slugs from "
        "search_articles or list_articles; do not guess them. A long one comes in "
        "parts, with its outline first.",
        GetArticle,
        views.ArticleView,
    ),
    ToolRow(
        "search_articles",
        "Search articles",
        "Search this knowledge base, best match first: by keyword in titles, tags and "
        "descriptions, and where that finds nothing, in the full text. Start here, "
        "with one or two characteristic words or a plain question; then read results "
        "with get_article.",
        SearchArticles,
        views.Articles,
    ),
)


@lru_cache(maxsize=4)
def tool_definitions(categories: tuple[str, ...]) -> Sequence[Listed[Tool]]:
    """Return the tools; their schemas enumerate the existing categories."""
    tools = make_tools(_TOOLS, {"category": categories})
    get_article = tools[1].item.output_schema
    assert get_article is not None
    get_article["required"].append("content")
    return tools
