"""The whole site: from an address to a page, from a snapshot to all of them."""

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
from asdlc_kb.site.pages.not_found import make_missing
from asdlc_kb.site.pages.relations import RelationReader
from asdlc_kb.site.publications.publications import Publications
from asdlc_kb.site.rendering.html_cache import HtmlCache
from asdlc_kb.site.representation import HTML, Moved, Representation
from asdlc_kb.site.site_snapshot import SiteSnapshot


class PageRenderer:
    """Makes pages of what is visible now. Blocks: belongs into a thread."""

    def __init__(
        self,
        identity: SiteIdentity,
        articles: ArticleLibrary | None = None,
        docs: DocLibrary | None = None,
        *,
        is_live: bool = False,
        shows_drafts: bool = False,
        is_patient: bool = False,
    ) -> None:
        """Show what may be seen; drafts only to whoever writes them.

        Pages of a live site listen for changes of themselves. A patient one waits for
        each text to be rendered.
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
        rendering = HtmlCache(is_patient=is_patient)
        self._article_pages = ArticlePages(self.frame, rendering, _name(articles))
        self._doc_pages = DocPages(self.frame, rendering, _name(docs))
        self._publications = Publications(identity, rendering)
        self._relator = RelationReader()
        self._shelves = SiteSnapshot(None, None)
        self._lock = Lock()

    @property
    def shelves(self) -> SiteSnapshot:
        """What is visible now; made anew where that changed."""
        with self._lock:
            known = self._shelves
            articles, published = known.articles, known.published
            docs = known.docs
            if self._articles is not None:
                catalog = self._articles.catalog
                if published is None or published.catalog is not catalog:
                    articles = published = ArticleUrls(catalog, self._relator)
                    if self._shows_drafts:
                        articles = ArticleUrls(
                            self._articles.reveal(), RelationReader()
                        )
            if self._docs is not None:
                tree = self._docs.catalog
                if docs is None or docs.catalog is not tree:
                    docs = DocUrls(tree)
            if (articles, docs) != (known.articles, known.docs):
                self._shelves = SiteSnapshot(articles, docs, published)
            return self._shelves

    def is_current(self, shelves: SiteSnapshot) -> bool:
        """Whether shelves are of what is visible now; never blocks."""
        now = (self._articles, self._docs)
        then = (shelves.articles, shelves.docs)
        return all(
            library is None
            or (
                shelf is not None and shelf.catalog.snapshot is library.catalog.snapshot
            )
            for library, shelf in zip(now, then, strict=True)
        )

    def find(self, shelves: SiteSnapshot, path: str) -> Representation | Moved | None:
        """Return the page at an address, or where it is instead, if there is one."""
        if path.startswith(urls.ASSETS):
            return assets.find(path)
        if path == "":
            return None
        for spelling in _spellings(path):
            page = self._find(shelves, spelling)
            if page is not None and (spelling == path or page.type == HTML):
                return page
        return self._find_elsewhere(shelves, path)

    def find_sources(self, shelves: SiteSnapshot, path: str) -> tuple[str, str]:
        """Return the names of the article and of the page that an address may mean.

        A name is empty where there can be none. Never blocks.
        """
        article = urls.name_article(path) if shelves.articles else ""
        *_, bare = _spellings(path)
        docs = shelves.docs
        return article, self._doc_pages.find_source(docs, bare) if docs else ""

    def write_full(self, shelves: SiteSnapshot) -> Iterator[bytes]:
        """Yield llms-full.txt in pieces."""
        return self._publications.write_full(shelves)

    def missing(self, shelves: SiteSnapshot, path: str) -> Representation:
        """Return the page for what is not there."""
        return make_missing(self.frame, path, self._known(shelves), shelves.navigation)

    def addresses(self, shelves: SiteSnapshot) -> Iterator[str]:
        """Yield the address of every page there is, assets included."""
        yield urls.HOME
        if self.identity.has_endpoint:
            yield urls.CONNECT
        if shelves.articles is not None:
            total = len(shelves.articles.by_address)
            yield from paging.list_parts(urls.MAP, total)
            yield from self._article_pages.addresses(shelves.articles)
        if shelves.docs is not None:
            yield from self._doc_pages.addresses(shelves.docs)
        yield from self._publications.addresses(shelves)
        yield from (page.path for page in assets.published())

    def _find(self, shelves: SiteSnapshot, path: str) -> Representation | None:
        articles, docs = shelves.articles, shelves.docs
        page = self._publications.find(shelves, path)
        places, number = paging.parse_part(path)
        if urls.MAP in places and articles is not None:
            page = make_map(self.frame, articles, number)
        if path == urls.CONNECT and self.identity.has_endpoint:
            page = make_connect(self.frame, articles, has_docs=docs is not None)
        if page is None and articles is not None:
            page = self._article_pages.find(articles, path)
        if page is None and docs is not None:
            page = self._doc_pages.find(docs, path, shelves.navigation)
        if page is None and path == urls.HOME:
            page = self._home(shelves)
        return page

    def _home(self, shelves: SiteSnapshot) -> Representation | None:
        """Return the first page: of the articles, or else of the documentation."""
        if shelves.articles is not None:
            return self._article_pages.home(shelves.articles)
        if shelves.docs is not None:
            docs = shelves.docs
            return self._doc_pages.find(docs, docs.home, shelves.navigation)
        if self.identity.has_endpoint:
            return make_connect(self.frame, None, has_docs=False)
        return None

    def _find_elsewhere(self, shelves: SiteSnapshot, path: str) -> Moved | None:
        """Return where a page is whose address was written in another way."""
        articles, docs = shelves.articles, shelves.docs
        if articles is not None and (where := _find_named(articles, path)):
            return Moved(where)
        other = path.removesuffix("/") if path.endswith("/") else f"{path}/"
        if other != path and self._find(shelves, other) is not None:
            return Moved(other)
        if docs is not None:
            spelt = self._doc_pages.find_spelt(docs, path)
            if spelt is not None and spelt != path:
                return Moved(spelt)
        return None

    def _known(self, shelves: SiteSnapshot) -> Iterator[Link]:
        if shelves.articles is not None:
            for where, article in shelves.articles.by_address.items():
                yield Link(where, article.title)
        if shelves.docs is not None:
            for where, page in shelves.docs.by_address.items():
                yield Link(where, page.title)


def _name(library: ArticleLibrary | DocLibrary | None) -> str:
    """Return what the folder of a library is called."""
    return library.root.absolute().name if library is not None else ""


def _find_named(articles: ArticleUrls, path: str) -> str:
    """Return the address of an article by any name, or of a tag in any case."""
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
    """Yield the addresses that one stands for: as it is, then without its suffix."""
    yield path
    if path.endswith(("/index.html", "/index.htm")):
        yield path[: path.rindex("/") + 1]
    elif path.endswith((".html", ".htm")):
        yield path.rpartition(".")[0]
