"""Discovery documents for the MCP server.

A server card at the endpoint (SEP-2127) and a catalogue at a well-known address. Both
need absolute addresses, so they require the public address.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice, zip_longest
from typing import Any, Final
from urllib.parse import urlsplit

from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.pages.article_pages import ArticleUrls
from asdlc_kb.site.pages.doc_urls import DocUrls
from asdlc_kb.site.publications.link_list import one_line
from asdlc_kb.site.representation import Representation
from asdlc_kb.unicode.truncation import truncate

CARD: Final = urls.CARD
CATALOGUE: Final = "/.well-known/ai-catalog.json"

PATHS: Final = (
    CARD,
    CATALOGUE,
    "/.well-known/mcp.json",
    "/.well-known/mcp/server-card.json",
)
"""Every address; the last two are those of the card in older drafts."""

MAX_DESCRIPTION_CHARS: Final = 100
"""Characters of a description in a card, and of a query in the catalogue."""

QUERIES: Final = range(2, 6)
"""Possible numbers of representative queries in the catalogue."""

_CARD_TYPE: Final = "application/mcp-server-card+json"
_CATALOGUE_TYPE: Final = "application/ai-catalog+json"
_SCHEMA: Final = (
    "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"
)
_SERVER: Final = "knowledge-base"


def write_discovery(
    identity: SiteIdentity,
    articles: ArticleUrls | None,
    docs: DocUrls | None,
    path: str,
) -> Representation:
    """Return the document at one of the addresses."""
    if path == CATALOGUE:
        catalogue = _describe_catalogue(identity, articles, docs)
        return _make(path, _CATALOGUE_TYPE, catalogue)
    return _make(path, _CARD_TYPE, _describe_card(identity))


def _describe_card(identity: SiteIdentity) -> Mapping[str, Any]:
    """Return the card; it lists no tools, which depend on the client."""
    return {
        "$schema": _SCHEMA,
        "name": f"{_name_host(identity)}/{_SERVER}",
        "title": identity.title,
        "version": identity.version,
        "description": _describe(identity),
        "websiteUrl": identity.locate("/"),
        "remotes": [{"type": "streamable-http", "url": identity.locate("/mcp")}],
    }


def _describe_catalogue(
    identity: SiteIdentity, articles: ArticleUrls | None, docs: DocUrls | None
) -> Mapping[str, Any]:
    host = urlsplit(identity.base_url or "").hostname or ""
    entry: dict[str, Any] = {
        "identifier": f"urn:air:{host}:mcp:{_SERVER}",
        "displayName": identity.title,
        "description": _describe(identity),
        "type": _CARD_TYPE,
        # Field name of the April draft.
        "mediaType": _CARD_TYPE,
        "url": identity.locate(CARD),
    }
    queries = _list_queries(identity, articles, docs)
    if len(queries) in QUERIES:
        entry["representativeQueries"] = queries
    return {"specVersion": "1.0", "entries": [entry]}


def _list_queries(
    identity: SiteIdentity, articles: ArticleUrls | None, docs: DocUrls | None
) -> Sequence[str]:
    """Return questions that the content answers; registries search them."""
    questions = (
        one_line(f"What does {identity.title} say about {title}?")
        for title in _list_topics(articles, docs)
    )
    cut = (truncate(question, MAX_DESCRIPTION_CHARS) for question in questions)
    return list(islice(cut, QUERIES[-1]))


def _list_topics(articles: ArticleUrls | None, docs: DocUrls | None) -> Iterator[str]:
    """Yield titles: the first of each section, then the second of each, and so on."""
    sections: dict[tuple[str, str], list[str]] = {}
    for category in articles.categories if articles else ():
        sections["category", category.name] = [a.title for a in category.articles]
    for group, page in docs.list_by_group() if docs else ():
        sections.setdefault(("group", group), []).append(page.title)
    rounds = chain.from_iterable(zip_longest(*sections.values()))
    return (title for title in rounds if title is not None)


def _describe(identity: SiteIdentity) -> str:
    described = one_line(identity.tagline or identity.title)
    return truncate(described, MAX_DESCRIPTION_CHARS)


def _name_host(identity: SiteIdentity) -> str:
    """Return the namespace of a public address: `com.example.kb`."""
    host = urlsplit(identity.base_url or "").hostname or ""
    return ".".join(reversed(host.split(".")))


def _make(path: str, type: str, document: Mapping[str, Any]) -> Representation:
    body = json.dumps(document, ensure_ascii=False, indent=2).encode()
    return Representation(path, type, body, is_open=True)
