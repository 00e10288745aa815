"""TLS connections: the same requests, limits and deadlines as without TLS."""

import asyncio
import json
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic

import pytest
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.peers import EVENTS, JSON, Site, message, open_app, serving
from support.slow import SlowProvider
from support.tls import Certificate, make_certificate
from support.wire import BOUND, dial, until

from asdlc_kb.web.connections import connection_manager, tls_stream
from asdlc_kb.web.connections import idle as idle_queue
from asdlc_kb.web.connections.connection_limits import ConnectionLimits
from asdlc_kb.web.connections.connection_manager import ConnectionManager
from asdlc_kb.web.connections.tls_stream import (
    HANDSHAKE_SECONDS,
    TlsStream,
    wrap_connection,
)

PING = json.dumps(message("ping")).encode()
HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
HERE = "127.0.0.1"
WORDS = 180_000
REQUESTS = 16
"""Responses of nearly a megabyte each, more than the kernel buffers."""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """A certificate of this module."""
    return make_certificate(tmp_path_factory.mktemp("tls"))


@asynccontextmanager
async def serving_tls(
    knowledge: KnowledgeBase, certificate: Certificate
) -> AsyncIterator[Site]:
    """Serve over HTTPS."""
    app = open_app(
        knowledge,
        SlowProvider(),
        tls_cert=str(certificate.cert),
        tls_key=str(certificate.key),
    )
    async with serving(app) as site:
        yield site


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_requests_are_answered_over_tls(
    knowledge: KnowledgeBase, certificate: Certificate, version: ssl.TLSVersion
) -> None:
    """Several on one connection, the second call from the cache."""
    client = certificate.client()
    client.minimum_version = client.maximum_version = version
    slug = {"name": "get_article", "arguments": {"slug": "links-to-hidden"}}
    call = json.dumps(message("tools/call", slug)).encode()
    async with serving_tls(knowledge, certificate) as site:
        async with dial(site.port, tls=client) as wire:
            bodies = []
            for _ in range(3):
                await wire.request("POST", "/mcp", JSON, call)
                answer = await wire.answer()
                assert answer.status == 200
                bodies.append(answer.body)
            await wire.request("GET", "/health")
            assert (await wire.answer()).status == 200
        assert len(set(bodies)) == 1


async def test_a_large_answer_waits_for_a_slow_reader(
    knowledge: KnowledgeBase, certificate: Certificate
) -> None:
    """Unsent bytes are counted, and arrive complete."""
    knowledge.write("concepts/long", body="word " * WORDS)
    async with serving_tls(knowledge, certificate) as site:
        async with dial(site.port, tls=certificate.client()) as wire:
            backlog = site.web.manager.backlog
            with wire.paused():
                for _ in range(REQUESTS):
                    await wire.request("GET", "/concepts/long.md")
                await until(lambda: backlog.size > 0)
            for _ in range(REQUESTS):
                answer = await wire.answer()
                assert answer.body.count(b"word") == WORDS
            await until(lambda: backlog.size == 0)


async def test_an_event_stream_ends_properly(
    knowledge: KnowledgeBase, certificate: Certificate
) -> None:
    """HTTP+SSE; at the end the client receives the last chunk and a close_notify."""
    async with serving_tls(knowledge, certificate) as site:
        async with dial(site.port, tls=certificate.client()) as wire:
            await wire.request("GET", "/mcp", EVENTS)
            assert (await wire.head()).status == 200
            event = await wire.frame()
            assert event is not None
            name, address = event
            assert name == "endpoint"
            async with dial(site.port, tls=certificate.client()) as other:
                await other.request("POST", address.decode(), JSON, PING)
                assert (await other.answer()).status == 202
            assert (await wire.notice())["id"] == 1
            site.web.state.streams.end()
            assert await wire.notice() is None
            assert await wire.rest() == b""


async def test_a_closed_event_stream_is_noticed(
    knowledge: KnowledgeBase, certificate: Certificate
) -> None:
    """Its place is free at once, not after the next comment."""
    async with serving_tls(knowledge, certificate) as site:
        async with dial(site.port, tls=certificate.client()) as wire:
            await wire.request("GET", "/mcp", EVENTS)
            assert (await wire.head()).status == 200
            assert len(site.web.state.streams) == 1
        await until(lambda: not len(site.web.state.streams))
        await until(lambda: not site.web.manager.connections)


async def test_an_oversized_header_is_answered_over_tls(
    knowledge: KnowledgeBase, certificate: Certificate
) -> None:
    """D-057: the lingering close delivers the response."""
    async with serving_tls(knowledge, certificate) as site:
        async with dial(site.port, tls=certificate.client()) as wire:
            headers = {f"X-{number}": "x" * 1000 for number in range(60)}
            await wire.request("GET", "/health", headers)
            assert (await wire.answer()).status == 431
        await until(lambda: not site.web.manager.connections)


async def test_plain_http_is_told_of_https(
    knowledge: KnowledgeBase, certificate: Certificate
) -> None:
    """One unencrypted 400 response, no line of the log."""
    async with serving_tls(knowledge, certificate) as site:
        with captured("tornado.general") as lines:
            async with dial(site.port) as wire:
                await wire.send(HEALTH + b"x" * 100_000)
                answer = await wire.answer()
                assert (answer.status, answer.headers["connection"]) == (400, "close")
                assert "https://" in answer.json["error"]
                assert await wire.rest() == b""
            await until(lambda: not site.web.manager.connections)
        assert lines.rows == []
        assert site.web.manager.malformed.counts == {"tls": 1}


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"\x16\x03\x01\x00\x05hello", id="no client hello"),
        pytest.param(b"\x00" * 2000, id="zeros"),
        pytest.param(b"SSH-2.0-OpenSSH_9.6\r\n", id="another protocol"),
        pytest.param(b"", id="nothing"),
        pytest.param(b"\x16\x03\x01\x02", id="a part of a record"),
    ],
)
async def test_what_is_no_handshake_is_closed_quietly(
    knowledge: KnowledgeBase, certificate: Certificate, sent: bytes
) -> None:
    """A scanner of ports fills no log, and holds no connection."""
    async with serving_tls(knowledge, certificate) as site:
        with captured("tornado") as lines:
            async with dial(site.port) as wire:
                await wire.send(sent)
                wire.end_input()
                await wire.rest()
            await until(lambda: not site.web.manager.connections)
        assert [row for row in lines.rows if row["level"] != "debug"] == []


async def test_a_broken_record_ends_its_connection_quietly(
    knowledge: KnowledgeBase, certificate: Certificate
) -> None:
    """After the handshake, too; other connections stay."""
    async with serving_tls(knowledge, certificate) as site:
        with captured("tornado") as lines:
            sock = await asyncio.to_thread(
                socket.create_connection, (HERE, site.port), BOUND
            )
            client = certificate.client()
            with await asyncio.to_thread(
                client.wrap_socket, sock, server_hostname="localhost"
            ) as made:
                socket.socket.send(made, b"\x17\x03\x03\x00\x20" + b"x" * 32)
                await until(lambda: not site.web.manager.connections)
        assert lines.rows == []
        assert site.web.manager.malformed.counts == {"tls": 1}


def test_a_handshake_has_a_deadline_from_its_start(certificate: Certificate) -> None:
    """10 s, however many bytes trickle in; then those of a request apply."""
    asyncio.run(_check_deadlines(certificate))


async def _check_deadlines(certificate: Certificate) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.cert, certificate.key)
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    watching = ConnectionManager(ConnectionLimits(max_total=10))
    wrapped = wrap_connection(ours, context)
    assert wrapped is not None
    stream = watching.watch(wrapped, HERE, TlsStream)
    reading = asyncio.ensure_future(stream.read_until_regex(b"\r?\n\r?\n"))
    try:
        await asyncio.sleep(0)
        start = monotonic()
        theirs.send(b"\x16\x03")
        await asyncio.sleep(0)
        assert stream.timeout_reason(start + HANDSHAKE_SECONDS - 1) is None
        assert stream.timeout_reason(start + HANDSHAKE_SECONDS) == "slow_handshake"
    finally:
        stream.close()
        watching.close()
        theirs.close()
        await asyncio.gather(reading, return_exceptions=True)


async def test_a_handshake_that_never_ends_is_closed(
    knowledge: KnowledgeBase,
    certificate: Certificate,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And counted with the other time-outs."""
    monkeypatch.setattr(tls_stream, "HANDSHAKE_SECONDS", 0.1)
    monkeypatch.setattr(connection_manager, "SWEEP_SECONDS", 0.05)
    async with serving_tls(knowledge, certificate) as site:
        async with dial(site.port) as wire:
            await wire.send(b"\x16\x03\x01")
            assert await wire.rest() == b""
        assert site.web.manager.cut.counts == {"slow_handshake": 1}


async def test_a_connection_beyond_the_limit_is_closed_without_a_word(
    knowledge: KnowledgeBase, certificate: Certificate
) -> None:
    """An unencrypted 503 would look like a protocol error."""
    async with serving_tls(knowledge, certificate) as site:
        async with dial(site.port, tls=certificate.client()) as wire:
            await wire.request("GET", "/health")
            assert (await wire.answer()).status == 200
            site.web.manager.limits = ConnectionLimits(10, max_per_client=1)
            async with dial(site.port) as second:
                assert await second.rest() == b""
            await wire.request("GET", "/health")
            assert (await wire.answer()).status == 200
        assert site.web.manager.rejected.counts == {"most_each": 1}


async def test_an_idle_connection_makes_room(
    knowledge: KnowledgeBase, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-059: at the limit the longest idle one is closed, over TLS too."""
    async with serving_tls(knowledge, certificate) as site:
        async with dial(site.port, tls=certificate.client()) as idle:
            await idle.request("GET", "/health")
            assert (await idle.answer()).status == 200
            site.web.manager.limits = ConnectionLimits(1)
            monkeypatch.setattr(idle_queue, "monotonic", lambda: monotonic() + 1)
            async with dial(site.port, tls=certificate.client()) as second:
                await second.request("GET", "/health")
                assert (await second.answer()).status == 200
                assert await idle.rest() == b""
        assert site.web.manager.cut.counts == {"displaced": 1}


async def test_new_connections_use_another_certificate(
    knowledge: KnowledgeBase, certificate: Certificate, tmp_path: Path
) -> None:
    """Open ones stay as they are; each client trusts one of the two only."""
    other = make_certificate(tmp_path, "other")
    async with serving_tls(knowledge, certificate) as site:
        async with dial(site.port, tls=certificate.client()) as before:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(other.cert, other.key)
            site.web.use_tls(context)
            await before.request("GET", "/health")
            assert (await before.answer()).status == 200
            async with dial(site.port, tls=other.client()) as after:
                await after.request("GET", "/health")
                assert (await after.answer()).status == 200
            with pytest.raises(ssl.SSLCertVerificationError):
                async with dial(site.port, tls=certificate.client()):
                    pass
