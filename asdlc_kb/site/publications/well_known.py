"""Discovery documents for the MCP server.

A server card at the endpoint (SEP-2127) and a catalogue at a well-known address. Both
need absolute addresses, so they require the public address.
"""

import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import SiteIdentity
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
"""Characters of a description in a card."""

_CARD_TYPE: Final = "application/mcp-server-card+json"
_CATALOGUE_TYPE: Final = "application/ai-catalog+json"
_SCHEMA: Final = (
    "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"
)
_SERVER: Final = "knowledge-base"


def write_discovery(identity: SiteIdentity, path: str) -> Representation:
    """Return the document at one of the addresses."""
    if path == CATALOGUE:
        return _make(path, _CATALOGUE_TYPE, _describe_catalogue(identity))
    return _make(path, _CARD_TYPE, _describe_card(identity))


def _describe_card(identity: SiteIdentity) -> Mapping[str, Any]:
    """Return the card; it lists no tools, which depend on the client."""
    described = " ".join((identity.tagline or identity.title).split())
    return {
        "$schema": _SCHEMA,
        "name": f"{_name_host(identity)}/{_SERVER}",
        "title": identity.title,
        "version": identity.version,
        "description": truncate(described, MAX_DESCRIPTION_CHARS),
        "websiteUrl": identity.locate("/"),
        "remotes": [{"type": "streamable-http", "url": identity.locate("/mcp")}],
    }


def _describe_catalogue(identity: SiteIdentity) -> Mapping[str, Any]:
    host = urlsplit(identity.base_url or "").hostname or ""
    entry = {
        "identifier": f"urn:air:{host}:mcp:{_SERVER}",
        "displayName": identity.title,
        "type": _CARD_TYPE,
        # Field name of the April draft.
        "mediaType": _CARD_TYPE,
        "url": identity.locate(CARD),
    }
    return {"specVersion": "1.0", "entries": [entry]}


def _name_host(identity: SiteIdentity) -> str:
    """Return the namespace of a public address: `com.example.kb`."""
    host = urlsplit(identity.base_url or "").hostname or ""
    return ".".join(reversed(host.split(".")))


def _make(path: str, type: str, document: Mapping[str, Any]) -> Representation:
    body = json.dumps(document, ensure_ascii=False, indent=2).encode()
    return Representation(path, type, body, is_open=True)
