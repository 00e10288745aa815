"""What a search of the documentation found: structured, and as text (seed 004)."""

from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from asdlc_kb.docs.catalog import ROOT, Catalog
from asdlc_kb.mcp.schema import Answer
from asdlc_kb.search.document import Hit, Results


class Correction(Answer, frozen=True):
    """A word that was searched in place of one that was typed."""

    typed: str
    searched: str


class FoundPage(Answer, frozen=True):
    """A page that was found, and its best passage."""

    path: str
    title: str
    category: str
    score: float
    snippet: str
    line: int
    heading: str | UnsetType = UNSET
    anchor: str | UnsetType = UNSET


class FoundPages(Answer, frozen=True):
    """Some pages that were found, best first, and how many there are in all."""

    results: tuple[FoundPage, ...]
    total: int
    corrected: tuple[Correction, ...] | UnsetType = UNSET
    suggestion: str | UnsetType = UNSET
    next_cursor: str | UnsetType = UNSET


def list_results(
    found: Results, catalog: Catalog, next_cursor: str | None
) -> FoundPages:
    """Return what was found as structured content."""
    return FoundPages(
        results=tuple(_view(hit, catalog) for hit in found.hits),
        total=found.total,
        corrected=tuple(Correction(typed=t, searched=s) for t, s in found.corrected)
        or UNSET,
        suggestion=found.suggestion or UNSET,
        next_cursor=next_cursor or UNSET,
    )


def show_results(found: FoundPages, *, query: str, start: int) -> str:
    """Return what was found as text: numbered, with path, score and passage."""
    blocks = []
    if not isinstance(found.corrected, UnsetType):
        blocks.append(_say_corrected(found.corrected))
    if not found.results:
        none = f"No results found for '{query}'." if not start else "No more results."
        blocks.append(none)
        if not isinstance(found.suggestion, UnsetType):
            blocks.append(f"Did you mean '{found.suggestion}'?")
        return "\n\n".join(blocks)
    noun = "result" if found.total == 1 else "results"
    shown = f" ({start + 1} to {start + len(found.results)})"
    is_all = len(found.results) == found.total
    blocks.append(f"Found {found.total} {noun}{'' if is_all else shown}:")
    blocks += (
        _show(row, number) for number, row in enumerate(found.results, start + 1)
    )
    if not isinstance(found.next_cursor, UnsetType):
        blocks.append(f"Next results: cursor {found.next_cursor}")
    return "\n\n".join(blocks)


def _view(hit: Hit, catalog: Catalog) -> FoundPage:
    page = catalog.by_path[hit.key]
    return FoundPage(
        path=page.path,
        title=page.title,
        category=page.category or ROOT,
        score=round(hit.score, 2),
        snippet=hit.snippet,
        line=hit.line,
        heading=hit.heading or UNSET,
        anchor=hit.anchor or UNSET,
    )


def _say_corrected(corrected: Sequence[Correction]) -> str:
    """Say what was searched instead of what was typed."""
    searched = ", ".join(f"'{c.searched}' instead of '{c.typed}'" for c in corrected)
    return f"Searched for {searched}."


def _show(row: FoundPage, number: int) -> str:
    where = [row.title]
    if not isinstance(row.heading, UnsetType) and row.heading != row.title:
        anchor = "" if isinstance(row.anchor, UnsetType) else f" (#{row.anchor})"
        where.append(f"{row.heading}{anchor}")
    lines = [f"{number}. {row.path} (score: {row.score:g})", f"   {' > '.join(where)}"]
    if row.snippet:
        lines.append(f"   '{row.snippet}'")
    return "\n".join(lines)
