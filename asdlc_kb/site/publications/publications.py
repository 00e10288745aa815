"""Publications for programs: indexes, feeds, Markdown.

They are public: hidden articles are not included, even where pages show them to their
author.
"""

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, Final

from asdlc_kb.articles.article import Article
from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.pages.article_pages import ArticleUrls
from asdlc_kb.site.publications import agent_skill, feeds, llms, well_known
from asdlc_kb.site.rendering.html_cache import HtmlCache, RenderedText
from asdlc_kb.site.rendering.link_resolver import remote_link_resolver
from asdlc_kb.site.rendering.markdown import body_of, write_article
from asdlc_kb.site.representation import Representation
from asdlc_kb.site.site_snapshot import SiteSnapshot

_WELL_KNOWN: Final = "/.well-known/"


class Publications:
    """Renders the publications of a site."""

    def __init__(self, identity: SiteIdentity, rendering: HtmlCache) -> None:
        self._identity = identity
        self._rendering = rendering

    def find(self, snapshot: SiteSnapshot, path: str) -> Representation | None:
        """Return the publication at an address; blocks, call it in a thread."""
        if path.startswith(_WELL_KNOWN) or path in well_known.PATHS:
            return self._find_well_known(snapshot, path)
        articles, docs = snapshot.published, snapshot.docs
        if path == feeds.ROBOTS:
            return feeds.write_robots(self._identity)
        if path == feeds.SITEMAP:
            return feeds.write_sitemap(self._identity, articles, docs)
        if path == llms.INDEX:
            return llms.write_llms(self._identity, articles, docs)
        if path == urls.DOCS_INDEX and docs is not None:
            return llms.write_docs(self._identity, docs)
        return self._find_of_articles(articles, path) if articles else None

    def addresses(self, snapshot: SiteSnapshot) -> Iterator[str]:
        """Yield every address that `find` accepts."""
        identity, articles = self._identity, snapshot.published
        yield from (llms.INDEX, llms.WELL_KNOWN, feeds.ROBOTS)
        yield from agent_skill.list_addresses(identity)
        if snapshot.docs is not None:
            yield urls.DOCS_INDEX
        if identity.base_url:
            yield feeds.SITEMAP
            yield from well_known.PATHS if identity.has_endpoint else ()
        if articles is not None:
            yield from map(urls.as_markdown, articles.by_address)
            lists = [category.address for category in articles.categories]
            yield from (f"{where}llms.txt" for where in lists)
            if identity.base_url:
                yield from (f"{where}{feeds.FEED}" for where in (urls.HOME, *lists))

    def write_full(self, snapshot: SiteSnapshot) -> Iterator[bytes]:
        """Yield llms-full.txt in pieces."""
        return llms.write_llms_full(self._identity, snapshot.published, snapshot.docs)

    def _find_well_known(
        self, snapshot: SiteSnapshot, path: str
    ) -> Representation | None:
        """Return the well-known resource at an address, or None."""
        identity, articles = self._identity, snapshot.published
        if path == llms.WELL_KNOWN:
            index = llms.write_llms(identity, articles, snapshot.docs)
            return replace(index, path=path)
        if path in well_known.PATHS:
            return (
                well_known.find_discovery(identity, path)
                if identity.has_endpoint
                else None
            )
        return agent_skill.find_skill(identity, articles, snapshot.docs, path)

    def _find_feed(self, articles: ArticleUrls, path: str) -> Representation | None:
        awaited: list[Future[Any]] = []

        def show(article: Article) -> str:
            html, work = self._show(article)
            if work is not None:
                awaited.append(work)
            return html.text

        feed = feeds.find_feed(self._identity, articles, path, show)
        return replace(feed, awaited=awaited[0]) if feed and awaited else feed

    def _show(self, article: Article) -> RenderedText:
        """Return an article's text as HTML for use outside the site."""
        return self._rendering.render(
            f"afar {self._identity.base_url} {article.id}",
            body_of(article),
            lambda href: remote_link_resolver(article, href, self._identity),
            has_anchors=False,
        )

    def _find_of_articles(
        self, articles: ArticleUrls, path: str
    ) -> Representation | None:
        identity = self._identity
        if path.endswith(f"/{feeds.FEED}"):
            return self._find_feed(articles, path)
        if path.endswith(llms.INDEX):
            where = path.removesuffix("llms.txt")
            return llms.write_section(identity, articles, where)
        if path.endswith(".md"):
            article = articles.by_address.get(path.removesuffix(".md"))
            return write_article(article, identity) if article is not None else None
        return None
