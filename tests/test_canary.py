"""The canary scan itself: every form is found, on every channel."""

import base64
import gzip
import json
import logging
import os
import urllib.parse
from collections.abc import Mapping, Sequence
from typing import Any

import brotli
import pytest
from support.canary import CANARY, Scanner, find
from support.knowledge import KnowledgeBase
from support.peers import http_peer, open_app, stdio_peer

from asdlc_kb.mcp.dispatch.provider import CallContext, Provider
from asdlc_kb.mcp.protocol.model import TextContent, Tool, ToolResult
from asdlc_kb.mcp.protocol.pagination import Listed, number_items

FORMS = {
    "raw": CANARY.encode(),
    "upper case": CANARY.upper().encode(),
    "percent": urllib.parse.quote(CANARY, safe="").encode(),
    "all percent": "".join(f"%{ord(c):02X}" for c in CANARY).encode(),
    "JSON escapes": json.dumps({"a": CANARY}).replace("-", "\\u002d").encode(),
    "all JSON escapes": "".join(f"\\u{ord(c):04X}" for c in CANARY).encode(),
    "base64": base64.b64encode(CANARY.encode()),
    "base64, shifted by one": base64.b64encode(b"x" + CANARY.encode() + b"yz"),
    "base64, shifted by two": base64.b64encode(b"xy" + CANARY.encode() + b"z"),
    "gzip": gzip.compress(b"text before " + CANARY.encode()),
    "gzip of gzip": gzip.compress(gzip.compress(CANARY.encode())),
    "a response with brotli": b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nA: b\r\n\r\n"
    + brotli.compress(b"text before " + CANARY.encode()),
}


@pytest.mark.parametrize("data", FORMS.values(), ids=FORMS.keys())
def test_the_scan_sees_a_form(data: bytes) -> None:
    """Leaks may be encoded."""
    assert find(b"before " + data + b" after") is not None


def test_the_scan_is_silent_about_other_text() -> None:
    """A scan that fires at everything proves nothing."""
    assert find(b"a yellow bird, " + gzip.compress(b"other") + b"\x1f\x8b\x08?") is None


def test_a_leak_across_two_writes_is_seen() -> None:
    """Sockets split data anywhere."""
    scanner = Scanner()
    scanner.scan(CANARY[:5].encode(), "door")
    scanner.scan(CANARY[5:].encode(), "other door")
    assert scanner.collect() == []
    scanner.scan(CANARY[5:].encode(), "door")
    assert len(scanner.collect()) == 1


class LeakyProvider(Provider):
    """Leaks when called."""

    def tools(self) -> Sequence[Listed[Tool]]:
        """Return one tool."""
        return number_items((Tool(name="leak", description="Leaks", input_schema={}),))

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any], context: CallContext
    ) -> ToolResult:
        """Leak."""
        return ToolResult(content=(TextContent(text=CANARY),))


async def test_a_leak_over_a_socket_fires(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """The scan is installed at the sockets of the run."""
    async with http_peer(open_app(knowledge, LeakyProvider()), "2026-07-28") as peer:
        await peer.call("leak")
    doors = {leak.split(" at ")[1].split(",")[0] for leak in scanner.collect()}
    assert doors == {"('sent'", "('received'"}


async def test_a_leak_over_a_pipe_fires(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """The scan is installed at the pipes of the run."""
    app = open_app(knowledge, LeakyProvider())
    async with stdio_peer(app, "2025-11-25", scanner) as peer:
        await peer.call("leak")
    assert ["stdio" in leak for leak in scanner.collect()] == [True]


def test_a_leak_into_a_log_line_fires(scanner: Scanner) -> None:
    """The scan is installed at the logs of the run, extra fields included."""
    logging.getLogger("asdlc_kb.test").info("fine", extra={"path": CANARY})
    assert ["at log" in leak for leak in scanner.collect()] == [True]


def test_no_file_is_written_next_to_the_content(knowledge: KnowledgeBase) -> None:
    """There is no cache on disk that could hold hidden text."""
    before = sorted(os.listdir(knowledge.root.parent))
    open_app(knowledge)
    assert sorted(os.listdir(knowledge.root.parent)) == before
