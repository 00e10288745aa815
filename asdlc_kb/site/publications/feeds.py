"""Sitemap, robots.txt and Atom feeds.

Sitemap and feeds need absolute addresses, so they require the public address.
"""

from collections.abc import Callable, Iterator, Sequence
from re import compile
from typing import Final, TypeAlias
from xml.etree.ElementTree import Element, SubElement, tostring

from asdlc_kb.articles.article import Article
from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.pages.article_pages import ArticleUrls
from asdlc_kb.site.pages.doc_pages import DocUrls
from asdlc_kb.site.representation import ATOM, TEXT, XML, Representation

RenderHtml: TypeAlias = Callable[[Article], str]
"""Return an article's text as HTML for use outside the site."""
FeedRow: TypeAlias = tuple[Article, str]
"""An article and its text as HTML; empty if it is left out."""

SITEMAP: Final = "/sitemap.xml"
ROBOTS: Final = "/robots.txt"
FEED: Final = "feed.xml"

MAX_ENTRIES: Final = 50
"""Articles in a feed."""
MAX_CONTENT_CHARS: Final = 1024 * 1024
"""Characters of texts in a feed; further entries have a summary only."""
MAX_ADDRESSES: Final = 50_000
"""Addresses in one sitemap (sitemaps.org)."""

_EPOCH: Final = "1970-01-01"
"""Update time of a feed without articles."""
_ATOM: Final = "http://www.w3.org/2005/Atom"
_SITEMAP: Final = "http://www.sitemaps.org/schemas/sitemap/0.9"
_FORBIDDEN = compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_AGENTS: Final = (
    *("GPTBot", "ChatGPT-User", "OAI-SearchBot", "ClaudeBot", "Claude-User"),
    *("PerplexityBot", "CCBot", "Google-Extended"),
)


def write_robots(identity: SiteIdentity) -> Representation:
    """Return robots.txt: everything is allowed except the search page."""
    named = "".join(f"User-agent: {agent}\n" for agent in ("*", *_AGENTS))
    signal = f"Content-Signal: {identity.signal}\n" if identity.signal else ""
    searches = identity.link(urls.SEARCH)
    text = f"{named}{signal}Disallow: {searches}\nAllow: /\n"
    if identity.base_url:
        text += f"\nSitemap: {identity.locate(SITEMAP)}\n"
    return Representation(ROBOTS, TEXT, text.encode())


def write_sitemap(
    identity: SiteIdentity, articles: ArticleUrls | None, docs: DocUrls | None
) -> Representation | None:
    """Return the sitemap, or None without a public address."""
    if not identity.base_url:
        return None
    root = Element("urlset", xmlns=_SITEMAP)
    for number, (where, date) in enumerate(_list_pages(articles, docs)):
        if number == MAX_ADDRESSES:
            break
        entry = SubElement(root, "url")
        SubElement(entry, "loc").text = identity.locate(where)
        if date:
            SubElement(entry, "lastmod").text = date
    return Representation(SITEMAP, XML, write(root))


def find_feed(
    identity: SiteIdentity, articles: ArticleUrls, path: str, show: RenderHtml
) -> Representation | None:
    """Return the feed at an address: of all articles or of one category. Blocks."""
    if not identity.base_url:
        return None
    where = path.removesuffix(FEED)
    if where == urls.HOME:
        rows = _render_entries(articles.catalog.articles, show)
        return _write_feed(identity, where, identity.title, rows)
    for category in articles.categories:
        if where == category.address:
            title = f"{identity.title}: {category.title}"
            rows = _render_entries(category.articles, show)
            return _write_feed(identity, where, title, rows)
    return None


def _render_entries(articles: Sequence[Article], show: RenderHtml) -> Sequence[FeedRow]:
    """Return the newest articles, with texts up to the feed's size limit."""
    rows, remaining = [], MAX_CONTENT_CHARS
    for article in articles[:MAX_ENTRIES]:
        text = show(article) if len(article.body) <= remaining else ""
        if len(text) > remaining:
            text = ""
        remaining -= len(text)
        rows.append((article, text))
    return rows


def _list_pages(
    articles: ArticleUrls | None, docs: DocUrls | None
) -> Iterator[tuple[str, str]]:
    yield urls.HOME, ""
    if articles is not None:
        for category in articles.categories:
            yield category.address, category.articles[0].last_updated
        for article in articles.catalog.articles:
            yield urls.of_article(article), article.last_updated
    if docs is not None:
        yield from ((where, "") for where in docs.by_address)


def _write_feed(
    identity: SiteIdentity, where: str, title: str, rows: Sequence[FeedRow]
) -> Representation:
    path = f"{where}{FEED}"
    root = Element("feed", xmlns=_ATOM)
    SubElement(root, "id").text = identity.locate(where)
    SubElement(root, "title").text = title
    updated = max((a.last_updated for a, _ in rows), default=_EPOCH)
    SubElement(root, "updated").text = _time(updated)
    SubElement(root, "link", rel="self", href=identity.locate(path))
    SubElement(root, "link", rel="alternate", href=identity.locate(where))
    author = SubElement(root, "author")
    SubElement(author, "name").text = identity.title
    for article, text in rows:
        _add_entry(root, identity, article, text)
    return Representation(path, ATOM, write(root))


def _add_entry(
    root: Element, identity: SiteIdentity, article: Article, text: str
) -> None:
    where = identity.locate(urls.of_article(article))
    entry = SubElement(root, "entry")
    SubElement(entry, "id").text = where
    SubElement(entry, "title").text = article.title
    SubElement(entry, "updated").text = _time(article.last_updated)
    SubElement(entry, "published").text = _time(
        article.published or article.last_updated
    )
    SubElement(entry, "link", rel="alternate", type="text/html", href=where)
    SubElement(entry, "summary").text = article.description
    if text:
        SubElement(entry, "content", type="html").text = text
    SubElement(entry, "category", term=article.category)
    for tag in article.tags:
        SubElement(entry, "category", term=tag)
    if article.author:
        author = SubElement(entry, "author")
        SubElement(author, "name").text = article.author


def _time(date: str) -> str:
    return f"{date}T00:00:00Z"


def write(root: Element) -> bytes:
    """Return a document as bytes, without characters that XML does not allow."""
    # XML forbids these, even escaped.
    text: str = _FORBIDDEN.sub("", tostring(root, "unicode"))
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}'.encode()
