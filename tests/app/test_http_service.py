"""New settings come into force while a server serves."""

import asyncio
import json
import logging
import weakref
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.docs import DocsTree
from support.knowledge import Drafts, KnowledgeBase
from support.loglines import captured
from support.peers import JSON, envelope, message, open_app
from support.wire import BOUND, Wire, ask, dial, until

from asdlc_kb.app import Runtime
from asdlc_kb.app.http_service import (
    HttpService,
    load,
    preserve_restart_only,
    warn_restart_only,
)
from asdlc_kb.exceptions import SettingsError
from asdlc_kb.ops.auth.bearer_tokens import format_line
from asdlc_kb.ops.metrics.definitions import SETTINGS_RELOADS
from asdlc_kb.ops.process.allocator import refreeze_gc
from asdlc_kb.settings import Settings
from asdlc_kb.web.http_server import open_sockets

LEGACY = "2025-11-25"


@asynccontextmanager
async def in_service(app: Runtime) -> AsyncIterator[HttpService]:
    """Serve an application on a free port, with its background tasks."""
    level = logging.getLogger().level
    service = HttpService(app, open_sockets("127.0.0.1", 0))
    del app
    try:
        yield service
    finally:
        logging.getLogger().setLevel(level)
        await asyncio.wait_for(service.stop(), BOUND)


def others(app: Runtime, **given: Any) -> Callable[[], Settings]:
    """Return a reader of an application's settings, some of them changed."""
    return lambda: msgspec.structs.replace(app.settings, **given)


@pytest.fixture
def docs(tmp_path: Path) -> DocsTree:
    """A tree of documentation."""
    return DocsTree(tmp_path / "docs")


async def call(wire: Wire, method: str, **params: Any) -> Any:
    """Make a stateless call on a connection; return its answer."""
    sent = message(method, {**params, "_meta": envelope("2026-07-28")})
    headers = {**JSON, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
    if "name" in params:
        headers["Mcp-Name"] = params["name"]
    await wire.request("POST", headers=headers, body=json.dumps(sent).encode())
    return (await wire.answer()).json


async def test_settings_are_in_force_for_the_next_request_of_any_connection(
    app: Runtime,
) -> None:
    """D-095: a connection from before uses the runtime of afterwards."""
    async with in_service(app) as service, dial(service.port) as wire:
        for _ in range(2):
            # The second answer is remembered: it takes the short way.
            before = await call(wire, "tools/list")
            assert before["result"]["ttlMs"] > 0
        assert await service.reload(others(app, dev=True))
        after = await call(wire, "tools/list")
        assert after["result"]["ttlMs"] == 0
        async with dial(service.port) as fresh:
            again = await call(fresh, "tools/list")
        assert again["result"]["ttlMs"] == 0


async def test_a_reload_changes_the_look_of_the_website(app: Runtime) -> None:
    """A look that cannot be used changes nothing."""
    async with in_service(app) as service, dial(service.port) as wire:
        pages = []
        for accent, is_accepted in ((None, True), ("teal", False), ("#7c3aed", True)):
            assert await service.reload(others(app, accent=accent)) is is_accepted
            await wire.request("GET", "/")
            pages.append((await wire.answer()).body)
    assert pages[0] == pages[1]
    assert b"/-/custom." not in pages[1]
    assert b"/-/custom." in pages[2]


async def test_a_capacity_is_in_force_for_the_next_connection(app: Runtime) -> None:
    """D-095: open connections stay and count, and a proxy may have any number."""
    async with in_service(app) as service, dial(service.port) as one:
        assert (await call(one, "server/discover"))["result"]
        assert await service.reload(others(app, max_connections_per_client=1))
        async with dial(service.port) as two:
            assert (await two.answer()).status == 503
        trusting = others(
            app, max_connections_per_client=1, trusted_proxy=("127.0.0.1",)
        )
        assert await service.reload(trusting)
        async with dial(service.port) as three:
            for wire in (one, three):
                assert (await call(wire, "server/discover"))["result"]


async def test_what_is_read_stays_where_its_settings_are_the_same(app: Runtime) -> None:
    """D-095: reloading a limit reads no article again and opens no index twice."""
    async with in_service(app) as service:
        before = service.app
        await service.reload(others(app, instructions="Read me."))
        assert service.app is not before
        assert service.app.sources is app.sources
        assert service.app.indexers == app.indexers


async def open_session(wire: Wire, proof: Mapping[str, str] | None = None) -> str:
    """Shake hands; return the id of the session."""
    sent = {**JSON, **(proof or {})}
    client = {"name": "tests", "version": "1"}
    hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": client}
    body = json.dumps(message("initialize", hello)).encode()
    await wire.request("POST", headers=sent, body=body)
    session = (await wire.answer()).headers["mcp-session-id"]
    done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    headers = {**sent, "Mcp-Session-Id": session}
    await wire.request("POST", headers=headers, body=json.dumps(done).encode())
    assert (await wire.answer()).status == 202
    return session


async def end(stream: Wire) -> None:
    """Wait for the end of a stream that gets no further event."""
    while (frame := await stream.frame()) is not None:
        assert frame[0] == ""


@pytest.mark.parametrize("was_open", [False, True])
async def test_a_stream_ends_with_the_token_that_opened_it(
    knowledge: KnowledgeBase, tmp_path: Path, was_open: bool
) -> None:
    """D-122: a stream ends when its token is revoked, or if it was opened without one.

    A new token of the same name is a different token.
    """
    before, after = tmp_path / "before", tmp_path / "after"
    before.write_text(
        "".join(f"{format_line(name, name)}\n" for name in ("ada", "bob"))
    )
    after.write_text(f"{format_line('ada', 'another')}\n{format_line('bob', 'bob')}\n")
    app = open_app(knowledge, auth_tokens_file=None if was_open else str(before))
    async with in_service(app) as service, AsyncExitStack() as stack:
        streams = []
        for name in ("ada", "bob"):
            proof = {} if was_open else {"Authorization": f"Bearer {name}"}
            async with dial(service.port) as wire:
                session = await open_session(wire, proof)
            stream = await stack.enter_async_context(dial(service.port))
            headers = {"Accept": "text/event-stream", "Mcp-Session-Id": session}
            await stream.request("GET", headers=headers | proof)
            assert (await stream.head()).status == 200
            streams.append(stream)
        assert await service.reload(others(app, auth_tokens_file=str(after)))
        ada, bob = streams
        await end(ada)
        if was_open:
            await end(bob)
        else:
            for _ in range(3):
                assert await bob.notice()
            knowledge.write("patterns/brand-new")
            assert await bob.notice()


@pytest.mark.parametrize("is_reloaded", [False, True])
async def test_sessions_and_streams_live_on_and_hear_that_lists_may_differ(
    knowledge: KnowledgeBase, docs: DocsTree, is_reloaded: bool
) -> None:
    """D-095: no client has to repeat the handshake, and clients ask for what is new."""
    app = open_app(knowledge)
    given = {"docs": (str(docs.root),)} if is_reloaded else {"instructions": "New."}
    async with (
        in_service(app) as service,
        dial(service.port) as wire,
        dial(service.port) as stream,
    ):
        session = await open_session(wire)
        headers = {"Accept": "text/event-stream", "Mcp-Session-Id": session}
        await stream.request("GET", headers=headers)
        assert (await stream.head()).status == 200
        assert await service.reload(others(app, **given))
        told = {(await stream.notice())["method"] for _ in range(3)}
        assert told == {
            f"notifications/{kind}/list_changed"
            for kind in ("tools", "prompts", "resources")
        }
        sent = json.dumps(message("tools/list")).encode()
        headers = {**JSON, "Mcp-Session-Id": session}
        await wire.request("POST", headers=headers, body=sent)
        names = {tool["name"] for tool in (await wire.answer()).json["result"]["tools"]}
        assert ("search_docs" in names) is is_reloaded
        # And what changes from here on is still told, by whoever watches now.
        knowledge.write("patterns/brand-new")
        while (await stream.notice())["method"] != "notifications/tools/list_changed":
            pass


async def test_other_content_is_served_and_followed(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """D-095: another folder is loaded before any request is answered from it."""
    other = KnowledgeBase(tmp_path / "other")
    other.write("concepts/fresh")
    app = open_app(knowledge)
    async with in_service(app) as service, dial(service.port) as wire:
        assert await service.reload(others(app, content=str(other.root)))
        found = await call(
            wire, "tools/call", name="get_article", arguments={"slug": "fresh"}
        )
        assert not found["result"].get("isError")
        other.write("concepts/later")
        articles = service.app.sources.articles
        assert articles is not None
        await until(lambda: articles.catalog.get_or_none("later") is not None)
        names = [repr(task.get_coro()) for task in asyncio.all_tasks()]
        assert len([name for name in names if "Watcher.run" in name]) == 1


async def test_an_index_on_disk_is_handed_over(
    knowledge: KnowledgeBase, docs: DocsTree, tmp_path: Path
) -> None:
    """D-090: one process has a folder of indexes at a time, here with two runtimes."""
    docs.write("guide/plover.md", "# Plover\n\nA bird of the shore.\n")
    cache = str(tmp_path / "cache")
    app = open_app(knowledge, docs=docs, cache_dir=cache)
    async with in_service(app) as service, dial(service.port) as wire:
        asked = {"name": "search_docs", "arguments": {"query": "shore"}}
        before = await call(wire, "tools/call", **asked)
        assert "plover" in json.dumps(before["result"])
        with captured("asdlc_kb.search") as lines:
            assert await service.reload(others(app, snippet_length=50))
            after = await call(wire, "tools/call", **asked)
        assert "plover" in json.dumps(after["result"])
        events = [row["event"] for row in lines.rows]
        assert "index opened" in events
        assert "index kept in memory only" not in events


def wrong_file() -> Settings:
    """Read settings one of which is wrong."""
    raise SettingsError("invalid setting: Expected `int`, got `str` - at `port`")


def broken() -> Settings:
    """Fail unexpectedly."""
    raise ZeroDivisionError


@pytest.mark.parametrize("read", [wrong_file, broken])
async def test_wrong_settings_change_nothing(
    app: Runtime, read: Callable[[], Settings]
) -> None:
    """D-095: wrong settings leave the old ones in force; one line has the reason."""
    async with in_service(app) as service:
        before = service.app
        with captured("asdlc_kb.app") as lines:
            assert not await service.reload(read)
        assert service.app is before
        (row,) = lines.rows
        assert row["level"] == "error"
        assert (await ask(service.port, "GET", "/health")).status == 200


@pytest.mark.parametrize("name", ["content", "docs", "project"])
async def test_a_folder_that_is_not_there_changes_nothing(
    app: Runtime, tmp_path: Path, name: str
) -> None:
    """D-095: a running server is not replaced by one that cannot serve."""
    absent = str(tmp_path / "absent")
    given: Any = absent if name == "content" else (absent,)
    async with in_service(app) as service:
        before = service.app
        with captured("asdlc_kb.app") as lines:
            assert not await service.reload(others(app, **{name: given}))
        assert service.app is before
        (row,) = lines.rows
        assert (row["event"], absent in row["reason"]) == ("reload refused", True)
        assert (await ask(service.port, "GET", "/ready")).status == 200


def test_an_address_cannot_change_while_it_is_served() -> None:
    """D-095: one warning for each such setting; the others come into force."""
    with captured("asdlc_kb.app") as lines:
        after = Settings(host="::1", port=1, dev=True)
        warn_restart_only(Settings(), after)
    assert preserve_restart_only(Settings(), after) == Settings(dev=True)
    assert [(row["level"], row["setting"]) for row in lines.rows] == [
        ("warning", "host"),
        ("warning", "port"),
    ]


async def test_the_least_important_line_is_another_one(app: Runtime) -> None:
    """D-095: `log_level` too."""
    async with in_service(app) as service:
        assert await service.reload(others(app, log_level="error"))
        assert logging.getLogger().level == logging.ERROR


async def test_the_server_is_called_otherwise_from_the_next_request(
    app: Runtime,
) -> None:
    """D-095: on pages and over MCP, where results are cached."""
    async with in_service(app) as service, dial(service.port) as wire:
        for name in ("ASDLC Knowledge Base", "Herons"):
            for _ in range(2):
                told = (await call(wire, "server/discover"))["result"]["_meta"]
                assert told["io.modelcontextprotocol/serverInfo"]["title"] == name
            await wire.request("GET", "/llms.txt")
            assert (await wire.answer()).body.startswith(f"# {name}\n".encode())
            assert await service.reload(others(app, title="Herons"))


async def test_a_page_in_development_listens_to_the_next_application(
    tmp_path: Path,
) -> None:
    """D-095: a stream to the former pages ends, and browsers open another."""
    app = open_app(Drafts(tmp_path / "mine"), dev=True)
    other = Drafts(tmp_path / "other")
    async with in_service(app) as service, dial(service.port) as wire:
        await wire.request("GET", "/-/events")
        assert (await wire.head()).status == 200
        assert await wire.chunk()
        assert await service.reload(others(app, content=str(other.root)))
        while await wire.chunk():
            pass


async def test_what_was_replaced_is_let_go(
    knowledge: KnowledgeBase, docs: DocsTree
) -> None:
    """D-095: neither the content nor streams that stay open keep the old runtime."""
    app = open_app(knowledge)
    gone = weakref.ref(app.sources.articles)
    async with (
        in_service(app) as service,
        dial(service.port) as channel,
        dial(service.port) as wire,
        dial(service.port) as stream,
    ):
        await load(app)
        await channel.request("GET", headers={"Accept": "text/event-stream"})
        assert (await channel.head()).status == 200
        session = await open_session(wire)
        headers = {"Accept": "text/event-stream", "Mcp-Session-Id": session}
        await stream.request("GET", headers=headers)
        assert (await stream.head()).status == 200
        wire.close()
        reader = others(app, docs=(str(docs.root),))
        del app
        assert await service.reload(reader)
        del reader

        def is_gone() -> bool:
            refreeze_gc()
            return gone() is None

        await until(is_gone)


async def test_reloads_are_counted_by_how_they_ended(
    app: Runtime, tmp_path: Path
) -> None:
    """An operator sees in the metrics that new settings were rejected."""

    def count() -> list[int]:
        numbers = app.telemetry.metrics.read()
        return [
            numbers[f"{SETTINGS_RELOADS.name}\t{outcome}"]
            for outcome in ("ok", "error")
        ]

    before = count()
    async with in_service(app) as service:
        assert await service.reload(others(app, dev=True))
        absent = str(tmp_path / "absent")
        for _ in range(2):
            assert not await service.reload(others(app, content=absent))
        assert not await service.reload(broken)
    assert [after - then for after, then in zip(count(), before, strict=True)] == [1, 3]
