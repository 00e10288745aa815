"""Hostile requests over real sockets: no 5xx, no traceback, and it goes on."""

import asyncio
import gzip
import json
import logging

import pytest
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.peers import Site, message, open_app, serving
from support.wire import BOUND, JSON, Wire, ask, chunked, dial, until

from asdlc_kb.app import Runtime

PING = json.dumps(message("ping")).encode()
HOST = b"Host: localhost\r\n"
POST = b"POST /mcp HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n"
LAST = b"Connection: close\r\n"
BOUNDARY = b"Content-Type: multipart/form-data; boundary=x\r\n"


def sized(body: bytes, head: bytes = POST) -> bytes:
    """Return a complete request with a body; the server may close the connection."""
    return head + LAST + b"Content-Length: %d\r\n\r\n" % len(body) + body


def of_chunks(*parts: bytes, end: bytes = b"") -> bytes:
    """Return a complete chunked request."""
    head = POST + LAST + b"Transfer-Encoding: chunked\r\n\r\n"
    return head + chunked(*parts) + end


NOT_HTTP = {
    "line feeds": b"\n" * 10_000,
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "no version": b"GET /mcp\r\n\r\n",
    "another version": b"GET /mcp HTTP/9.9\r\n" + HOST + b"\r\n",
    "spaces": b"GET   /mcp   HTTP/1.1\r\n" + HOST + b"\r\n",
    "a method of junk": b"G\x00T /mcp HTTP/1.1\r\n" + HOST + b"\r\n",
    "a path with bytes": b"GET /\xe2\x80\xa8\xff\x85 HTTP/1.1\r\n"
    + HOST
    + LAST
    + b"\r\n",
    "a path of 30 kB": b"GET /"
    + b"a" * 30_000
    + b" HTTP/1.1\r\n"
    + HOST
    + LAST
    + b"\r\n",
    "200,000 query fields": b"GET /mcp?" + b"a&" * 200_000 + b" HTTP/1.1\r\n\r\n",
    "5,000 query fields": b"GET /mcp?"
    + b"a&" * 5_000
    + b" HTTP/1.1\r\n"
    + HOST
    + b"\r\n",
}

FRAMING = {
    "length and chunks": POST
    + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"0\r\n\r\nGET /evil HTTP/1.1\r\n\r\n",
    "two lengths": POST + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x",
    "a list of lengths": POST + b"Content-Length: 2, 3\r\n\r\n{}x",
    "a signed length": POST + b"Content-Length: +2\r\n\r\n{}",
    "a negative length": POST + b"Content-Length: -1\r\n\r\n{}",
    "a hexadecimal length": POST + b"Content-Length: 0x2\r\n\r\n{}",
    "a length of 5,000 digits": POST
    + b"Content-Length: "
    + b"9" * 5000
    + b"\r\n\r\n{}",
    "zeros before a length": POST + b"Content-Length: " + b"0" * 5000 + b"2\r\n\r\n{}",
    "a superscript length": POST + b"Content-Length: \xb2\r\n\r\n{}",
    "a superscript in UTF-8": POST + b"Content-Length: \xc2\xb2\r\n\r\n{}",
    "a length of words": POST + b"Content-Length: two\r\n\r\n{}",
    "an empty length": POST + b"Content-Length: \r\n\r\n{}",
    "an unknown coding": POST + b"Transfer-Encoding: gzip\r\n\r\n{}",
    "chunks twice": POST + b"Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
    "hidden chunks": POST + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
    "a folded header": POST + b"X-A: b\r\n c\r\nContent-Length: 2\r\n\r\n{}",
    "a space before a colon": POST + b"Content-Length : 2\r\n\r\n{}",
    "a header without a colon": POST + b"nonsense\r\n\r\n",
    "a header without a name": POST + b": x\r\n\r\n",
    "a bare return": POST + b"X-A: b\rContent-Length: 2\r\n\r\n{}",
    "a zero in a header": POST + b"X-A: b\x00c\r\nContent-Length: 2\r\n\r\n{}",
    "3,000 headers": POST + b"Cookie: a=b\r\n" * 3000 + b"\r\n",
    "1 header of 31 kB": POST + b"Accept: " + b"a/b;" * 7000 + b"\r\n" + LAST + b"\r\n",
    "a chunk size of junk": of_chunks()[:-5] + b"zz\r\n",
    "a signed chunk size": of_chunks()[:-5] + b"-1\r\n{}\r\n0\r\n\r\n",
    "a huge chunk size": of_chunks()[:-5] + b"f" * 16 + b"\r\n{}",
    "a chunk size of 5,000 digits": of_chunks()[:-5] + b"1" * 5000 + b"\r\n{}",
    "a chunk extension of 20 kB": of_chunks()[:-5] + b"2;" + b"x" * 20_000 + b"\r\n{}",
    "a chunk longer than it says": of_chunks()[:-5] + b"1\r\n{}\r\n0\r\n\r\n",
}

UNFINISHED = {
    "nothing": b"",
    "junk": bytes(range(256)) * 8,
    "zeros": b"\0" * 4096,
    "a TLS hello": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 500,
    "SSH": b"SSH-2.0-OpenSSH_9.6\r\n",
    "half a request line": b"POST /m",
    "half a header": POST + b"Content-Le",
    "no body": POST + b"Content-Length: 10\r\n\r\n",
    "half a body": POST + b"Content-Length: 100\r\n\r\n" + PING,
    "half a chunk": POST + b"Transfer-Encoding: chunked\r\n\r\nff\r\n{",
    "no last chunk": POST + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
    "a body of 10 GB": POST + b"Content-Length: 10000000000\r\n\r\n{",
}

BODIES = {
    "1-byte chunks": of_chunks(*[PING[at : at + 1] for at in range(len(PING))]),
    "zeros": sized(b"\0" * 1000),
    "deep arrays": sized(b"[" * 200_000 + b"]" * 200_000),
    "deep objects": sized(b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
    "deep params": sized(
        PING[:-1] + b', "params": ' + b'{"a":' * 40 + b"1" + b"}" * 40 + b"}"
    ),
    "wide": sized(PING[:-1] + b', "params": {"a": [' + b"0," * 400_000 + b"0]}}"),
    "100,000 keys": sized(
        json.dumps(message("ping", {str(n): n for n in range(50_000)})).encode()
    ),
    "the same key twice": sized(PING[:-1] + b', "method": "tools/list"}'),
    "an escaped key twice": sized(PING[:-1] + b', "\\u006dethod": "tools/list"}'),
    "NaN": sized(PING[:-1] + b', "params": {"a": NaN}}'),
    "infinity": sized(PING[:-1] + b', "params": {"a": -Infinity}}'),
    "a number beyond floats": sized(PING[:-1] + b', "params": {"a": 1e999}}'),
    "an integer of 5,000 digits": sized(
        PING[:-1] + b', "params": {"a": ' + b"9" * 5000 + b"}}"
    ),
    "an id of 5,000 digits": sized(
        b'{"jsonrpc": "2.0", "method": "ping", "id": ' + b"9" * 5000 + b"}"
    ),
    "UTF-16": sized(PING.decode().encode("utf-16")),
    "UTF-32": sized(PING.decode().encode("utf-32")),
    "a byte order mark": sized(b"\xef\xbb\xbf" + PING),
    "Latin-1": sized('{"jsonrpc": "2.0", "id": "ä", "method": "x"}'.encode("latin-1")),
    "overlong UTF-8": sized(PING.replace(b"ping", b"\xc0\xafping")),
    "a lone surrogate": sized(PING.replace(b"ping", b"\\ud800")),
    "a raw surrogate": sized(PING.replace(b"ping", b"\xed\xa0\x80")),
    "zero in a method": sized(PING.replace(b"ping", b"\\u0000ping")),
    "gzip": sized(gzip.compress(PING), POST + b"Content-Encoding: gzip\r\n"),
    "gzip that says nothing": sized(gzip.compress(PING)),
    "a gzip bomb": sized(
        gzip.compress(b" " * 10_000_000), POST + b"Content-Encoding: gzip\r\n"
    ),
    "text": sized(PING, POST.replace(b"application/json", b"text/plain")),
    "a form": sized(b"a=b&" * 50_000, b"POST /mcp HTTP/1.1\r\n" + HOST),
    "20,000 parts": sized(
        b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n" * 20_000,
        b"POST /mcp HTTP/1.1\r\n" + HOST + BOUNDARY,
    ),
    "twenty at once": PING and (sized(PING).replace(LAST, b"") * 20 + sized(PING)),
    "tools/call of junk": sized(
        json.dumps(message("tools/call", {"name": [1], "arguments": 7})).encode()
    ),
}


def assert_harmless(received: bytes) -> None:
    """Check for 5xx, and for internal details."""
    assert b"HTTP/1.1 5" not in received
    for inside in (b"Traceback", b"Error:", b'File "', b"site-packages", b"tornado"):
        assert inside not in received


async def assert_serves(site: Site) -> None:
    """Check that the next good request works, with nothing left of the last one."""
    answer = await ask(site.port, "POST", headers=JSON, body=PING)
    assert (answer.status, answer.json["result"]) == (200, {})
    await until(lambda: not site.web.state.in_flight)


async def provoke(site: Site, raw: bytes, *, hang_up: bool) -> bytes:
    """Send bytes; return the whole response."""
    async with dial(site.port) as wire:
        await wire.send(raw)
        if hang_up:
            wire.end_input()
        return await wire.rest()


def quiet(rows: list[dict[str, object]]) -> bool:
    """Whether the log has no failure and few lines."""
    return len(rows) <= 25 and not [row for row in rows if "traceback" in row]


@pytest.mark.parametrize("raw", NOT_HTTP.values(), ids=NOT_HTTP.keys())
async def test_what_is_not_http_is_shrugged_off(app: Runtime, raw: bytes) -> None:
    """Bytes of other protocols, and of none."""
    async with serving(app) as site:
        with captured("") as lines:
            received = await provoke(site, raw, hang_up=False)
            assert_harmless(received)
            assert b" 200 " not in received
            await assert_serves(site)
    assert quiet(lines.rows)


@pytest.mark.parametrize("raw", FRAMING.values(), ids=FRAMING.keys())
async def test_ambiguous_framing_is_not_served(app: Runtime, raw: bytes) -> None:
    """Framing that a proxy might read as other requests (request smuggling)."""
    async with serving(app) as site:
        with captured("") as lines:
            received = await provoke(site, raw, hang_up=False)
            assert_harmless(received)
            assert b" 200 " not in received
            assert received.count(b"HTTP/1.1 ") <= 1
            await assert_serves(site)
    assert quiet(lines.rows)


@pytest.mark.parametrize("raw", UNFINISHED.values(), ids=UNFINISHED.keys())
async def test_a_request_that_never_ends_leaves_nothing(
    app: Runtime, raw: bytes
) -> None:
    """A client that disconnects in the middle."""
    async with serving(app) as site:
        with captured("") as lines:
            received = await provoke(site, raw, hang_up=True)
            assert_harmless(received)
            assert b" 200 " not in received
            await assert_serves(site)
    assert quiet(lines.rows)


@pytest.mark.parametrize("raw", BODIES.values(), ids=BODIES.keys())
async def test_a_hostile_body_is_answered(app: Runtime, raw: bytes) -> None:
    """Whole requests get an answer of 200, 400, 413 or 415."""
    async with serving(app) as site:
        with captured("") as lines:
            received = await provoke(site, raw, hang_up=False)
            assert_harmless(received)
            statuses = {int(part[:3]) for part in received.split(b"HTTP/1.1 ")[1:]}
            assert statuses
            assert statuses <= {200, 400, 413, 415}
            await assert_serves(site)
    assert quiet(lines.rows)


async def test_many_bad_calls_cost_a_line_each(app: Runtime) -> None:
    """D-052: one log line, no traceback, and no other client waits."""
    async with serving(app) as site, dial(site.port) as wire:
        with captured("") as lines:
            for _ in range(300):
                await wire.request("POST", headers=JSON, body=b'{"jsonrpc": "2.0"}')
                assert (await wire.answer()).status == 400
        await assert_serves(site)
    assert [row["status"] for row in lines.rows] == [400] * 300


async def test_three_hundred_idle_connections_hold_up_nobody(
    knowledge: KnowledgeBase,
) -> None:
    """D-058: connections that send little, and never finish."""
    async with serving(open_app(knowledge, max_connections_per_client=400)) as site:
        held: list[Wire] = []
        opening = [asyncio.open_connection("127.0.0.1", site.port) for _ in range(300)]
        for reader, writer in await asyncio.wait_for(asyncio.gather(*opening), BOUND):
            held.append(Wire(reader, writer, site.port, None))
        for number, wire in enumerate(held):
            await wire.send(
                (b"", POST[:10], POST + b"Content-Length: 9\r\n\r\n")[number % 3]
            )
        await until(lambda: len(site.web.state.in_flight) == 100)
        answer = await ask(site.port, "POST", headers=JSON, body=PING)
        assert answer.status == 200
        for wire in held:
            wire.close()
        await assert_serves(site)


def test_the_run_watches_for_uncaught_failures() -> None:
    """The log that these tests read is the root's: Tornado's own lines are in it."""
    with captured("") as lines:
        logging.getLogger("tornado.application").error("seen")
    assert [row["event"] for row in lines.rows] == ["seen"]
