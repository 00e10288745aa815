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
from asdlc_kb.providers.shared.chunks import (
    Cursor,
    IncludeImages,
    MaxChars,
    Sections,
)
from asdlc_kb.providers.shared.full_text import Detail
from asdlc_kb.providers.shared.listings import ToolRow, make_tools
from asdlc_kb.providers.shared.size_budget import (
    DEFAULT_CHARS,
    MAX_CHARS,
    MIN_CHARS,
)
from asdlc_kb.search.policy import MAX_QUERY_CHARS

MAX_NAME_CHARS: Final = 500
DEFAULT_LIMIT: Final = 50

DEFAULT_MATCHES: Final = 10
"""Results of a keyword search by default."""

DEFAULT_HITS: Final = 5
"""Results of a full-text search by default, at most."""

CategoryName = Annotated[str, Meta(description="Only this category", max_length=200)]
Limit = Annotated[int, Meta(ge=1, le=1000, description="Most articles to return")]
Format = Annotated[
    Literal["json", "markdown"], Meta(description="JSON, or Markdown to read")
]


class ListArticles(Arguments, frozen=True):
    """Arguments of `list_articles`."""

    category: CategoryName | UnsetType = UNSET
    limit: Limit = DEFAULT_LIMIT
    format: Format = "json"
    max_chars: MaxChars = DEFAULT_CHARS
    cursor: Cursor | UnsetType = UNSET


class GetArticle(Arguments, frozen=True):
    """Arguments of `get_article`."""

    slug: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=MAX_NAME_CHARS,
            description="The article's slug, or category/slug where slugs repeat",
        ),
    ]
    sections: Sections | UnsetType = UNSET
    format: Format = "json"
    include_images: IncludeImages = False
    max_chars: MaxChars = DEFAULT_CHARS
    cursor: Cursor | UnsetType = UNSET


class SearchArticles(Arguments, frozen=True):
    """Arguments of `search_articles`."""

    query: Annotated[
        str,
        Meta(
            max_length=MAX_QUERY_CHARS,
            description=(
                "Keyword, phrase or question; empty: all articles. Also: "
                "updated:>2026-01"
            ),
        ),
    ]
    mode: Annotated[
        Mode,
        Meta(
            description=(
                "keyword: the query as it is, in titles, tags and descriptions; "
                "fulltext: its words, in bodies too; auto: keyword, else fulltext"
            )
        ),
    ] = "auto"
    category: CategoryName | UnsetType = UNSET
    detail: Detail | UnsetType = UNSET
    include_content: Annotated[
        bool, Meta(description="Return whole articles instead of passages")
    ] = False
    limit: (
        Annotated[
            int,
            Meta(
                ge=1,
                le=1000,
                description="Most articles to return; else 10, of full text 5",
            ),
        ]
        | UnsetType
    ) = UNSET
    format: Format = "json"
    max_chars: (
        Annotated[
            int,
            Meta(
                ge=MIN_CHARS,
                le=MAX_CHARS,
                description="Most characters of the answer; else 5,000, of whole "
                "articles 10,000",
            ),
        ]
        | UnsetType
    ) = UNSET
    cursor: Cursor | UnsetType = UNSET


_TOOLS: Final = (
    ToolRow(
        "list_articles",
        "List articles",
        "List the articles of this knowledge base without their text, newest first. To "
        "find something, search_articles is quicker.",
        ListArticles,
        views.Articles,
    ),
    ToolRow(
        "get_article",
        "Get an article",
        "Get one article with its full Markdown text, or some of its sections. A long "
        "one comes in parts, with its outline first.",
        GetArticle,
        views.ArticleView,
    ),
    ToolRow(
        "search_articles",
        "Search articles",
        "Search this knowledge base, best match first. Start here: with one or two "
        "characteristic words to find articles, or with a question to get the passages "
        "that answer it. Read more of a result with get_article, its heading in "
        "`sections`.",
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
