"""The tools of articles: what clients are told of them and call them with."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, UnsetType

from asdlc_kb.articles.catalog import Mode
from asdlc_kb.mcp.pagination import Listed, number
from asdlc_kb.mcp.schema import Arguments, describe
from asdlc_kb.mcp.types import Tool
from asdlc_kb.providers import views
from asdlc_kb.providers.offers import make_tool
from asdlc_kb.providers.parts import DEFAULT_CHARS, Cursor, MaxChars

LONGEST_TEXT: Final = 2000
LONGEST_NAME: Final = 500
DEFAULT_LIMIT: Final = 50

Category = Annotated[str, Meta(description="Only this category", max_length=200)]
Limit = Annotated[int, Meta(ge=1, le=1000, description="The most articles to return")]
Format = Annotated[
    Literal["json", "markdown"],
    Meta(description="The form of the text: JSON, or Markdown to read"),
]


class ListArticles(Arguments, frozen=True):
    """Arguments of `list_articles`."""

    category: Category | UnsetType = UNSET
    limit: Limit = DEFAULT_LIMIT
    cursor: Cursor | UnsetType = UNSET


class GetArticle(Arguments, frozen=True):
    """Arguments of `get_article`."""

    slug: Annotated[
        str,
        Meta(
            max_length=LONGEST_NAME,
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
            max_length=LONGEST_TEXT,
            description=(
                "A keyword, a short phrase or a question. Keywords are looked up "
                "as they are; an empty query finds every article"
            ),
        ),
    ]
    include_content: Annotated[
        bool, Meta(description="Return whole articles instead of metadata")
    ] = False
    category: Category | UnsetType = UNSET
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


@lru_cache(maxsize=4)
def offer(categories: tuple[str, ...]) -> Sequence[Listed[Tool]]:
    """Return the tools; schemas close what may be asked for to what there is."""
    enums = {"category": categories}
    return number(
        (
            make_tool(
                "list_articles",
                "List articles",
                "List the articles of this knowledge base with their metadata, "
                "newest first, without their text. Use it for an overview; to "
                "find something, search_articles is quicker.",
                describe(ListArticles, enums),
                describe(views.Articles),
            ),
            make_tool(
                "get_article",
                "Get an article",
                "Get one article with its full Markdown text by its slug. Take "
                "slugs from search_articles or list_articles; do not guess them. A "
                "long one comes in parts, with its outline first.",
                describe(GetArticle),
                views.whole_schema(),
            ),
            make_tool(
                "search_articles",
                "Search articles",
                "Search this knowledge base, best match first: by keyword in titles, "
                "tags and descriptions, and where that finds nothing, in the full "
                "text. Start here, with one or two characteristic words or a plain "
                "question; then read results with get_article.",
                describe(SearchArticles, enums),
                describe(views.Articles),
            ),
        )
    )
