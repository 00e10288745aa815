"""Documentation over MCP: three tools, `kb://doc/{path}` and completion of paths."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import replace

from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.docs.page import DocPage
from asdlc_kb.docs.section_selection import choose_sections
from asdlc_kb.docs.written_names import URI_PREFIX
from asdlc_kb.exceptions import (
    DocError,
    DocNotFound,
    SectionNotFound,
    UnknownCategory,
)
from asdlc_kb.markup.sections import Section, split_sections
from asdlc_kb.mcp.dispatch.provider import CallContext, Contents, RawResult, Validator
from asdlc_kb.mcp.protocol.errors import ResourceNotFound, ToolFailure
from asdlc_kb.mcp.protocol.model import (
    Completion,
    Resource,
    ResourceTemplate,
    TextContents,
    Tool,
    ToolResult,
)
from asdlc_kb.mcp.protocol.pagination import Listed
from asdlc_kb.mcp.protocol.tool_schema import check_arguments, given_arguments
from asdlc_kb.providers.docs import results, tools, views
from asdlc_kb.providers.docs.tools import (
    DEFAULT_RESULTS,
    GetDocPage,
    ListDocPages,
    SearchDocs,
)
from asdlc_kb.providers.shared.chunks import (
    cut_chunk,
    describe_chunk,
    run_for_text,
    show_chunk,
)
from asdlc_kb.providers.shared.cursors import cursor_fingerprint, read_cursor
from asdlc_kb.providers.shared.full_text import (
    cut_irrelevant,
    describe_corrections,
    max_passages,
    search_index,
)
from asdlc_kb.providers.shared.listings import (
    MAX_LISTED_CHARS,
    Resources,
    TemplateProvider,
    cut_name,
    find_argument,
    invalid_uri,
    make_completion,
)
from asdlc_kb.providers.shared.media_types import MARKDOWN
from asdlc_kb.providers.shared.results import fill_page, make_result, to_values
from asdlc_kb.providers.shared.size_budget import SizeBudget
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.search.values import SearchRequest, SearchResults
from asdlc_kb.unicode.near_names import suggest_names
from asdlc_kb.unicode.truncation import truncate

TEMPLATE: Final = "kb://doc/{path}"

_ADVICE: Final = "Or name `sections` of its outline."


class DocsProvider(TemplateProvider):
    """Serves the visible pages of a documentation tree."""

    template = ResourceTemplate(
        uri_template=TEMPLATE,
        name="doc",
        title="Documentation page",
        description="A page of the documentation as Markdown, by its path",
        mime_type=MARKDOWN,
    )

    def __init__(
        self,
        library: DocLibrary,
        indexer: Indexer,
        *,
        default_results: int = DEFAULT_RESULTS,
    ) -> None:
        self._library = library
        self._indexer = indexer
        self._default_results = default_results

    def validator(self, method: str, params: Mapping[str, Any]) -> Validator | None:
        """Return the generation; for one page, only while its file is unchanged.

        For a search, include the index's generation.
        """
        generation = self._library.catalog.generation
        name: object = None
        match method, params.get("name"):
            case "tools/call", "search_docs":
                return Validator((generation, self._indexer.index.generation), True)
            case "tools/call", "get_doc_page":
                name = find_argument(params, "path")
            case "resources/read", _:
                name = _name(params["uri"])
        if isinstance(name, str) and not self._library.is_current(name):
            return None
        return Validator(generation)

    def tools(self) -> Sequence[Listed[Tool]]:
        """Return the three tools."""
        return tools.tool_definitions(self._default_results)

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any], context: CallContext
    ) -> ToolResult | RawResult:
        """Call a tool; map domain errors to ToolFailure."""
        try:
            match name:
                case "list_doc_pages":
                    return self._list(check_arguments(arguments, ListDocPages))
                case "get_doc_page":
                    return await self._get(check_arguments(arguments, GetDocPage))
                case _:
                    return await self._search(check_arguments(arguments, SearchDocs))
        except DocError as error:
            data = {"path": error.path}
            hint = await self._suggest(error)
            raise ToolFailure(str(error), data, hint=hint) from None
        except UnknownCategory as error:
            data = {"field": "category", "error": str(error)}
            raise ToolFailure(str(error), data) from None

    def _list(self, arguments: ListDocPages) -> ToolResult:
        catalog = self._library.catalog
        category = given_arguments(arguments.category) or None
        if category is None:
            listed = views.list_groups(catalog.groups)
        else:
            listed = views.list_category(category, catalog.select(category))
        total = len(listed)
        paths = "\n".join(page.path for _, _, page in listed)
        fingerprint = cursor_fingerprint("list", paths)
        start = read_cursor(arguments.cursor, fingerprint, total)
        shown = listed[start : start + arguments.limit]
        page = fill_page(
            views.PageList(pages=(), total=total),
            "pages",
            views.make_rows(shown, has_titles=category is None),
            arguments.max_chars - views.LIST_FRAME_CHARS,
            start,
            fingerprint,
        )
        return make_result(page.values, views.show_list(page, category), page.notes)

    async def _get(self, arguments: GetDocPage) -> ToolResult:
        catalog = await self._library.fetch(arguments.path)
        page = catalog.look_up(arguments.path)
        return await run_for_text(len(page.body), _get_page, page, arguments)

    async def _search(self, arguments: SearchDocs) -> ToolResult:
        limit = given_arguments(arguments.limit)
        query = arguments.query.strip()
        fingerprint = cursor_fingerprint("search", query)
        start = read_cursor(arguments.cursor, fingerprint)
        catalog = self._library.catalog
        most = limit or self._default_results
        passages = max_passages(arguments.detail, most)
        request = SearchRequest(
            query, most, catalog.has_digest, start, passages=passages
        )
        found = await search_index(self._indexer, request)
        if limit is None and not start:
            found = cut_irrelevant(found)
        pages = [catalog.by_path[hit.key] for hit in found.hits]
        rows = list(map(results.view_hit, pages, found.hits))
        if passages:
            rows = await _add_passages(arguments, found, pages, rows)
        page = fill_page(
            results.list_results(found),
            "results",
            results.make_rows(rows, start),
            arguments.max_chars - results.FRAME_CHARS,
            start,
            fingerprint,
        )
        notes = (*describe_corrections(found), *page.notes)
        if not found.total:
            near = await asyncio.to_thread(catalog.find_near, query)
            notes = (results.describe_empty(catalog, near), *notes)
        return make_result(page.values, results.show_results(page, query), notes)

    def resources(self) -> Sequence[Listed[Resource]]:
        """Return every visible page, by path."""
        catalog = self._library.catalog
        return Resources(catalog.paths, lambda path: _show(catalog.by_path[path]))

    async def exists(self, uri: str) -> bool:
        """Whether the URI identifies a visible page."""
        return self._find_page(uri) is not None

    def canonical_uri(self, uri: str) -> str:
        """Return the canonical form of a URI."""
        page = self._find_page(uri)
        if page is not None:
            return views.page_uri(page.path)
        return views.page_uri(name) if (name := _name(uri)) else uri

    async def read(
        self, uri: str, context: CallContext
    ) -> Sequence[Contents] | RawResult:
        """Return a page as Markdown, however large it is."""
        name = _name(uri)
        if not name:
            raise invalid_uri(uri, TEMPLATE)
        try:
            page = (await self._library.fetch(name)).find(name)
        except DocNotFound as error:
            raise ResourceNotFound(str(error), {"uri": uri}) from None
        return (TextContents(uri=uri, text=page.text, mime_type=MARKDOWN),)

    async def complete(
        self, reference: str, argument: str, value: str, given: Mapping[str, str]
    ) -> Completion:
        """Complete paths."""
        paths = self._library.catalog.complete(value) if argument == "path" else []
        return make_completion(paths)

    async def _suggest(self, error: DocError) -> str | None:
        """Return a hint with near names of a page or section that was not found.

        The work is the same whether a page is hidden or missing.
        """
        if isinstance(error, SectionNotFound):
            return suggest_names(error.near)
        if not isinstance(error, DocNotFound):
            return None
        find_near = self._library.catalog.find_near
        return suggest_names(await asyncio.to_thread(find_near, error.path))

    def _find_page(self, uri: str) -> DocPage | None:
        name = _name(uri)
        return self._library.catalog.get_or_none(name) if name else None


def _show(page: DocPage) -> Listed[Resource]:
    resource = Resource(
        uri=views.page_uri(page.path),
        name=page.path,
        title=page.title,
        description=truncate(page.description, MAX_LISTED_CHARS) or None,
        mime_type=MARKDOWN,
    )
    return Listed(page.path, resource)


async def _add_passages(
    arguments: SearchDocs,
    found: SearchResults,
    pages: Sequence[DocPage],
    rows: Sequence[results.FoundPage],
) -> list[results.FoundPage]:
    """Return results with passages: the first ones, or as many as have room.

    The others have no snippet by default: it answers less than a passage.
    """
    from asdlc_kb.providers.shared.passages import Place, find_passages

    short = [replace(row, snippet=UNSET) for row in rows]
    sizes = [len(row.text) for row in results.make_rows(short, 0)]
    places = [
        Place(
            page.body,
            hit.line - page.body_line + 1,
            [line - page.body_line + 1 for line in hit.next_lines],
        )
        for page, hit in zip(pages, found.hits, strict=True)
    ]
    chars = arguments.max_chars - results.FRAME_CHARS
    budget = SizeBudget(chars, is_json=False)
    passages = await find_passages(found, places, sizes, budget, arguments.detail)
    return [
        *map(results.with_passage, rows, passages),
        *(rows if arguments.detail == "passages" else short)[len(passages) :],
    ]


def _get_page(page: DocPage, arguments: GetDocPage) -> ToolResult:
    """Return a page or some of its sections. Blocks while it parses a large one."""
    text = page.text
    sections: Callable[[], Sequence[Section]] = partial(split_sections, page.body)
    if wanted := given_arguments(arguments.sections):
        excerpt = choose_sections(page, wanted)
        text = excerpt.text
        sections = partial(tuple, excerpt.sections)
    budget = SizeBudget(arguments.max_chars, is_json=False)
    chunk = cut_chunk(text, arguments.cursor, sections, budget)
    answer = views.view_page(page, chunk)
    notes = describe_chunk(chunk, _ADVICE)
    return make_result(to_values(answer), show_chunk(chunk), notes)


def _name(uri: str) -> str:
    """Return the path in a page's URI, or an empty string if it is invalid."""
    return cut_name(uri, URI_PREFIX, tools.MAX_PATH_CHARS)
