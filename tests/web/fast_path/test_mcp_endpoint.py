"""Calls on the fast path: answered as the application does, and only permitted ones."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import pytest
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.peers import HANDSHAKE, Site, envelope, message, open_app, serving
from support.plain_calls import (
    BODY,
    CALL,
    STATELESS,
    get_article,
    post,
    post_stateless,
)
from support.slow import SlowProvider
from support.two_paths import pair
from support.wire import Answer, Wire, chunked, dial, until

from asdlc_kb.app import Runtime
from asdlc_kb.mcp.protocol.inbound import McpHeaders
from asdlc_kb.mcp.server import McpServer
from asdlc_kb.ops.metrics.counters import decode_key
from asdlc_kb.ops.metrics.definitions import CALLS
from asdlc_kb.web.connections import monitored_stream

LAST = b"GET /unknown HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


CHUNKED = "Transfer-Encoding: chunked"
VERSION = "MCP-Protocol-Version: 2025-06-18"

SHORT = {
    "plain": post(),
    "list": post(json.dumps(message("tools/list", {}, "é\u2028")).encode()),
    "search": post(
        BODY.replace(b"get_article", b"search_articles").replace(b"slug", b"query")
    ),
    **{version: post(MCP_Protocol_Version=version) for version in HANDSHAKE},
    STATELESS: post_stateless("tools/call", CALL, Mcp_Name="get_article"),
    "stateless list": post_stateless("tools/list", {}),
    "version twice in one": post(MCP_Protocol_Version="2025-06-18, 2025-06-18"),
    "spelt otherwise": post(BODY, "HOST: localhost", Host=None),
    "JSON alone": post(Accept="application/json"),
    "events alone": post(Accept="text/event-stream"),
    "no Accept": post(Accept=None),
    "anything": post(Accept="*/*"),
    "a charset": post(Content_Type="application/json; charset=utf-8"),
    "identity": post(Content_Encoding="identity"),
    "another id": post(BODY.replace(b'"id": 1', b'"id": "x"')),
    "blanks around": post(b" \r\n" + BODY + b"\n"),
    "64 KiB": post(BODY.ljust(64 * 1024)),
    "Host with port": post(Host="127.0.0.1:1"),
    "keep alive": post(Connection="Keep-Alive"),
    "zeros": post(length=f"00{len(BODY)}"),
}
"""Requests that are answered without the application when repeated."""

LONG = {
    "ping": post(json.dumps(message("ping")).encode()),
    "not found": post(get_article("no-such-article")),
    "hidden": post(get_article("known-draft")),
    "notification": post(b'{"jsonrpc": "2.0", "method": "ping"}'),
    "batch": post(b"[" + BODY + b"]"),
    "nonsense": post(b"{"),
    "the same key twice": post(BODY[:-1] + b', "id": 2}'),
    "unknown method": post(json.dumps(message("x")).encode()),
    "unknown version": post(MCP_Protocol_Version="1999-01-01"),
    "two versions": post(BODY, VERSION, MCP_Protocol_Version="2025-11-25"),
    "unknown session": post(Mcp_Session_Id="x" * 32),
    "stateless without headers": post(
        json.dumps(message("tools/list", {"_meta": envelope(STATELESS)})).encode()
    ),
    "stateless, another name": post_stateless("tools/call", CALL, Mcp_Name="x"),
    "mirrored parameter": post(Mcp_Param_Region="eu"),
    "its own Origin": post(Origin="http://localhost"),
    "another Origin": post(Origin="http://evil.example"),
    "another Host": post(Host="evil.example"),
    "no Host": post(Host=None),
    "two Hosts": post(BODY, "Host: evil.example"),
    "Host twice": post(BODY, "Host: localhost"),
    "a bad Host": post(Host="a/b"),
    "Content-Type twice": post(BODY, "Content-Type: text/plain"),
    "text": post(Content_Type="text/plain"),
    "compressed": post(Content_Encoding="gzip"),
    "HTML": post(Accept="text/html"),
    "empty Accept": post(Accept=""),
    "close": post(Connection="close"),
    "HTTP/1.0": post(line="POST /mcp HTTP/1.0"),
    "HTTP/1.0 kept": post(line="POST /mcp HTTP/1.0", Connection="keep-alive"),
    "slash": post(line="POST /mcp/ HTTP/1.1"),
    "query": post(line="POST /mcp?x HTTP/1.1"),
    "whole address": post(line="POST http://localhost/mcp HTTP/1.1"),
    "health": post(line="POST /health HTTP/1.1"),
    "chunked": post(chunked(BODY[:9], BODY[9:]), CHUNKED).replace(
        b"Content-Length", b"X-Length"
    ),
    "chunked with a length": post(chunked(BODY), CHUNKED),
    "bad chunk": post(b"x\r\n", CHUNKED).replace(b"Content-Length", b"X-Length"),
    "more than 64 KiB": post(BODY.ljust(64 * 1024 + 1)),
    "length twice": post(BODY, f"Content-Length: {len(BODY)}"),
    "no length": post(b"").replace(b"Content-Length", b"X-Length"),
    "a length that is none": post(length="+9"),
    "a negative length": post(length="-1"),
    "Expect": post(Expect="100-continue"),
}
"""Requests that the application answers, however often they are repeated."""


async def converse(port: int, raw: bytes) -> list[Any]:
    """Return all responses to a request, and to one after it."""
    async with dial(port) as wire:
        await wire.send(raw)
        answers = [await wire.answer()]
        while answers[-1].status < 200:
            answers.append(await wire.answer())
        await wire.send(LAST)
        rest = await wire.rest()
    is_whole = set(answers[-1].headers) >= {"date", "x-request-id"}
    assert is_whole or answers[-1].headers.get("connection") == "close"
    lines = [line for line in rest.split(b"\r\n") if not line.startswith(VARYING)]
    return [*map(comparable, answers), sorted(lines)]


VARYING = (b"Date: ", b"X-Request-Id: ")


def comparable(answer: Answer) -> tuple[int, list[tuple[str, str]], bytes]:
    """Return the comparable parts of two responses to the same request."""
    varying = {"date", "x-request-id"}
    headers = [(k, "" if k in varying else v) for k, v in answer.headers.items()]
    return answer.status, headers, answer.body


@pytest.mark.parametrize("name", [*SHORT, *LONG])
async def test_the_fast_path_answers_as_the_application_does(
    app: Runtime, name: str
) -> None:
    """Cold and hot: status, headers and body, and the connection after it."""
    raw = SHORT.get(name) or LONG[name]
    async with pair(app) as both:
        cold = await converse(both.site.port, raw)
        assert cold == await converse(both.bare, raw)
        await converse(both.site.port, post())
        both.counting.answered = 0
        assert cold == await converse(both.site.port, raw)
        assert both.counting.answered == (name in SHORT)
        assert both.site.web.state.in_flight == set()


async def test_a_session_is_answered_the_short_way_too(app: Runtime) -> None:
    """In the version that it agreed on, until it ends."""
    async with pair(app) as both:
        client = {"name": "tests", "version": "1"}
        hello: Any = {"protocolVersion": "2025-11-25", "clientInfo": client}
        hello["capabilities"] = {}
        begun = await both.site.post(message("initialize", hello))
        session = begun.headers["Mcp-Session-Id"]
        raw = post(Mcp_Session_Id=session)
        cold = await converse(both.site.port, raw)
        both.counting.answered = 0
        assert await converse(both.site.port, raw) == cold
        assert both.counting.answered == 1
        assert await converse(both.bare, raw) == cold
        assert app.server.end_session(McpHeaders(session=session))
        ended = await converse(both.site.port, raw)
        assert ended[0][0] == 404
        assert await converse(both.bare, raw) == ended


@pytest.mark.parametrize(("size", "status"), [(2_000, 200), (2_001, 413)])
async def test_the_limit_of_bodies_holds(
    knowledge: KnowledgeBase, size: int, status: int
) -> None:
    """To the byte, also for what would be remembered."""
    async with pair(open_app(knowledge, max_body=2_000)) as both:
        await converse(both.site.port, post())
        raw = post(BODY.ljust(size))
        answers = await converse(both.site.port, raw)
        assert answers[0][0] == status
        assert answers == await converse(both.bare, raw)


async def test_what_changed_is_not_answered_from_memory(
    knowledge: KnowledgeBase,
) -> None:
    """D-107: a saved article is read again, and a hidden one is gone at once."""
    knowledge.write("concepts/fresh", title="Before")
    app = open_app(knowledge)
    raw = post(get_article("fresh"))
    async with pair(app) as both:
        for _ in "12":
            before = await converse(both.site.port, raw)
        knowledge.write("concepts/fresh", title="After")
        after = await converse(both.site.port, raw)
        assert b"Before" in before[0][2]
        assert b"After" in after[0][2]
        knowledge.write("concepts/fresh", status="Draft")
        hidden = await converse(both.site.port, raw)
        missing = await converse(both.site.port, post(get_article("feesh")))
        text = missing[0][2].replace(b"feesh", b"fresh")
        assert hidden[0][2] == text


async def test_hidden_and_missing_are_alike(app: Runtime) -> None:
    """D-002: both take the same path, however often they are requested."""
    async with pair(app) as both:
        seen = []
        for slug in ("known-draft", "known-drabt") * 2:
            both.counting.answered = 0
            answers = await converse(both.site.port, post(get_article(slug)))
            status, headers, body = answers[0]
            body = body.replace(slug.encode(), b"slug")
            seen.append((both.counting.answered, status, headers, body, answers[1:]))
        assert seen == [seen[0]] * 4


async def test_pipelined_requests_keep_their_order(app: Runtime) -> None:
    """Whichever of the two paths answers which of them."""
    async with pair(app) as both, dial(both.site.port) as wire:
        await converse(both.site.port, post())
        both.counting.answered = 0
        raws = []
        for number in range(0, 30, 3):
            hot = BODY.replace(b'"id": 1', b'"id": %d' % number)
            ping = json.dumps(message("ping", {}, number + 1)).encode()
            cold = json.dumps(message("prompts/list", {}, number + 2)).encode()
            raws += [post(hot), post(ping), post(cold)]
        await wire.send(b"".join(raws))
        assert [(await wire.answer()).json["id"] for _ in range(30)] == [*range(30)]
        # Also what arrived while Tornado answered one of them.
        assert both.counting.answered > 10


async def test_a_hot_answer_is_logged_like_any_other(app: Runtime) -> None:
    """The same fields in the same order; the id is the one that the client got."""
    rows = []
    async with pair(app) as both:
        await converse(both.site.port, post())
        for port in (both.site.port, both.bare):
            async with dial(port) as wire:
                with captured() as lines:
                    await wire.send(post())
                    answer = await wire.answer()
                    await until(lambda lines=lines: bool(lines.rows))  # type: ignore[misc]
            (row,) = lines.rows
            assert row["request_id"] == answer.headers["x-request-id"]
            assert 0 <= row["ms"] < 10_000
            rows.append({**row, "time": "", "ms": 0, "request_id": ""})
    assert json.dumps(rows[0]) == json.dumps(rows[1])


async def drain_before(site: Site, wire: Wire) -> None:
    """Begin a drain, which waits for a request begun then."""
    site.web.state.is_draining = True
    await wire.send(post()[:-1])
    await until(lambda: len(site.web.state.in_flight) == 1)
    await wire.send(post()[-1:])


async def drain_amid(site: Site, wire: Wire) -> None:
    """Begin a drain between the two halves of a request."""
    await wire.send(post()[:-1])
    await until(lambda: len(site.web.state.in_flight) == 1)
    site.web.state.is_draining = True
    await wire.send(post()[-1:])


@pytest.mark.parametrize("drain", [drain_before, drain_amid])
async def test_a_draining_server_answers_and_hangs_up(
    app: Runtime, drain: Callable[..., Any]
) -> None:
    """The application does, for it closes the connection."""
    async with pair(app) as both:
        hot = await converse(both.site.port, post())
        async with dial(both.site.port) as wire:
            await drain(both.site, wire)
            answer = await wire.answer()
            assert answer.body == hot[0][2]
            assert answer.headers["connection"] == "close"


HELD = post(b"", length="9")
LARGE = post(b"", length="100000")
PIECES = post(b"", CHUNKED).replace(b"Content-Length", b"X-Length")


@pytest.mark.parametrize("head", [HELD, LARGE, PIECES])
@pytest.mark.parametrize("part", [b"", b"8\r\n{"])
async def test_an_aborted_upload_is_forgotten(
    app: Runtime, head: bytes, part: bytes
) -> None:
    """Held back or passed on; nothing is answered, and nothing waits."""
    async with serving(app) as site:
        async with dial(site.port) as wire:
            await wire.send(head + part)
            await until(lambda: len(site.web.state.in_flight) == 1)
        await until(lambda: not site.web.state.in_flight)
        await until(lambda: not site.web.state.in_flight)


async def test_a_slow_body_is_cut_and_a_whole_one_is_not(
    knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The deadline is for bodies alone: an answer may take as long as it does."""
    monkeypatch.setattr(monitored_stream, "BODY_SECONDS", 0.05)
    slow = SlowProvider()

    async def cut(head: bytes) -> None:
        async with dial(site.port) as late:
            await late.send(head)
            assert await late.rest() == b""
        await until(lambda: len(site.web.state.in_flight) <= 1)

    async with serving(open_app(knowledge, slow)) as site, dial(site.port) as wire:
        await wire.send(post(BODY.replace(b"get_article", b"wait")))
        await until(slow.started.is_set)
        await asyncio.gather(*(cut(head) for head in (HELD, LARGE, PIECES)))
        slow.released.set()
        assert "wait is done" in str((await wire.answer()).json)
        # The round begins again with the next request.
        await cut(HELD)


async def test_a_failure_is_reported_once_and_the_connection_stays(
    app: Runtime,
) -> None:
    """As the application reports it."""
    broken = replace(app, server=cast(McpServer, None))
    async with pair(broken) as both:
        with captured("") as lines:
            answers = await converse(both.site.port, post())
        events = [row["event"] for row in lines.rows]
        assert events == ["unexpected error", "request", "request"]
        assert [row.get("status") for row in lines.rows] == [None, 500, 404]
        assert answers == await converse(both.bare, post())


def search(query: str) -> bytes:
    """Return a search as a request."""
    call = {"name": "search_articles", "arguments": {"query": query}}
    return post(json.dumps(message("tools/call", call)).encode())


async def test_a_new_search_needs_no_handler(app: Runtime) -> None:
    """It is answered as by the application, and counted as not cached."""
    async with pair(app) as both:
        # The first search waits for the index.
        await converse(both.site.port, search("hidden"))
        both.counting.answered = 0
        new = await converse(both.site.port, search("links"))
        assert both.counting.answered == 1
        assert new == await converse(both.bare, search("links"))
        counted = app.telemetry.metrics.read()
    keys = [decode_key(name) for name in counted]
    assert {key[6] for key in keys if key[0] == CALLS.name} == {"no", "yes"}


async def test_no_result_is_made_beyond_the_rate(knowledge: KnowledgeBase) -> None:
    """Each call counts once, whichever path answers it."""
    limited = open_app(knowledge, rate_limit="3/hour")
    async with pair(limited) as both, dial(both.site.port) as wire:
        statuses = []
        for number in range(5):
            await wire.send(search(f"q{number}"))
            statuses.append((await wire.answer()).status)
            await wire.send(post_stateless("tools/list", {}))
            statuses.append((await wire.answer()).status)
        assert statuses == [200] * 3 + [429] * 7
