"""Reverse proxies with default settings: what these must not open."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from support.knowledge import KnowledgeBase
from support.peers import JSON, open_app, serving
from support.wire import BOUND, Answer, ask

DEPLOY = Path(__file__).parents[2] / "deploy"
PUBLIC = "http://kb.example.com"
REBOUND = "evil-rebound.example"

CLAIMS = {
    "CF-Connecting-IP": "127.0.0.1",
    "True-Client-IP": "127.0.0.1",
    "X-Client-IP": "127.0.0.1",
    "Fly-Client-IP": "127.0.0.1",
    "X-Envoy-External-Address": "127.0.0.1",
    "X-Forwarded-Port": "80",
    "X-Amzn-Trace-Id": "Root=1-67891233-abcdef012345678912345678",
    "X-Original-Forwarded-For": "127.0.0.1",
    "X-Real-IP": "127.0.0.1",
    "Forwarded": "for=127.0.0.1;host=kb.example.com;proto=https",
    "X-Forwarded-Host": "kb.example.com",
}
"""Headers that proxies of several makers add, and clients may send."""


@asynccontextmanager
async def default_proxy(upstream: int) -> AsyncIterator[int]:
    """Forward requests as nginx does with `proxy_pass` alone; yield the port.

    The upstream's address replaces Host, and nothing is added.
    """

    async def forward(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
        kept = [line for line in head if not line.lower().startswith(b"host:")]
        kept.insert(1, b"Host: 127.0.0.1:%d" % upstream)
        kept.insert(2, b"Connection: close")
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", upstream)
        far_writer.write(b"\r\n".join(kept))
        writer.write(await far_reader.read())
        far_writer.close()
        writer.close()
        with suppress(ConnectionError):
            await far_writer.wait_closed()

    server = await asyncio.start_server(forward, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def get(port: int, path: str, **headers: str) -> Answer:
    """Request a path under the name of a page after DNS rebinding."""
    return await ask(port, "GET", path, {"Host": REBOUND, **headers})


@pytest.mark.parametrize("name", [None, *CLAIMS])
async def test_a_default_proxy_does_not_open_the_metrics(
    knowledge: KnowledgeBase, name: str | None
) -> None:
    """D-085: whichever header the proxy adds, or none."""
    headers = {name: CLAIMS[name]} if name else {}
    async with (
        serving(open_app(knowledge, base_url=PUBLIC, allow_host=())) as site,
        default_proxy(site.port) as port,
    ):
        by_proxy = await get(port, "/metrics", **headers)
        direct = await ask(site.port, "GET", "/metrics", headers)
    for answer in (by_proxy, direct):
        assert answer.status in (403, 404)
        assert b"asdlc_kb_" not in answer.body


async def test_a_default_proxy_does_not_switch_the_host_check_off(
    knowledge: KnowledgeBase,
) -> None:
    """D-074: a page on a rebound name reads no content; the error says what to do."""
    async with (
        serving(open_app(knowledge, base_url=PUBLIC, allow_host=())) as site,
        default_proxy(site.port) as port,
    ):
        for path in ("/", "/llms-full.txt", "/concepts", "/mcp", "/-/search.json?q=a"):
            refused = await get(port, path)
            assert refused.status == 403, path
            assert b"proxy_set_header Host $host" in refused.body
        called = await ask(port, "POST", headers={**JSON, "Host": REBOUND}, body=b"")
        assert called.status == 403
        for path in ("/health", "/ready"):
            assert (await get(port, path)).status == 200
        public = {"Host": "kb.example.com"}
        assert (await ask(site.port, "GET", "/", public)).status == 200


@pytest.mark.parametrize("entry", ["127.0.0.1", "::1", "127.0.0.1, 127.0.0.1"])
async def test_a_header_that_a_proxy_hands_on_names_no_observer(
    knowledge: KnowledgeBase, entry: str
) -> None:
    """D-085: a trusted proxy forwards X-Forwarded-For, which a client may write."""
    local = ("127.0.0.0/8", "::1")
    app = open_app(knowledge, trusted_proxy=("127.0.0.1",), metrics_allow=local)
    async with serving(app) as site:
        answer = await ask(site.port, "GET", "/metrics", {"X-Forwarded-For": entry})
    assert answer.status == 404


async def test_a_trusted_proxy_that_names_no_client_is_no_observer(
    knowledge: KnowledgeBase,
) -> None:
    """D-085: `proxy_pass` alone: all clients have the proxy's address."""
    addresses = ("127.0.0.1",)
    app = open_app(knowledge, trusted_proxy=addresses, metrics_allow=addresses)
    async with serving(app) as site, default_proxy(site.port) as port:
        for number in (port, site.port):
            answer = await ask(number, "GET", "/metrics")
            assert answer.status == 404
            assert b"asdlc_kb_" not in answer.body


async def test_a_default_proxy_next_to_a_public_server_does_not_open_the_metrics(
    knowledge: KnowledgeBase,
) -> None:
    """D-085: in a pod or on a host, `--host 0.0.0.0` alone means remote clients."""
    app = open_app(knowledge, host="0.0.0.0")
    async with serving(app) as site, default_proxy(site.port) as port:
        answer = await ask(port, "GET", "/metrics")
    assert answer.status == 404
    assert b"asdlc_kb_" not in answer.body


@pytest.mark.parametrize(
    "line", ["GET http://127.0.0.1/ HTTP/1.1", "GET http://localhost/mcp HTTP/1.1"]
)
async def test_a_request_for_a_whole_local_address_is_none_for_the_public_host(
    knowledge: KnowledgeBase, line: str
) -> None:
    """The host in the request line counts, not the header."""
    async with serving(open_app(knowledge, base_url=PUBLIC, allow_host=())) as site:
        reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
        head = f"{line}\r\nHost: kb.example.com\r\nConnection: close\r\n\r\n"
        writer.write(head.encode())
        status = await asyncio.wait_for(reader.readline(), BOUND)
        writer.close()
        await writer.wait_closed()
    assert b" 403 " in status


@pytest.mark.parametrize(
    "name", ["nginx/asdlc-kb-upstream.conf", "docker/upstream.conf"]
)
def test_a_server_that_comes_back_is_asked_at_once(name: str) -> None:
    """Otherwise nginx skips both for 10 seconds when one follows the other.

    tests/production/test_rolling.py restarts them.
    """
    text = (DEPLOY / name).read_text(encoding="utf-8")
    servers = re.findall(r"(?m)^\s*#?server .*;$", text)
    assert servers
    assert all(" max_fails=0;" in line for line in servers)


async def test_the_proxy_protocol_is_not_spoken(knowledge: KnowledgeBase) -> None:
    """No client sets another address by a line before the request."""
    for preface in (
        b"PROXY TCP4 127.0.0.1 127.0.0.1 1 8420\r\n",
        b"\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c\x7f\x00\x00\x01\x7f\x00\x00\x01\0\1\0\1",
    ):
        async with serving(open_app(knowledge)) as site:
            reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
            writer.write(preface + b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            status = await asyncio.wait_for(reader.readline(), BOUND)
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
        assert b" 200 " not in status
