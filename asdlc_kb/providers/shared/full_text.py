"""Full-text search with a timeout, and descriptions of query corrections."""

from collections.abc import Iterator
from typing import Final, TypeAlias

from msgspec import UNSET, UnsetType

from asdlc_kb.mcp.protocol.errors import InternalError, ToolFailure
from asdlc_kb.mcp.protocol.tool_schema import ToolAnswer
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.search.values import SearchRequest, SearchResults

READY_SECONDS: Final = 20.0
"""Maximum wait of a search for the index to be built."""


class Correction(ToolAnswer, frozen=True):
    """A word searched in place of the one typed."""

    typed: str
    searched: str


Corrections: TypeAlias = tuple[Correction, ...] | UnsetType


async def search_index(indexer: Indexer, request: SearchRequest) -> SearchResults:
    """Search the index; raise ToolFailure if it is not built in time."""
    try:
        return await indexer.search(request, READY_SECONDS)
    except TimeoutError:
        message = "The search index is still being built: ask again in a while"
        raise ToolFailure(message, protocol=InternalError) from None


def list_corrections(results: SearchResults) -> Corrections:
    """Return the corrected words of the query."""
    pairs = results.corrected
    return tuple(Correction(typed=t, searched=s) for t, s in pairs) or UNSET


def describe_corrections(results: SearchResults) -> Iterator[str]:
    """Yield sentences on corrected words and on the suggested query."""
    if replaced := results.describe_corrections():
        yield replaced
    joined = [f"'{searched}'" for typed, searched in results.corrected if " " in typed]
    if joined:
        yield f"Also searched for {', '.join(joined)}."
    if results.suggestion:
        yield f"Did you mean '{results.suggestion}'?"
