"""Requests with an absolute URL in the request line: its host and path count."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.peers import JSON, message, open_app, serving
from support.wire import dial
from tornado.httputil import HTTPHeaders, HTTPServerRequest, RequestStartLine

from asdlc_kb.app import Runtime
from asdlc_kb.web.admission.absolute_form import normalize_absolute_form

CALL = json.dumps(message("tools/list")).encode()


def write(line: str, *headers: str, body: bytes = b"") -> bytes:
    """Return a request, the last of its connection."""
    told = (line, *headers, f"Content-Length: {len(body)}", "Connection: close", "", "")
    return "\r\n".join(told).encode("latin-1") + body


async def send(port: int, line: str, *headers: str, body: bytes = b"") -> bytes:
    """Return the whole response to a request."""
    async with dial(port) as wire:
        await wire.send(write(line, *headers, body=body))
        return await wire.rest()


def read_status(said: bytes) -> int:
    """Return the status of a response."""
    return int(said.split(b" ", 2)[1])


@pytest.mark.parametrize(
    "target",
    [
        *(
            "http://localhost/health",
            "HTTP://LocalHost:80/health",
            "http://[::1]/health",
        ),
        *(
            "https://127.0.0.1/health?x=http://evil.example/",
            "http://localhost/llms.txt",
        ),
        *("http://localhost", "http://localhost?x=1", "http://localhost/search?q=a"),
    ],
)
async def test_a_whole_address_is_that_of_its_path(app: Runtime, target: str) -> None:
    """RFC 9112, 3.2.2: a server MUST accept it; the host there wins over Host."""
    async with serving(app) as site:
        for host in ("localhost", "evil.example"):
            said = await send(site.port, f"GET {target} HTTP/1.1", f"Host: {host}")
            assert read_status(said) == 200
        said = await send(site.port, f"GET {target} HTTP/1.0")
        assert read_status(said) == 200


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "localhost.evil.example", "evil.example:80", ""),
        *("me@localhost", "localhost@evil.example", "localhost:", "localhost#", "a,b"),
        *("evil.example\\", "localhost%2f", "\xe9", "localhost:123456"),
    ],
)
async def test_the_host_of_an_address_is_judged_as_any_other(
    app: Runtime, host: str
) -> None:
    """D-074: an address may not state what Host may not state."""
    async with serving(app) as site:
        for path in ("/health", "/mcp", "/unknown"):
            line = f"GET http://{host}{path} HTTP/1.1"
            said = await send(site.port, line, "Host: localhost")
            assert read_status(said) in (400, 403)
            assert b'"status"' not in said


async def test_a_host_that_is_wrong_stays_wrong(app: Runtime) -> None:
    """RFC 9112, 3.2: none in HTTP/1.1, two, or an invalid host are 400 or refused."""
    line = "GET http://localhost/health HTTP/1.1"
    async with serving(app) as site:
        for hosts in (
            (),
            ("Host: localhost", "Host: localhost"),
            ("Host: localhost, localhost",),
            ("Host: a b",),
            ("Host: a/b",),
            ("Host:",),
        ):
            assert read_status(await send(site.port, line, *hosts)) in (400, 403), hosts


async def test_other_schemes_are_nowhere(app: Runtime) -> None:
    """An address without http or https is a path that does not exist."""
    async with serving(app) as site:
        for target in ("ftp://localhost/health", "localhost/health", "http:/health"):
            said = await send(site.port, f"GET {target} HTTP/1.1", "Host: localhost")
            assert read_status(said) == 404


async def test_calls_are_answered_so_too(app: Runtime) -> None:
    """An agent may call this way, and learns nothing more."""
    headers = [f"{name}: {value}" for name, value in JSON.items()]
    async with serving(app) as site:
        for host, status in (("localhost", 200), ("evil.example", 403)):
            line = f"POST http://{host}/mcp HTTP/1.1"
            said = await send(site.port, line, "Host: localhost", *headers, body=CALL)
            assert read_status(said) == status


async def test_the_log_has_the_path(knowledge: KnowledgeBase) -> None:
    """One page has one name there, however it is requested."""
    async with serving(open_app(knowledge)) as site:
        with captured() as lines:
            line = "GET http://localhost/nowhere?x=1 HTTP/1.1"
            await send(site.port, line, "Host: localhost")
    (row,) = lines.rows
    assert (row["path"], row["status"]) == ("/nowhere", 404)


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1))
def test_no_address_is_left_with_its_host(text: str) -> None:
    """Whatever the request: host and path together are the address."""
    line = RequestStartLine("GET", f"http://{text}", "HTTP/1.1")
    request = HTTPServerRequest(start_line=line, headers=HTTPHeaders({"Host": "a"}))
    normalize_absolute_form(request)
    said = f"{request.headers['Host']}{request.uri}"
    assert said in (text, text.replace("?", "/?", 1), f"{text}/")
    assert request.path == (request.uri or "").partition("?")[0]
