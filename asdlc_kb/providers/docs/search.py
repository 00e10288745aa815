"""The tool `search_docs`: hits as rows, with the passages that answer."""

import asyncio
import dataclasses
from collections.abc import Sequence

from msgspec import UNSET
from msgspec.structs import replace

from asdlc_kb.docs.catalogs.catalog import DocCatalog
from asdlc_kb.docs.catalogs.named_page import find_named_page
from asdlc_kb.docs.catalogs.page_filter import PageFilter, select_pages, split_query
from asdlc_kb.docs.collection import DocCollection
from asdlc_kb.docs.linked_pages import link_page
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.mcp.protocol.model import ToolResult
from asdlc_kb.mcp.protocol.tool_schema import given_arguments
from asdlc_kb.providers.docs import results
from asdlc_kb.providers.docs.tools import SearchDocs
from asdlc_kb.providers.shared.chunks import run_for_text
from asdlc_kb.providers.shared.cursors import cursor_fingerprint, read_cursor
from asdlc_kb.providers.shared.full_text import (
    cut_irrelevant,
    describe_words,
    is_minimum,
    max_passages,
    search_index,
)
from asdlc_kb.providers.shared.listings import OtherContent
from asdlc_kb.providers.shared.results import fill_page, make_result
from asdlc_kb.providers.shared.size_budget import SizeBudget
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.search.values import SearchRequest, SearchResults


async def search_pages(
    library: DocCollection,
    indexer: Indexer,
    arguments: SearchDocs,
    default_results: int,
    other: OtherContent | None,
) -> ToolResult:
    """Return the pages that match best, with the total.

    Raises UnknownCategory, UnknownEdition; ToolFailure without an index.
    """
    limit = given_arguments(arguments.limit)
    query = arguments.query.strip()
    wanted = PageFilter(
        given_arguments(arguments.category) or None,
        given_arguments(arguments.source) or None,
        given_arguments(arguments.version) or None,
        given_arguments(arguments.language) or None,
    )
    fingerprint = cursor_fingerprint("search", f"{query}\0{wanted}")
    start = read_cursor(arguments.cursor, fingerprint)
    catalog = library.catalog
    text, wanted = split_query(catalog, query, wanted)
    selected = select_pages(catalog, wanted, text)
    most = limit or default_results
    passages = max_passages(arguments.detail, most)
    request = SearchRequest(
        text,
        most,
        catalog.has_digest,
        start,
        language=selected.language,
        keys=selected.paths,
        is_secondary=selected.is_secondary,
        named=find_named_page(catalog, text),
        passages=passages,
        finds_all=bool(query) and not text,
    )
    found = await search_index(indexer, request)
    if limit is None and not start:
        found = _cut_repetitions(cut_irrelevant(found), catalog)
    pages = [catalog.by_path[hit.key] for hit in found.hits]
    rows = list(map(results.view_hit, pages, found.hits))
    if passages:
        rows = await _add_passages(arguments, found, catalog, rows)
    page = fill_page(
        results.list_results(found),
        "results",
        results.make_rows(rows, start),
        arguments.max_chars - results.FRAME_CHARS,
        start,
        fingerprint,
        is_minimum=is_minimum(found.total),
    )
    notes = (*describe_words(found, "page"), *page.notes)
    if not found.total:
        near = await asyncio.to_thread(catalog.find_near, text)
        searched = catalog.pages if selected.paths is None else selected.paths
        if selected.paths == frozenset():
            note = results.describe_filters(catalog, wanted.others)
        else:
            note = results.describe_empty(len(searched), near)
        hints = () if other is None else (other.search_hint,)
        notes = (note, *hints, *notes)
    return make_result(page.values, results.show_results(page, query), notes)


def _cut_repetitions(found: SearchResults, catalog: DocCatalog) -> SearchResults:
    """Return results without the last ones, if they are pages that are there already.

    In another edition: its passage has nothing new, and is on the next page of results.
    """
    paths = [hit.key for hit in found.hits]
    while len(paths) > 1:
        others = catalog.list_editions(catalog.by_path[paths[-1]])
        if not {page.path for page in others}.intersection(paths):
            break
        del paths[-1]
    return dataclasses.replace(found, hits=found.hits[: len(paths)])


async def _add_passages(
    arguments: SearchDocs,
    found: SearchResults,
    catalog: DocCatalog,
    rows: Sequence[results.FoundPage],
) -> list[results.FoundPage]:
    """Return results with passages: the first ones, or as many as have room.

    The others have no snippet by default: it answers less than a passage.
    """
    from asdlc_kb.providers.shared.passages import Place, find_passages

    count = max_passages(arguments.detail, len(found.hits))
    pages = [catalog.by_path[hit.key] for hit in found.hits[:count]]
    chars = sum(len(page.body) for page in pages)
    linked = await run_for_text(chars, _link_pages, pages, catalog)
    short = [replace(row, snippet=UNSET) for row in rows]
    sizes = [len(row.text) for row in results.make_rows(short, 0)]
    places = [
        Place(
            page.body,
            hit.line - page.body_line + 1,
            [line - page.body_line + 1 for line in hit.next_lines],
            hit.language,
        )
        for page, hit in zip(linked, found.hits, strict=False)
    ]
    chars = arguments.max_chars - results.FRAME_CHARS
    budget = SizeBudget(chars, is_json=False)
    passages = await find_passages(found, places, sizes, budget, arguments.detail)
    return [
        *map(results.with_passage, rows, passages),
        *(rows if arguments.detail == "passages" else short)[len(passages) :],
    ]


def _link_pages(pages: Sequence[DocPage], catalog: DocCatalog) -> list[DocPage]:
    return [link_page(page, catalog) for page in pages]
