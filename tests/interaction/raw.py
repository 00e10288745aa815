"""Messages that a well-behaved peer would not send, and answers with their status."""

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from support.peers import HttpPeer, Peer, SsePeer, StdioPeer, envelope, message
from support.results import read_value

from asdlc_kb.app import Runtime

Connect = Callable[[Runtime], AbstractAsyncContextManager[Peer]]
"""The fixture `connect` of a test."""

SUPPORTED = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
"""The versions that this server names itself."""

ANNOTATIONS_SINCE = "2025-03-26"
TITLES_SINCE = MODIFIED_SINCE = "2025-06-18"

_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


@dataclass(frozen=True)
class RawResponse:
    """An answer, and its HTTP status; None on a pipe or a stream."""

    status: int | None
    answer: Any
    """A message, or a list of them for a batch."""

    @property
    def error(self) -> dict[str, Any]:
        """The error object."""
        assert "result" not in self.answer, self.answer
        error: dict[str, Any] = self.answer["error"]
        return error

    def is_status(self, expected: int) -> bool:
        """Whether the status is the expected one, if there is one at all."""
        return self.status in (None, expected)


def has(peer: Peer, since: str) -> bool:
    """Whether the peer's version has a feature of another one."""
    return peer.version >= since


def titled(peer: Peer, title: str) -> dict[str, str]:
    """Return the field `title` if the peer's version has one, else nothing."""
    return {"title": title} if has(peer, TITLES_SINCE) else {}


def tool_value(result: Mapping[str, Any]) -> Any:
    """Return a tool's result, articles or one of them: its text, in every version."""
    assert "structuredContent" not in result
    return read_value(result)


def compose(
    peer: Peer,
    method: str,
    params: Mapping[str, Any] | None = None,
    request_id: Any = 1,
) -> dict[str, Any]:
    """Return a request of the peer's version."""
    if not peer.is_stateless:
        return message(method, params, request_id)
    fields = dict(params or {})
    meta = {**envelope(peer.version), **fields.get("_meta", {})}
    return message(method, {**fields, "_meta": meta}, request_id)


def mirror(peer: HttpPeer | SsePeer, sent: Any) -> dict[str, str]:
    """Return the headers that mirror a message."""
    if isinstance(peer, SsePeer):
        return {}
    if not peer.is_stateless:
        return peer.headers({})
    headers = {"MCP-Protocol-Version": peer.version}
    if isinstance(sent, dict) and isinstance(method := sent.get("method"), str):
        headers["Mcp-Method"] = method
        params = sent.get("params")
        name = params.get(_NAMED.get(method)) if isinstance(params, dict) else None
        if isinstance(name, str):
            headers["Mcp-Name"] = name
    return headers


async def send_raw(
    peer: Peer, sent: Any, headers: Mapping[str, str | None] | None = None
) -> RawResponse:
    """Send anything; return the answer.

    Over HTTP with the headers that mirror it, changed by `headers` (None: left out).
    """
    if isinstance(peer, HttpPeer):
        merged = {**mirror(peer, sent), **(headers or {})}
        remaining = {name: value for name, value in merged.items() if value is not None}
        response = await peer.site.post(sent, remaining)
        assert response.headers["Content-Type"].startswith("application/json")
        return RawResponse(response.code, json.loads(response.body))
    if isinstance(peer, SsePeer):
        remaining = {name: value for name, value in (headers or {}).items() if value}
        response = await peer.site.post(sent, {"Accept": "*/*", **remaining}, peer.path)
        if response.code != 202:
            return RawResponse(response.code, json.loads(response.body))
        assert response.body == b""
        return RawResponse(None, await peer.wire.notice())
    assert isinstance(peer, StdioPeer)
    peer.send(sent)
    return RawResponse(None, await peer.receive())


async def send_unanswered(peer: Peer, sent: Any) -> None:
    """Send a message without an answer: the next one belongs to the next request."""
    if isinstance(peer, HttpPeer):
        response = await peer.site.post(sent, mirror(peer, sent))
        assert (response.code, response.body) == (202, b"")
        return
    if isinstance(peer, SsePeer):
        await peer.send(sent)
    else:
        assert isinstance(peer, StdioPeer)
        peer.send(sent)
    assert "tools" in await peer.result("tools/list")
