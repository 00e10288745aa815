"""Articles over MCP: three tools, `kb://article/{slug}`, prompts and completions."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.articles.links import URI_PREFIX, article_uri
from asdlc_kb.articles.sorting import sort_key
from asdlc_kb.exceptions import (
    ArticleError,
    ArticleNotFound,
    ArticleUnreadable,
    SectionNotFound,
    UnknownCategory,
)
from asdlc_kb.mcp.dispatch.provider import CallContext, Contents, RawResult, Validator
from asdlc_kb.mcp.protocol.errors import (
    InternalError,
    InvalidParams,
    ResourceNotFound,
    ToolFailure,
    clip,
)
from asdlc_kb.mcp.protocol.model import (
    Completion,
    Prompt,
    PromptResult,
    Resource,
    ResourceTemplate,
    TextContents,
    Tool,
    ToolResult,
)
from asdlc_kb.mcp.protocol.pagination import Listed, number_items
from asdlc_kb.mcp.protocol.tool_schema import check_arguments
from asdlc_kb.providers.articles import prompts, tools, views
from asdlc_kb.providers.articles.article_result import show_article
from asdlc_kb.providers.articles.results import ArticleLists
from asdlc_kb.providers.articles.tools import (
    MAX_NAME_CHARS,
    GetArticle,
    ListArticles,
    SearchArticles,
)
from asdlc_kb.providers.shared.chunks import (
    needs_thread,
    run_for_text,
)
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
from asdlc_kb.search.policy import MAX_QUERY_CHARS
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.unicode.near_names import suggest_names
from asdlc_kb.unicode.truncation import truncate

TEMPLATE = "kb://article/{slug}"

GUIDANCE: Final = 10
"""Articles that the `find_guidance` prompt lists."""


class ArticleProvider(TemplateProvider):
    """Serves the visible articles of a library."""

    template = ResourceTemplate(
        uri_template=TEMPLATE,
        name="article",
        title="Article",
        description="An article as Markdown, by its slug",
        mime_type=MARKDOWN,
    )

    def __init__(
        self,
        library: ArticleLibrary,
        indexer: Indexer,
        other: OtherContent | None = None,
    ) -> None:
        self._library = library
        self._other = other
        self._indexer = indexer
        self._lists = ArticleLists(library, indexer, other)

    def validator(self, method: str, params: Mapping[str, Any]) -> Validator | None:
        """Return the generation; for one article, only while its file is unchanged."""
        name: object = None
        is_open = False
        match method, params.get("name"):
            case "tools/call", "search_articles":
                is_open = True
            case "prompts/get", _:
                name, is_open = find_argument(params, "slug"), True
            case "tools/call", "get_article":
                if find_argument(params, "include_images"):
                    return None
                name = find_argument(params, "slug")
            case "resources/read", _:
                name = _name(params["uri"])
        if isinstance(name, str) and not self._library.is_current(name):
            return None
        generation = self._library.catalog.generation
        if params.get("name") in ("search_articles", "find_guidance"):
            return Validator((generation, self._indexer.index.generation), is_open)
        return Validator(generation, is_open)

    def tools(self) -> Sequence[Listed[Tool]]:
        """Return the three tools; their schemas enumerate the visible categories."""
        return tools.tool_definitions(self._library.catalog.categories)

    def call_now(
        self, name: str, arguments: Mapping[str, Any]
    ) -> ToolResult | RawResult | None:
        """Return a list, keyword matches, or a small article that is current."""
        try:
            match name:
                case "list_articles":
                    return self._lists.list_all(
                        check_arguments(arguments, ListArticles)
                    )
                case "get_article":
                    return self._get_now(check_arguments(arguments, GetArticle))
                case _:
                    return self._lists.search_now(
                        check_arguments(arguments, SearchArticles)
                    )
        except (ToolFailure, ArticleError, SectionNotFound, UnknownCategory):
            return None

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any], context: CallContext
    ) -> ToolResult | RawResult:
        """Call a tool; map domain errors to ToolFailure."""
        try:
            match name:
                case "list_articles":
                    return self._lists.list_all(
                        check_arguments(arguments, ListArticles)
                    )
                case "get_article":
                    return await self._get(check_arguments(arguments, GetArticle))
                case _:
                    return await self._lists.search(
                        check_arguments(arguments, SearchArticles)
                    )
        except ArticleError as error:
            raise await self._phrase_error(error, error.slug) from None
        except SectionNotFound as error:
            hint = suggest_names(error.near)
            raise ToolFailure(str(error), {"slug": error.path}, hint=hint) from None
        except UnknownCategory as error:
            data = {"field": "category", "error": str(error)}
            raise ToolFailure(str(error), data) from None

    def _get_now(self, arguments: GetArticle) -> ToolResult | None:
        """Return an article if its file is unchanged and its text is small."""
        if arguments.include_images or not self._library.is_current(arguments.slug):
            return None
        catalog = self._library.catalog
        article = catalog.look_up(arguments.slug)
        if needs_thread(len(article.body)):
            return None
        return show_article(article, catalog, arguments)

    async def _get(self, arguments: GetArticle) -> ToolResult:
        if (result := self._get_now(arguments)) is not None:
            return result
        catalog = await self._library.fetch(arguments.slug)
        article = catalog.look_up(arguments.slug)
        if arguments.include_images:
            files = self._library.open_files(catalog)
            return await asyncio.to_thread(
                show_article, article, catalog, arguments, files
            )
        return await run_for_text(
            len(article.body), show_article, article, catalog, arguments
        )

    def resources(self) -> Sequence[Listed[Resource]]:
        """Return every visible article, newest first."""
        catalog = self._library.catalog
        return Resources(catalog.articles, lambda article: _show(article, catalog))

    async def exists(self, uri: str) -> bool:
        """Whether the URI identifies a visible article."""
        try:
            self._library.catalog.find(_name(uri))
        except ArticleError:
            return False
        return True

    def canonical_uri(self, uri: str) -> str:
        """Return the canonical form of a URI."""
        name = _name(uri)
        return article_uri(name) if name else uri

    async def read(
        self, uri: str, context: CallContext
    ) -> Sequence[Contents] | RawResult:
        """Return an article as Markdown."""
        name = _name(uri)
        if not name:
            raise invalid_uri(uri, TEMPLATE)
        try:
            article = (await self._library.fetch(name)).find(name)
        except ArticleUnreadable as error:
            raise InternalError(str(error), {"uri": uri}) from None
        except ArticleError as error:
            raise ResourceNotFound(str(error), {"uri": uri}) from None
        text = views.article_markdown(article)
        document = article_uri(self._library.catalog.name(article))
        return (TextContents(uri, text, MARKDOWN, document),)

    def prompts(self) -> Sequence[Listed[Prompt]]:
        """Return the prompts."""
        return number_items(prompts.offered_prompts(self._library.catalog.categories))

    async def get_prompt(
        self, name: str, arguments: Mapping[str, str], context: CallContext
    ) -> PromptResult | RawResult:
        """Fill a prompt with an article, or with search results."""
        for key in ("task", "topic"):
            if len(arguments.get(key, "")) > MAX_QUERY_CHARS:
                message = f"{key} is longer than {MAX_QUERY_CHARS:,} characters"
                raise InvalidParams(message, {"argument": key})
        if name == "find_guidance":
            topic = arguments["topic"].strip()
            return prompts.fill_guidance(topic, await self._find_guidance(topic))
        slug = arguments["slug"]
        if len(slug) > MAX_NAME_CHARS:
            clipped = clip(slug)
            raise InvalidParams(f"Article '{clipped}' not found", {"slug": clipped})
        article = await self._find(slug)
        address = article_uri(self._library.catalog.name(article))
        return prompts.fill_prompt(name, article, address, arguments)

    async def _find_guidance(self, topic: str) -> str:
        """Return the text of a `search_articles` result for a topic."""
        search = SearchArticles(query=topic, limit=GUIDANCE, format="markdown")
        try:
            return await self._lists.format_search(search)
        except ToolFailure as failure:
            raise failure.to_protocol_error() from None

    async def complete(
        self, reference: str, argument: str, value: str, given: Mapping[str, str]
    ) -> Completion:
        """Complete slugs, those of the prompt's category first, and topics."""
        catalog = self._library.catalog
        is_guidance = reference == "find_guidance"
        if argument == "slug" and not is_guidance:
            category = prompts.CATEGORIES.get(reference)
            names = catalog.completion.complete(value, category)
        elif argument == "topic" and is_guidance:
            tags = {tag for article in catalog.articles for tag in article.tags}
            names = sorted(tag for tag in tags if value.lower() in tag.lower())
        else:
            return Completion(values=())
        return make_completion(names)

    async def _find(self, written: str) -> Article:
        """Return the article of a prompt.

        Raises InvalidParams if it is not found, InternalError if it is unreadable.
        """
        try:
            return (await self._library.fetch(written)).look_up(written)
        except ArticleError as error:
            failure = await self._phrase_error(error, written)
            raise failure.to_protocol_error() from None

    async def _phrase_error(self, error: ArticleError, slug: str) -> ToolFailure:
        """Return the failure of a tool for an article that cannot be returned."""
        is_fault = isinstance(error, ArticleUnreadable)
        protocol = InternalError if is_fault else InvalidParams
        hint = None
        if isinstance(error, ArticleNotFound):
            find_near = self._library.catalog.find_near
            hint = await suggest_near(find_near, error.slug, self._other)
        return ToolFailure(str(error), {"slug": slug}, protocol, hint=hint)


def _show(article: Article, catalog: ArticleCatalog) -> Listed[Resource]:
    name = catalog.name(article)
    resource = Resource(
        uri=article_uri(name),
        name=name,
        title=article.title,
        description=truncate(article.description, MAX_LISTED_CHARS),
        mime_type=MARKDOWN,
        annotations=views.annotations(article),
    )
    return Listed(sort_key(article), resource)


def _name(uri: str) -> str:
    """Return the name in an article's URI, or an empty string if it is invalid."""
    return cut_name(uri, URI_PREFIX, MAX_NAME_CHARS)
