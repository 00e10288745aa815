"""Malformed HTTP by the hundred: refused, and the server goes on.

Where two parsers frame the same bytes differently, one request can hide in another. So
bytes that are not exactly HTTP are refused, and those after them are not read.
"""

import asyncio
import json
import logging
from collections.abc import Iterable

import pytest
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.malformed import ALMOST, HIDDEN, PLACES, STRANGE, line
from support.peers import Site, message, open_app, serving
from support.wire import JSON, ask, dial, until
from tornado import httputil

from asdlc_kb.app import Runtime
from asdlc_kb.web.connections import connection_manager, monitored_stream

AT_ONCE = 50
PING = json.dumps(message("ping")).encode()

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
"""Bytes that are allowed there."""


@pytest.fixture
def short_deadlines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the deadlines of connections that make no progress."""
    monkeypatch.setattr(connection_manager, "SWEEP_SECONDS", 0.05)
    for name in ("IDLE_SECONDS", "HEAD_SECONDS", "BODY_SECONDS"):
        monkeypatch.setattr(monitored_stream, name, 0.3)


async def send_all(site: Site, raws: Iterable[bytes]) -> list[bytes]:
    """Send each of many on its own connection; return the responses."""
    some = asyncio.Semaphore(AT_ONCE)

    async def send(raw: bytes) -> bytes:
        async with some, dial(site.port) as wire:
            await wire.send(raw)
            return await wire.rest()

    return await asyncio.gather(*map(send, raws))


def read_statuses(said: bytes) -> list[int]:
    """Return the status of each response."""
    return [int(part[:3]) for part in said.split(b"HTTP/1.1 ")[1:]]


def is_refused(said: bytes) -> bool:
    """Whether there was at most one response, and no successful one."""
    statuses = read_statuses(said)
    return len(statuses) <= 1 and all(400 <= status < 500 for status in statuses)


async def assert_unharmed(site: Site) -> None:
    """Check that all resources were released, and that the next good request works."""
    answer = await ask(site.port, "POST", headers=JSON, body=PING)
    assert (answer.status, answer.json["result"]) == (200, {})
    await until(lambda: not site.web.state.in_flight)
    await until(lambda: not site.web.manager.connections)


@pytest.mark.parametrize("place", PLACES)
async def test_a_strange_byte_is_refused(
    app: Runtime, short_deadlines: None, place: str
) -> None:
    """54 of them in each of 16 places; the bytes after it are not a request."""
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


async def test_what_is_almost_http_is_refused(
    app: Runtime, short_deadlines: None
) -> None:
    """Versions, lengths and codings that another parser might read differently."""
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
async def test_one_byte_is_no_way_in(
    app: Runtime, short_deadlines: None, byte: bytes
) -> None:
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


async def test_malformed_requests_are_counted_and_not_retold(app: Runtime) -> None:
    """D-053: any client can send ten thousand, with any content."""
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
    app: Runtime, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """D-078: Tornado's parsers of forms have had faults; nothing here takes a form."""
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
