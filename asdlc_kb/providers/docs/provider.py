"""Documentation over MCP: three tools, `kb://doc/{path}` and completion of paths."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final
from urllib.parse import unquote

from msgspec.structs import replace

from asdlc_kb.attachments.file_types import AttachmentKind
from asdlc_kb.attachments.referenced_files import NO_FILES, ReferencedFiles
from asdlc_kb.docs.catalogs.catalog import ROOT
from asdlc_kb.docs.collection import DocCollection
from asdlc_kb.docs.linked_pages import link_page
from asdlc_kb.docs.links.written_names import URI_PREFIX, page_uri
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.exceptions import (
    DocError,
    DocNotFound,
    SectionNotFound,
    UnknownCategory,
    UnknownEdition,
)
from asdlc_kb.markup.section_selection import choose_sections
from asdlc_kb.markup.sections import Section, split_sections
from asdlc_kb.mcp.dispatch.provider import CallContext, Contents, RawResult, Validator
from asdlc_kb.mcp.protocol.errors import (
    InvalidParams,
    ResourceNotFound,
    ToolFailure,
    clip,
)
from asdlc_kb.mcp.protocol.model import (
    BlobContents,
    Completion,
    Resource,
    ResourceTemplate,
    TextContents,
    Tool,
    ToolResult,
)
from asdlc_kb.mcp.protocol.pagination import Listed
from asdlc_kb.mcp.protocol.tool_schema import check_arguments, given_arguments
from asdlc_kb.providers.docs import tools, views
from asdlc_kb.providers.docs.search import search_pages
from asdlc_kb.providers.docs.tools import (
    DEFAULT_RESULTS,
    GetDocPage,
    ListDocPages,
    SearchDocs,
)
from asdlc_kb.providers.shared.chunks import (
    SECTIONS_ADVICE,
    cut_chunk,
    describe_chunk,
    run_for_text,
    show_chunk,
)
from asdlc_kb.providers.shared.cursors import cursor_fingerprint, read_cursor
from asdlc_kb.providers.shared.listings import (
    MAX_LISTED_CHARS,
    OtherContent,
    Resources,
    TemplateProvider,
    cut_name,
    find_argument,
    invalid_uri,
    make_completion,
    suggest_near,
)
from asdlc_kb.providers.shared.media_types import MARKDOWN
from asdlc_kb.providers.shared.pictures import (
    MAX_BLOB_BYTES,
    read_blob,
    read_pictures,
)
from asdlc_kb.providers.shared.results import fill_page, make_result, to_values
from asdlc_kb.providers.shared.size_budget import SizeBudget
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.unicode.near_names import suggest_names
from asdlc_kb.unicode.truncation import truncate

TEMPLATE: Final = "kb://doc/{path}"


class DocsProvider(TemplateProvider):
    """Serves the visible pages of documentation."""

    template = ResourceTemplate(
        uri_template=TEMPLATE,
        name="doc",
        title="Documentation page",
        description="A page of the documentation as Markdown, by its path",
        mime_type=MARKDOWN,
    )

    def __init__(
        self,
        library: DocCollection,
        indexer: Indexer,
        *,
        default_results: int = DEFAULT_RESULTS,
        other: OtherContent | None = None,
    ) -> None:
        self._library = library
        self._indexer = indexer
        self._default_results = default_results
        self._other = other

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
                if find_argument(params, "include_images"):
                    return None
                name = find_argument(params, "path")
            case "resources/read", _:
                name = _name(params["uri"])
        if isinstance(name, str) and not self._library.is_current(name):
            return None
        return Validator(generation)

    def tools(self) -> Sequence[Listed[Tool]]:
        """Return the three tools; their schemas enumerate the editions."""
        catalog = self._library.catalog
        return tools.tool_definitions(
            self._default_results,
            catalog.sources,
            catalog.versions,
            catalog.languages,
        )

    def call_now(
        self, name: str, arguments: Mapping[str, Any]
    ) -> ToolResult | RawResult | None:
        """Return a list of pages; the other tools wait for files or the index."""
        if name != "list_doc_pages":
            return None
        try:
            return self._list(check_arguments(arguments, ListDocPages))
        except (ToolFailure, UnknownCategory):
            return None

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
                    shown = self.tools()[0].item.input_schema["properties"]
                    return await search_pages(
                        self._library,
                        self._indexer,
                        check_arguments(arguments, SearchDocs, shown),
                        self._default_results,
                        self._other,
                    )
        except DocError as error:
            data = {"path": error.path}
            hint = await self._suggest(error)
            raise ToolFailure(str(error), data, hint=hint) from None
        except UnknownCategory as error:
            data = {"field": "category", "error": str(error)}
            raise ToolFailure(str(error), data) from None
        except UnknownEdition as error:
            data = {"field": error.field, "error": str(error)}
            raise ToolFailure(str(error), data) from None

    def _list(self, arguments: ListDocPages) -> ToolResult:
        catalog = self._library.catalog
        category = given_arguments(arguments.category) or None
        if category is None:
            groups = catalog.groups
            listed = [(g.category, g.title, page) for g in groups for page in g.pages]
        else:
            pages = catalog.select(category)
            listed = [(page.category or ROOT, category, page) for page in pages]
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
        if arguments.format == "source":
            text = await asyncio.to_thread(self._library.read_source, page.path)
            page = page.with_text(text)
        else:
            page = await run_for_text(len(page.body), link_page, page, catalog)
        if arguments.include_images:
            files = self._library.open_files(catalog)
            return await asyncio.to_thread(_get_page, page, arguments, files)
        return await run_for_text(len(page.body), _get_page, page, arguments)

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
            return page_uri(page.path)
        return page_uri(name) if (name := _name(uri)) else uri

    async def read(
        self, uri: str, context: CallContext
    ) -> Sequence[Contents] | RawResult:
        """Return a page as Markdown, however large it is."""
        name = _name(uri)
        if not name:
            raise invalid_uri(uri, TEMPLATE)
        try:
            catalog = await self._library.fetch(name)
            page = catalog.find(name)
        except DocNotFound as error:
            if (picture := await self._read_picture(name, uri)) is not None:
                return (picture,)
            raise ResourceNotFound(str(error), {"uri": uri}) from None
        page = await run_for_text(len(page.body), link_page, page, catalog)
        return (TextContents(uri, page.text, MARKDOWN, page_uri(page.path)),)

    async def complete(
        self, reference: str, argument: str, value: str, given: Mapping[str, str]
    ) -> Completion:
        """Complete paths."""
        if argument != "path":
            return make_completion(())
        return make_completion(self._library.catalog.completion.complete(value))

    async def _read_picture(self, name: str, uri: str) -> BlobContents | None:
        """Return the picture with a name; None if it is hidden or missing."""
        picture = await self._library.fetch_file(name)
        if picture is None or picture.type.kind is not AttachmentKind.PICTURE:
            return None
        if picture.size > MAX_BLOB_BYTES:
            message = f"the picture has {picture.size:,} bytes, over {MAX_BLOB_BYTES:,}"
            raise InvalidParams(f"{message}: open it on the website", {"uri": uri})
        return await asyncio.to_thread(read_blob, picture, uri)

    async def _suggest(self, error: DocError) -> str | None:
        """Return a hint with near names of a page or section that was not found."""
        if isinstance(error, SectionNotFound):
            return suggest_names(error.near)
        if not isinstance(error, DocNotFound):
            return None
        find_near = self._library.catalog.find_near
        return await suggest_near(find_near, error.path, self._other)

    def _find_page(self, uri: str) -> DocPage | None:
        name = _name(uri)
        return self._library.catalog.get_or_none(name) if name else None


def _show(page: DocPage) -> Listed[Resource]:
    resource = Resource(
        uri=page_uri(page.path),
        name=page.path,
        title=page.title,
        description=truncate(page.description, MAX_LISTED_CHARS) or None,
        mime_type=MARKDOWN,
    )
    return Listed(page.path, resource)


def _get_page(
    page: DocPage, arguments: GetDocPage, files: ReferencedFiles = NO_FILES
) -> ToolResult:
    """Return a page or some of its sections, with the pictures in `files`.

    An anchor in the path names a section if no `sections` are given. Blocks while it
    parses a large page, or reads pictures.
    """
    text = page.text
    sections: Callable[[], Sequence[Section]] = partial(split_sections, page.body)
    excerpt = None
    anchor = "" if "#" in page.path else arguments.path.partition("#")[2]
    missing: tuple[str, ...] = ()
    if wanted := given_arguments(arguments.sections):
        excerpt = choose_sections(page, wanted)
    elif anchor:
        try:
            excerpt = choose_sections(page, [unquote(anchor)])
        except SectionNotFound:
            missing = (f"It has no section '{clip(anchor)}'.",)
    if excerpt is not None:
        text = excerpt.text
        sections = partial(tuple, excerpt.sections)
    budget = SizeBudget(arguments.max_chars, is_json=False)
    chunk = cut_chunk(text, arguments.cursor, sections, budget)
    answer = views.view_page(page, chunk)
    pictures = read_pictures(files, chunk.text, page.path)
    notes = (*missing, *describe_chunk(chunk, SECTIONS_ADVICE), *pictures.notes)
    result = make_result(to_values(answer), show_chunk(chunk), notes)
    result = replace(result, document=page_uri(page.path))
    return pictures.append_to(result)


def _name(uri: str) -> str:
    """Return the path in a page's URI, or an empty string if it is invalid."""
    return cut_name(uri, URI_PREFIX, tools.MAX_PATH_CHARS)
