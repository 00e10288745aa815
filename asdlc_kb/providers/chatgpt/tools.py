"""The tools `search` and `fetch`: definitions, arguments and answers (D-143)."""

from typing import Annotated, Final

from msgspec import Meta

from asdlc_kb.mcp.protocol.tool_schema import Arguments, ToolAnswer
from asdlc_kb.providers.articles.tools import MAX_NAME_CHARS
from asdlc_kb.providers.docs.tools import MAX_PATH_CHARS
from asdlc_kb.providers.shared.listings import ToolRow, make_tools
from asdlc_kb.search.policy import MAX_QUERY_CHARS

_MAX_ID_CHARS: Final = 3 * max(MAX_NAME_CHARS, MAX_PATH_CHARS) + 100
"""Characters of an id: a name or a path, percent-encoded, and a prefix."""


class SearchAll(Arguments, frozen=True):
    """Arguments of `search`."""

    query: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=MAX_QUERY_CHARS,
            description="A question or a few words",
        ),
    ]


class FetchDocument(Arguments, frozen=True):
    """Arguments of `fetch`."""

    id: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=_MAX_ID_CHARS,
            description="The id of a search result",
        ),
    ]


class FoundDocument(ToolAnswer, frozen=True):
    """A result of `search`."""

    id: str
    title: str
    url: str


class FoundDocuments(ToolAnswer, frozen=True):
    """The answer of `search`, best match first."""

    results: tuple[FoundDocument, ...]


class FetchedDocument(ToolAnswer, frozen=True):
    """The answer of `fetch`."""

    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, str]


_TOOLS: Final = (
    ToolRow(
        "search",
        "Search",
        "Search the articles and the documentation of this server, best match first. "
        "Read a result with fetch.",
        SearchAll,
        FoundDocuments,
    ),
    ToolRow(
        "fetch",
        "Fetch",
        "Get the text of an article or a page by the id of a search result.",
        FetchDocument,
        FetchedDocument,
    ),
)

TOOLS: Final = make_tools(_TOOLS)
