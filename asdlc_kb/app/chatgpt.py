"""The provider of the tools for ChatGPT, with the addresses of the website's pages.

Loaded only if these tools are on.
"""

from collections.abc import Mapping

from asdlc_kb.app.sources import ConfiguredSources
from asdlc_kb.app.website import site_identity
from asdlc_kb.corpus import SourceKind
from asdlc_kb.providers.chatgpt.documents import (
    ArticleDocuments,
    DocumentCollection,
    PageDocuments,
)
from asdlc_kb.providers.chatgpt.provider import ChatGptProvider
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.settings import Settings


def open_chatgpt_provider(
    settings: Settings,
    sources: ConfiguredSources,
    indexers: Mapping[SourceKind, Indexer],
) -> ChatGptProvider:
    """Return the provider of `search` and `fetch`; `indexers` are the sources'."""
    website = None
    if settings.base_url:
        from asdlc_kb.app.website_urls import WebsiteUrls

        website = WebsiteUrls(site_identity(settings, sources))
    collections: list[DocumentCollection] = []
    if (articles := sources.articles) is not None:
        indexer = indexers[articles.kind]
        collections.append(ArticleDocuments(articles, indexer, website))
    if (docs := sources.docs) is not None:
        collections.append(PageDocuments(docs, indexers[docs.kind], website))
    return ChatGptProvider(collections)
