"""Sitemap, robots.txt and Atom feeds.

Sitemap and feeds need absolute addresses: without a public address there are none.
"""

from collections.abc import Iterable, Iterator
from re import compile
from typing import Final
from xml.etree.ElementTree import Element, SubElement, tostring

from asdlc_kb.articles.article import Article
from asdlc_kb.site import address
from asdlc_kb.site.articles import ArticleShelf
from asdlc_kb.site.docs import DocShelf
from asdlc_kb.site.frame import Identity
from asdlc_kb.site.page import ATOM, TEXT, XML, Page

SITEMAP: Final = "/sitemap.xml"
ROBOTS: Final = "/robots.txt"
FEED: Final = "feed.xml"

MOST_ENTRIES: Final = 50
"""Articles in a feed."""
MOST_ADDRESSES: Final = 50_000
"""Addresses of one sitemap (sitemaps.org)."""

_NEVER: Final = "1970-01-01"
"""When a feed changed that has no articles."""
_ATOM: Final = "http://www.w3.org/2005/Atom"
_SITEMAP: Final = "http://www.sitemaps.org/schemas/sitemap/0.9"
_UNSAYABLE = compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_AGENTS: Final = (
    *("GPTBot", "ChatGPT-User", "OAI-SearchBot", "ClaudeBot", "Claude-User"),
    *("PerplexityBot", "CCBot", "Google-Extended"),
)


def write_robots(identity: Identity) -> Page:
    """Return robots.txt: everybody may read everything."""
    named = "".join(f"User-agent: {agent}\n" for agent in ("*", *_AGENTS))
    text = f"{named}Allow: /\nDisallow: {identity.link(address.SEARCH)}\n"
    if identity.base_url:
        text += f"\nSitemap: {identity.locate(SITEMAP)}\n"
    return Page(ROBOTS, TEXT, text.encode())


def write_sitemap(
    identity: Identity, articles: ArticleShelf | None, docs: DocShelf | None
) -> Page | None:
    """Return the sitemap."""
    if not identity.base_url:
        return None
    root = Element("urlset", xmlns=_SITEMAP)
    for number, (where, date) in enumerate(_list_pages(articles, docs)):
        if number == MOST_ADDRESSES:
            break
        entry = SubElement(root, "url")
        SubElement(entry, "loc").text = identity.locate(where)
        if date:
            SubElement(entry, "lastmod").text = date
    return Page(SITEMAP, XML, _write(root))


def find_feed(identity: Identity, articles: ArticleShelf, path: str) -> Page | None:
    """Return the feed at an address: of everything, or of one category."""
    if not identity.base_url:
        return None
    if path == f"/{FEED}":
        return _write_feed(
            identity, path, address.HOME, identity.title, articles.catalog.articles
        )
    for category in articles.categories:
        if path == f"{category.address}{FEED}":
            title = f"{identity.title}: {category.title}"
            where = category.address
            return _write_feed(identity, path, where, title, category.articles)
    return None


def _list_pages(
    articles: ArticleShelf | None, docs: DocShelf | None
) -> Iterator[tuple[str, str]]:
    yield address.HOME, ""
    if articles is not None:
        for category in articles.categories:
            yield category.address, category.articles[0].last_updated
        for article in articles.catalog.articles:
            yield address.of_article(article), article.last_updated
    if docs is not None:
        yield from ((where, "") for where in docs.by_address)


def _write_feed(
    identity: Identity, path: str, where: str, title: str, articles: Iterable[Article]
) -> Page:
    listed = tuple(articles)[:MOST_ENTRIES]
    root = Element("feed", xmlns=_ATOM)
    SubElement(root, "id").text = identity.locate(where)
    SubElement(root, "title").text = title
    updated = max((a.last_updated for a in listed), default=_NEVER)
    SubElement(root, "updated").text = _time(updated)
    SubElement(root, "link", rel="self", href=identity.locate(path))
    SubElement(root, "link", rel="alternate", href=identity.locate(where))
    author = SubElement(root, "author")
    SubElement(author, "name").text = identity.title
    for article in listed:
        _add_entry(root, identity, article)
    return Page(path, ATOM, _write(root))


def _add_entry(root: Element, identity: Identity, article: Article) -> None:
    where = identity.locate(address.of_article(article))
    entry = SubElement(root, "entry")
    SubElement(entry, "id").text = where
    SubElement(entry, "title").text = article.title
    SubElement(entry, "updated").text = _time(article.last_updated)
    SubElement(entry, "published").text = _time(
        article.published or article.last_updated
    )
    SubElement(entry, "link", rel="alternate", type="text/html", href=where)
    SubElement(entry, "summary").text = article.description
    SubElement(entry, "category", term=article.category)
    for tag in article.tags:
        SubElement(entry, "category", term=tag)
    if article.author:
        author = SubElement(entry, "author")
        SubElement(author, "name").text = article.author


def _time(date: str) -> str:
    return f"{date}T00:00:00Z"


def _write(root: Element) -> bytes:
    # XML has no way to say these, not even escaped.
    text: str = _UNSAYABLE.sub("", tostring(root, "unicode"))
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}'.encode()
