"""What the headers of an MCP request say. Pure: header values in, decisions out.

Names are as Tornado spells them, whatever the client wrote: `Mcp-Param-Region`.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from asdlc_kb.mcp.protocol.inbound import McpHeaders
from asdlc_kb.mcp.protocol.param_headers import read_trace

EVENTS: Final = "text/event-stream"

_PARAMETER: Final = "Mcp-Param-"
_ANSWERS: Final = frozenset(
    {"application/json", EVENTS, "application/*", "text/*", "*/*"}
)
_EVENTS: Final = frozenset({EVENTS, "text/*"})
_REMEMBERED: Final = 200
"""Characters of an Accept header that is read once for many requests."""


def read_headers(
    sent: Mapping[str, str], principal: str | None = None, address: str | None = None
) -> McpHeaders:
    """Return the MCP headers, each identical repetition collapsed.

    `principal` is who sent them, where that was proved, `address` what the sender is
    counted by.
    """
    return McpHeaders(
        principal=principal,
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
    """Return the status and the reason why a body is not read as JSON, or None."""
    if sent.get("Content-Encoding", "identity").lower() != "identity":
        return 415, "send the body without Content-Encoding"
    media_type = sent.get("Content-Type", "").split(";", 1)[0].strip().lower()
    if media_type != "application/json":
        return 415, "Content-Type must be application/json"
    return None


def accepts_json(sent: Mapping[str, str]) -> bool:
    """Whether the client takes what we send; many say less than they take."""
    accept = sent.get("Accept")
    return accept is None or not _ANSWERS.isdisjoint(media_types(accept))


def accepts_event_stream(sent: Mapping[str, str]) -> bool:
    """Whether the client says that it reads events; the others get JSON alone."""
    return not _EVENTS.isdisjoint(media_types(sent.get("Accept", "")))


def asks_for_events(sent: Mapping[str, str]) -> bool:
    """Whether the client names events, and not just anything."""
    return EVENTS in media_types(sent.get("Accept", ""))


def asks_for_page(sent: Mapping[str, str]) -> bool:
    """Whether the client names web pages: a browser, that is."""
    return "text/html" in media_types(sent.get("Accept", ""))


def media_types(value: str) -> frozenset[str]:
    """Return the media types that a header names, without their parameters."""
    return _split_often(value) if len(value) <= _REMEMBERED else _split(value)


def _split(value: str) -> frozenset[str]:
    types = (part.split(";", 1)[0] for part in value.split(","))
    return frozenset(part.strip().lower() for part in types)


_split_often = lru_cache(maxsize=64)(_split)


def _collapse(value: str | None) -> str | None:
    """Return a header's one value; some clients send the same one twice."""
    if value is None or "," not in value:
        return value
    values = {part.strip() for part in value.split(",")}
    return values.pop() if len(values) == 1 else value
