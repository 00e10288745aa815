"""The provider of the tools for ChatGPT, with the addresses of the website's pages.

Loaded only if these tools are on.
"""

import asyncio
from collections.abc import Mapping

from asdlc_kb.app.sources import ConfiguredSources
from asdlc_kb.app.website import site_identity
from asdlc_kb.articles.article import Article
from asdlc_kb.corpus import SourceKind
from asdlc_kb.docs.catalogs.catalog import DocCatalog
from asdlc_kb.providers.chatgpt.documents import (
    ArticleDocuments,
    DocumentCollection,
    PageDocuments,
)
from asdlc_kb.providers.chatgpt.provider import ChatGptProvider
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.settings import Settings
from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.pages.doc_pages import DocUrls


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
            latest = catalog, await asyncio.to_thread(_list_addresses, catalog)
            self._latest = latest
        return self._identity.locate(latest[1][path])


def open_chatgpt_provider(
    settings: Settings,
    sources: ConfiguredSources,
    indexers: Mapping[SourceKind, Indexer],
) -> ChatGptProvider:
    """Return the provider of `search` and `fetch`; `indexers` are the sources'."""
    website = None
    if settings.base_url:
        website = WebsiteUrls(site_identity(settings, sources))
    collections: list[DocumentCollection] = []
    if (articles := sources.articles) is not None:
        indexer = indexers[articles.kind]
        collections.append(ArticleDocuments(articles, indexer, website))
    if (docs := sources.docs) is not None:
        collections.append(PageDocuments(docs, indexers[docs.kind], website))
    return ChatGptProvider(collections)


def _list_addresses(catalog: DocCatalog) -> Mapping[str, str]:
    """Return the addresses of a catalog's pages by path; blocks."""
    return DocUrls(catalog).addresses
