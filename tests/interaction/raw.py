"""Messages that a well-behaved peer would not send, and answers with their status."""

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from support.peers import HttpPeer, Peer, StdioPeer, envelope, message

from asdlc_kb.app import App

Connect = Callable[[App], AbstractAsyncContextManager[Peer]]
"""What the fixture `connect` gives to a test."""

_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


@dataclass(frozen=True)
class Heard:
    """An answer, and the HTTP status it came with; None on a pipe."""

    status: int | None
    answer: dict[str, Any]

    @property
    def error(self) -> dict[str, Any]:
        """The error object."""
        assert "result" not in self.answer, self.answer
        error: dict[str, Any] = self.answer["error"]
        return error

    def is_status(self, expected: int) -> bool:
        """Whether the status is the expected one, where there is one at all."""
        return self.status in (None, expected)


def compose(
    peer: Peer,
    method: str,
    params: Mapping[str, Any] | None = None,
    request_id: Any = 1,
) -> dict[str, Any]:
    """Return a request of the peer's version."""
    if not peer.is_stateless:
        return message(method, params, request_id)
    given = dict(params or {})
    meta = {**envelope(peer.version), **given.get("_meta", {})}
    return message(method, {**given, "_meta": meta}, request_id)


def mirror(peer: HttpPeer, sent: Any) -> dict[str, str]:
    """Return the headers that go with whatever is sent."""
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


async def tell(
    peer: Peer, sent: Any, headers: Mapping[str, str | None] | None = None
) -> Heard:
    """Send anything; return what is answered.

    Over HTTP with the headers that mirror it, changed by `headers` (None: left out).
    """
    if isinstance(peer, HttpPeer):
        merged = {**mirror(peer, sent), **(headers or {})}
        kept = {name: value for name, value in merged.items() if value is not None}
        response = await peer.site.post(sent, kept)
        assert response.headers["Content-Type"].startswith("application/json")
        return Heard(response.code, json.loads(response.body))
    assert isinstance(peer, StdioPeer)
    peer.send(sent)
    return Heard(None, await peer.receive())


async def tell_in_vain(peer: Peer, sent: Mapping[str, Any]) -> None:
    """Send what gets no answer; on a pipe the next answer is that to a next request."""
    if isinstance(peer, HttpPeer):
        response = await peer.site.post(sent, mirror(peer, sent))
        assert (response.code, response.body) == (202, b"")
        return
    assert isinstance(peer, StdioPeer)
    peer.send(sent)
    assert "tools" in await peer.result("tools/list")
