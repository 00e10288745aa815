"""The absolute addresses of the website's pages, for answers elsewhere.

Loaded only if answers have them: they need modules of the website.
"""

import asyncio
from collections.abc import Mapping

from asdlc_kb.articles.article import Article
from asdlc_kb.docs.catalogs.catalog import DocCatalog
from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.pages.doc_urls import DocUrls


class WebsiteUrls:
    """The absolute addresses of the website's pages, for answers elsewhere."""

    def __init__(self, identity: SiteIdentity) -> None:
        """Use a website with a public address."""
        self._identity = identity
        self._latest: tuple[DocCatalog, Mapping[str, str]] | None = None
        """A catalog of documentation, and the addresses of its pages by path."""

    def of_article(self, article: Article) -> str:
        """Return the address of an article's page."""
        return self._identity.locate(urls.of_article(article))

    async def of_page(self, catalog: DocCatalog, path: str) -> str:
        """Return the address of a documentation page of a catalog."""
        latest = self._latest
        if latest is None or latest[0] is not catalog:
            latest = catalog, (await asyncio.to_thread(DocUrls, catalog)).addresses
            self._latest = latest
        return self._identity.locate(latest[1][path])
