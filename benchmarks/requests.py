"""JSON-RPC requests as ready bytes, in each server's wire format."""

import hashlib
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final

from benchmarks import corpus

HOT_ARTICLES: Final = 300
"""Articles that are requested repeatedly, in a corpus of any size."""
HOT_SEARCHES: Final = 50
LISTED: Final = 20
"""Articles of one list: all rows fit within the default size of our answers."""
FOUND: Final = 10
"""Articles that a search returns, at most: our default."""
MIX: Final = {"get_article": 7, "search_articles": 2, "list_articles": 1}
"""Requests of each tool in ten requests."""

Arguments = Mapping[str, Any]


class Wire(Enum):
    """The protocol version of requests to a server."""

    SESSIONLESS = "2025-11-25"
    STATELESS = "2026-07-28"


@dataclass(frozen=True)
class ToolCall:
    """One call of a tool."""

    tool: str
    arguments: Arguments

    def body(self, number: int, wire: Wire) -> bytes:
        """Return the JSON-RPC message; `number` is its id."""
        params: dict[str, Any] = {"name": self.tool, "arguments": self.arguments}
        if wire is Wire.STATELESS:
            params["_meta"] = envelope()
        return message("tools/call", params, number)

    def request(self, number: int, wire: Wire) -> bytes:
        """Return the whole HTTP request."""
        further = {}
        if wire is Wire.STATELESS:
            further = {"Mcp-Method": "tools/call", "Mcp-Name": self.tool}
        return http_request(self.body(number, wire), wire, further)


def envelope() -> dict[str, Any]:
    """Return the metadata of each request in the stateless protocol."""
    prefix = "io.modelcontextprotocol"
    return {
        f"{prefix}/protocolVersion": Wire.STATELESS.value,
        f"{prefix}/clientCapabilities": {},
        f"{prefix}/clientInfo": {"name": "bench", "version": "1"},
    }


def message(method: str, params: Mapping[str, Any], number: int | None) -> bytes:
    """Return a JSON-RPC request, or a notification if it has no number."""
    fields: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        fields["id"] = number
    return json.dumps(fields, separators=(",", ":")).encode()


def http_request(
    body: bytes, wire: Wire, further: Mapping[str, str], method: str = "POST"
) -> bytes:
    """Return a request for the MCP endpoint as bytes."""
    headers = {
        "Host": "127.0.0.1:8420",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": wire.value,
        **further,
        "Content-Length": str(len(body)),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"{method} /mcp HTTP/1.1\r\n{head}\r\n".encode() + body


def hot(count: int) -> dict[str, list[ToolCall]]:
    """Return the repeated requests: by tool, and mixed.

    The same articles and searches in every run; few enough that remembering answers
    helps, as with the questions that many agents have in common.
    """
    pick = random.Random("requests")
    slugs = [sample.slug for sample in corpus.samples(count)]
    slugs = pick.sample(slugs, min(HOT_ARTICLES, count))
    categories: list[Arguments] = [
        {},
        *({"category": name} for name in corpus.CATEGORIES),
    ]
    by_tool = {
        "get_article": [ToolCall("get_article", {"slug": slug}) for slug in slugs],
        "search_articles": searches(corpus.queries(count, HOT_SEARCHES)),
        "list_articles": [
            ToolCall("list_articles", {**category, "limit": LISTED})
            for category in categories
        ],
    }
    return {**by_tool, "mix": _mixed(by_tool, pick)}


def searches(queries: Sequence[str]) -> list[ToolCall]:
    """Return the searches as agents send them, for as many articles in any server."""
    return [ToolCall("search_articles", {"query": q, "limit": FOUND}) for q in queries]


def _mixed(
    by_tool: Mapping[str, Sequence[ToolCall]], pick: random.Random
) -> list[ToolCall]:
    """Return a thousand requests in the shares of the mix, shuffled."""
    mixed = [
        calls[number % len(calls)]
        for tool, calls in by_tool.items()
        for number in range(MIX[tool] * 100)
    ]
    pick.shuffle(mixed)
    return mixed


def write_file(calls: Sequence[ToolCall], wire: Wire, folder: Path) -> Path:
    """Return a file of whole HTTP requests for the load generator.

    The same requests are written once.
    """
    requests = [ask.request(number, wire) for number, ask in enumerate(calls, 1)]
    return write_requests(requests, folder)


def write_requests(requests: Sequence[bytes], folder: Path) -> Path:
    """Return a file of whole HTTP requests, each after its length."""
    content = b"".join(b"%d\n%b" % (len(request), request) for request in requests)
    path = folder / f"{hashlib.sha256(content).hexdigest()}.requests"
    if not path.exists():
        path.write_bytes(content)
    return path
