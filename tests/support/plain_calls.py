"""Plain calls over HTTP as bytes, with some headers changed, left out or added."""

import json
from collections.abc import Mapping
from typing import Any

from support.peers import envelope, message

STATELESS = "2026-07-28"
PLAIN = {
    "Host": "localhost",
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
}
CALL = {"name": "get_article", "arguments": {"slug": "links-to-hidden"}}
BODY = json.dumps(message("tools/call", CALL)).encode()


def post(
    body: bytes = BODY,
    /,
    *more: str,
    line: str = "POST /mcp HTTP/1.1",
    length: str | None = None,
    **changed: str | None,
) -> bytes:
    """Return a plain call with some headers changed, left out or added."""
    named = {name.replace("_", "-"): value for name, value in changed.items()}
    length = str(len(body)) if length is None else length
    headers = {**PLAIN, "Content-Length": length, **named}
    lines = [f"{name}: {value}" for name, value in headers.items() if value is not None]
    return "\r\n".join([line, *lines, *more, "", ""]).encode("latin-1") + body


def post_stateless(method: str, params: Mapping[str, Any], **changed: str) -> bytes:
    """Return a call of the stateless era."""
    body = message(method, {**params, "_meta": envelope(STATELESS)})
    headers = {"MCP_Protocol_Version": STATELESS, "Mcp_Method": method, **changed}
    return post(json.dumps(body).encode(), **headers)


def get_article(slug: str) -> bytes:
    """Return the body of a call for an article."""
    params = {"name": "get_article", "arguments": {"slug": slug}}
    return json.dumps(message("tools/call", params)).encode()
