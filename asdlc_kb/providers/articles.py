"""Articles over MCP: three tools, `kb://article/{slug}`, prompts and completions."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import Catalog
from asdlc_kb.articles.library import Library
from asdlc_kb.articles.links import URI_PREFIX
from asdlc_kb.articles.order import place
from asdlc_kb.articles.source import ArticleSource
from asdlc_kb.exceptions import ArticleError, ArticleUnreadable, UnknownCategory
from asdlc_kb.mcp.errors import (
    InternalError,
    InvalidParams,
    ResourceNotFound,
    ToolFailure,
    clip,
)
from asdlc_kb.mcp.pagination import Listed, number
from asdlc_kb.mcp.provider import Contents, Context, Provider, RawResult, Stamp
from asdlc_kb.mcp.schema import check, given, missing
from asdlc_kb.mcp.types import (
    Completion,
    Prompt,
    PromptResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextContents,
    Tool,
    ToolResult,
)
from asdlc_kb.providers import article_tools, prompts, views
from asdlc_kb.providers.article_lists import LIST_CUT, ArticleLists, write_json
from asdlc_kb.providers.article_tools import (
    LONGEST_NAME,
    LONGEST_TEXT,
    GetArticle,
    ListArticles,
    SearchArticles,
)
from asdlc_kb.providers.offers import Resources, cut_name, make_completion
from asdlc_kb.providers.parts import DEFAULT_CHARS, Part, show_part, take_part
from asdlc_kb.providers.room import find_room, fit_part, measure
from asdlc_kb.search.fulltext import FullText
from asdlc_kb.search.indexer import Indexer

if TYPE_CHECKING:
    from asdlc_kb.markup.sections import Section

TEMPLATE = "kb://article/{slug}"

GUIDANCE: Final = 10
"""Articles that a prompt names on a topic (seed 001)."""


class ArticleProvider(Provider):
    """Offers the visible articles of a library."""

    def __init__(self, library: Library, indexer: Indexer | None = None) -> None:
        """Offer a library; without an indexer, full text is indexed in memory."""
        self._library = library
        self._indexer = indexer or Indexer(
            FullText(None), lambda: ArticleSource(library.catalog)
        )
        self._lists = ArticleLists(library, self._indexer)

    def stamp(self, method: str, params: Mapping[str, Any]) -> Stamp | None:
        """Return the generation; of one article, only while its file is that of it."""
        name: object = None
        is_open = False
        given = params.get("arguments")
        arguments = given if isinstance(given, dict) else {}
        match method, params.get("name"):
            case "tools/call", "search_articles":
                is_open = True
            case "prompts/get", _:
                name, is_open = arguments.get("slug"), True
            case "tools/call", "get_article":
                name = arguments.get("slug")
            case "resources/read", _:
                name = _name(params["uri"])
        if isinstance(name, str) and not self._library.is_current(name):
            return None
        generation = self._library.catalog.generation
        if params.get("name") in ("search_articles", "find_guidance"):
            return Stamp((generation, self._indexer.index.generation), is_open)
        return Stamp(generation, is_open)

    def tools(self) -> Sequence[Listed[Tool]]:
        """Return the three tools; their schemas name the visible categories."""
        return article_tools.offer(self._library.catalog.categories)

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any], context: Context
    ) -> ToolResult | RawResult:
        """Call a tool; domain errors become failures in the seeds' words."""
        try:
            match name:
                case "list_articles":
                    return self._lists.list_all(check(arguments, ListArticles))
                case "get_article":
                    return await self._get(check(arguments, GetArticle))
                case _:
                    return await self._lists.search(check(arguments, SearchArticles))
        except ArticleError as error:
            is_fault = isinstance(error, ArticleUnreadable)
            protocol = InternalError if is_fault else InvalidParams
            raise ToolFailure(str(error), {"slug": error.slug}, protocol) from None
        except UnknownCategory as error:
            data = {"field": "category", "error": str(error)}
            raise ToolFailure(str(error), data) from None

    async def _get(self, arguments: GetArticle) -> ToolResult:
        if not arguments.slug:
            raise missing("slug")
        catalog = await self._library.fetch(arguments.slug)
        article = catalog.find(arguments.slug)
        is_markdown = arguments.format == "markdown"
        whole = views.markdown(article) if is_markdown else article.body
        room = find_room(arguments.max_chars, DEFAULT_CHARS)
        cursor = given(arguments.cursor)

        def make(most: int) -> ToolResult:
            part = take_part(whole, most, cursor, lambda: _split(whole))
            if not part.is_whole:
                return show(part, views.view_part(article, catalog, part))
            shown = views.view(article, catalog, content=True)
            result = show(part, shown)
            is_large = measure(result) > room
            return show(part, views.shorten(shown)) if is_large else result

        def show(part: Part, shown: views.ArticleView) -> ToolResult:
            answer = views.plain(shown)
            text = (
                TextContent(text=show_part(part)) if is_markdown else write_json(answer)
            )
            return ToolResult(content=(text,), structured_content=answer)

        return await fit_part(make, whole, arguments.max_chars, room)

    def resources(self) -> Sequence[Listed[Resource]]:
        """Return every visible article, newest first (seed 001)."""
        catalog = self._library.catalog
        return Resources(catalog.articles, lambda article: _show(article, catalog))

    def templates(self) -> Sequence[Listed[ResourceTemplate]]:
        """Return the one family of URIs."""
        return number(
            (
                ResourceTemplate(
                    uri_template=TEMPLATE,
                    name="article",
                    title="Article",
                    description="An article as Markdown, by its slug",
                    mime_type=views.MARKDOWN,
                ),
            )
        )

    def reads(self, uri: str) -> bool:
        """Whether the URI is one of an article."""
        return uri.startswith(URI_PREFIX)

    async def knows(self, uri: str) -> bool:
        """Whether a visible article is read by this URI."""
        try:
            self._library.catalog.find(_name(uri))
        except ArticleError:
            return False
        return True

    def spell(self, uri: str) -> str:
        """Return the URI as lists and events spell it."""
        name = _name(uri)
        return views.uri(name) if name else uri

    async def read(self, uri: str, context: Context) -> Sequence[Contents] | RawResult:
        """Return an article as Markdown."""
        name = _name(uri)
        if not name:
            message = f"Invalid URI format. Expected: {TEMPLATE}"
            raise ResourceNotFound(message, {"uri": uri[:500]})
        article = await self._find(name, ResourceNotFound, {"uri": uri})
        text = views.markdown(article)
        return (TextContents(uri=uri, text=text, mime_type=views.MARKDOWN),)

    def prompts(self) -> Sequence[Listed[Prompt]]:
        """Return the prompts."""
        return number(prompts.offered(self._library.catalog.categories))

    async def get_prompt(
        self, name: str, arguments: Mapping[str, str], context: Context
    ) -> PromptResult | RawResult:
        """Fill a prompt with an article, or with what a search finds."""
        for key in ("task", "topic"):
            if len(arguments.get(key, "")) > LONGEST_TEXT:
                message = f"{key} is longer than {LONGEST_TEXT:,} characters"
                raise InvalidParams(message, {"argument": key})
        if name == "find_guidance":
            topic = arguments["topic"]
            return prompts.fill_guidance(topic, await self._find_guidance(topic))
        slug = arguments["slug"]
        if len(slug) > LONGEST_NAME:
            told = clip(slug)
            raise InvalidParams(f"Article '{told}' not found", {"slug": told})
        article = await self._find(slug, InvalidParams, {"slug": slug})
        address = views.uri(self._library.catalog.name(article))
        return prompts.fill(name, article, address, arguments)

    async def _find_guidance(self, topic: str) -> str:
        """Return what a search says of a topic, as `search_articles` words it."""
        asked = SearchArticles(query=topic, limit=GUIDANCE, format="markdown")
        try:
            return await self._lists.tell(asked)
        except ToolFailure as failure:
            raise failure.protocol(failure.message, failure.data) from None

    async def complete(
        self, reference: str, argument: str, value: str, given: Mapping[str, str]
    ) -> Completion:
        """Complete slugs, those of the prompt's own category first, and topics."""
        catalog = self._library.catalog
        is_guidance = reference == "find_guidance"
        if argument == "slug" and not is_guidance:
            names = catalog.complete(value, prompts.CATEGORIES.get(reference))
        elif argument == "topic" and is_guidance:
            tags = {tag for article in catalog.articles for tag in article.tags}
            names = sorted(tag for tag in tags if value.lower() in tag.lower())
        else:
            return Completion(values=())
        return make_completion(names)

    async def _find(
        self,
        name: str,
        failure: type[ResourceNotFound] | type[InvalidParams],
        data: dict[str, str],
    ) -> Article:
        """Return an article, or raise the failure that fits where it was named."""
        try:
            return (await self._library.fetch(name)).find(name)
        except ArticleUnreadable as error:
            raise InternalError(str(error), data) from None
        except ArticleError as error:
            raise failure(str(error), data) from None


def _show(article: Article, catalog: Catalog) -> Listed[Resource]:
    resource = Resource(
        uri=views.uri(catalog.name(article)),
        name=article.title,
        title=article.title,
        description=article.description[:LIST_CUT],
        mime_type=views.MARKDOWN,
        annotations=views.annotations(article),
    )
    return Listed(place(article), resource)


def _name(uri: str) -> str:
    """Return the name in an article's URI, or nothing if it cannot be one."""
    return cut_name(uri, URI_PREFIX, LONGEST_NAME)


def _split(text: str) -> "Sequence[Section]":
    # Loaded with the first article that is too large for an answer.
    from asdlc_kb.markup.sections import split

    return split(text)
