"""Pages by address, in any of its spellings, of the content visible at one moment."""

from collections.abc import Iterator
from threading import Lock
from urllib.parse import unquote

from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.site import urls
from asdlc_kb.site.layout import assets
from asdlc_kb.site.layout.frame import Link, PageLayout, SiteIdentity
from asdlc_kb.site.pages.article_pages import ArticlePages, ArticleUrls
from asdlc_kb.site.pages.doc_pages import (
    DocPages,
    DocUrls,
    find_alternative,
    find_source,
)
from asdlc_kb.site.pages.not_found import make_not_found
from asdlc_kb.site.pages.relations import RelationReader
from asdlc_kb.site.publications.llms import write_llms_full
from asdlc_kb.site.rendering.html_cache import HtmlCache
from asdlc_kb.site.representation import HTML, Moved, Representation
from asdlc_kb.site.routes import Renderers, add_routes
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
        html = HtmlCache(is_blocking=is_blocking)
        self._renderers = Renderers(
            self.frame,
            html,
            ArticlePages(self.frame, html, _name(articles)),
            DocPages(self.frame, html, _name(docs)),
        )
        self._relation_reader = RelationReader()
        self._snapshot = add_routes(SiteSnapshot(None, None), self._renderers)
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
                snapshot = SiteSnapshot(articles, docs, published)
                self._snapshot = add_routes(snapshot, self._renderers)
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
            # They have no other spelling, and in development there are more of them.
            return assets.find(path)
        if not path:
            return None
        for spelling in _spellings(path):
            if (route := snapshot.find_route(spelling)) is not None:
                page = route.render(spelling)
                if spelling == path or page.type == HTML:
                    return page
        return self._find_elsewhere(snapshot, path)

    def find_sources(self, snapshot: SiteSnapshot, path: str) -> tuple[str, str]:
        """Return the names of the article and the page that an address can mean.

        A name is empty where none is possible. Never blocks.
        """
        article = urls.name_article(path) if snapshot.articles else ""
        *_, bare = _spellings(path)
        docs = snapshot.docs
        return article, find_source(docs, bare) if docs else ""

    def write_full(self, snapshot: SiteSnapshot) -> Iterator[bytes]:
        """Yield llms-full.txt in pieces."""
        return write_llms_full(self.identity, snapshot.published, snapshot.docs)

    def not_found(self, snapshot: SiteSnapshot, path: str) -> Representation:
        """Return the 404 page."""
        return make_not_found(
            self.frame, path, self._known(snapshot), snapshot.navigation
        )

    def _find_elsewhere(self, snapshot: SiteSnapshot, path: str) -> Moved | None:
        """Return a redirect from another spelling of an address."""
        articles, docs = snapshot.articles, snapshot.docs
        if articles is not None and (where := _find_named(articles, path)):
            return Moved(where)
        other = path.removesuffix("/") if path.endswith("/") else f"{path}/"
        if snapshot.find_route(other) is not None:
            return Moved(other)
        if docs is not None:
            alternative = find_alternative(docs, path)
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
    article = articles.catalog.get_or_none(urls.name_article(path))
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
