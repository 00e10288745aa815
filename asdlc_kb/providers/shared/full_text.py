"""Asking a full-text index for an answer, and saying what it did with the query."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeAlias

from msgspec import UNSET, UnsetType

from asdlc_kb.mcp.protocol.errors import InternalError, ToolFailure
from asdlc_kb.mcp.protocol.tool_schema import ToolAnswer
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.search.values import SearchResults

READY_SECONDS: Final = 20.0
"""The longest that a search waits for the index to be built."""


class Correction(ToolAnswer, frozen=True):
    """A word that was searched in place of one that was typed."""

    typed: str
    searched: str


Corrections: TypeAlias = tuple[Correction, ...] | UnsetType


async def wait_for_index(indexer: Indexer) -> None:
    """Wait until the index is there; raise ToolFailure if that takes too long."""
    with _timeout():
        await indexer.wait(READY_SECONDS)


async def ask_index(
    indexer: Indexer,
    query: str,
    limit: int,
    *,
    accepts: Callable[[str, bytes], bool],
    offset: int = 0,
    category: str | None = None,
) -> SearchResults:
    """Return what fits a query; raise ToolFailure if there is no index in time."""
    with _timeout():
        return await indexer.ask(
            query,
            limit,
            accepts=accepts,
            seconds=READY_SECONDS,
            offset=offset,
            category=category,
        )


@contextmanager
def _timeout() -> Iterator[None]:
    try:
        yield
    except TimeoutError:
        message = "The search index is still being built: ask again in a while"
        raise ToolFailure(message, protocol=InternalError) from None


def list_corrections(results: SearchResults) -> Corrections:
    """Return the words that were taken for others."""
    pairs = results.corrected
    return tuple(Correction(typed=t, searched=s) for t, s in pairs) or UNSET


def describe_corrections(
    corrected: Corrections, suggestion: str | UnsetType
) -> Iterator[str]:
    """Yield a sentence on the words that were taken for others, and a suggestion."""
    if not isinstance(corrected, UnsetType):
        # What was typed as several words is looked for as it stands, too.
        joined = [f"'{one.searched}'" for one in corrected if " " in one.typed]
        taken = [
            f"'{one.searched}' instead of '{one.typed}'"
            for one in corrected
            if " " not in one.typed
        ]
        if taken:
            yield f"Searched for {', '.join(taken)}."
        if joined:
            yield f"Also searched for {', '.join(joined)}."
    if not isinstance(suggestion, UnsetType):
        yield f"Did you mean '{suggestion}'?"
