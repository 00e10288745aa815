"""Routing of addresses to pages, and the list of all addresses of a snapshot."""

from collections.abc import Iterator
from threading import Lock
from urllib.parse import unquote

from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.site import urls
from asdlc_kb.site.layout import assets, paging
from asdlc_kb.site.layout.frame import Link, PageLayout, SiteIdentity
from asdlc_kb.site.pages.article_graph import make_map
from asdlc_kb.site.pages.article_pages import ArticlePages, ArticleUrls
from asdlc_kb.site.pages.connect_page import make_connect
from asdlc_kb.site.pages.doc_pages import DocPages, DocUrls
from asdlc_kb.site.pages.not_found import make_not_found
from asdlc_kb.site.pages.relations import RelationReader
from asdlc_kb.site.publications.publications import Publications
from asdlc_kb.site.rendering.html_cache import HtmlCache
from asdlc_kb.site.representation import HTML, Moved, Representation
from asdlc_kb.site.site_snapshot import SiteSnapshot


class PageRenderer:
    """Renders pages of the visible content. Blocks: use it in a thread."""

    def __init__(
        self,
        identity: SiteIdentity,
        articles: ArticleLibrary | None = None,
        docs: DocLibrary | None = None,
        *,
        is_live: bool = False,
        shows_drafts: bool = False,
        is_blocking: bool = False,
    ) -> None:
        """Render visible content, and hidden articles too if it `shows_drafts`.

        Pages of a live site reload on changes. If `is_blocking`, wait until each text
        is rendered.
        """
        self.identity = identity
        self._shows_drafts = shows_drafts
        self._articles = articles
        self._docs = docs
        self.frame = PageLayout(
            identity,
            has_docs=docs is not None,
            has_articles=articles is not None,
            is_live=is_live,
        )
        rendering = HtmlCache(is_blocking=is_blocking)
        self._article_pages = ArticlePages(self.frame, rendering, _name(articles))
        self._doc_pages = DocPages(self.frame, rendering, _name(docs))
        self._publications = Publications(identity, rendering)
        self._relation_reader = RelationReader()
        self._snapshot = SiteSnapshot(None, None)
        self._lock = Lock()

    @property
    def snapshot(self) -> SiteSnapshot:
        """The current snapshot; rebuilt after a change."""
        with self._lock:
            known = self._snapshot
            articles, published = known.articles, known.published
            docs = known.docs
            if self._articles is not None:
                catalog = self._articles.catalog
                if published is None or published.catalog is not catalog:
                    articles = published = ArticleUrls(catalog, self._relation_reader)
                    if self._shows_drafts:
                        articles = ArticleUrls(
                            self._articles.with_hidden(), RelationReader()
                        )
            if self._docs is not None:
                tree = self._docs.catalog
                if docs is None or docs.catalog is not tree:
                    docs = DocUrls(tree)
            if (articles, docs) != (known.articles, known.docs):
                self._snapshot = SiteSnapshot(articles, docs, published)
            return self._snapshot

    def is_current(self, snapshot: SiteSnapshot) -> bool:
        """Whether a snapshot is the current one; never blocks."""
        now = (self._articles, self._docs)
        then = (snapshot.articles, snapshot.docs)
        return all(
            library is None
            or (view is not None and view.catalog.snapshot is library.catalog.snapshot)
            for library, view in zip(now, then, strict=True)
        )

    def find(self, snapshot: SiteSnapshot, path: str) -> Representation | Moved | None:
        """Return the page at an address, a redirect, or None."""
        if path.startswith(urls.ASSETS):
            return assets.find(path)
        if path == "":
            return None
        for spelling in _spellings(path):
            page = self._find(snapshot, spelling)
            if page is not None and (spelling == path or page.type == HTML):
                return page
        return self._find_elsewhere(snapshot, path)

    def find_sources(self, snapshot: SiteSnapshot, path: str) -> tuple[str, str]:
        """Return the names of the article and the page that an address can mean.

        A name is empty where none is possible. Never blocks.
        """
        article = urls.name_article(path) if snapshot.articles else ""
        *_, bare = _spellings(path)
        docs = snapshot.docs
        return article, self._doc_pages.find_source(docs, bare) if docs else ""

    def write_full(self, snapshot: SiteSnapshot) -> Iterator[bytes]:
        """Yield llms-full.txt in pieces."""
        return self._publications.write_full(snapshot)

    def not_found(self, snapshot: SiteSnapshot, path: str) -> Representation:
        """Return the 404 page."""
        return make_not_found(
            self.frame, path, self._known(snapshot), snapshot.navigation
        )

    def addresses(self, snapshot: SiteSnapshot) -> Iterator[str]:
        """Yield the address of every page, assets included."""
        yield urls.HOME
        if self.identity.has_endpoint:
            yield urls.CONNECT
        if snapshot.articles is not None:
            total = len(snapshot.articles.by_address)
            yield from paging.list_parts(urls.MAP, total)
            yield from self._article_pages.addresses(snapshot.articles)
        if snapshot.docs is not None:
            yield from self._doc_pages.addresses(snapshot.docs)
        yield from self._publications.addresses(snapshot)
        yield from (page.path for page in assets.published())

    def _find(self, snapshot: SiteSnapshot, path: str) -> Representation | None:
        articles, docs = snapshot.articles, snapshot.docs
        page = self._publications.find(snapshot, path)
        places, number = paging.parse_part(path)
        if urls.MAP in places and articles is not None:
            page = make_map(self.frame, articles, number)
        if path == urls.CONNECT and self.identity.has_endpoint:
            page = make_connect(self.frame, articles, has_docs=docs is not None)
        if page is None and articles is not None:
            page = self._article_pages.find(articles, path)
        if page is None and docs is not None:
            page = self._doc_pages.find(docs, path, snapshot.navigation)
        if page is None and path == urls.HOME:
            page = self._home(snapshot)
        return page

    def _home(self, snapshot: SiteSnapshot) -> Representation | None:
        """Return the home page: of the articles, or else of the documentation."""
        if snapshot.articles is not None:
            return self._article_pages.home(snapshot.articles)
        if snapshot.docs is not None:
            docs = snapshot.docs
            return self._doc_pages.find(docs, docs.home, snapshot.navigation)
        if self.identity.has_endpoint:
            return make_connect(self.frame, None, has_docs=False)
        return None

    def _find_elsewhere(self, snapshot: SiteSnapshot, path: str) -> Moved | None:
        """Return a redirect from another spelling of an address."""
        articles, docs = snapshot.articles, snapshot.docs
        if articles is not None and (where := _find_named(articles, path)):
            return Moved(where)
        other = path.removesuffix("/") if path.endswith("/") else f"{path}/"
        if other != path and self._find(snapshot, other) is not None:
            return Moved(other)
        if docs is not None:
            alternative = self._doc_pages.find_alternative(docs, path)
            if alternative is not None and alternative != path:
                return Moved(alternative)
        return None

    def _known(self, snapshot: SiteSnapshot) -> Iterator[Link]:
        if snapshot.articles is not None:
            for where, article in snapshot.articles.by_address.items():
                yield Link(where, article.title)
        if snapshot.docs is not None:
            for where, page in snapshot.docs.by_address.items():
                yield Link(where, page.title)


def _name(library: ArticleLibrary | DocLibrary | None) -> str:
    """Return the name of a library's folder."""
    return library.root.absolute().name if library is not None else ""


def _find_named(articles: ArticleUrls, path: str) -> str:
    """Return the address of an article by any name, or of a tag, ignoring case."""
    if path.startswith(urls.TAGS):
        where = urls.of_tag(unquote(path.removeprefix(urls.TAGS).rstrip("/")))
        return where if where in articles.tags and where != path else ""
    if not path.startswith(urls.NAMED):
        return ""
    article = articles.catalog.pick(urls.name_article(path))
    if article is None:
        return ""
    where = urls.of_article(article)
    return urls.as_markdown(where) if path.endswith(".md") else where


def _spellings(path: str) -> Iterator[str]:
    """Yield an address as requested, then without its suffix."""
    yield path
    if path.endswith(("/index.html", "/index.htm")):
        yield path[: path.rindex("/") + 1]
    elif path.endswith((".html", ".htm")):
        yield path.rpartition(".")[0]
