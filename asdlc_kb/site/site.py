"""The whole site: from an address to a page, from a snapshot to all of them."""

from collections.abc import Iterator
from threading import Lock
from urllib.parse import unquote

from asdlc_kb.articles.library import Library as ArticleLibrary
from asdlc_kb.docs.library import Library as DocLibrary
from asdlc_kb.site import address, assets, paging
from asdlc_kb.site.articles import ArticlePages, ArticleShelf
from asdlc_kb.site.connect import make_connect
from asdlc_kb.site.docs import DocPages, DocShelf
from asdlc_kb.site.frame import Frame, Identity, Link
from asdlc_kb.site.map import make_map
from asdlc_kb.site.missing import make_missing
from asdlc_kb.site.page import HTML, Moved, Page
from asdlc_kb.site.publications import Publications
from asdlc_kb.site.relations import Relator
from asdlc_kb.site.rendering import Rendering
from asdlc_kb.site.shelves import Shelves


class Site:
    """Makes pages of what is visible now. Blocks: belongs into a thread."""

    def __init__(
        self,
        identity: Identity,
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
        self.frame = Frame(
            identity,
            has_docs=docs is not None,
            has_articles=articles is not None,
            is_live=is_live,
        )
        rendering = Rendering(is_patient=is_patient)
        self._article_pages = ArticlePages(self.frame, rendering, _name(articles))
        self._doc_pages = DocPages(self.frame, rendering, _name(docs))
        self._publications = Publications(identity, rendering)
        self._relator = Relator()
        self._shelves = Shelves(None, None)
        self._lock = Lock()

    @property
    def shelves(self) -> Shelves:
        """What is visible now; made anew where that changed."""
        with self._lock:
            known = self._shelves
            articles, published = known.articles, known.published
            docs = known.docs
            if self._articles is not None:
                catalog = self._articles.catalog
                if published is None or published.catalog is not catalog:
                    articles = published = ArticleShelf(catalog, self._relator)
                    if self._shows_drafts:
                        articles = ArticleShelf(self._articles.reveal(), Relator())
            if self._docs is not None:
                tree = self._docs.catalog
                if docs is None or docs.catalog is not tree:
                    docs = DocShelf(tree)
            if (articles, docs) != (known.articles, known.docs):
                self._shelves = Shelves(articles, docs, published)
            return self._shelves

    def is_current(self, shelves: Shelves) -> bool:
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

    def find(self, shelves: Shelves, path: str) -> Page | Moved | None:
        """Return the page at an address, or where it is instead, if there is one."""
        if path.startswith(address.ASSETS):
            return assets.find(path)
        if path == "":
            return None
        for spelling in _spell(path):
            page = self._find(shelves, spelling)
            if page is not None and (spelling == path or page.type == HTML):
                return page
        return self._find_elsewhere(shelves, path)

    def find_sources(self, shelves: Shelves, path: str) -> tuple[str, str]:
        """Return the names of the article and of the page that an address may mean.

        A name is empty where there can be none. Never blocks.
        """
        article = address.name_article(path) if shelves.articles else ""
        *_, bare = _spell(path)
        docs = shelves.docs
        return article, self._doc_pages.find_source(docs, bare) if docs else ""

    def write_full(self, shelves: Shelves) -> Iterator[bytes]:
        """Yield llms-full.txt in pieces."""
        return self._publications.write_full(shelves)

    def missing(self, shelves: Shelves, path: str) -> Page:
        """Return the page for what is not there."""
        return make_missing(self.frame, path, self._known(shelves), shelves.navigation)

    def addresses(self, shelves: Shelves) -> Iterator[str]:
        """Yield the address of every page there is, assets included."""
        yield address.HOME
        if self.identity.has_endpoint:
            yield address.CONNECT
        if shelves.articles is not None:
            total = len(shelves.articles.by_address)
            yield from paging.list_parts(address.MAP, total)
            yield from self._article_pages.addresses(shelves.articles)
        if shelves.docs is not None:
            yield from self._doc_pages.addresses(shelves.docs)
        yield from self._publications.addresses(shelves)
        yield from (page.path for page in assets.published())

    def _find(self, shelves: Shelves, path: str) -> Page | None:
        articles, docs = shelves.articles, shelves.docs
        page = self._publications.find(shelves, path)
        places, number = paging.read(path)
        if address.MAP in places and articles is not None:
            page = make_map(self.frame, articles, number)
        if path == address.CONNECT and self.identity.has_endpoint:
            page = make_connect(self.frame, articles, has_docs=docs is not None)
        if page is None and articles is not None:
            page = self._article_pages.find(articles, path)
        if page is None and docs is not None:
            page = self._doc_pages.find(docs, path, shelves.navigation)
        if page is None and path == address.HOME:
            page = self._home(shelves)
        return page

    def _home(self, shelves: Shelves) -> Page | None:
        """Return the first page: of the articles, or else of the documentation."""
        if shelves.articles is not None:
            return self._article_pages.home(shelves.articles)
        if shelves.docs is not None:
            docs = shelves.docs
            return self._doc_pages.find(docs, docs.home, shelves.navigation)
        if self.identity.has_endpoint:
            return make_connect(self.frame, None, has_docs=False)
        return None

    def _find_elsewhere(self, shelves: Shelves, path: str) -> Moved | None:
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

    def _known(self, shelves: Shelves) -> Iterator[Link]:
        if shelves.articles is not None:
            for where, article in shelves.articles.by_address.items():
                yield Link(where, article.title)
        if shelves.docs is not None:
            for where, page in shelves.docs.by_address.items():
                yield Link(where, page.title)


def _name(library: ArticleLibrary | DocLibrary | None) -> str:
    """Return what the folder of a library is called."""
    return library.root.absolute().name if library is not None else ""


def _find_named(articles: ArticleShelf, path: str) -> str:
    """Return the address of an article by any name, or of a tag in any case."""
    if path.startswith(address.TAGS):
        where = address.of_tag(unquote(path.removeprefix(address.TAGS).rstrip("/")))
        return where if where in articles.tags and where != path else ""
    if not path.startswith(address.NAMED):
        return ""
    article = articles.catalog.pick(address.name_article(path))
    if article is None:
        return ""
    where = address.of_article(article)
    return address.as_markdown(where) if path.endswith(".md") else where


def _spell(path: str) -> Iterator[str]:
    """Yield the addresses that one stands for: as it is, then without its suffix."""
    yield path
    if path.endswith(("/index.html", "/index.htm")):
        yield path[: path.rindex("/") + 1]
    elif path.endswith((".html", ".htm")):
        yield path.rpartition(".")[0]
