"""Views of some of the sources: how they open, close, follow changes and end."""

import asyncio
import gc
import json
import time
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.issuer import configure, sign, write_claims
from support.limited import (
    MARKS,
    authorize,
    open_limited,
    secret,
    write_sources,
)
from support.loglines import captured
from support.peers import BOUND, EVENTS, JSON, message, serving
from support.wire import Answer, ask, dial, until, write_request

from asdlc_kb.app import Runtime
from asdlc_kb.app import source_views as module
from asdlc_kb.app.source_views import OpenSourceViews
from asdlc_kb.mcp.subscriptions.events import PromptsChanged, ToolsChanged
from asdlc_kb.mcp.subscriptions.subscription import Subscription, SubscriptionFilter
from asdlc_kb.ops.auth.bearer_tokens import format_line
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.web.fast_path.request_reader import RequestReader

HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "tests", "version": "1"},
}
ONE = frozenset({"one"})


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """Folders of all sources."""
    write_sources(tmp_path)
    return tmp_path


async def call(port: int, token: str, tool: str, **arguments: Any) -> Answer:
    """Call a tool with a token, given by its name in the file or as it is."""
    params = {"name": tool, "arguments": arguments}
    sent = {**JSON, "Authorization": f"Bearer {token}"}
    body = json.dumps(message("tools/call", params)).encode()
    return await ask(port, "POST", headers=sent, body=body)


async def initialize(port: int, token: str) -> Mapping[str, str]:
    """Begin a session; return the headers of its requests."""
    sent = {**JSON, **authorize(token)}
    body = json.dumps(message("initialize", HELLO)).encode()
    answer = await ask(port, "POST", headers=sent, body=body)
    return {
        **authorize(token),
        "Mcp-Session-Id": answer.headers["mcp-session-id"],
        "MCP-Protocol-Version": "2025-11-25",
    }


def list_pending(app: Runtime) -> list[object]:
    """Return the pending events of all sessions."""
    return [event for each in app.sessions for event in each.subscription.pending]


async def test_a_session_of_other_sources_is_not_found(sources: Path) -> None:
    """D-266: a token of the same name with other sources has other sessions."""
    lines = (
        format_line("ci", secret("one"), ["one"]),
        format_line("ci", secret("two"), ["two"]),
        format_line("ci", secret("all")),
    )
    async with serving(open_limited(sources, lines=lines)) as site:
        session = await initialize(site.port, "one")
        body = json.dumps(message("ping")).encode()
        for token, status in (("one", 200), ("two", 404), ("all", 404)):
            sent = {**JSON, **session, **authorize(token)}
            answer = await ask(site.port, "POST", headers=sent, body=body)
            assert answer.status == status, token
            stream = {**session, **authorize(token), **EVENTS}
            if status == 404:
                answer = await ask(site.port, "GET", headers=stream)
                assert answer.status == status, token


async def test_a_stream_has_only_the_events_of_its_sources(sources: Path) -> None:
    """D-266: a change of another source causes no event at all."""
    app = open_limited(sources)
    async with serving(app) as site:
        session = await initialize(site.port, "one")
        async with dial(site.port) as wire:
            await wire.request("GET", headers={**session, **EVENTS})
            assert (await wire.head()).status == 200
            trees = app.sources.trees
            for tree in (trees[1], trees[0]):
                name = tree.source
                (sources / name / f"new-{MARKS[name]}.md").write_text("# New\n")
                tree.library.load()
                if name == "two":
                    assert list_pending(app) == []
            event = await wire.notice()
            assert event["method"] == "notifications/resources/list_changed"


async def test_jwt_claims_name_sources(sources: Path) -> None:
    """D-266: a list or a text; absent is all, and any other value is rejected."""
    app = open_limited(sources, auth_tokens_file=None, **configure(sources))
    cases: dict[str, tuple[Any, int | None]] = {
        "absent": (None, 6),
        "a list": (["one"], 3),
        "a text": ("one two", 6),
        "a text with unknown names": ("one narwhal", 3),
        "empty": ("", None),
        "no names": ([], None),
        "an object": ({"one": True}, -1),
        "a list of others": (["one", 1], -1),
        "true": (True, -1),
    }
    async with serving(app) as site:
        for case, (claim, pages) in cases.items():
            token = sign(write_claims(time.time(), sources=claim), typ="at+jwt")
            answer = await call(site.port, token, "list_doc_pages")
            if pages == -1:
                assert answer.status == 401, case
            elif pages is None:
                assert "error" in answer.json, case
            else:
                text = answer.json["result"]["content"][0]["text"]
                found = sum(text.count(f"{name}/") > 0 for name in ("one", "two"))
                assert found == pages // 3, case


async def test_an_unknown_name_grants_nothing_and_is_logged_once(
    sources: Path,
) -> None:
    """D-266: the operator sees a misspelt name in the log."""
    async with serving(open_limited(sources)) as site:
        with captured("asdlc_kb.app.source_views") as lines:
            for _ in range(3):
                answer = await ask(site.port, "GET", "/llms.txt", authorize("unknown"))
                assert answer.status == 200
        assert [row["source"] for row in lines.rows] == ["narwhal"]


async def test_the_least_recently_used_view_is_closed(sources: Path) -> None:
    """D-267: views are bounded; a closed one opens again, and its clients reread."""
    app = open_limited(sources)
    async with serving(app) as site:
        context = site.context
        views = OpenSourceViews(app, max_views=2)
        first = await views.open(context, ONE)
        assert await views.open(context, ONE) is first
        listening = Subscription(SubscriptionFilter(tools=True), sources=ONE)
        app.sessions.bus.subscribe(listening)
        for name in ("two", "boat"):
            await views.open(context, frozenset({name}))
        assert views.find(context, ONE) is None
        assert not views.is_of(first, ONE)
        assert list(listening.pending) == [ToolsChanged()]
        again = await views.open(context, ONE)
        assert again is not first
        assert views.is_of(again, ONE)
        await views.close()


async def test_the_streams_of_a_closed_view_go_on(sources: Path) -> None:
    """D-267: clients that return at once would close the views of each other."""
    app = open_limited(sources)
    trees = app.sources.trees
    async with serving(app) as site:
        views = site.context.views
        assert isinstance(views, OpenSourceViews)
        views._max_views = 1
        before = [library._listeners for library in app.sources.libraries]
        session = await initialize(site.port, "one")
        async with dial(site.port) as wire:
            await wire.request("GET", headers={**session, **EVENTS})
            assert (await wire.head()).status == 200
            for name in ("opened again", "closed"):
                with captured("asdlc_kb.app.source_views") as lines:
                    await call(site.port, secret("two"), "list_doc_pages")
                assert [row["open"] for row in lines.rows] == [1] * (name != "closed")
                assert views.find(site.context, ONE) is None
                (sources / "one" / f"{name}.md").write_text(f"# {name}\n")
                trees[0].library.load()
                event = await wire.notice()
                assert event["method"] == "notifications/resources/list_changed"
                await call(site.port, secret("one"), "list_doc_pages")
        await until(lambda: not app.sessions.bus.has_stream(lambda given: True))
        for names in (frozenset({"two"}), frozenset({"boat"})):
            await views.open(site.context, names)
        assert set(views._feeds) == {frozenset({"boat"})}
        await views.close()
        assert [library._listeners for library in app.sources.libraries] == before


async def test_the_fast_path_forgets_a_closed_view(sources: Path) -> None:
    """D-267: it holds no memory, and answers by the one that opens next."""
    app = open_limited(sources)
    async with serving(app) as site:
        views, reader = site.context.views, site.context.state.manager.fast_path
        assert isinstance(views, OpenSourceViews)
        assert isinstance(reader, RequestReader)
        views._max_views = 1
        sent = {**JSON, **authorize("one")}
        params = {"name": "list_doc_pages", "arguments": {}}
        body = json.dumps(message("tools/call", params)).encode()
        block = write_request(site.port, "POST", "/mcp", sent, body)

        async def read_with(token: str) -> Any:
            await call(site.port, secret(token), "list_doc_pages")
            head = reader.read_head(block)
            return None if head is None else head.responder

        first = await read_with("one")
        assert first is await read_with("one")
        declined = await read_with("two")
        again = await read_with("one")
        assert len({first, declined, again}) == 3
        assert again.respond(body, "127.0.0.1") is not None
        assert first.respond(body, "127.0.0.1") is None
        assert declined.respond(body, "127.0.0.1") is None


async def test_a_token_that_names_all_sources_shares_the_view_of_all(
    sources: Path,
) -> None:
    """D-267: it costs nothing, and it receives every event."""
    app = open_limited(sources)
    async with serving(app) as site:
        every = frozenset(MARKS)
        views = site.context.views
        assert views is not None
        assert await views.open(site.context, every) is site.context
        assert views.is_of(site.context, every)
        listening = Subscription(SubscriptionFilter(prompts=True), sources=every)
        app.sessions.bus.subscribe(listening)
        app.publisher.publish([PromptsChanged()])
        assert list(listening.pending) == [PromptsChanged()]


async def test_changes_of_a_project_reach_the_view_under_its_own_uris(
    sources: Path,
) -> None:
    """D-267: the first project of a view has the URIs of a first project."""
    app = open_limited(sources)
    async with serving(app) as site:
        views = site.context.views
        assert views is not None
        boat = frozenset({"boat"})
        await views.open(site.context, boat)
        wanted = SubscriptionFilter()
        wanted.add_uri("ace://agents-md", "ace://agents-md")
        listening = Subscription(wanted, sources=boat)
        app.sessions.bus.subscribe(listening)
        guide = sources / "boat" / "AGENTS.md"
        guide.write_text("# Another guide\n")
        await until(lambda: bool(list(listening.pending)))


async def test_a_task_of_a_view_that_fails_ends_the_server(
    sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As any other background task."""

    async def fail(self: Indexer) -> None:
        raise ZeroDivisionError

    app = open_limited(sources)
    async with serving(app) as site:
        views = site.context.views
        assert views is not None
        monkeypatch.setattr(Indexer, "run", fail)
        await views.open(site.context, ONE)
        await asyncio.wait_for(app.background.failed.wait(), BOUND)
    with pytest.raises(ZeroDivisionError):
        app.background.raise_failure()


async def test_a_closed_view_is_let_go(
    sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-267: neither its listeners nor its index stay, also if it could not open."""
    app = open_limited(sources)
    libraries = app.sources.libraries
    async with serving(app) as site:
        before = [library._listeners for library in libraries]
        views = OpenSourceViews(app, max_views=1)
        kept: list[weakref.ref[Indexer]] = []
        for names in (ONE, frozenset({"two"}), frozenset({"one", "articles"})):
            await views.open(site.context, names)
            assert [library._listeners for library in libraries] != before
            kept += map(weakref.ref, views._views[names].indexers)
        await views.close()
        assert len(kept) == 3
        with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
            patch.setattr(module, "make_server", lambda *_, **__: 1 / 0)
            await views.open(site.context, ONE)
        assert [library._listeners for library in libraries] == before

        def are_gone() -> bool:
            gc.collect()
            return not any(reference() for reference in kept)

        await until(are_gone)
