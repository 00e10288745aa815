"""Results of documentation searches, as structured content and as text."""

from collections.abc import Iterable

from msgspec import UNSET, UnsetType

from asdlc_kb.docs.catalog import ROOT, DocCatalog
from asdlc_kb.mcp.protocol.tool_schema import ToolAnswer
from asdlc_kb.providers.shared.full_text import Corrections, list_corrections
from asdlc_kb.search.policy import QUERY_POLICY
from asdlc_kb.search.values import SearchHit, SearchResults


class FoundPage(ToolAnswer, frozen=True):
    """A matching page, and its best passage."""

    path: str
    title: str
    category: str
    score: float
    snippet: str
    line: int
    heading: str | UnsetType = UNSET
    anchor: str | UnsetType = UNSET


class FoundPages(ToolAnswer, frozen=True):
    """A page of search results, best first, with the total."""

    results: tuple[FoundPage, ...]
    total: int
    corrected: Corrections = UNSET
    suggestion: str | UnsetType = UNSET
    next_cursor: str | UnsetType = UNSET


def list_results(
    results: SearchResults, catalog: DocCatalog, next_cursor: str | UnsetType
) -> FoundPages:
    """Return search results as structured content."""
    return FoundPages(
        results=tuple(_view(hit, catalog) for hit in results.hits),
        total=results.total,
        corrected=list_corrections(results),
        suggestion=results.suggestion or UNSET,
        next_cursor=next_cursor,
    )


def show_results(
    found: FoundPages, notes: Iterable[str], *, query: str, start: int
) -> str:
    """Format search results as text: numbered, with path, score and passage."""
    if not found.results:
        none = f"No results found for '{query}'." if not start else "No more results."
        return "\n\n".join((none, *notes))
    blocks = [*notes]
    noun = "result" if found.total == 1 else "results"
    shown = f" ({start + 1} to {start + len(found.results)})"
    is_all = len(found.results) == found.total
    total = str(found.total)
    if found.total >= QUERY_POLICY.max_ranked:
        # Matches beyond that are not counted.
        total, noun = f"{found.total:,}", "results or more"
    blocks.append(f"Found {total} {noun}{'' if is_all else shown}:")
    blocks += (
        _show(row, number) for number, row in enumerate(found.results, start + 1)
    )
    if not isinstance(found.next_cursor, UnsetType):
        blocks.append(f"Next results: cursor {found.next_cursor}")
    return "\n\n".join(blocks)


def _view(hit: SearchHit, catalog: DocCatalog) -> FoundPage:
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


def _show(row: FoundPage, number: int) -> str:
    where = [row.title]
    if not isinstance(row.heading, UnsetType) and row.heading != row.title:
        anchor = "" if isinstance(row.anchor, UnsetType) else f" (#{row.anchor})"
        where.append(f"{row.heading}{anchor}")
    lines = [f"{number}. {row.path} (score: {row.score:g})", f"   {' > '.join(where)}"]
    if row.snippet:
        lines.append(f"   '{row.snippet}'")
    return "\n".join(lines)
