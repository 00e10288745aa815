"""Plain header blocks, and all that is not plain."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tornado.httputil import HTTPHeaders, HTTPInputError, parse_request_start_line

from asdlc_kb.web.fast_path.request_head import (
    MAX_BODY_BYTES,
    RequestHead,
    parse_head,
)

GET = b"GET / HTTP/1.1"
POST = b"POST / HTTP/1.1"
LENGTH = b"Content-Length: 5"


def parse(*lines: bytes) -> RequestHead | None:
    """Parse a header block of these lines."""
    return parse_head(b"\r\n".join(lines))


def test_names_are_in_canonical_form() -> None:
    """Values are without the blanks around them."""
    head = parse(POST, b"HOST: x", b"content-LENGTH:\t5 ", b"x-a:", b"mcp-Name:a b")
    fields = {"Host": "x", "Content-Length": "5", "X-A": "", "Mcp-Name": "a b"}
    assert head == RequestHead("POST", "/", fields, 5)


@pytest.mark.parametrize("length", [0, 99, MAX_BODY_BYTES])
def test_a_body_has_a_stated_length(length: int) -> None:
    """Up to the limit."""
    head = parse(POST, b"Content-Length: %d" % length)
    assert head is not None
    assert head.length == length


def test_other_requests_have_no_body() -> None:
    """Neither stated nor sent."""
    for method in (b"GET", b"HEAD"):
        head = parse(method + b" /a?b HTTP/1.1", b"Host: x")
        assert head == RequestHead(method.decode(), "/a?b", {"Host": "x"}, 0)


@pytest.mark.parametrize(
    "lines",
    [
        (b"GET / HTTP/1.0",),
        (b"GET / HTTP/1.1 ",),
        (b" GET / HTTP/1.1",),
        (b"", GET),
        (b"GET  / HTTP/1.1",),
        (b"GET http://x/ HTTP/1.1",),
        (b"get / HTTP/1.1",),
        (b"PUT / HTTP/1.1", LENGTH),
        (b"GET /\xc3\xa9 HTTP/1.1",),
        (GET, b"Host : x"),
        (GET, b" Host: x"),
        (GET, b"Host: x", b" folded"),
        (GET, b"Host"),
        (GET, b": x"),
        (GET, b"Host: x\ny: z"),
        (GET, b"Host: x\r"),
        (GET, b"Host: \x00"),
        (GET, b"Host: \x7f"),
        (GET, b"Host: \xe9"),
        (GET, b"Host: x", b"host: x"),
        (GET, b""),
        (GET, LENGTH),
        (GET, b"Connection: close"),
        (GET, b"Connection: keep-alive, upgrade"),
        (GET, b"Upgrade: websocket"),
        (GET, b"Origin: http://localhost"),
        (POST,),
        (POST, LENGTH, LENGTH),
        (POST, LENGTH, b"Transfer-Encoding: chunked"),
        (POST, LENGTH, b"Expect: 100-continue"),
        (POST, b"Content-Length: +5"),
        (POST, b"Content-Length: -5"),
        (POST, b"Content-Length: 5, 5"),
        (POST, b"Content-Length: 5 5"),
        (POST, b"Content-Length: 0x5"),
        (POST, b"Content-Length:"),
        (POST, b"Content-Length: %d" % (MAX_BODY_BYTES + 1)),
        (POST, b"Content-Length: 000005"),
    ],
)
def test_what_is_not_plain_is_left_to_tornado(lines: tuple[bytes, ...]) -> None:
    """Each of these is rejected there, or means something else."""
    assert parse(*lines) is None


PIECES = (b"a", b"Z", b"0", b"-", b":", b" ", b"\t", b"\r\n", b"\n", b"\0", b"\xe9")


@given(st.lists(st.sampled_from(PIECES), max_size=24).map(b"".join))
def test_what_is_plain_is_read_as_tornado_reads_it(text: bytes) -> None:
    """Any difference would allow request smuggling."""
    head = parse_head(GET + b"\r\n" + text)
    if head is None:
        return
    start = parse_request_start_line(GET.decode())
    assert (head.method, head.target) == (start.method, start.path)
    try:
        headers = HTTPHeaders.parse(text.decode("latin-1") + "\r\n\r\n")
    except HTTPInputError:
        raise AssertionError("Tornado rejects it") from None
    assert dict(headers.get_all()) == head.fields


@pytest.mark.parametrize("name", ["X-Request-Id", "Traceparent", "Tracestate"])
def test_some_headers_differ_in_each_request(name: str) -> None:
    """Their blocks are not worth caching."""
    head = parse(GET, b"%b: 1" % name.encode())
    plain = parse(GET, b"Host: x")
    assert head is not None
    assert plain is not None
    assert (head.may_repeat, plain.may_repeat) == (False, True)
