"""The differential test: its cases, what it finds, and the two ways of the server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from benchmarks.differential.__main__ import run
from benchmarks.differential.cases import Case, list_smaller, make_case, make_cases
from benchmarks.differential.comparison import compare
from benchmarks.differential.exchange import Answers, exchange

REQUESTS = 1_000
"""Sent to two servers, without and with tokens; 100,000 are sent by hand."""

GOOD = b"GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
BAD = b"GET /b HTTP/1.1\r\nHost: a\r\nX-One: 1\r\nX-Two: 2\r\n\r\n"


def test_a_seed_always_makes_the_same_cases() -> None:
    """A difference that was printed can be repeated by seed and number."""
    cases = list(make_cases(3, 500))
    assert cases == list(make_cases(3, 500))
    assert cases[77] == make_case(3, 77)
    assert cases != list(make_cases(4, 500))
    assert 500 <= sum(len(case.requests) for case in cases) < 505


def test_the_cases_are_of_every_kind() -> None:
    """Valid and odd, alone and pipelined, whole and in pieces."""
    cases = list(make_cases(0, 3_000))
    everything = b"".join(case.data for case in cases)
    for part in (
        *(b"GET /", b"HEAD /", b"OPTIONS /", b"POST /mcp ", b" HTTP/1.0\r\n"),
        *(
            b"http://localhost/mcp",
            b"\r\nTransfer-Encoding: chunked\r\n",
            b"2026-07-28",
        ),
        *(b"If-None-Match: {etag}", b"Mcp-Session-Id: {session}", b"Expect: 100-"),
        *(b'"id":null', b'"id":1.5', b'"id":[1]', b'"params":[]', b"[{", b"{nonsense"),
    ):
        assert part in everything, part
    assert any(len(case.requests) > 1 for case in cases)
    assert any(not case.is_whole for case in cases)
    assert any(len(case.cuts) > 100 for case in cases)


def test_the_pieces_of_a_case_are_its_bytes() -> None:
    """Wherever it is cut."""
    for case in make_cases(0, 300):
        pieces = list(case.pieces(case.data))
        assert b"".join(pieces) == case.data
        assert all(pieces)


def test_every_split_of_one_request_is_sent() -> None:
    """In cases of their own, so that a long run reaches each of them."""
    split = [make_case(0, number) for number in range(0, 4_000, 40)]
    assert [tuple(case.cuts) for case in split] == [(n,) for n in range(100)]
    assert len({case.requests for case in split}) == 1


def test_random_values_and_times_are_no_difference() -> None:
    """Everything else is, to the last byte."""

    def answer(number: bytes, body: bytes) -> Answers:
        head = b"HTTP/1.1 200 OK\r\nDate: %b\r\nX-Request-Id: %b\r\n\r\n"
        return Answers(head % (number, number) + body, is_closed=True).normalise()

    assert answer(b"1", b"{}") == answer(b"2", b"{}")
    assert answer(b"1", b"{}") != answer(b"1", b"{ }")


def test_the_suggestions_of_a_missing_page_are_no_difference() -> None:
    """They are made only so often; the length of all other answers counts."""

    def answer(kind: bytes, body: bytes) -> Answers:
        head = (
            b"HTTP/1.1 404 Not Found\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n"
        )
        return Answers(head % (kind, len(body)) + body, is_closed=True).normalise()

    links = b'<p>Did you mean:</p>\n<ul class="titles">\n<li>A</li>\n</ul>'
    page, shown = b"<h1>Not found</h1>\n\n<p>Search</p>", b"<h1>Not found</h1>\n%b\n"
    with_links = shown % links + b"<p>Search</p>"
    assert answer(b"text/html", page) == answer(b"text/html", with_links)
    assert answer(b"application/json", page) != answer(b"application/json", with_links)
    assert answer(b"text/html", page) != answer(b"text/html", page + b"x")


@asynccontextmanager
async def answering(odd: bytes = b"") -> AsyncIterator[int]:
    """Serve one answer a connection, another one if the request holds some bytes."""

    async def answer(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        data = await reader.readuntil(b"Connection: close\r\n\r\n")
        is_odd = bool(odd) and odd in data
        writer.write(b"HTTP/1.1 %d OK\r\n\r\n" % (500 if is_odd else 200))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def test_a_difference_is_made_small() -> None:
    """Only the request and the header that it needs are left, whole."""
    good, bad = Case(0, 1, (GOOD, GOOD)), Case(0, 2, (GOOD, BAD, GOOD), (3, 9))
    async with answering() as one, answering(b"X-Two") as other:
        differences = await compare((one, other), [good, bad])
    (difference,) = differences
    assert difference.case.requests == (b"GET /b HTTP/1.1\r\nX-Two: 2\r\n\r\n",)
    assert difference.case.cuts == ()
    assert "case 2 of seed 0" in str(difference)
    assert "HTTP/1.1 500" in str(difference)


async def test_a_closed_connection_differs_from_an_open_one() -> None:
    """Even where both servers sent the same."""

    async def keep(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"x")
        await reader.read()
        writer.close()

    async def close(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"x")
        writer.close()

    seen = []
    for answer in (keep, close):
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        async with server:
            port = server.sockets[0].getsockname()[1]
            seen.append(await exchange(port, [b""], "127.0.0.1", 0.2))
    assert seen == [Answers(b"x", is_closed=False), Answers(b"x", is_closed=True)]


def test_smaller_cases_have_less() -> None:
    """Fewer requests, no cuts, or one header less; the first line stays."""
    smaller = list(list_smaller(Case(0, 0, (GOOD, BAD), (1,))))
    assert [case.requests for case in smaller[:2]] == [(GOOD,), (BAD,)]
    assert all(case.requests[0].startswith(b"GET /") for case in smaller)
    assert (GOOD, BAD.replace(b"X-One: 1\r\n", b"")) in [c.requests for c in smaller]


@pytest.mark.parametrize("has_tokens", [False, True])
def test_both_ways_answer_alike(*, has_tokens: bool) -> None:
    """The fast path is not distinguishable from the handlers by any byte."""
    cases = make_cases(int(has_tokens), REQUESTS)
    differences = run(cases, has_tokens=has_tokens)
    assert not differences, "\n\n".join(map(str, differences))
