"""The stdio transport in this process: both eras on one pipe, cancellation, lines."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.peers import (
    BOUND,
    HANDSHAKE,
    StdioPeer,
    envelope,
    message,
    open_app,
    stdio_peer,
)
from support.results import read_value
from support.slow import SlowProvider
from support.wire import until

from asdlc_kb.app import Runtime
from asdlc_kb.stdio import LineBuffer, Oversized, StdioTransport

MODERN = {"_meta": envelope("2026-07-28")}


def initialize(version: str = "2025-11-25", request_id: Any = 1) -> dict[str, Any]:
    """Return the first message of a client of the handshake era."""
    client = {"name": "tests", "version": "1"}
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
    return message("initialize", params, request_id)


def wait(request_id: Any) -> dict[str, Any]:
    """Return a call that is answered when the test decides."""
    return message("tools/call", {"name": "wait"}, request_id)


def cancelled(request_id: Any) -> dict[str, Any]:
    """Return the notification that cancels a request."""
    params = {"requestId": request_id}
    method = "notifications/cancelled"
    return {"jsonrpc": "2.0", "method": method, "params": params}


@asynccontextmanager
async def pipe(app: Runtime, scanner: Scanner) -> AsyncIterator[StdioPeer]:
    """Connect a client that has sent nothing yet."""
    async with stdio_peer(app, "2025-11-25", scanner, handshake=False) as peer:
        yield peer


async def test_both_eras_share_one_pipe(app: Runtime, scanner: Scanner) -> None:
    """basic/versioning: the envelope decides, message by message."""
    async with pipe(app, scanner) as peer:
        answer = await peer.exchange(message("server/discover", MODERN, 1))
        assert answer["result"]["resultType"] == "complete"
        answer = await peer.exchange(initialize(request_id=2))
        assert answer["result"]["protocolVersion"] == "2025-11-25"
        answer = await peer.exchange(message("tools/list", {}, 3))
        assert "resultType" not in answer["result"]
        answer = await peer.exchange(message("tools/list", MODERN, 4))
        assert answer["result"]["resultType"] == "complete"
        answer = await peer.exchange(message("ping", {}, 5))
        assert answer["result"] == {}
        answer = await peer.exchange(message("ping", MODERN, 6))
        assert answer["error"]["code"] == -32601


async def test_the_handshake_may_be_repeated(app: Runtime, scanner: Scanner) -> None:
    """A client that starts over on the same pipe agrees on a version again."""
    async with pipe(app, scanner) as peer:
        for version in (*HANDSHAKE, "2024-11-05"):
            answer = await peer.exchange(initialize(version))
            assert answer["result"]["protocolVersion"] == version
            with captured() as lines:
                await peer.exchange(message("ping"))
            assert lines.rows[0]["version"] == version


async def test_a_request_before_any_handshake_is_served(
    app: Runtime, scanner: Scanner
) -> None:
    """No error of 2026-07-28: a probing client must not take us for such a server."""
    async with pipe(app, scanner) as peer:
        answer = await peer.exchange(message("tools/list", {}, 0))
        assert answer["id"] == 0
        assert len(answer["result"]["tools"]) == 3


async def test_a_failed_handshake_agrees_on_nothing(
    app: Runtime, scanner: Scanner
) -> None:
    """The version agreed before stays."""
    async with pipe(app, scanner) as peer:
        await peer.exchange(initialize("2025-11-25"))
        answer = await peer.exchange(message("initialize", {}))
        assert answer["error"]["code"] == -32602
        with captured() as lines:
            await peer.exchange(message("ping"))
        assert lines.rows[0]["version"] == "2025-11-25"


async def test_an_unknown_version_is_told_in_its_own_era(
    app: Runtime, scanner: Scanner
) -> None:
    """-32022, not -32601: the client then knows what to ask for."""
    meta = {"_meta": envelope("2099-01-01")}
    async with pipe(app, scanner) as peer:
        answer = await peer.exchange(message("server/discover", meta, "a"))
    assert (answer["id"], answer["error"]["code"]) == ("a", -32022)
    assert answer["error"]["data"]["requested"] == "2099-01-01"


async def test_a_notification_gets_no_answer(app: Runtime, scanner: Scanner) -> None:
    """Known or not, with or without an envelope."""
    async with pipe(app, scanner) as peer:
        for method in ("notifications/initialized", "notifications/x", "ping"):
            for params in ({}, MODERN):
                peer.send({"jsonrpc": "2.0", "method": method, "params": params})
        peer.send({"jsonrpc": "2.0", "id": 1, "result": {}})
        answer = await peer.exchange(message("ping", {}, "only"))
    assert answer["id"] == "only"


@pytest.mark.parametrize("params", [{}, MODERN], ids=["handshake", "stateless"])
async def test_a_cancelled_request_gets_no_answer(
    knowledge: KnowledgeBase, scanner: Scanner, params: dict[str, Any]
) -> None:
    """basic/patterns/cancellation: stop, and send nothing more of it."""
    slow = SlowProvider()
    async with pipe(open_app(knowledge, slow), scanner) as peer:
        peer.send(message("tools/call", {"name": "wait", **params}, "slow"))
        await until(slow.started.is_set)
        peer.send(cancelled("slow"))
        await until(slow.ended.is_set)
        assert slow.was_cancelled
        answer = await peer.exchange(message("ping", {}, "next"))
        assert answer["id"] == "next"


@pytest.mark.parametrize("request_id", ["1", 2, True, None, 1.0, [1], {"a": 1}])
async def test_another_id_cancels_nothing(
    knowledge: KnowledgeBase, scanner: Scanner, request_id: Any
) -> None:
    """Ids compare with their type: "1" and true are not 1."""
    slow = SlowProvider()
    async with pipe(open_app(knowledge, slow), scanner) as peer:
        peer.send(wait(1))
        await until(slow.started.is_set)
        peer.send(cancelled(request_id))
        await peer.exchange(message("ping", {}, "after"))
        assert not slow.was_cancelled
        slow.released.set()
        assert (await peer.receive())["id"] == 1


async def test_what_is_over_cannot_be_cancelled(app: Runtime, scanner: Scanner) -> None:
    """A late cancellation is ignored, and the id may be used again."""
    async with pipe(app, scanner) as peer:
        for _ in range(3):
            assert (await peer.exchange(message("ping", {}, 1)))["id"] == 1
            peer.send(cancelled(1))


async def test_an_id_in_use_may_be_used_again(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """D-046: every request gets its answer."""
    slow = SlowProvider()
    async with pipe(open_app(knowledge, slow), scanner) as peer:
        peer.send(wait(7))
        await until(slow.started.is_set)
        quick = await peer.exchange(message("ping", {}, 7))
        assert (quick["id"], quick["result"]) == (7, {})
        slow.released.set()
        text = (await peer.receive())["result"]["content"][0]["text"]
        assert text == "wait is done"


async def test_answers_come_as_they_are_ready(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """A slow call delays no other, initialize included."""
    slow = SlowProvider()
    async with pipe(open_app(knowledge, slow), scanner) as peer:
        peer.send(wait("slow"))
        await until(slow.started.is_set)
        assert (await peer.exchange(message("ping", {}, 2)))["id"] == 2
        assert (await peer.exchange(initialize(request_id=3)))["id"] == 3
        slow.released.set()
        assert (await peer.receive())["id"] == "slow"


async def test_progress_comes_before_the_answer(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """Each on its own line; U+2028 never leaves as it is."""
    async with pipe(open_app(knowledge, SlowProvider()), scanner) as peer:
        meta = {"name": "progress", "_meta": {"progressToken": 0}}
        peer.send(message("tools/call", meta))
        lines = [await asyncio.wait_for(peer.lines.readline(), BOUND) for _ in "1234"]
    steps = [json.loads(line) for line in lines]
    assert [step.get("method") for step in steps[:3]] == ["notifications/progress"] * 3
    assert [step["params"]["progress"] for step in steps[:3]] == [0, 50, 100]
    assert steps[3]["id"] == 1
    assert len(b"".join(lines).decode().splitlines()) == 4


async def test_no_line_separator_leaves(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """U+2028, U+2029 and U+0085 cut lines in some readers: they are escaped."""
    odd = "a\u2028b\u2029c\x85d"
    knowledge.write("concepts/odd", body=f"{odd}\n", description=f'"{odd}"')
    async with pipe(open_app(knowledge), scanner) as peer:
        await peer.exchange(initialize(request_id=0))
        arguments = {"slug": "odd"}
        peer.send(
            message("tools/call", {"name": "get_article", "arguments": arguments})
        )
        peer.send(message(odd, {}, odd))
        for _ in range(2):
            raw = await asyncio.wait_for(peer.lines.readline(), BOUND)
            assert len(raw.decode().splitlines()) == 1
            answer = json.loads(raw)
            if answer["id"] == 1:
                article = read_value(answer["result"])
                # U+0085 is a control character: articles are served without those.
                assert "a\u2028b\u2029c" in article["content"]
            else:
                assert answer["id"] == odd


async def test_a_failure_tells_nothing_and_ends_nothing(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """-32603 without a detail, and the next request is served."""
    async with pipe(open_app(knowledge, SlowProvider()), scanner) as peer:
        answer = await peer.exchange(message("tools/call", {"name": "crash"}))
        error = {"code": -32603, "message": "Internal server error"}
        assert answer == {"jsonrpc": "2.0", "id": 1, "error": error}
        assert (await peer.exchange(message("ping")))["result"] == {}


async def test_a_request_is_one_log_line(app: Runtime, scanner: Scanner) -> None:
    """The same fields as over HTTP, where they exist."""
    call = {"name": "get_article", "arguments": {"slug": "links-to-hidden"}}
    async with pipe(app, scanner) as peer:
        with captured() as lines:
            await peer.exchange(message("tools/call", call))
            await peer.exchange(message("nonsense"))
            peer.send(b"{")
            await peer.receive()
            await until(lambda: len(lines.rows) == 3)
    served, unknown, garbage = lines.rows
    assert (served["transport"], served["method"]) == ("stdio", "tools/call")
    assert (served["tool"], served["version"]) == ("get_article", "2025-03-26")
    assert served["bytes"] > 0
    assert "code" not in served
    assert (unknown["method"], unknown["code"]) == ("nonsense", -32601)
    assert "tool" not in unknown
    assert garbage["code"] == -32700
    assert "method" not in garbage


async def test_what_was_read_before_the_end_is_answered(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """A fixed input, then EOF: slow ones and those with one id too."""
    slow = SlowProvider()
    async with over_pipes(open_app(knowledge, slow)) as (task, to_write, from_read):
        sent = [wait(1), message("ping", {}, 1), message("ping", {}, 2)]
        os.write(to_write, b"".join(json.dumps(m).encode() + b"\n" for m in sent))
        await until(slow.started.is_set)
        os.close(to_write)
        # Long after the transport has read the end of input.
        asyncio.get_running_loop().call_later(0.2, slow.released.set)
        await asyncio.wait_for(task, BOUND)
        received = os.read(from_read, 64 * 1024)
        os.close(from_read)
    scanner.scan(received, "stdio at the end")
    answers = [json.loads(line) for line in received.splitlines()]
    assert sorted(answer["id"] for answer in answers) == [1, 1, 2]


async def test_a_peer_that_stopped_listening_cancels_what_runs(
    knowledge: KnowledgeBase,
) -> None:
    """The answers are unwanted: the transport ends, its input still open."""
    slow = SlowProvider()
    async with over_pipes(open_app(knowledge, slow)) as (task, to_write, from_read):
        os.write(to_write, json.dumps(wait(1)).encode() + b"\n")
        await until(slow.started.is_set)
        os.close(from_read)
        os.write(to_write, json.dumps(message("ping")).encode() + b"\n")
        await asyncio.wait_for(task, BOUND)
        os.close(to_write)
    assert slow.was_cancelled


async def test_pipes_that_do_not_block_are_waited_for(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """Some clients pass pipes that fail when empty or full."""
    knowledge.write("concepts/long", body="long text\n" * 50_000)
    call = message("resources/read", {"uri": "kb://article/long"})
    app = open_app(knowledge)
    async with over_pipes(app, is_blocking=False) as (task, to_write, from_read):
        for sent in (message("ping"), call):
            with captured() as lines:
                os.write(to_write, json.dumps(sent).encode() + b"\n")
                await until(lambda: len(lines.rows) == 1)
            assert not task.done()
        os.close(to_write)
        received = await asyncio.wait_for(asyncio.to_thread(read_all, from_read), BOUND)
        await asyncio.wait_for(task, BOUND)
    scanner.scan(received, "stdio without blocking")
    pong, article = (json.loads(line) for line in received.splitlines())
    assert pong["result"] == {}
    assert article["result"]["contents"][0]["text"].count("long text") == 50_000


def read_all(source: int) -> bytes:
    """Read two lines from a pipe, and close it."""
    with os.fdopen(source, "rb") as pipe_end:
        return pipe_end.readline() + pipe_end.readline()


@asynccontextmanager
async def over_pipes(
    app: Runtime, *, is_blocking: bool = True
) -> AsyncIterator[tuple[asyncio.Task[None], int, int]]:
    """Run the transport over pipes; yield it and our two ends, to be closed."""
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    for end in (to_read, from_write):
        os.set_blocking(end, is_blocking)
    transport = StdioTransport(app.server, 1_000_000)
    try:
        yield (
            asyncio.ensure_future(transport.run(to_read, from_write)),
            to_write,
            from_read,
        )
    finally:
        os.close(to_read)
        os.close(from_write)


async def test_a_line_is_read_in_the_version_agreed_before_it(
    app: Runtime, scanner: Scanner
) -> None:
    """Even if initialize and the next request come in one chunk."""
    async with pipe(app, scanner) as peer:
        first = json.dumps(initialize()).encode()
        with captured() as lines:
            peer.send(first + b"\n" + json.dumps(message("ping", {}, 2)).encode())
            assert [(await peer.receive())["id"] for _ in "12"] == [1, 2]
            await until(lambda: len(lines.rows) == 2)
    assert [row["version"] for row in lines.rows] == ["2025-11-25", "2025-11-25"]


LIMIT = 50
LINES = st.lists(
    st.binary(max_size=LIMIT * 2).map(lambda line: line.replace(b"\n", b"")), max_size=8
)


@given(lines=LINES, cuts=st.lists(st.integers(0, 400)), ends=st.booleans())
def test_lines_come_out_however_the_bytes_were_cut(
    lines: list[bytes], cuts: list[int], ends: bool
) -> None:
    """Pipes split data anywhere; a line beyond the limit is recognized as one."""
    stream = b"\n".join(lines) + (b"\n" if ends and lines else b"")
    buffer = LineBuffer(LIMIT)
    received: list[bytes | Oversized] = []
    places = [0, *sorted(cut for cut in cuts if cut < len(stream)), len(stream)]
    for start, end in pairwise(places):
        received += buffer.feed(stream[start:end])
    received += buffer.finish()
    expected = stream.split(b"\n")
    if not expected[-1]:
        expected.pop()
    assert received == [
        line if len(line) <= LIMIT else Oversized(line) for line in expected
    ]
