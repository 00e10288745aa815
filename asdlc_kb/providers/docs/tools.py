"""The documentation tools: definitions and argument schemas."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, UnsetType

from asdlc_kb.mcp.protocol.model import Tool
from asdlc_kb.mcp.protocol.pagination import Listed
from asdlc_kb.mcp.protocol.tool_schema import Arguments
from asdlc_kb.providers.docs import results, views
from asdlc_kb.providers.shared.chunks import (
    Cursor,
    IncludeImages,
    MaxChars,
    Sections,
)
from asdlc_kb.providers.shared.full_text import Detail
from asdlc_kb.providers.shared.listings import ToolRow, make_tools
from asdlc_kb.providers.shared.size_budget import DEFAULT_CHARS, DEFAULT_SEARCH_CHARS
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
                'A question, or words. Also: "a phrase", -without, AND, OR, NOT, '
                "title:word, tags:word, heading:word, begin*, updated:>2026-01"
            ),
        ),
    ]
    limit: (
        Annotated[
            int,
            Meta(ge=1, le=MAX_RESULTS, description="Most results to return"),
        ]
        | UnsetType
    ) = UNSET
    category: (
        Annotated[
            str,
            Meta(max_length=200, description="Only this group or folder of pages"),
        ]
        | UnsetType
    ) = UNSET
    source: (
        Annotated[
            str,
            Meta(
                max_length=64,
                description="Only this documentation; root: the one without a name",
            ),
        ]
        | UnsetType
    ) = UNSET
    version: (
        Annotated[
            str,
            Meta(
                max_length=64,
                description="Only this version; by default the first, then others",
            ),
        ]
        | UnsetType
    ) = UNSET
    language: (
        Annotated[str, Meta(max_length=64, description="Only this language")]
        | UnsetType
    ) = UNSET
    detail: Detail | UnsetType = UNSET
    max_chars: MaxChars = DEFAULT_SEARCH_CHARS
    cursor: Cursor | UnsetType = UNSET


class GetDocPage(Arguments, frozen=True):
    """Arguments of `get_doc_page`."""

    path: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=MAX_PATH_CHARS,
            description="The page's path",
        ),
    ]
    sections: Sections | UnsetType = UNSET
    format: Annotated[
        Literal["markdown", "source"],
        Meta(description="source: the file as it is"),
    ] = "markdown"
    include_images: IncludeImages = False
    max_chars: MaxChars = DEFAULT_CHARS
    cursor: Cursor | UnsetType = UNSET


class ListDocPages(Arguments, frozen=True):
    """Arguments of `list_doc_pages`."""

    category: (
        Annotated[
            str,
            Meta(
                max_length=200,
                description="Only this group of the sidebar, or this folder",
            ),
        ]
        | UnsetType
    ) = UNSET
    limit: Annotated[int, Meta(ge=1, le=1000, description="Most pages to return")] = 100
    max_chars: MaxChars = DEFAULT_CHARS
    cursor: Cursor | UnsetType = UNSET


_TOOLS: Final = (
    ToolRow(
        "search_docs",
        "Search documentation",
        "Search the documentation, best match first, with the passages that answer. "
        "Start here, with a plain question or words. Read more of a result with "
        "get_doc_page, its heading in `sections`.",
        SearchDocs,
        results.FoundPages,
    ),
    ToolRow(
        "get_doc_page",
        "Get a documentation page",
        "Get a page of the documentation as Markdown, or some of its sections. A long "
        "one comes in parts, with its outline first.",
        GetDocPage,
        views.PageView,
    ),
    ToolRow(
        "list_doc_pages",
        "List documentation pages",
        "List the pages of the documentation by category. To find something, "
        "search_docs is quicker.",
        ListDocPages,
        views.PageList,
    ),
)


@lru_cache(maxsize=4)
def tool_definitions(
    default_results: int,
    sources: tuple[str, ...] = (),
    versions: tuple[str, ...] = (),
    languages: tuple[str, ...] = (),
) -> Sequence[Listed[Tool]]:
    """Return the tools, with a default number of results.

    An argument without a choice is not shown: models pay for each.
    """
    choices = {"source": sources, "version": versions, "language": languages}
    tools = make_tools(_TOOLS, choices)
    properties = tools[0].item.input_schema["properties"]
    properties["limit"]["default"] = default_results
    for name, values in choices.items():
        if len(values) < 2 and not (name == "source" and values):
            del properties[name]
    return tools
