"""Sitemap, robots.txt and Atom feeds.

Sitemap and feeds need absolute addresses, so they require the public address.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from itertools import islice
from re import compile
from typing import Any, Final, TypeAlias
from xml.etree.ElementTree import Element, SubElement, tostring

from asdlc_kb.articles.article import Article
from asdlc_kb.attachments.referenced_files import ReferencedFiles, ReferringText
from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.rendering.attachment_resolver import AttachmentResolver
from asdlc_kb.site.rendering.html_cache import HtmlCache
from asdlc_kb.site.rendering.link_resolver import SiteLinks
from asdlc_kb.site.rendering.markdown import body_of
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
    identity: SiteIdentity, rows: Iterable[tuple[str, str]]
) -> Representation:
    """Return the sitemap of addresses, each with the date of its last change or ""."""
    root = Element("urlset", xmlns=_SITEMAP)
    for where, date in islice(rows, MAX_ADDRESSES):
        entry = SubElement(root, "url")
        SubElement(entry, "loc").text = identity.locate(where)
        if date:
            SubElement(entry, "lastmod").text = date
    return Representation(SITEMAP, XML, write(root))


@dataclass(frozen=True, slots=True)
class FeedWriter:
    """Writes Atom feeds with the texts of articles. Blocks: use it in a thread."""

    identity: SiteIdentity
    rendering: HtmlCache
    files: ReferencedFiles
    links: SiteLinks

    def write(
        self, where: str, articles: Sequence[Article], category: str = ""
    ) -> Representation:
        """Return the feed of the page at an address: of all or of one category."""
        title = self.identity.title
        title = f"{title}: {category}" if category else title
        awaited: list[Future[Any]] = []

        def show(article: Article) -> str:
            text = ReferringText.of(f"{article.id}.md", article.body)
            attachments = AttachmentResolver(
                self.files.open_text(text),
                lambda name: self.identity.locate(urls.of_attachment(name)),
            )
            html, work = self.rendering.render(
                body_of(article),
                attachments.wrap(self.links.of_feed(article, self.identity)),
                attachments.find_picture,
                has_anchors=False,
            )
            if work is not None:
                # Feed readers keep an entry as it was: its summary, but no source.
                awaited.append(work)
                return ""
            here = f'="{self.identity.prefix}{urls.DIAGRAMS}'
            there = f'="{self.identity.locate(urls.DIAGRAMS)}'
            return html.text.replace(here, there)

        rows = render_entries(articles, show)
        feed = _write_feed(self.identity, where, title, rows)
        return replace(feed, awaited=awaited[0]) if awaited else feed


def render_entries(articles: Sequence[Article], show: RenderHtml) -> Sequence[FeedRow]:
    """Return the newest articles, with texts up to the feed's size limit."""
    rows, remaining = [], MAX_CONTENT_CHARS
    for article in articles[:MAX_ENTRIES]:
        text = show(article) if len(article.body) <= remaining else ""
        if len(text) > remaining:
            text = ""
        remaining -= len(text)
        rows.append((article, text))
    return rows


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
