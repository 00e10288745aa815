"""Documentation over MCP: three tools, `kb://doc/{path}` and completion of paths."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final, TypeVar

from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.docs.page import DocPage
from asdlc_kb.docs.sections import choose_sections
from asdlc_kb.exceptions import DocError, DocNotFound, UnknownCategory
from asdlc_kb.markup.sections import Section, split_sections
from asdlc_kb.mcp.dispatch.provider import (
    CallContext,
    Contents,
    Provider,
    RawResult,
    Validator,
)
from asdlc_kb.mcp.protocol.errors import ResourceNotFound, ToolFailure
from asdlc_kb.mcp.protocol.model import (
    Completion,
    Resource,
    ResourceTemplate,
    TextContent,
    TextContents,
    Tool,
    ToolResult,
)
from asdlc_kb.mcp.protocol.pagination import Listed, number_items
from asdlc_kb.mcp.protocol.tool_schema import (
    ToolAnswer,
    check_arguments,
    given_arguments,
    missing_parameter,
)
from asdlc_kb.providers.docs import results, tools, views
from asdlc_kb.providers.docs.tools import (
    DEFAULT_RESULTS,
    GetDocPage,
    ListDocPages,
    SearchDocs,
)
from asdlc_kb.providers.docs.views import URI_PREFIX
from asdlc_kb.providers.shared import full_text
from asdlc_kb.providers.shared.chunks import DEFAULT_CHARS, take_chunk
from asdlc_kb.providers.shared.cursors import (
    cursor_fingerprint,
    read_cursor,
    write_cursor,
)
from asdlc_kb.providers.shared.listings import (
    Resources,
    cut_name,
    invalid_uri,
    make_completion,
)
from asdlc_kb.providers.shared.size_budget import (
    max_answer_chars,
    shrink_chunk,
    shrink_rows,
)
from asdlc_kb.search.service.indexer import Indexer

T = TypeVar("T")

TEMPLATE: Final = "kb://doc/{path}"


class DocsProvider(Provider):
    """Serves the visible pages of a documentation tree."""

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
        given_arguments = params.get("arguments")
        arguments = given_arguments if isinstance(given_arguments, dict) else {}
        generation = self._library.catalog.generation
        name: object = None
        match method, params.get("name"):
            case "tools/call", "search_docs":
                return Validator((generation, self._indexer.index.generation), True)
            case "tools/call", "get_doc_page":
                name = arguments.get("path")
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
            raise ToolFailure(str(error), {"path": error.path}) from None
        except UnknownCategory as error:
            data = {"field": "category", "error": str(error)}
            raise ToolFailure(str(error), data) from None

    def _list(self, arguments: ListDocPages) -> ToolResult:
        catalog = self._library.catalog
        category = given_arguments(arguments.category) or None
        if category is None:
            rows = views.page_rows(catalog.groups)
        else:
            rows = views.of_category(category, catalog.select(category))
        fingerprint = cursor_fingerprint(
            "list", "\n".join(page.path for _, _, page in rows)
        )
        cursor = given_arguments(arguments.cursor)
        start = 0 if cursor is None else read_cursor(cursor, fingerprint, len(rows))

        def make(
            listed: Sequence[views.PageRowView], following: str | None
        ) -> ToolResult:
            answer = views.list_pages(listed, len(rows), following)
            text = views.show_list(
                listed, len(rows), following, start=start, category=category
            )
            return _result(text, answer)

        return shrink_rows(
            rows[start : start + arguments.limit],
            make,
            max_answer_chars(),
            start=start,
            total=len(rows),
            fingerprint=lambda _: fingerprint,
        )

    async def _get(self, arguments: GetDocPage) -> ToolResult:
        if not arguments.path:
            raise missing_parameter("path")
        catalog = await self._library.fetch(arguments.path)
        page = catalog.find(arguments.path)
        wanted = given_arguments(arguments.sections)

        @cache
        def choose() -> tuple[str, Sequence[Section]]:
            if wanted:
                excerpt = choose_sections(page, wanted)
                return excerpt.text, excerpt.sections
            return page.text, split_sections(page.body)

        def make(size: int) -> ToolResult:
            text = choose()[0] if wanted else page.text
            cursor = given_arguments(arguments.cursor)
            part = take_chunk(text, size, cursor, lambda: choose()[1])
            return _result(views.show_page(part), views.view_page(page, part))

        max_chars = arguments.max_chars
        budget = max_answer_chars(max_chars, DEFAULT_CHARS)
        return await shrink_chunk(make, page.body, max_chars, budget)

    async def _search(self, arguments: SearchDocs) -> ToolResult:
        limit = given_arguments(arguments.limit) or self._default_results
        query = arguments.query
        fingerprint = cursor_fingerprint("search", query)
        cursor = given_arguments(arguments.cursor)
        start = 0 if cursor is None else read_cursor(cursor, fingerprint, 10**9)
        await full_text.wait_for_index(self._indexer)
        catalog = self._library.catalog
        hits = await full_text.ask_index(
            self._indexer, query, limit, offset=start, accepts=catalog.holds
        )
        end = start + len(hits.hits)
        is_more = hits.hits and end < hits.total
        following = write_cursor(end, fingerprint) if is_more else None
        answer = results.list_results(hits, catalog, following)
        text = results.show_results(answer, query=query, start=start)
        return _result(text, answer)

    def resources(self) -> Sequence[Listed[Resource]]:
        """Return every visible page, by path."""
        catalog = self._library.catalog
        return Resources(catalog.paths, lambda path: _show(catalog.by_path[path]))

    def templates(self) -> Sequence[Listed[ResourceTemplate]]:
        """Return the URI template of pages."""
        return number_items(
            (
                ResourceTemplate(
                    uri_template=TEMPLATE,
                    name="doc",
                    title="Documentation page",
                    description="A page of the documentation as Markdown, by its path",
                    mime_type=views.MARKDOWN,
                ),
            )
        )

    def reads(self, uri: str) -> bool:
        """Whether the URI has the prefix of pages."""
        return uri.startswith(URI_PREFIX)

    async def knows(self, uri: str) -> bool:
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
        return (TextContents(uri=uri, text=page.text, mime_type=views.MARKDOWN),)

    async def complete(
        self, reference: str, argument: str, value: str, given: Mapping[str, str]
    ) -> Completion:
        """Complete paths."""
        paths = self._library.catalog.complete(value) if argument == "path" else []
        return make_completion(paths)

    def _find_page(self, uri: str) -> DocPage | None:
        name = _name(uri)
        return self._library.catalog.pick(name) if name else None


def _show(page: DocPage) -> Listed[Resource]:
    resource = Resource(
        uri=views.page_uri(page.path),
        name=page.path,
        title=page.title,
        description=page.description[: views.LIST_CUT] or None,
        mime_type=views.MARKDOWN,
    )
    return Listed(page.path, resource)


def _result(text: str, answer: ToolAnswer) -> ToolResult:
    return ToolResult(
        content=(TextContent(text=text),),
        structured_content=views.to_json_values(answer),
    )


def _name(uri: str) -> str:
    """Return the path in a page's URI, or an empty string if it is invalid."""
    return cut_name(uri, URI_PREFIX, tools.MAX_PATH_CHARS)
