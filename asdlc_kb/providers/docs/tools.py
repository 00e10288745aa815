"""The documentation tools: definitions and argument schemas."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Final

from msgspec import UNSET, Meta, UnsetType

from asdlc_kb.mcp.protocol.model import Tool
from asdlc_kb.mcp.protocol.pagination import Listed
from asdlc_kb.mcp.protocol.tool_schema import Arguments
from asdlc_kb.providers.docs import results, views
from asdlc_kb.providers.shared.chunks import DEFAULT_CHARS, Cursor, MaxChars
from asdlc_kb.providers.shared.listings import ToolRow, make_tools
from asdlc_kb.search.policy import MAX_QUERY_CHARS

MAX_PATH_CHARS: Final = 1000

MAX_RESULTS: Final = 50
"""Maximum results of one search."""

DEFAULT_RESULTS: Final = 10


class SearchDocs(Arguments, frozen=True):
    """Arguments of `search_docs`."""

    query: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=MAX_QUERY_CHARS,
            description=(
                'A question, or words to look for. Also: "a phrase", -without, '
                "AND, OR, NOT, title:word, tags:word, heading:word, begin*"
            ),
        ),
    ]
    limit: (
        Annotated[
            int,
            Meta(ge=1, le=MAX_RESULTS, description="The most results to return"),
        ]
        | UnsetType
    ) = UNSET
    cursor: Cursor | UnsetType = UNSET


class GetDocPage(Arguments, frozen=True):
    """Arguments of `get_doc_page`."""

    path: Annotated[
        str,
        Meta(
            max_length=MAX_PATH_CHARS,
            description="The page's path, as search_docs and list_doc_pages give it",
        ),
    ]
    sections: (
        Annotated[
            list[Annotated[str, Meta(min_length=1, max_length=500)]],
            Meta(
                max_length=50,
                description=(
                    "Only these sections, by heading or anchor; each with those below "
                    "it. Left out: the whole page"
                ),
            ),
        ]
        | UnsetType
    ) = UNSET
    max_chars: MaxChars = DEFAULT_CHARS
    cursor: Cursor | UnsetType = UNSET


class ListDocPages(Arguments, frozen=True):
    """Arguments of `list_doc_pages`."""

    category: (
        Annotated[
            str,
            Meta(
                max_length=200,
                description="Only this group of the sidebar, or this top directory",
            ),
        ]
        | UnsetType
    ) = UNSET
    limit: Annotated[
        int, Meta(ge=1, le=1000, description="The most pages to return")
    ] = 100
    cursor: Cursor | UnsetType = UNSET


_TOOLS: Final = (
    ToolRow(
        "search_docs",
        "Search documentation",
        "Search the full text of the documentation, best match first. Plain "
        "questions, single words and misspelt ones are all fine. Start here, then "
        "read a result with get_doc_page: name its heading in `sections` to read that "
        "part only.",
        SearchDocs,
        results.FoundPages,
    ),
    ToolRow(
        "get_doc_page",
        "Get a documentation page",
        "Get a page of the documentation as Markdown by its path, or some of its "
        "sections. Take paths from search_docs or list_doc_pages; do not guess them. "
        "A long page comes in parts, with its outline first.",
        GetDocPage,
        views.PageView,
    ),
    ToolRow(
        "list_doc_pages",
        "List documentation pages",
        "List the pages of the documentation with paths and titles, by category. Use "
        "it for an overview; to find something, search_docs is quicker.",
        ListDocPages,
        views.PageList,
    ),
)


@lru_cache(maxsize=4)
def tool_definitions(default_results: int) -> Sequence[Listed[Tool]]:
    """Return the tools, with a default number of results."""
    tools = make_tools(_TOOLS)
    tools[0].item.input_schema["properties"]["limit"]["default"] = default_results
    return tools
