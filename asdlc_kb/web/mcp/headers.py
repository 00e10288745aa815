"""Headers of MCP requests. Pure: header values in, decisions out.

Header names are in Tornado's canonical form: `Mcp-Param-Region`.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from asdlc_kb.mcp.protocol.inbound import McpHeaders
from asdlc_kb.mcp.protocol.param_headers import read_trace
from asdlc_kb.ops.auth.bearer_tokens import Principal
from asdlc_kb.web.connections.event_stream import EVENT_STREAM

_PARAMETER: Final = "Mcp-Param-"
_JSON_TYPES: Final = frozenset(
    {"application/json", EVENT_STREAM, "application/*", "text/*", "*/*"}
)
_EVENT_TYPES: Final = frozenset({EVENT_STREAM, "text/*"})
_MAX_CACHED_CHARS: Final = 200
"""Longest Accept header that is cached, in characters."""


def read_headers(
    sent: Mapping[str, str],
    principal: Principal | None = None,
    address: str | None = None,
) -> McpHeaders:
    """Return the MCP headers, with identical repetitions collapsed.

    `principal` is the authenticated sender, if any, `address` its rate limit key.
    """
    return McpHeaders(
        principal=None if principal is None else principal.session_owner,
        sources=None if principal is None else principal.sources,
        address=address,
        version=_collapse(sent.get("Mcp-Protocol-Version")),
        session=_collapse(sent.get("Mcp-Session-Id")),
        method=sent.get("Mcp-Method"),
        name=sent.get("Mcp-Name"),
        parameters={
            name.removeprefix(_PARAMETER).lower(): sent[name]
            for name in sent
            if name.startswith(_PARAMETER)
        },
        trace=read_trace(sent.get("Traceparent")),
    )


def check_headers(sent: Mapping[str, str]) -> tuple[int, str] | None:
    """Return the status and reason if a body is not readable as JSON, else None."""
    if sent.get("Content-Encoding", "identity").lower() != "identity":
        return 415, "send the body without Content-Encoding"
    media_type = sent.get("Content-Type", "").split(";", 1)[0].strip().lower()
    if media_type != "application/json":
        return 415, "Content-Type must be application/json"
    return None


def accepts_json(sent: Mapping[str, str]) -> bool:
    """Whether the client accepts JSON, event streams or wildcards of them."""
    accept = sent.get("Accept")
    return accept is None or not _JSON_TYPES.isdisjoint(media_types(accept))


def accepts_event_stream(sent: Mapping[str, str]) -> bool:
    """Whether the client accepts event streams; others get JSON only."""
    return not _EVENT_TYPES.isdisjoint(media_types(sent.get("Accept", "")))


def names_event_stream(sent: Mapping[str, str]) -> bool:
    """Whether Accept names event streams explicitly."""
    return EVENT_STREAM in media_types(sent.get("Accept", ""))


def names_html(sent: Mapping[str, str]) -> bool:
    """Whether Accept names HTML, as browsers do."""
    return "text/html" in media_types(sent.get("Accept", ""))


def media_types(value: str) -> frozenset[str]:
    """Return the media types of a header, without parameters."""
    return _split_cached(value) if len(value) <= _MAX_CACHED_CHARS else _split(value)


def _split(value: str) -> frozenset[str]:
    types = (part.split(";", 1)[0] for part in value.split(","))
    return frozenset(part.strip().lower() for part in types)


_split_cached = lru_cache(maxsize=64)(_split)


def _collapse(value: str | None) -> str | None:
    """Return a header's single value; some clients send the same one twice."""
    if value is None or "," not in value:
        return value
    values = {part.strip() for part in value.split(",")}
    return values.pop() if len(values) == 1 else value
