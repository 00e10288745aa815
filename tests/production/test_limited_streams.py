"""Tokens for some of the sources, in servers of several processes.

Workers, and replicas with either bus, share sessions and subscriptions: what passes
between them carries the sources of a token too (D-266).
"""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from support.bus_server import KINDS
from support.canary import Scanner
from support.limited import (
    MARKS,
    authorize,
    find_marks,
    write_sources,
    write_tokens,
)
from support.peers import EVENTS, JSON, VERSIONS, envelope, expect_events, message
from support.processes import serve_process
from support.replicas import replicating
from support.wire import Answer, Wire, dial
from support.workers import find_workers, reaching

LEGACY: Final = "2025-11-25"
LATEST: Final = VERSIONS[-1]
NAMES: Final = ("one", "two")
UPDATED: Final = "notifications/resources/updated"
LIST_CHANGED: Final = "notifications/resources/list_changed"
CONNECTIONS: Final = 12
"""By turns to the first and the second process."""


def name_page(name: str) -> str:
    """Return the URI of the page of a tree that its test changes."""
    return f"kb://doc/{name}/shared.md"


@asynccontextmanager
async def connected(
    kind: str, folder: Path, scanner: Scanner
) -> AsyncIterator[list[Wire]]:
    """Run a server of two processes; yield connections, by turns to each."""
    content = write_sources(folder)
    options = ["--auth-tokens-file", write_tokens(folder)]
    for name in NAMES:
        options += ["--docs", f"{name}={folder / name}"]
    async with AsyncExitStack() as stack:
        if kind == "workers":
            served = stack.enter_context(
                serve_process(content.root, *options, "--workers", "2", scanner=scanner)
            )
            pids = find_workers(served, 2) * (CONNECTIONS // 2)
            yield await stack.enter_async_context(reaching(served.port, pids))
        else:
            replicas = stack.enter_context(
                replicating(content, folder, *options, scanner=scanner, kind=kind)
            )
            ports = replicas.ports * (CONNECTIONS // 2)
            yield [await stack.enter_async_context(dial(port)) for port in ports]


@dataclass
class Client:
    """The clients of one token: connections to both processes, and three streams."""

    name: str
    wires: tuple[Wire, Wire]
    session: str = ""
    path: str = ""
    """The path of its HTTP+SSE channel."""

    @property
    def other(self) -> str:
        """The tree that it may not see."""
        return NAMES[1 - NAMES.index(self.name)]

    async def post(
        self, process: int, method: str, *, path: str = "/mcp", **params: Any
    ) -> Answer:
        """Send a request; its answer must not show another source."""
        sent = {**JSON, **authorize(self.name)}
        if self.session and path == "/mcp":
            sent |= {"Mcp-Session-Id": self.session, "MCP-Protocol-Version": LEGACY}
        body = json.dumps(message(method, params)).encode()
        await self.wires[process].request("POST", path, sent, body)
        answer = await self.wires[process].answer()
        # An answer may repeat what it was asked for.
        assert find_marks(answer.body, self.name) <= find_marks(body, self.name)
        return answer

    async def begin(self) -> None:
        """Open a session in the first process, and subscribe in the second one."""
        info = {"name": "tests", "version": "1"}
        given: dict[str, Any] = {"protocolVersion": LEGACY, "capabilities": {}}
        answer = await self.post(0, "initialize", **given, clientInfo=info)
        self.session = answer.headers["mcp-session-id"]
        answer = await self.post(1, "resources/subscribe", uri=name_page(self.name))
        assert answer.json["result"] == {}
        hidden = await self.post(1, "resources/subscribe", uri=name_page(self.other))
        absent = await self.post(1, "resources/subscribe", uri="kb://doc/x/shared.md")
        assert hidden.body.replace(b"doc/%b/" % self.other.encode(), b"doc/x/") == (
            absent.body
        )

    async def search(self) -> None:
        """Search in both processes: each finds what is in the sources of the token."""
        for process in (0, 1):
            for query in ("harbour", MARKS[self.other]):
                given = {"query": query}
                answer = await self.post(
                    process, "tools/call", name="search_docs", arguments=given
                )
                is_found = MARKS[self.name].encode() in answer.body
                assert is_found == (query == "harbour")

    async def open_stream(self, wire: Wire) -> None:
        """Open the stream of the session."""
        sent = {**authorize(self.name), **EVENTS, "Mcp-Session-Id": self.session}
        await wire.request("GET", headers=sent)
        await expect_events(wire)

    async def listen(self, wire: Wire) -> None:
        """Open a stream of the latest version, for the pages of both trees."""
        wanted = {
            "resourcesListChanged": True,
            "resourceSubscriptions": [name_page(name) for name in NAMES],
        }
        params = {"notifications": wanted, "_meta": envelope(LATEST)}
        sent = {**JSON, **authorize(self.name), **EVENTS}
        sent |= {"MCP-Protocol-Version": LATEST, "Mcp-Method": "subscriptions/listen"}
        body = json.dumps(message("subscriptions/listen", params, "events")).encode()
        await wire.request("POST", headers=sent, body=body)
        await expect_events(wire)
        acknowledged = await wire.notice()
        assert acknowledged["method"] == "notifications/subscriptions/acknowledged"

    async def open_channel(self, wire: Wire) -> None:
        """Open an HTTP+SSE channel, and subscribe through the other process."""
        await wire.request("GET", headers={**authorize(self.name), **EVENTS})
        await expect_events(wire)
        frame = await wire.frame()
        assert frame is not None
        self.path = frame[1].decode()
        info = {"name": "tests", "version": "1"}
        given = {"protocolVersion": "2024-11-05", "capabilities": {}}
        answers: list[Mapping[str, Any]] = [
            {"method": "initialize", **given, "clientInfo": info},
            {"method": "resources/subscribe", "uri": name_page(self.name)},
        ]
        for process, params in enumerate(answers):
            sent = await self.post(process, path=self.path, **params)
            assert sent.status == 202
            assert "result" in await wire.notice()
        done = {**JSON, **authorize(self.name)}
        body = json.dumps(
            {"jsonrpc": "2.0", "method": "notifications/initialized"}
        ).encode()
        await self.wires[0].request("POST", self.path, done, body)
        assert (await self.wires[0].answer()).status == 202


async def expect_own(wire: Wire, name: str) -> None:
    """Read the next event, which is that a page of this tree was updated."""
    event = await wire.notice()
    assert (event["method"], event["params"]["uri"]) == (UPDATED, name_page(name))


@pytest.mark.parametrize("kind", ["workers", *KINDS])
async def test_processes_share_a_session_but_no_sources(
    kind: str, tmp_path: Path, scanner: Scanner
) -> None:
    """Two teams, each with a stream of every kind; one tree changes after another."""
    async with connected(kind, tmp_path, scanner) as wires:
        one = Client("one", (wires[0], wires[1]))
        two = Client("two", (wires[2], wires[3]))
        for client in (one, two):
            await client.search()
            await client.begin()
            await client.search()
        wrong = Client("two", two.wires, one.session)
        for process in (0, 1):
            assert (await wrong.post(process, "ping")).status == 404
        held = {"one": wires[4:7], "two": wires[7:10]}
        for client in (one, two):
            session, listening, channel = held[client.name]
            await client.open_stream(session)
            await client.listen(listening)
            await client.open_channel(channel)
        stray = Client("two", two.wires)
        assert (await stray.post(0, "ping", path=one.path)).status == 404
        (tmp_path / "two" / "new.md").write_text("# New\n")
        for stream in held["two"]:
            assert (await stream.notice())["method"] == LIST_CHANGED
        for name in ("two", "one"):
            page = tmp_path / name / "shared.md"
            page.write_text(f"# Shared\n\nAnother harbour, {MARKS[name]}.\n")
            for stream in held[name]:
                # For the token of the other tree nothing has happened before.
                await expect_own(stream, name)
        await one.open_stream(wires[11])
        assert await held["one"][0].notice() is None
        (tmp_path / "two" / "shared.md").write_text("# Shared\n\nOnce more.\n")
        await expect_own(held["two"][0], "two")
        (tmp_path / "one" / "shared.md").write_text("# Shared\n\nOnce more.\n")
        await expect_own(wires[11], "one")
