"""Route table: the addresses of each kind of page, and what renders them.

Serving, `build`, redirects and the sitemap all read this table: a page is served
exactly if it is listed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TypeVar

from asdlc_kb.markup.diagrams import can_draw
from asdlc_kb.site import urls
from asdlc_kb.site.layout import assets
from asdlc_kb.site.layout.frame import Link, PageLayout, SiteIdentity
from asdlc_kb.site.layout.paging import number_parts
from asdlc_kb.site.pages import article_pages
from asdlc_kb.site.pages.article_pages import ArticlePages, ArticleUrls, find_uri
from asdlc_kb.site.pages.connect_page import make_connect
from asdlc_kb.site.pages.content_map import ContentMap, number_map
from asdlc_kb.site.pages.diagrams import DiagramAddresses
from asdlc_kb.site.pages.doc_pages import DocPages
from asdlc_kb.site.pages.doc_urls import DocUrls
from asdlc_kb.site.publications import agent_skill, feeds, llms, well_known
from asdlc_kb.site.publications.search_index import SearchIndex
from asdlc_kb.site.rendering.html_cache import HtmlCache
from asdlc_kb.site.rendering.link_resolver import SiteLinks
from asdlc_kb.site.rendering.markdown import write_article, write_page
from asdlc_kb.site.representation import Representation
from asdlc_kb.site.site_snapshot import Route, SiteSnapshot

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Renderers:
    """Page renderers, the same for all snapshots of a site."""

    frame: PageLayout
    html: HtmlCache
    articles: ArticlePages
    docs: DocPages
    map: ContentMap


def add_routes(snapshot: SiteSnapshot, renderers: Renderers) -> SiteSnapshot:
    """Return a snapshot with the routes to all of its pages."""
    pages = tuple(_list_pages(snapshot, renderers))
    publications = _list_publications(snapshot, renderers, pages)
    # Last: their addresses are computed with the first use.
    files = (Route(a, a.render) for a in (snapshot.doc_files, snapshot.article_files))
    return replace(snapshot, routes=(*publications, *pages, *files))


def _route(
    pages: Mapping[str, V],
    render: Callable[[V], Representation],
    sitemap: Callable[[], Iterable[tuple[str, str]]] = tuple,
) -> Route:
    """Return the route to pages, each rendered from a value."""
    return Route(pages.keys(), lambda path: render(pages[path]), sitemap)


def _list_pages(snapshot: SiteSnapshot, renderers: Renderers) -> Iterator[Route]:
    """Yield the routes to pages for readers."""
    frame, articles, docs = renderers.frame, snapshot.articles, snapshot.docs
    connect = partial(make_connect, frame, articles, has_docs=docs is not None)
    links = _make_links(articles, docs, frame.identity)
    homes: list[Callable[[], Representation]] = []
    if articles is not None:
        homes.append(partial(renderers.articles.home, articles))
    if docs is not None:
        homes.append(partial(renderers.docs.home, docs, snapshot.navigation, links))
    if frame.identity.has_endpoint:
        homes.append(connect)
        yield _route({urls.CONNECT: connect}, _call)
    yield _route(
        {urls.HOME: homes[0]} if homes else {},
        _call,
        lambda: _list_home(docs if articles is None else None),
    )
    if articles is not None or docs is not None:
        draw = partial(renderers.map.page, articles, docs, snapshot.navigation)
        yield _route(number_map(articles, docs), draw)
    if articles is not None:
        yield from _list_article_pages(articles, snapshot.published, renderers, links)
    if docs is not None:
        yield from _list_doc_pages(docs, snapshot.navigation, renderers, links)


def _make_links(
    articles: ArticleUrls | None, docs: DocUrls | None, identity: SiteIdentity
) -> SiteLinks:
    return SiteLinks(
        identity.prefix,
        articles.catalog if articles else None,
        docs.catalog if docs else None,
        docs.addresses if docs else {},
    )


def _list_article_pages(
    articles: ArticleUrls,
    published: ArticleUrls | None,
    renderers: Renderers,
    links: SiteLinks,
) -> Iterator[Route]:
    pages, public = renderers.articles, published or articles
    parts = number_parts(
        urls.TAGS, len(articles.tags), page_size=article_pages.MAX_TAGS
    )
    yield _route(parts, partial(pages.tags, articles))
    yield _route(
        _number_lists(
            (where, where, len(found)) for where, (_, found) in articles.tags.items()
        ),
        lambda part: pages.tag(articles, *part),
    )
    yield _route(
        _number_lists((c.address, c, len(c.articles)) for c in articles.categories),
        lambda part: pages.category(articles, *part),
        lambda: ((c.address, c.articles[0].last_updated) for c in public.categories),
    )
    yield _route(
        articles.by_address,
        partial(pages.article, articles, links=links),
        lambda: ((where, a.last_updated) for where, a in public.by_address.items()),
    )


def _list_doc_pages(
    docs: DocUrls, navigation: Sequence[Link], renderers: Renderers, links: SiteLinks
) -> Iterator[Route]:
    pages, identity = renderers.docs, renderers.frame.identity
    yield _route(
        docs.by_address,
        lambda page: pages.page(docs, page, navigation, links),
        lambda: docs.listed_addresses,
    )
    yield _route(docs.list_parts, partial(pages.list, docs, navigation))
    yield _route(
        docs.by_markdown,
        lambda page: write_page(page, docs.addresses[page.path], identity),
    )


def _list_publications(
    snapshot: SiteSnapshot, renderers: Renderers, pages: Sequence[Route]
) -> Iterator[Route]:
    """Yield the routes to texts for programs."""
    identity = renderers.frame.identity
    sources = identity, snapshot.published, snapshot.docs
    texts: dict[str, Callable[[], Representation]] = {
        llms.INDEX: lambda: llms.write_llms(*sources),
        llms.WELL_KNOWN: lambda: replace(
            llms.write_llms(*sources), path=llms.WELL_KNOWN
        ),
        feeds.ROBOTS: lambda: feeds.write_robots(identity),
    }
    if snapshot.docs is not None:
        for source in snapshot.docs.sources:
            where = urls.of_index(source)
            texts[where] = partial(llms.write_docs, identity, snapshot.docs, source)
    if identity.base_url:
        texts[feeds.SITEMAP] = lambda: feeds.write_sitemap(
            identity, chain.from_iterable(route.sitemap() for route in pages)
        )
    yield _route(texts, _call)
    skill = tuple(agent_skill.list_addresses(identity))
    yield Route(skill, lambda path: agent_skill.write_skill(*sources, path))
    if identity.base_url and identity.has_endpoint:
        yield Route(well_known.PATHS, partial(well_known.write_discovery, *sources))
    if snapshot.published is not None:
        links = _make_links(snapshot.published, snapshot.docs, identity)
        yield from _list_article_texts(snapshot.published, renderers, links)
    if identity.has_index:
        index = SearchIndex(snapshot.published, snapshot.docs, identity.link)
        yield Route(index, index.render)
    if can_draw():
        diagrams = DiagramAddresses(partial(_list_texts, snapshot), renderers.html)
        yield Route(diagrams, diagrams.render)
    own = {page.path: page for page in assets.published()}
    yield _route(own | dict(identity.branding.assets), lambda page: page)


def _list_texts(snapshot: SiteSnapshot) -> Iterator[str]:
    """Yield the Markdown of every page that is shown."""
    if snapshot.articles is not None:
        yield from (article.body for article in snapshot.articles.by_address.values())
    if snapshot.docs is not None:
        yield from (page.html_text for page in snapshot.docs.by_address.values())


def _list_article_texts(
    articles: ArticleUrls, renderers: Renderers, links: SiteLinks
) -> Iterator[Route]:
    identity = renderers.frame.identity
    yield _route(
        urls.MarkdownAddresses(articles.by_address),
        lambda a: write_article(a, identity, find_uri(articles.catalog, a)),
    )
    yield _route(
        {f"{c.address}llms.txt": c for c in articles.categories},
        partial(llms.write_section, identity),
    )
    if identity.base_url:
        writer = feeds.FeedWriter(identity, renderers.html, articles.files, links)
        lists = [(urls.HOME, articles.catalog.articles, "")]
        lists += [(c.address, c.articles, c.title) for c in articles.categories]
        yield _route(
            {f"{feed[0]}{feeds.FEED}": feed for feed in lists},
            lambda feed: writer.write(*feed),
        )


def _number_lists(
    lists: Iterable[tuple[str, V, int]],
) -> Mapping[str, tuple[V, int]]:
    """Return the value and page number of each page of some lists, by address."""
    return {
        path: (value, number)
        for where, value, total in lists
        for path, number in number_parts(where, total).items()
    }


def _call(render: Callable[[], Representation]) -> Representation:
    return render()


def _list_home(docs: DocUrls | None) -> Iterable[tuple[str, str]]:
    """Return the home page; that of documentation has the address of its page."""
    if docs is None:
        return ((urls.HOME, ""),)
    return () if docs.home in docs.by_address else ((urls.DOCS, ""),)
