"""Resolution of links in a text to addresses of the site.

A link to a page leads to where that page is now, or is text if it is nowhere: hidden
and missing pages are the same. A link to an article is resolved by its name alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final
from urllib.parse import unquote, urljoin, urlsplit

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.links import URI_PREFIX, ArticleTarget, locate
from asdlc_kb.docs.catalogs.catalog import DocCatalog
from asdlc_kb.docs.links import written_names
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.docs.pages.page_anchors import AnchorFinder
from asdlc_kb.markup.html_renderer import ResolveLink
from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import SiteIdentity

_NOWHERE: Final = frozenset({"", ".", ".."})
"""Path segments that are not part of an article's name."""


@dataclass(frozen=True, slots=True)
class SiteLinks:
    """Addresses for the links in the texts of one snapshot of the site."""

    prefix: str = ""
    """Prefix of every path."""
    articles: ArticleCatalog | None = None
    docs: DocCatalog | None = None
    addresses: Mapping[str, str] = field(default_factory=dict)
    """Addresses of the pages of `docs`, by path."""

    def of_article(self, article: Article) -> ResolveLink:
        """Return the resolver of the links in an article."""
        return partial(self._in_article, AnchorFinder(), article)

    def of_feed(self, article: Article, identity: SiteIdentity) -> ResolveLink:
        """Return the resolver of the links in an article to absolute addresses."""
        return partial(self._in_feed, self.of_article(article), article, identity)

    def of_page(self, page: DocPage) -> ResolveLink:
        """Return the resolver of the links in a page; to nothing, it returns None."""
        return partial(self._in_page, AnchorFinder(), page)

    def _in_article(
        self, anchors: AnchorFinder, article: Article, href: str
    ) -> str | None:
        if href.startswith("#"):
            return href
        if href.startswith(written_names.URI_PREFIX):
            return self._find_page(anchors, "", href)
        target = locate(article.id, href)
        if target is not None:
            return self._find_article(target) or href
        is_path = href.startswith("/") and not href.startswith("//")
        return f"{self.prefix}{href}" if is_path else href

    def _in_feed(
        self, resolve: ResolveLink, article: Article, identity: SiteIdentity, href: str
    ) -> str | None:
        address = resolve(href)
        if address is None:
            return None
        try:
            return urljoin(identity.locate(urls.of_article(article)), address)
        except ValueError:
            return None

    def _in_page(self, anchors: AnchorFinder, page: DocPage, href: str) -> str | None:
        if href.startswith(URI_PREFIX):
            target = locate("", href)
            return (target and self._find_article(target)) or href
        address = self._find_page(anchors, page.path, href)
        if address is None and href.startswith("#"):
            anchor = anchors.find(page, href[1:])
            return href if anchor == unquote(href[1:]) else _mark(anchor)
        return address or (None if _is_path(href) else href)

    def _find_page(self, anchors: AnchorFinder, source: str, href: str) -> str | None:
        """Return the address of the page that a link in a file leads to, or None.

        None for a place in the file itself that is written without its name.
        """
        target = self.docs.resolve(href, source) if self.docs is not None else None
        if self.docs is None or target is None:
            return None
        if href.startswith("#") and target.path == source:
            return None
        anchor = anchors.find(self.docs.by_path[target.path], target.anchor)
        return f"{self.prefix}{self.addresses[target.path]}{_mark(anchor)}"

    def _find_article(self, target: ArticleTarget) -> str:
        """Return the address of an article; empty if it cannot be one."""
        category, slash, slug = target.id.partition("/")
        if target.is_name and not slash:
            where = self._find_name(target.id)
        elif (
            slug
            and (target.is_certain or target.is_name)
            and _NOWHERE.isdisjoint(target.id.split("/"))
        ):
            where = urls.of_name(category, slug)
        else:
            return ""
        return f"{self.prefix}{where}{_mark(target.anchor)}"

    def _find_name(self, name: str) -> str:
        """Return the address of the article with a name, or that of the name."""
        found = self.articles.get_or_none(name) if self.articles is not None else None
        return urls.of_article(found) if found else f"{urls.NAMED}{urls.escape(name)}"


def _is_path(href: str) -> bool:
    """Whether a link is to a page or file of this site."""
    try:
        parts = urlsplit(href)
    except ValueError:
        return False
    is_local = bool(parts.path) and not (parts.scheme or parts.netloc)
    return is_local or href.startswith(written_names.URI_PREFIX)


def _mark(anchor: str) -> str:
    """Return an anchor as the fragment of an address."""
    return f"#{urls.escape(unquote(anchor))}" if anchor else ""
