"""Bytes that are almost HTTP, by the hundred: refused, and the server goes on.

Where two parsers frame the same bytes differently, one request can hide in another. So
what is not exactly HTTP is refused, and what stands behind it is not looked at.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Iterable, Mapping

import pytest
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.peers import Site, message, open_app, serving
from support.wire import JSON, ask, dial, until
from tornado import httputil

from asdlc_kb.app import App
from asdlc_kb.web import guard

AT_ONCE = 50
PING = json.dumps(message("ping")).encode()
HOST = b"Host: localhost\r\nContent-Type: application/json\r\n"
HIDDEN = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
"""What would be answered with 200 if a request ended where it does not."""


def line(text: bytes) -> bytes:
    """Return a request that begins so."""
    return text + b"\r\n" + HOST + b"Connection: close\r\n\r\n"


def field(text: bytes) -> bytes:
    """Return a request with such a field in its header."""
    return line(b"GET /health HTTP/1.1\r\n" + text)


def sized(text: bytes) -> bytes:
    """Return a request with such a field before a body of two bytes."""
    return b"POST /mcp HTTP/1.1\r\n" + HOST + text + b"\r\n\r\n{}" + HIDDEN


def coded(text: bytes, body: bytes = b"0\r\n\r\n") -> bytes:
    """Return a request with such a field before a body of chunks."""
    return b"POST /mcp HTTP/1.1\r\n" + HOST + text + b"\r\n\r\n" + body + HIDDEN


def cut(size: bytes, end: bytes = b"\r\n") -> bytes:
    """Return a request of one chunk, whose size is written so."""
    body = size + b"\r\n{}" + end + b"0\r\n\r\n"
    return coded(b"Transfer-Encoding: chunked", body)


PLACES: Mapping[str, Callable[[bytes], bytes]] = {
    "in the method": lambda b: line(b"GE" + b + b"T /health HTTP/1.1"),
    "in the target": lambda b: line(b"GET /he" + b + b"alth HTTP/1.1"),
    "in the version": lambda b: line(b"GET /health HTTP/1" + b + b".1"),
    "in a name": lambda b: field(b"X-" + b + b"A: b"),
    "in a value": lambda b: field(b"X-A: b" + b + b"c"),
    "before a colon": lambda b: field(b"X-A" + b + b": b"),
    "before a name": lambda b: field(b + b"X-A: b"),
    "before a length": lambda b: sized(b"Content-Length: " + b + b"2"),
    "after a length": lambda b: sized(b"Content-Length: 2" + b),
    "after the name of a length": lambda b: sized(b"Content-Length" + b + b": 2"),
    "before a coding": lambda b: coded(b"Transfer-Encoding: " + b + b"chunked"),
    "after a coding": lambda b: coded(b"Transfer-Encoding: chunked" + b),
    "after the name of a coding": lambda b: coded(
        b"Transfer-Encoding" + b + b": chunked"
    ),
    "before a chunk's size": lambda b: cut(b + b"2"),
    "after a chunk's size": lambda b: cut(b"2" + b),
    "at a chunk's end": lambda b: cut(b"2", b + b"\n"),
}
STRANGE = [*range(33), *b'"(),/:;<=>?@[\\]{}', 0x7F, 0x80, 0xE9, 0xFF]

ALLOWED = {
    # RFC 9110, 5.5: what a value may hold, spaces and bytes beyond ASCII too.
    "in a value": {0x09, 0x20, *b'"(),/:;<=>?@[\\]{}', 0x80, 0xE9, 0xFF},
    # A name ends at its first colon.
    "in a name": {0x3A},
    "before a colon": {0x3A},
    # Spaces around a value are not part of it.
    "before a length": {0x09, 0x20},
    "after a length": {0x09, 0x20},
    "before a coding": {0x09, 0x20},
    "after a coding": {0x09, 0x20},
    # The line end itself.
    "at a chunk's end": {0x0D},
}
"""Bytes that may stand there."""

ALMOST = {
    "no version": line(b"GET /health"),
    "an empty version": line(b"GET /health "),
    "version 0.9": line(b"GET /health HTTP/0.9"),
    "version 2.0": line(b"GET /health HTTP/2.0"),
    "version 1.10": line(b"GET /health HTTP/1.10"),
    "version 11.1": line(b"GET /health HTTP/11.1"),
    "a version in lower case": line(b"GET /health http/1.1"),
    "a version with a comma": line(b"GET /health HTTP/1,1"),
    "half a version": line(b"GET /health HTTP/1"),
    "a version of superscripts": line(b"GET /health HTTP/\xc2\xb9.1"),
    "something behind the version": line(b"GET /health HTTP/1.1 x"),
    "another protocol": line(b"GET /health ICY/1.1"),
    "two spaces": line(b"GET  /health HTTP/1.1"),
    "a tab": line(b"GET\t/health\tHTTP/1.1"),
    "no method": line(b"/health HTTP/1.1"),
    "a space first": line(b" GET /health HTTP/1.1"),
    "two lengths in two fields": sized(b"Content-Length: 2\r\nContent-Length: 3"),
    "two lengths in one field": sized(b"Content-Length: 2, 3"),
    "an octal length": sized(b"Content-Length: 0o2"),
    "an underscore in a length": sized(b"Content-Length: 1_0"),
    "a length and chunks": coded(b"Content-Length: 5\r\nTransfer-Encoding: chunked"),
    "chunks and a length": coded(b"Transfer-Encoding: chunked\r\nContent-Length: 5"),
    "identity and chunks": coded(b"Transfer-Encoding: identity, chunked"),
    "chunks and identity": coded(b"Transfer-Encoding: chunked, identity"),
    "chunks in two fields": coded(
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"
    ),
    "chunks with a parameter": coded(b"Transfer-Encoding: chunked; a=b"),
    "an empty coding": coded(b"Transfer-Encoding: "),
    "gzip and chunks": coded(b"Transfer-Encoding: gzip, chunked"),
    "a folded coding": coded(b"Transfer-Encoding:\r\n chunked"),
    "a folded length": sized(b"Content-Length:\r\n 2"),
    "a trailer": coded(
        b"Transfer-Encoding: chunked", b"0\r\nContent-Length: 9\r\n\r\n"
    ),
    "an extension": cut(b"2;a=b"),
    "a size of 0x2": cut(b"0x2"),
    "a size with an underscore": cut(b"0_2"),
    "a size too small": cut(b"1"),
    "a size too large": cut(b"3"),
    "a size beyond 64 bits": cut(b"1" + b"0" * 16),
    "a line feed alone after a size": coded(
        b"Transfer-Encoding: chunked", b"2\n{}\r\n0\r\n\r\n"
    ),
}


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody keep a connection who does not go on."""
    monkeypatch.setattr(guard, "ROUND_SECONDS", 0.05)
    for name in ("IDLE_SECONDS", "HEAD_SECONDS", "BODY_SECONDS"):
        monkeypatch.setattr(guard, name, 0.3)


async def send_all(site: Site, raws: Iterable[bytes]) -> list[bytes]:
    """Send each of many on a connection of its own; return what was said to each."""
    some = asyncio.Semaphore(AT_ONCE)

    async def send(raw: bytes) -> bytes:
        async with some, dial(site.port) as wire:
            await wire.send(raw)
            return await wire.rest()

    return await asyncio.gather(*map(send, raws))


def read_statuses(said: bytes) -> list[int]:
    """Return the status of each answer."""
    return [int(part[:3]) for part in said.split(b"HTTP/1.1 ")[1:]]


def is_refused(said: bytes) -> bool:
    """Whether one answer at most was given, and no good one."""
    statuses = read_statuses(said)
    return len(statuses) <= 1 and all(400 <= status < 500 for status in statuses)


async def assert_unharmed(site: Site) -> None:
    """Everything was let go of, and the next good request works."""
    answer = await ask(site.port, "POST", headers=JSON, body=PING)
    assert (answer.status, answer.json["result"]) == (200, {})
    await until(lambda: not site.web.state.in_flight)
    await until(lambda: not site.web.guard.connections)


@pytest.mark.parametrize("place", PLACES)
async def test_a_strange_byte_is_refused(app: App, hasty: None, place: str) -> None:
    """54 of them in each of 16 places; what stands behind is not a request."""
    with captured("") as lines:
        async with serving(app) as site:
            make = PLACES[place]
            said = await send_all(site, (make(bytes([code])) for code in STRANGE))
            await assert_unharmed(site)
    served = {c for c, each in zip(STRANGE, said, strict=True) if not is_refused(each)}
    # A line feed after a length ends its line, and an empty line the header.
    expected = ALLOWED.get(place, set()) | ({0x0A} & served)
    assert served == expected
    if 0x0A in served:
        assert 200 not in read_statuses(said[STRANGE.index(0x0A)])
    assert not [row for row in lines.rows if "traceback" in row]


async def test_what_is_almost_http_is_refused(app: App, hasty: None) -> None:
    """Versions, lengths and codings that another parser might read otherwise."""
    with captured("") as lines:
        async with serving(app) as site:
            said = await send_all(site, ALMOST.values())
            await assert_unharmed(site)
    served = [n for n, each in zip(ALMOST, said, strict=True) if not is_refused(each)]
    assert served == []
    assert not [row for row in lines.rows if "traceback" in row]


GOOD = (
    b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\n\r\n%b" % (len(PING), PING)
)


def mutate(raw: bytes, byte: bytes) -> Iterable[bytes]:
    """Yield the same bytes with one of them replaced, and with one more, everywhere."""
    for at in range(len(raw)):
        yield raw[:at] + byte + raw[at + 1 :]
        yield raw[:at] + byte + raw[at:]


@pytest.mark.parametrize("byte", [b"\r", b"\n", b"\0", b" ", b":", b",", b"0", b"\xff"])
async def test_one_byte_is_no_way_in(app: App, hasty: None, byte: bytes) -> None:
    """In every place of a good request: answered or refused, and nothing is left."""
    with captured("") as lines:
        async with serving(app) as site:
            said = await send_all(site, mutate(GOOD + HIDDEN, byte))
            await assert_unharmed(site)
    statuses = {status for each in said for status in read_statuses(each)}
    assert statuses <= {200, 202, 400, 403, 404, 405, 406, 413, 415}
    assert max(read_statuses(each).count(200) for each in said) <= 2
    # A line feed may end a header early; what follows is then refused.
    assert max(len(read_statuses(each)) for each in said) <= 3
    assert not [row for row in lines.rows if row["level"] in ("warning", "error")]


async def test_malformed_requests_are_counted_and_not_retold(app: App) -> None:
    """Anybody can send ten thousand, with any words in them."""
    bad = line(b"GET /health ICY/1.1\r\nX-Word: evil")
    with captured("") as lines:
        async with serving(app) as site:
            said = await send_all(site, [bad] * 200)
            assert all(map(is_refused, said))
            await assert_unharmed(site)
    rows = [row for row in lines.rows if row["event"] != "request"]
    assert [row.get("malformed") for row in rows] == [1, 199]
    assert "evil" not in lines.text
    assert not logging.getLogger("tornado.general").filters


FORMS = {
    "a form": (b"application/x-www-form-urlencoded", b"q=evil&session_id=evil"),
    "parts": (
        b"multipart/form-data; boundary=x",
        b'--x\r\nContent-Disposition: form-data; name="q"\r\n\r\nevil\r\n--x--\r\n',
    ),
    "20,000 parts": (
        b"multipart/form-data; boundary=x",
        b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n" * 20_000,
    ),
    "200,000 fields": (b"application/x-www-form-urlencoded", b"a=b&" * 200_000),
    "a quadratic header": (
        b"multipart/form-data; boundary=x",
        b'--x\r\nContent-Disposition: form-data; a="' + b'\\";' * 100_000 + b"\r\n\r\n",
    ),
}


@pytest.mark.parametrize("form", FORMS)
async def test_no_form_is_ever_parsed(
    app: App, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """Tornado's parsers of forms have had faults; nothing here takes a form."""
    parsed = []
    monkeypatch.setattr(
        httputil, "parse_body_arguments", lambda *_: parsed.append("body")
    )
    media, body = FORMS[form]
    async with serving(app) as site:
        for path in ("/mcp", "/mcp?session_id=x", "/search", "/health", "/none"):
            for method in ("POST", "GET", "PUT"):
                headers = {"Content-Type": media.decode()}
                answer = await ask(site.port, method, path, headers, body)
                assert answer.status < 500
                assert b"evil" not in answer.body
    assert parsed == []


async def test_a_part_of_a_page_cannot_be_asked_for(knowledge: KnowledgeBase) -> None:
    """Range is not read: parsers of it have had faults, and pages are small."""
    knowledge.write("concepts/a", body="text " * 1000)
    ranges = ["bytes=0-1", "bytes=-5", "bytes=9-1", "bytes=" + "0-," * 5_000, "x", ""]
    async with serving(open_app(knowledge)) as site:
        for path in ("/concepts/a", "/llms-full.txt", "/mcp"):
            whole = await ask(site.port, "GET", path)
            for asked in ranges:
                answer = await ask(site.port, "GET", path, {"Range": asked})
                assert (answer.status, answer.body) == (whole.status, whole.body)
                assert "content-range" not in answer.headers
