"""Peers: an MCP client over each transport and version, with one interface.

A peer checks each answer: JSON-RPC's structure, the echoed id, the era's envelope, and
that structured content is valid under the tool's own output schema.
"""

import asyncio
import functools
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import jsonschema

from asdlc_kb.app import Runtime
from asdlc_kb.stdio import StdioTransport
from support.canary import Scanner
from support.site import BOUND as BOUND
from support.site import EVENTS as EVENTS
from support.site import JSON as JSON
from support.site import Site as Site
from support.site import envelope as envelope
from support.site import message as message
from support.site import open_app as open_app
from support.site import serving as serving
from support.wire import Wire, dial

SSE = ("2024-11-05",)
"""Versions whose HTTP transport is HTTP+SSE."""
STREAMABLE = ("2025-03-26", "2025-06-18", "2025-11-25")
HANDSHAKE = SSE + STREAMABLE
STATELESS = ("2026-07-28",)
VERSIONS = HANDSHAKE + STATELESS

Receive: TypeAlias = Callable[[], Awaitable[Any]]
"""Waits for the next unsolicited message."""
ALL_LISTS = dict.fromkeys(
    ("toolsListChanged", "promptsListChanged", "resourcesListChanged"), True
)

ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


@functools.cache
def make_validator(schema: str) -> jsonschema.Draft202012Validator:
    """Return the validator of a schema in JSON, which is valid itself.

    Each is made once: to check a schema takes far longer than an answer.
    """
    parsed = json.loads(schema)
    jsonschema.Draft202012Validator.check_schema(parsed)
    return jsonschema.Draft202012Validator(parsed)


@dataclass
class Peer:
    """A client of one version; subclasses implement transports."""

    version: str
    schemas: dict[str, Any] = field(default_factory=dict)
    _last_id: int = 0

    @property
    def is_stateless(self) -> bool:
        """Whether the version has no handshake."""
        return self.version in STATELESS

    async def request(
        self, method: str, params: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Send a request; return the whole answer, result or error."""
        self._last_id += 1
        fields = dict(params or {})
        if self.is_stateless:
            meta = {**envelope(self.version), **fields.get("_meta", {})}
            fields["_meta"] = meta
        sent = message(method, fields, self._last_id)
        answer = await self.exchange(sent)
        self._check(method, sent, answer)
        return answer

    async def result(
        self, method: str, params: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Send a request that succeeds; return its result."""
        answer = await self.request(method, params)
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    async def error(
        self, method: str, params: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Send a request that fails; return its error object."""
        answer = await self.request(method, params)
        assert "error" in answer, answer
        error: dict[str, Any] = answer["error"]
        return error

    async def instructions(self) -> str:
        """Return the instructions that a client of this version gets."""
        if self.is_stateless:
            result = await self.result("server/discover")
        else:
            params = {"protocolVersion": self.version, "capabilities": {}}
            result = await self.result("initialize", params)
        text: str = result["instructions"]
        return text

    async def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool; return its result, checked against its output schema."""
        if not self.schemas:
            listed = await self.result("tools/list")
            self.schemas = {t["name"]: t.get("outputSchema") for t in listed["tools"]}
        params = {"name": tool, "arguments": arguments}
        result = await self.result("tools/call", params)
        schema = self.schemas.get(tool)
        if schema is not None and not result.get("isError"):
            make_validator(json.dumps(schema)).validate(result["structuredContent"])
        return result

    @asynccontextmanager
    async def events(self, *uris: str) -> AsyncIterator[Receive]:
        """Subscribe to every event; yield a function that awaits the next one."""
        sent = None
        if self.is_stateless:
            wanted = {**ALL_LISTS, "resourceSubscriptions": uris}
            params = {"notifications": wanted, "_meta": envelope(self.version)}
            sent = message("subscriptions/listen", params, "events")
        else:
            for uri in uris:
                await self.result("resources/subscribe", {"uri": uri})
        async with self.listen(sent) as receive:
            if sent is not None:
                acknowledged = await receive()
                assert acknowledged["method"] == ACKNOWLEDGED
            yield receive

    def listen(
        self, sent: dict[str, Any] | None
    ) -> AbstractAsyncContextManager[Receive]:
        """Open the channel of events; by a request, in versions that need one."""
        raise NotImplementedError

    async def exchange(self, sent: dict[str, Any]) -> dict[str, Any]:
        """Send a message; return the answer to it."""
        raise NotImplementedError

    def _check(self, method: str, sent: dict[str, Any], answer: dict[str, Any]) -> None:
        assert answer["jsonrpc"] == "2.0"
        assert answer["id"] == sent["id"]
        assert ("result" in answer) != ("error" in answer)
        if "result" not in answer:
            return
        result = answer["result"]
        assert ("resultType" in result) == self.is_stateless
        cached = method.endswith("list") or method in {
            "resources/read",
            "server/discover",
            "skills/get",
        }
        assert ("ttlMs" in result) == (self.is_stateless and cached)


@dataclass
class HttpPeer(Peer):
    """A client over HTTP."""

    site: Site = None  # type: ignore[assignment]
    session: str | None = None
    status: int = 0

    async def exchange(self, sent: dict[str, Any]) -> dict[str, Any]:
        """POST a message with the headers of its version."""
        response = await self.site.post(sent, self.headers(sent))
        self.status = response.code
        self.session = response.headers.get("Mcp-Session-Id", self.session)
        answer: dict[str, Any] = json.loads(response.body)
        return answer

    @asynccontextmanager
    async def listen(self, sent: dict[str, Any] | None) -> AsyncIterator[Receive]:
        """Open a stream: a GET of the session, or the request's own."""
        async with dial(self.site.port) as wire:
            if sent is None:
                await wire.request("GET", headers={**self.headers({}), **EVENTS})
            else:
                headers = {**JSON, **self.headers(sent), **EVENTS}
                body = json.dumps(sent).encode()
                await wire.request("POST", headers=headers, body=body)
            await expect_events(wire)
            yield wire.notice

    def headers(self, sent: Mapping[str, Any]) -> dict[str, str]:
        """Return the headers that go with a message."""
        headers = {}
        if self.is_stateless:
            headers["Mcp-Method"] = sent["method"]
            headers["MCP-Protocol-Version"] = self.version
            key = _NAMED.get(sent["method"])
            if key and isinstance(name := sent["params"].get(key), str):
                headers["Mcp-Name"] = name if name.isascii() else _encoded(name)
        elif self.session is not None:
            headers["MCP-Protocol-Version"] = self.version
            headers["Mcp-Session-Id"] = self.session
        return headers


def _encoded(name: str) -> str:
    import base64

    return f"=?base64?{base64.b64encode(name.encode()).decode()}?="


async def expect_events(wire: Wire) -> None:
    """Read the head of an answer that is a stream."""
    head = await wire.head()
    assert (head.status, head.headers["content-type"]) == (200, "text/event-stream")


@dataclass
class SsePeer(Peer):
    """A client over HTTP+SSE: it sends by POST, everything comes over one GET."""

    site: Site = None  # type: ignore[assignment]
    wire: Wire = None  # type: ignore[assignment]
    path: str = ""
    notices: list[Any] = field(default_factory=list)

    async def exchange(self, sent: dict[str, Any]) -> dict[str, Any]:
        """POST a message; return the next event that is an answer."""
        await self.send(sent)
        while "method" in (answer := await self.wire.notice()):
            self.notices.append(answer)
        assert isinstance(answer, dict)
        return answer

    async def send(self, sent: Any) -> None:
        """POST a message without a version header, as the first clients did."""
        response = await self.site.post(sent, {"Accept": "*/*"}, self.path)
        assert (response.code, response.body) == (202, b"")
        assert "Content-Type" not in response.headers

    @asynccontextmanager
    async def listen(self, sent: dict[str, Any] | None) -> AsyncIterator[Receive]:
        """Read the one stream."""
        assert sent is None
        yield self.notice

    async def notice(self) -> Any:
        """Return the next event that is no answer."""
        return self.notices.pop(0) if self.notices else await self.wire.notice()


@dataclass
class StdioPeer(Peer):
    """A client over two pipes."""

    sink: int = -1
    lines: asyncio.StreamReader = None  # type: ignore[assignment]
    scanner: Scanner = None  # type: ignore[assignment]
    notices: list[Any] = field(default_factory=list)

    async def exchange(self, sent: dict[str, Any]) -> dict[str, Any]:
        """Write a line; return the next line that is an answer."""
        self.send(sent)
        while "method" in (answer := await self.receive()):
            self.notices.append(answer)
        return answer

    @asynccontextmanager
    async def listen(self, sent: dict[str, Any] | None) -> AsyncIterator[Receive]:
        """Read the pipe; a request that opened it is cancelled at the end."""
        if sent is not None:
            self.send(sent)
        yield self.notice
        if sent is not None:
            params = {"requestId": sent["id"]}
            method = "notifications/cancelled"
            self.send({"jsonrpc": "2.0", "method": method, "params": params})

    async def notice(self) -> Any:
        """Return the next line that is no answer."""
        return self.notices.pop(0) if self.notices else await self.receive()

    def send(self, sent: Any) -> None:
        """Write one line: a message, or bytes as they are."""
        raw = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
        os.write(self.sink, raw + b"\n")

    async def receive(self) -> dict[str, Any]:
        """Return the next line."""
        line = await asyncio.wait_for(self.lines.readline(), BOUND)
        self.scanner.scan(line, ("stdio", id(self)))
        answer: dict[str, Any] = json.loads(line)
        return answer


async def shake_hands(peer: Peer) -> Peer:
    """Do the handshake of the peer's version, if it has one."""
    if peer.is_stateless:
        await peer.result("server/discover")
        return peer
    params = {
        "protocolVersion": peer.version,
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    }
    result = await peer.result("initialize", params)
    assert result["protocolVersion"] == peer.version
    notice = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    if isinstance(peer, HttpPeer):
        response = await peer.site.post(notice, peer.headers(notice))
        assert (response.code, response.body) == (202, b"")
        assert "Content-Type" not in response.headers
    elif isinstance(peer, SsePeer):
        await peer.send(notice)
    elif isinstance(peer, StdioPeer):
        peer.send(notice)
    return peer


def connecting(
    run: str, scanner: Scanner
) -> Callable[[Runtime], AbstractAsyncContextManager[Peer]]:
    """Return what connects a peer to an application, for a run as "http-2025-11-25"."""
    transport, _, version = run.partition("-")

    def open_peer(app: Runtime) -> AbstractAsyncContextManager[Peer]:
        if transport == "http":
            return http_peer(app, version)
        return stdio_peer(app, version, scanner)

    return open_peer


@asynccontextmanager
async def http_peer(app: Runtime, version: str) -> AsyncIterator[HttpPeer | SsePeer]:
    """Connect a client of `version` over a real socket, by that version's transport."""
    async with serving(app) as site:
        if version in SSE:
            async with sse_peer(site, version) as peer:
                yield peer
        else:
            streamable = HttpPeer(version, site=site)
            await shake_hands(streamable)
            yield streamable


@asynccontextmanager
async def sse_peer(
    site: Site, version: str, *, handshake: bool = True
) -> AsyncIterator[SsePeer]:
    """Connect a client over HTTP+SSE, which any version of the era may use."""
    async with dial(site.port) as wire:
        await wire.request("GET", headers=EVENTS)
        await expect_events(wire)
        frame = await wire.frame()
        assert frame is not None
        assert frame[0] == "endpoint"
        peer = SsePeer(version, site=site, wire=wire, path=frame[1].decode())
        if handshake:
            await shake_hands(peer)
        yield peer


@asynccontextmanager
async def stdio_peer(
    app: Runtime, version: str, scanner: Scanner, *, handshake: bool = True
) -> AsyncIterator[StdioPeer]:
    """Connect a client of `version` over two pipes to the transport in this process."""
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    transport = StdioTransport(
        app.server,
        app.settings.max_body,
        logs_queries=app.settings.log_queries,
    )
    running = asyncio.ensure_future(transport.run(to_read, from_write))
    lines = asyncio.StreamReader(limit=64 * 1024 * 1024)
    loop = asyncio.get_running_loop()
    read_transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(lines), os.fdopen(from_read, "rb")
    )
    peer = StdioPeer(version, sink=to_write, lines=lines, scanner=scanner)
    try:
        if handshake:
            await shake_hands(peer)
        yield peer
    finally:
        os.close(to_write)
        await asyncio.wait_for(running, BOUND)
        os.close(from_write)
        os.close(to_read)
        read_transport.close()
