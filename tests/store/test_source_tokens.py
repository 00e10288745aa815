"""Tokens for some of the sources of a store: they name them as `source list` does."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from store.ingesting import Ingester
from support.canary import Scanner
from support.limited import MARKS, secret, write_sources, write_tokens
from support.peers import EVENTS, JSON, expect_events, message
from support.processes import serve_process
from support.wire import Answer, ask, dial

from asdlc_kb.ops.auth.bearer_tokens import format_line

MARK_OF = {"articles": MARKS["articles"], "one": MARKS["one"], "docs": MARKS["two"]}
"""The mark of each source, by its name in the store."""
TOKENS = (*MARK_OF, "late")
PATHS = ("/", "/llms.txt", "/llms-full.txt", "/-/search.json?q=harbour")
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "tests", "version": "1"},
}


class Stored(NamedTuple):
    """Folders, the database that they are written to, and options of its server."""

    folder: Path
    ingester: Ingester
    options: tuple[str, ...]

    def ingest(self) -> None:
        """Write articles, a named tree and the unnamed one."""
        self.ingester.write(self.folder / "content")
        self.ingester.write(self.folder / "one", "one", "docs", {"tree": "one"})
        self.ingester.write(self.folder / "two", "docs", "docs", {"tree": ""})


@pytest.fixture
def stored(tmp_path: Path, database: str) -> Stored:
    """Three sources, and a token for each and for one that does not exist yet."""
    write_sources(tmp_path)
    lines = [format_line(name, secret(name), [name]) for name in TOKENS]
    options = ("--store", database, "--auth-tokens-file", write_tokens(tmp_path, lines))
    cache = ("--cache-dir", str(tmp_path / "cache"))
    written = Stored(tmp_path, Ingester(database), (*options, *cache))
    written.ingest()
    return written


def find_seen(data: bytes) -> set[str]:
    """Return the sources whose marks are in bytes."""
    folded = data.lower()
    return {name for name, mark in MARK_OF.items() if mark.encode() in folded}


def bearer(token: str) -> dict[str, str]:
    """Return the header of a token."""
    return {"Authorization": f"Bearer {secret(token)}"}


async def get(port: int, token: str, path: str) -> Answer:
    """Return the response to a request with a token."""
    return await ask(port, "GET", path, bearer(token))


async def post(port: int, method: str, headers: Any, **params: Any) -> Answer:
    """Return the response to a message."""
    body = json.dumps(message(method, params)).encode()
    return await ask(port, "POST", headers={**JSON, **headers}, body=body)


async def wait_for(port: int, token: str, path: str, text: str) -> None:
    """Wait until a page has a text."""
    while text.encode() not in (await get(port, token, path)).body:
        pass


async def test_a_token_names_sources_of_the_store(
    stored: Stored, scanner: Scanner
) -> None:
    """D-266: pages, search and tools; the unnamed tree is the source `docs`."""
    serving = serve_process(None, *stored.options, scanner=scanner, cwd=stored.folder)
    with serving as served:
        for token in TOKENS:
            seen = {token} & set(MARK_OF)
            for path in PATHS:
                page = await get(served.port, token, path)
                assert page.status == 200
                # The search index has other pages than llms.txt, but never others'.
                assert find_seen(page.body) <= seen, (token, path)
            listed = await get(served.port, token, "/llms.txt")
            assert find_seen(listed.body) == seen
            for tool in ("search_docs", "search_articles"):
                given = {"name": tool, "arguments": {"query": "harbour"}}
                answer = await post(served.port, "tools/call", bearer(token), **given)
                is_own = (tool == "search_articles") == (token == "articles")
                assert find_seen(answer.body) == (seen if is_own else set()), token
            assert (await get(served.port, token, "/metrics")).status == 404
        bare = (await ask(served.port, "GET", "/health")).json
        assert set(bare) == {"status", "ready", "version", "store"}
        assert set(bare["store"]) == {"reachable", "secondsSinceContact"}
        assert (await get(served.port, "one", "/health")).json["pages"] == 3


async def test_changes_of_the_store_reach_only_their_tokens(
    stored: Stored, scanner: Scanner
) -> None:
    """D-266: snapshots of other sources cause no event; a new source is granted."""
    serving = serve_process(None, *stored.options, scanner=scanner, cwd=stored.folder)
    with serving as served:
        begun = await post(served.port, "initialize", bearer("one"), **HELLO)
        session = {
            **bearer("one"),
            "Mcp-Session-Id": begun.headers["mcp-session-id"],
            "MCP-Protocol-Version": "2025-11-25",
        }
        uri = "kb://doc/one/shared.md"
        await post(served.port, "resources/subscribe", session, uri=uri)
        async with dial(served.port) as wire:
            await wire.request("GET", headers={**session, **EVENTS})
            await expect_events(wire)
            before = (await get(served.port, "one", "/llms-full.txt")).body
            for tree in ("two", "one"):
                page = stored.folder / tree / "shared.md"
                page.write_text(f"# Shared\n\nWritten for {tree}.\n")
                (stored.folder / "two" / f"more-{tree}.md").write_text("# More\n")
                stored.ingest()
                token = "docs" if tree == "two" else "one"
                path = "/docs/shared.md" if tree == "two" else "/docs/one/shared.md"
                await wait_for(served.port, token, path, f"Written for {tree}")
                if tree == "two":
                    after = (await get(served.port, "one", "/llms-full.txt")).body
                    assert after == before
            event = await wire.notice()
            assert event["method"] == "notifications/resources/updated"
            assert event["params"]["uri"] == uri
        assert (await get(served.port, "late", "/docs/late/")).status == 404
        two = stored.folder / "two"
        stored.ingester.write(two, "late", "docs", {"tree": "late"})
        await wait_for(served.port, "late", "/docs/late/shared.md", "Written for two")
        assert (await get(served.port, "one", "/docs/late/shared.md")).status == 404
