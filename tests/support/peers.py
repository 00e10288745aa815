"""Peers: one MCP client over each door and version, with the same three verbs.

A peer checks what every answer owes: JSON-RPC's shape, the echoed id, the era's
envelope, and that structured content fits the tool's own output schema.
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import jsonschema
from tornado.httpclient import AsyncHTTPClient, HTTPResponse

from asdlc_kb.app import App, build, open_door
from asdlc_kb.articles.library import Library
from asdlc_kb.mcp.provider import Provider
from asdlc_kb.settings import Settings
from asdlc_kb.stdio import StdioDoor
from asdlc_kb.web.routes import make_application
from asdlc_kb.web.server import WebServer, bind
from support.canary import Scanner
from support.knowledge import KnowledgeBase, settled_clock

HANDSHAKE = ("2025-06-18", "2025-11-25")
STATELESS = ("2026-07-28",)
VERSIONS = HANDSHAKE + STATELESS
JSON = {"Content-Type": "application/json", "Accept": "application/json"}
BOUND = 10.0
"""Seconds that any one wait of a test may take."""

_PREFIX = "io.modelcontextprotocol/"
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


def envelope(version: str, **meta: Any) -> dict[str, Any]:
    """Return the `_meta` of a stateless request."""
    return {
        f"{_PREFIX}protocolVersion": version,
        f"{_PREFIX}clientCapabilities": {},
        f"{_PREFIX}clientInfo": {"name": "tests", "version": "1"},
        **meta,
    }


def message(
    method: str, params: Mapping[str, Any] | None = None, request_id: Any = 1
) -> dict[str, Any]:
    """Return a JSON-RPC request."""
    request = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return request if params is None else {**request, "params": dict(params)}


@dataclass
class Site:
    """A server under test, listening on a real socket of this machine."""

    app: App
    port: int
    web: WebServer

    @property
    def url(self) -> str:
        """The address without a path."""
        return f"http://127.0.0.1:{self.port}"

    async def fetch(self, path: str, **options: Any) -> HTTPResponse:
        """Make one HTTP request; an error status is a response like any other."""
        client = AsyncHTTPClient(force_instance=True)
        try:
            return await client.fetch(
                f"{self.url}{path}",
                raise_error=False,
                follow_redirects=False,
                request_timeout=BOUND,
                allow_nonstandard_methods=True,
                **options,
            )
        finally:
            client.close()

    async def post(
        self, body: Any, headers: Mapping[str, str] | None = None, path: str = "/mcp"
    ) -> HTTPResponse:
        """POST a message, or bytes as they are, as JSON unless headers say else."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        sent = JSON if headers is None else {**JSON, **headers}
        return await self.fetch(path, method="POST", body=raw, headers=sent)


def open_app(
    knowledge: KnowledgeBase,
    *further: Provider,
    clock: Any = settled_clock,
    **given: Any,
) -> App:
    """Return a loaded application over a knowledge base, at rest."""
    settings = Settings(content=str(knowledge.root), port=0, **given)
    library = Library(knowledge.root, missing_grace=settings.missing_grace, clock=clock)
    app = build(settings, further, library)
    app.library.load()
    return app


@asynccontextmanager
async def serving(app: App) -> AsyncIterator[Site]:
    """Serve an application over HTTP; its watcher does not run."""
    door = open_door(app)
    web = WebServer(make_application(door), bind("127.0.0.1", 0), door.state)
    try:
        yield Site(app, web.port, web)
    finally:
        await web.close()


@dataclass
class Peer:
    """A client of one version; subclasses know how bytes travel."""

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
        given = dict(params or {})
        if self.is_stateless:
            meta = {**envelope(self.version), **given.get("_meta", {})}
            given["_meta"] = meta
        sent = message(method, given, self._last_id)
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

    async def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool; return its result, checked against its output schema."""
        if not self.schemas:
            listed = await self.result("tools/list")
            self.schemas = {t["name"]: t.get("outputSchema") for t in listed["tools"]}
        params = {"name": tool, "arguments": arguments}
        result = await self.result("tools/call", params)
        schema = self.schemas.get(tool)
        if schema is not None and not result.get("isError"):
            jsonschema.validate(
                result["structuredContent"], schema, jsonschema.Draft202012Validator
            )
        return result

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


@dataclass
class StdioPeer(Peer):
    """A client over two pipes."""

    sink: int = -1
    lines: asyncio.StreamReader = None  # type: ignore[assignment]
    scanner: Scanner = None  # type: ignore[assignment]

    async def exchange(self, sent: dict[str, Any]) -> dict[str, Any]:
        """Write a line; return the next line that is an answer."""
        self.send(sent)
        return await self.receive()

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
    """Do what a client of the peer's version does first."""
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
    elif isinstance(peer, StdioPeer):
        peer.send(notice)
    return peer


@asynccontextmanager
async def http_peer(app: App, version: str) -> AsyncIterator[HttpPeer]:
    """Connect a client of `version` over a real socket."""
    async with serving(app) as site:
        peer = HttpPeer(version, site=site)
        await shake_hands(peer)
        yield peer


@asynccontextmanager
async def stdio_peer(
    app: App, version: str, scanner: Scanner, *, handshake: bool = True
) -> AsyncIterator[StdioPeer]:
    """Connect a client of `version` over two pipes to the door in this process."""
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    door = StdioDoor(app.server, app.settings.max_body)
    running = asyncio.ensure_future(door.run(to_read, from_write))
    lines = asyncio.StreamReader(limit=64 * 1024 * 1024)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(
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
        transport.close()
