"""Pages by address, in any of its spellings, of the content visible at one moment."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from threading import Lock
from types import MappingProxyType
from urllib.parse import unquote
from weakref import WeakKeyDictionary

from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.attachments.file_types import AttachmentKind, find_type
from asdlc_kb.docs.collection import DocCollection
from asdlc_kb.docs.curated.tree_index import list_indexes
from asdlc_kb.markup.html_renderer import render
from asdlc_kb.site import urls
from asdlc_kb.site.layout import assets
from asdlc_kb.site.layout.frame import FilePlace, Link, PageLayout, SiteIdentity
from asdlc_kb.site.pages.article_pages import ArticlePages, ArticleUrls
from asdlc_kb.site.pages.content_map import ContentMap
from asdlc_kb.site.pages.doc_pages import DocPages
from asdlc_kb.site.pages.doc_urls import DocUrls, find_alternative, find_source
from asdlc_kb.site.pages.insights_page import InsightsData, make_insights
from asdlc_kb.site.pages.not_found import make_not_found
from asdlc_kb.site.pages.relations import RelationReader
from asdlc_kb.site.publications.llms_full import SiteTexts
from asdlc_kb.site.rendering.html_cache import HtmlCache
from asdlc_kb.site.representation import HTML, Moved, Representation, ServedFile
from asdlc_kb.site.routes import Renderers, add_routes
from asdlc_kb.site.site_snapshot import SiteSnapshot, list_documents


class PageRenderer:
    """Renders pages of the visible content. Blocks: use it in a thread."""

    def __init__(
        self,
        identity: SiteIdentity,
        articles: ArticleLibrary | None = None,
        docs: DocCollection | None = None,
        *,
        is_live: bool = False,
        shows_drafts: bool = False,
        is_blocking: bool = False,
        commit_dates: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Render visible content, and hidden articles too if it `shows_drafts`.

        Pages of a live site reload on changes. If `is_blocking`, wait until each text
        is rendered. `commit_dates` are those of pages of documentation, by path.
        """
        self._commit_dates = commit_dates
        self.identity = identity
        self._shows_drafts = shows_drafts
        self._articles = articles
        self._docs = docs
        self.frame = PageLayout(
            identity,
            has_docs=docs is not None,
            has_articles=articles is not None,
            is_live=is_live,
            announcement=_write_line(identity.branding.announcement, identity),
            footer=_write_line(identity.branding.footer, identity),
        )
        html = HtmlCache(is_blocking=is_blocking, prefix=identity.prefix)
        self._renderers = Renderers(
            self.frame,
            html,
            ArticlePages(
                self.frame, html, articles.root.absolute().name if articles else ""
            ),
            DocPages(self.frame, html, partial(_locate, docs)),
            ContentMap(self.frame),
        )
        self._relation_reader = RelationReader()
        self._snapshot = add_routes(SiteSnapshot(None, None), self._renderers)
        self._texts: WeakKeyDictionary[SiteSnapshot, SiteTexts] = WeakKeyDictionary()
        """What `full_text` returned: the sizes of all texts take reading them."""
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
                if not self._shows_articles(published):
                    articles = published = ArticleUrls(
                        catalog,
                        self._relation_reader,
                        self._articles.open_files(catalog),
                    )
                    if self._shows_drafts:
                        hidden = self._articles.with_hidden()
                        articles = ArticleUrls(
                            hidden, RelationReader(), self._articles.open_files(hidden)
                        )
            if self._docs is not None:
                tree = self._docs.catalog
                if docs is None or docs.catalog is not tree:
                    files = self._docs.open_files(tree)
                    indexes = list_indexes(self._docs, tree)
                    later = docs and docs.updated(tree, files, indexes)
                    docs = later or DocUrls(tree, files, indexes, self._commit_dates)
            if (articles, docs) != (known.articles, known.docs):
                snapshot = SiteSnapshot(articles, docs, published)
                self._snapshot = add_routes(snapshot, self._renderers)
            return self._snapshot

    def insights(self, data: InsightsData, days: int) -> Representation:
        """Return the usage statistics of the last days, one of `PERIODS`."""
        snapshot = self.snapshot
        documents = list_documents(snapshot, self.identity)
        data = replace(data, documents=documents)
        return make_insights(self.frame, data, days, snapshot.navigation)

    def is_current(self, snapshot: SiteSnapshot) -> bool:
        """Whether a snapshot is the current one; never blocks."""
        docs = snapshot.docs
        return self._shows_articles(snapshot.published) and (
            self._docs is None
            or (docs is not None and docs.catalog.generation == self._docs.generation)
        )

    def _shows_articles(self, view: ArticleUrls | None) -> bool:
        """Whether a view has the current articles, if there are any."""
        if self._articles is None:
            return True
        catalog = self._articles.catalog
        if view is None or self._shows_drafts:
            return view is not None and view.catalog is catalog
        return view.catalog.generation == catalog.generation

    def find(
        self, snapshot: SiteSnapshot, path: str
    ) -> Representation | ServedFile | Moved | None:
        """Return the page or file at an address, a redirect, or None."""
        if path.startswith(urls.ASSETS) and not path.startswith(urls.DIAGRAMS):
            # They have no other spelling, and in development there are more of them.
            return self.identity.branding.assets.get(path) or assets.find(path)
        if not path:
            return None
        for spelling in _spellings(path):
            if (route := snapshot.find_route(spelling)) is not None:
                page = route.render(spelling)
                if page is not None and (spelling == path or page.type == HTML):
                    return page
        return self._find_elsewhere(snapshot, path)

    def find_sources(self, snapshot: SiteSnapshot, path: str) -> tuple[str, str]:
        """Return the names of the article and the page that an address can mean.

        For a file, those that refer to it. A name is empty where none is possible.
        Never blocks.
        """
        article = page = ""
        *_, bare = _spellings(path)
        if snapshot.articles is not None:
            referrer = snapshot.article_files.find_referrer(path)
            article = referrer or urls.name_article(path)
        if (docs := snapshot.docs) is not None:
            page = find_source(docs, bare)
            if bare not in docs.by_address:
                page = snapshot.doc_files.find_referrer(path) or page
        return article, page

    def has_asset(self, path: str) -> bool:
        """Whether an address is that of a style sheet, script or picture on a page.

        Never blocks: False for pictures in texts as long as these are not read.
        """
        if path in self.identity.branding.assets or assets.find(path) is not None:
            return True
        type = find_type(path)
        if type is None or type.kind is not AttachmentKind.PICTURE:
            return False
        files = self._snapshot.doc_files, self._snapshot.article_files
        return any(addresses.find_referrer(path) for addresses in files)

    def full_text(self, snapshot: SiteSnapshot) -> SiteTexts:
        """Return llms-full.txt and its parts."""
        with self._lock:
            if (texts := self._texts.get(snapshot)) is None:
                texts = SiteTexts(self.identity, snapshot.published, snapshot.docs)
                self._texts[snapshot] = texts
            return texts

    def not_found(self, snapshot: SiteSnapshot, path: str) -> Representation:
        """Return the 404 page."""
        name_page = str if snapshot.docs is None else snapshot.docs.name_page
        return make_not_found(
            self.frame, path, self._known(snapshot), snapshot.navigation, name_page
        )

    def _find_elsewhere(self, snapshot: SiteSnapshot, path: str) -> Moved | None:
        """Return a redirect from another spelling of an address."""
        articles, docs = snapshot.articles, snapshot.docs
        # Not for attachments: whether one is visible takes more than a route.
        if "//" in path and find_type(path) is None:
            single = re.sub("/+", "/", path)
            if snapshot.find_route(single) is not None:
                return Moved(single)
            return self._find_elsewhere(snapshot, single)
        if articles is not None and (where := _find_named(articles, path)):
            return Moved(where)
        other = path.removesuffix("/") if path.endswith("/") else f"{path}/"
        if snapshot.find_route(other) is not None:
            return Moved(other)
        if articles is not None and (where := _find_folded(articles, path)):
            return Moved(where)
        if docs is not None:
            alternative = find_alternative(docs, path)
            if alternative is not None and alternative != path:
                return Moved(alternative)
        if articles is not None and (where := _find_former(articles, path)):
            return Moved(where)
        return None

    def _known(self, snapshot: SiteSnapshot) -> Iterator[Link]:
        if snapshot.articles is not None:
            for where, article in snapshot.articles.by_address.items():
                yield Link(where, article.title)
        if snapshot.docs is not None:
            for where, page in snapshot.docs.by_address.items():
                if page.placement.is_listed:
                    yield Link(where, page.title)


def _write_line(text: str, identity: SiteIdentity) -> str:
    """Return Markdown of the operator as HTML; its addresses begin with the prefix."""

    def resolve(address: str) -> str:
        is_of_site = address.startswith("/") and not address.startswith("//")
        return identity.link(address) if is_of_site else address

    return render(text, resolve, has_anchors=False).text.strip() if text else ""


def _locate(docs: DocCollection | None, path: str) -> FilePlace:
    """Return where the file of a page is."""
    assert docs is not None
    tree, below = docs.locate(path)
    name = tree.library.root.absolute().name
    return FilePlace(name, below, tree.locate_file(below))


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


def _find_folded(articles: ArticleUrls, path: str) -> str:
    """Return the address of an article or a category in another case."""
    bare = path.removesuffix("/")
    if bare.endswith(".md"):
        where = articles.find_in_any_case(bare.removesuffix(".md"))
        return urls.as_markdown(where) if where else ""
    *_, bare = _spellings(bare)
    return articles.find_in_any_case(bare) or articles.find_in_any_case(f"{bare}/")


def _find_former(articles: ArticleUrls, path: str) -> str:
    """Return the address of the article that had this one before; empty if none."""
    name = urls.name_article(path)
    article = articles.catalog.find_former(name) if name else None
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
