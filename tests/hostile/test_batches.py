"""Short requests for very long answers: batches, and answers that are not read."""

import asyncio
import json
import os
import re
import socket
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import pytest
from support.attacks import attacking, each, reach
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.peers import EVENTS, JSON, message, open_app, serving
from support.processes import serve_process
from support.wire import BOUND, ask, write_request

from asdlc_kb.mcp.batch_limits import MAX_BATCH_BYTES
from asdlc_kb.web.connections import backlog

ARTICLE_BYTES: Final = 1_500_000
MEMBERS: Final = 50
UNREAD: Final = 8
MAX_RSS_BYTES: Final = 400 * 1024 * 1024
"""For the whole server: all unread answers, and 256 MB of reserve."""

MAX_UNSENT_BYTES: Final = 6_000_000
"""Replaces the limit of a real server."""

HEADERS: Final = {**JSON, "Mcp-Protocol-Version": "2025-03-26"}
READ: Final = {"uri": "kb://article/long"}
BATCH: Final = json.dumps(
    [message("resources/read", READ, number) for number in range(MEMBERS)]
).encode()


def write_long_article(knowledge: KnowledgeBase, size: int = ARTICLE_BYTES) -> None:
    """Add an article of so many bytes, by default as long as a document may be."""
    body = ("word " * 200 + "\n\n") * (size // 1_002)
    knowledge.write("concepts/long", body=body)


def count_rss(pid: int) -> int:
    """Return the memory of a process in bytes."""
    pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


async def test_the_answer_to_a_batch_is_bounded(knowledge: KnowledgeBase) -> None:
    """D-040: 5 KB of a request must not make 95 MB: the excess is refused by id."""
    write_long_article(knowledge)
    async with serving(open_app(knowledge)) as site:
        answer = await ask(site.port, "POST", headers=HEADERS, body=BATCH)
    members: list[Any] = answer.json
    assert [member["id"] for member in members] == list(range(MEMBERS))
    refused = [member["error"] for member in members if "error" in member]
    answered = MEMBERS - len(refused)
    assert answered == MAX_BATCH_BYTES // ARTICLE_BYTES + 1
    assert ["result" in member for member in members[:answered]] == [True] * answered
    assert {error["code"] for error in refused} == {-32603}
    assert refused[0]["data"] == {
        "reason": f"the answers of this batch exceed {MAX_BATCH_BYTES} bytes: "
        "ask for less at once"
    }
    assert len(answer.body) < MAX_BATCH_BYTES + 2 * ARTICLE_BYTES


async def test_other_requests_run_while_a_batch_is_answered(
    knowledge: KnowledgeBase,
) -> None:
    """A member that is answered at once still gives the event loop a turn."""
    server = open_app(knowledge).server
    pings = [message("ping", {}, number) for number in range(MEMBERS)]
    received = server.receive(json.dumps(pings).encode())
    answering = asyncio.ensure_future(server.answer(received))
    turns = 0
    while not answering.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns >= MEMBERS


async def test_unread_answers_to_batches_do_not_fill_the_memory(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """D-060: one batch from each of several addresses, none of which is read."""
    write_long_article(knowledge)
    with serve_process(knowledge.root, scanner=scanner) as served:
        pid = served.running.process.pid
        request = write_request(served.port, "POST", "/mcp", HEADERS, BATCH)
        async with attacking(
            served.port, UNREAD, request, net=9, window=4096
        ) as attackers:
            await each(attackers, lambda one: one.read_first())
            assert (await ask(served.port, "GET", "/health")).status == 200
            assert count_rss(pid) < MAX_RSS_BYTES


async def open_channel(port: int, connection: socket.socket) -> str:
    """Open an HTTP+SSE stream with a small window; return its message address."""
    loop = asyncio.get_running_loop()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.setblocking(False)
    await loop.sock_connect(connection, ("127.0.0.1", port))
    await loop.sock_sendall(connection, write_request(port, "GET", "/mcp", EVENTS))
    received = b""
    while not (found := re.search(rb"data: (/mcp\S+)\n", received)):
        chunk = await asyncio.wait_for(loop.sock_recv(connection, 4096), BOUND)
        assert chunk
        received += chunk
    return found[1].decode()


async def test_unread_answers_are_bounded_together_at_once(
    knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-060: pending bytes of an HTTP+SSE stream count: the slowest one is closed."""
    monkeypatch.setattr(backlog, "MAX_UNSENT_BYTES", MAX_UNSENT_BYTES)
    # Longer ones are no events.
    write_long_article(knowledge, 1_000_000)
    body = json.dumps(message("resources/read", READ)).encode()
    async with serving(open_app(knowledge)) as site:
        manager = site.web.manager
        with ExitStack() as peers:
            for _ in range(3):
                connection = peers.enter_context(socket.socket())
                address = await open_channel(site.port, connection)
                for _ in range(4):
                    sent = await ask(site.port, "POST", address, JSON, body)
                    assert sent.status == 202
                    assert 0 < manager.backlog.size <= MAX_UNSENT_BYTES
            # Three peers leave 12 MB unread; the server buffers one peer's share.
            assert manager.cut.counts == {"too_much_unread": 2}
        await reach(lambda: manager.backlog.size == 0)
