"""Results of documentation searches, as structured content and as text."""

from collections.abc import Iterable, Iterator, Sequence
from textwrap import indent
from typing import TYPE_CHECKING, Final

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from asdlc_kb.docs.catalogs.catalog import ROOT, DocCatalog
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.markup.section_selection import LEAD_ANCHOR
from asdlc_kb.mcp.protocol.tool_schema import ToolAnswer
from asdlc_kb.providers.shared.full_text import Corrections, list_corrections
from asdlc_kb.providers.shared.results import ResultPage, Row, to_values
from asdlc_kb.search.filters import Filter
from asdlc_kb.search.values import SearchHit, SearchResults

if TYPE_CHECKING:
    from asdlc_kb.providers.shared.passages import Passage

FRAME_CHARS: Final = 50
"""Characters of the text above the results."""


class FoundPage(ToolAnswer, frozen=True, kw_only=True):
    """A matching page, with its best passage or a snippet of it."""

    path: str
    title: str
    category: str
    score: float
    line: int
    version: str | UnsetType = UNSET
    """That of a page of another version than the default one."""
    language: str | UnsetType = UNSET
    """That of a page in another language than the default one."""
    heading: str | UnsetType = UNSET
    """The headings above the passage."""
    anchor: str | UnsetType = UNSET
    snippet: str | UnsetType = UNSET
    passage: str | UnsetType = UNSET


class FoundPages(ToolAnswer, frozen=True):
    """A page of search results, best first, with the total."""

    results: tuple[FoundPage, ...]
    total: int
    corrected: Corrections = UNSET
    suggestion: str | UnsetType = UNSET
    next_cursor: str | UnsetType = UNSET


def list_results(results: SearchResults) -> FoundPages:
    """Return search results as structured content, without the pages."""
    return FoundPages(
        results=(),
        total=results.total,
        corrected=list_corrections(results),
        suggestion=results.suggestion or UNSET,
    )


def view_hit(page: DocPage, hit: SearchHit) -> FoundPage:
    """Return a matching page with its snippet."""
    edition = page.edition
    return FoundPage(
        path=page.path,
        title=page.title,
        category=page.category or ROOT,
        score=round(hit.score, 2),
        line=hit.line,
        version=UNSET if edition.is_default_version else edition.version or UNSET,
        language=UNSET if edition.is_default_language else edition.language or UNSET,
        heading=hit.heading or UNSET,
        anchor=hit.anchor or UNSET,
        snippet=hit.snippet or UNSET,
    )


def with_passage(row: FoundPage, passage: "Passage") -> FoundPage:
    """Return a matching page with a passage, if that has text, or its snippet."""
    headings = " > ".join(passage.headings) or UNSET
    if not passage.text:
        return replace(row, heading=headings)
    return replace(row, heading=headings, snippet=UNSET, passage=passage.text)


def make_rows(rows: Iterable[FoundPage], start: int) -> Iterator[Row]:
    """Yield results with their texts, numbered from the one after `start`."""
    for number, row in enumerate(rows, start + 1):
        yield Row(to_values(row), _show(row, number))


def show_results(page: ResultPage, query: str) -> str:
    """Format search results as text: numbered, with path, score and passage."""
    if not page.rows:
        return "No more results." if page.start else f"No results found for '{query}'."
    total = page.values["total"]
    noun = "result" if total == 1 else "results"
    if page.is_minimum:
        noun = "results or more"
    rows = (row.text for row in page.rows)
    return "\n\n".join((f"Found {total:,} {noun}:", *rows))


def describe_empty(searched: int, near: Sequence[str]) -> str:
    """Return sentences on what was searched without a result, and on near pages."""
    nearest = f" Nearest: {', '.join(near)}" if near else ""
    return f"0 of {searched:,} pages. Searched titles, tags and text.{nearest}"


def describe_filters(catalog: DocCatalog, filters: Iterable[Filter]) -> str:
    """Return sentences on filters of a query that no page passes."""
    note = f"None of {len(catalog.pages):,} pages passes the filters."
    has_dates = any(page.updated for page in catalog.pages)
    if not has_dates and any(each.name == "updated" for each in filters):
        note += " No page has a date."
    return note


def _show(row: FoundPage, number: int) -> str:
    where = [row.title]
    if row.heading and row.heading != row.title:
        where.append(row.heading.removeprefix(f"{row.title} > "))
    anchor = f" (#{row.anchor})" if row.anchor and len(where) > 1 else ""
    if len(where) == 1 and not row.passage:
        anchor = f" (#{LEAD_ANCHOR})"
    stated = [f"score: {row.score:g}"]
    stated += [f"version {row.version}"] if row.version else []
    stated += [row.language] if row.language else []
    lines = [f"{number}. {row.path} ({', '.join(stated)})"]
    lines.append(f"   {' > '.join(where)}{anchor}")
    if row.snippet:
        lines.append(indent(f"'{row.snippet}'", "   "))
    text = "\n".join(lines)
    return f"{text}\n\n{row.passage}" if row.passage else text
