"""Articles over MCP: three tools, `kb://article/{slug}`, prompts and completions."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import Catalog, Selection
from asdlc_kb.articles.library import Library
from asdlc_kb.articles.links import URI_PREFIX
from asdlc_kb.articles.order import place
from asdlc_kb.articles.source import ArticleSource
from asdlc_kb.exceptions import ArticleError, ArticleUnreadable, UnknownCategory
from asdlc_kb.markup.sections import split
from asdlc_kb.mcp import jsonrpc
from asdlc_kb.mcp.errors import (
    InternalError,
    InvalidParams,
    ResourceNotFound,
    ToolFailure,
    clip,
)
from asdlc_kb.mcp.pagination import Listed, number
from asdlc_kb.mcp.provider import Contents, Context, Provider, RawResult, Stamp
from asdlc_kb.mcp.schema import check, missing
from asdlc_kb.mcp.types import (
    Completion,
    Prompt,
    PromptResult,
    Resource,
    ResourceLink,
    ResourceTemplate,
    TextContent,
    TextContents,
    Tool,
    ToolResult,
)
from asdlc_kb.providers import article_tools, full_text, prompts, views
from asdlc_kb.providers.article_tools import (
    LONGEST_NAME,
    LONGEST_TEXT,
    GetArticle,
    ListArticles,
    SearchArticles,
)
from asdlc_kb.providers.offers import Resources, cut_name, make_completion
from asdlc_kb.providers.parts import show_part, take_part_aside
from asdlc_kb.search.fulltext import FullText
from asdlc_kb.search.indexer import Indexer

TEMPLATE = "kb://article/{slug}"
LIST_CUT = 200
"""Characters of a description in resource lists (seed 001)."""


class ArticleProvider(Provider):
    """Offers the visible articles of a library."""

    def __init__(self, library: Library, indexer: Indexer | None = None) -> None:
        """Offer a library; without an indexer, full text is indexed in memory."""
        self._library = library
        self._indexer = indexer or Indexer(
            FullText(None), lambda: ArticleSource(library.catalog)
        )

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
        if params.get("name") == "search_articles":
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
                    return self._list(check(arguments, ListArticles))
                case "get_article":
                    return await self._get(check(arguments, GetArticle))
                case _:
                    return await self._search(check(arguments, SearchArticles))
        except ArticleError as error:
            is_fault = isinstance(error, ArticleUnreadable)
            protocol = InternalError if is_fault else InvalidParams
            raise ToolFailure(str(error), {"slug": error.slug}, protocol) from None
        except UnknownCategory as error:
            data = {"field": "category", "error": str(error)}
            raise ToolFailure(str(error), data) from None

    def _list(self, arguments: ListArticles) -> ToolResult:
        catalog = self._library.catalog
        selection = catalog.select(_chosen(arguments.category), arguments.limit)
        answer = _articles(catalog, selection, content=False)
        return ToolResult(
            content=(_json(answer["articles"]),), structured_content=answer
        )

    async def _get(self, arguments: GetArticle) -> ToolResult:
        if not arguments.slug:
            raise missing("slug")
        catalog = await self._library.fetch(arguments.slug)
        article = catalog.find(arguments.slug)
        is_markdown = arguments.format == "markdown"
        whole = views.markdown(article) if is_markdown else article.body
        part = await take_part_aside(
            whole, arguments.max_chars, arguments.cursor, lambda: split(whole)
        )
        if part.is_whole:
            answer = views.plain(views.view(article, catalog, content=True))
        else:
            answer = views.plain(views.view_part(article, catalog, part))
        text = TextContent(text=show_part(part)) if is_markdown else _json(answer)
        return ToolResult(content=(text,), structured_content=answer)

    async def _search(self, arguments: SearchArticles) -> ToolResult:
        """Answer from keywords; from the full text where that is asked for.

        In the mode auto that is a query of which keywords find nothing.
        """
        catalog = self._library.catalog
        category, query = _chosen(arguments.category), arguments.query
        if arguments.mode == "fulltext" and query.strip():
            return await self._search_text(arguments)
        selection = catalog.search(query, category, arguments.limit)
        is_nothing = not selection.total and bool(query.strip())
        if arguments.mode == "auto" and is_nothing:
            return await self._search_text(arguments)
        answer = _articles(catalog, selection, content=arguments.include_content)
        if arguments.format == "markdown":
            text = TextContent(text=views.found(selection, catalog, query))
        else:
            text = _json(answer["articles"])
        links = (_link(article, catalog) for article in selection.articles)
        return ToolResult(content=(text, *links), structured_content=answer)

    async def _search_text(self, arguments: SearchArticles) -> ToolResult:
        category = _chosen(arguments.category)
        await full_text.wait(self._indexer)
        catalog = self._library.catalog
        catalog.require(category)
        results = await full_text.ask(
            self._indexer,
            arguments.query,
            arguments.limit,
            accepts=catalog.holds,
            category=category,
        )
        passages = [(catalog.by_id[hit.key], hit) for hit in results.hits]
        content = arguments.include_content
        shown = views.Articles(
            articles=tuple(
                views.view(article, catalog, content=content, hit=hit)
                for article, hit in passages
            ),
            total=results.total,
            mode="fulltext",
            corrected=full_text.list_corrections(results),
            suggestion=results.suggestion or UNSET,
        )
        answer = views.plain(shown)
        if arguments.format == "markdown":
            told = views.found_text(passages, catalog, arguments.query, results)
            text = TextContent(text=told)
        else:
            text = _json(answer["articles"])
        links = (_link(article, catalog) for article, _ in passages)
        return ToolResult(content=(text, *links), structured_content=answer)

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

    def knows(self, uri: str) -> bool:
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
            catalog = self._library.catalog
            found = views.found(catalog.search(topic, None, 10), catalog, topic)
            return prompts.fill_guidance(topic, found)
        slug = arguments["slug"]
        if len(slug) > LONGEST_NAME:
            told = clip(slug)
            raise InvalidParams(f"Article '{told}' not found", {"slug": told})
        article = await self._find(slug, InvalidParams, {"slug": slug})
        address = views.uri(self._library.catalog.name(article))
        return prompts.fill(name, article, address, arguments)

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


def _json(value: Any) -> TextContent:
    return TextContent(text=jsonrpc.write(value).decode())


def _articles(
    catalog: Catalog, selection: Selection, *, content: bool
) -> dict[str, Any]:
    """Return a selection as structured content."""
    shown = tuple(
        views.view(article, catalog, content=content) for article in selection.articles
    )
    return views.plain(views.Articles(articles=shown, total=selection.total))


def _link(article: Article, catalog: Catalog) -> ResourceLink:
    name = catalog.name(article)
    return ResourceLink(
        uri=views.uri(name),
        name=name,
        title=article.title,
        description=article.description[:LIST_CUT],
        mime_type=views.MARKDOWN,
        annotations=views.annotations(article),
    )


def _chosen(category: str | UnsetType) -> str | None:
    return None if category is UNSET else category


def _name(uri: str) -> str:
    """Return the name in an article's URI, or nothing if it cannot be one."""
    return cut_name(uri, URI_PREFIX, LONGEST_NAME)
