"""Full-text search with a timeout, its relevant results, and its corrections."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from asdlc_kb.mcp.protocol.errors import InternalError, ToolFailure
from asdlc_kb.mcp.protocol.tool_schema import ToolAnswer
from asdlc_kb.search.policy import QUERY_POLICY
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.search.values import SearchRequest, SearchResults

Detail = Annotated[
    Literal["list", "passages"],
    Meta(description="list: no passages; passages: those of all; else of three"),
]

READY_SECONDS: Final = 20.0
"""Maximum wait of a search for the index to be built."""

PASSAGES: Final = 3
"""Results with a passage by default: more of them answer no more questions."""

_MAX_UNKNOWN: Final = 8
"""Unknown words that are named; a pasted error can have many."""

RELEVANT_SHARE: Final = 0.5
"""Share of the best score below which a result is left out if no number is asked."""


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


def max_passages(detail: Detail | UnsetType, limit: int) -> int:
    """Return the most results of a search that have a passage."""
    if detail == "list":
        return 0
    return limit if detail == "passages" else PASSAGES


def is_minimum(total: int) -> bool:
    """Whether more documents than the total may match: a search counts no further."""
    return total >= QUERY_POLICY.max_ranked


def cut_irrelevant(results: SearchResults) -> SearchResults:
    """Return results without the hits whose score is far from that of the best."""
    hits = results.hits
    near = (hit for hit in hits if hit.score >= RELEVANT_SHARE * hits[0].score)
    return replace(results, hits=tuple(near))


def list_corrections(results: SearchResults) -> Corrections:
    """Return the corrected words of the query."""
    pairs = results.corrected
    return tuple(Correction(typed=t, searched=s) for t, s in pairs) or UNSET


def describe_words(results: SearchResults, noun: str) -> Iterator[str]:
    """Yield sentences on unknown, corrected and excluded words, and on a suggestion.

    `noun` is what is searched: a page or an article.
    """
    if results.unknown:
        named = [f"'{word}'" for word in results.unknown[:_MAX_UNKNOWN]]
        if rest := len(results.unknown) - len(named):
            named.append(f"{rest} other words" if rest > 1 else "another word")
        yield f"No searched {noun} has {' or '.join(named)}."
    if replaced := results.describe_corrections():
        yield replaced
    joined = [f"'{searched}'" for typed, searched in results.corrected if " " in typed]
    if joined:
        yield f"Also searched for {', '.join(joined)}."
    if results.suggestion:
        yield f"Did you mean '{results.suggestion}'?"
