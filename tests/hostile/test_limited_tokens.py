"""Tokens for some of the sources: the others do not exist for their clients.

The oracle is a server that has only these sources: every response is equal, byte for
byte, but for dates and ids.
"""

import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from support.limited import (
    MARKS,
    TOKENS,
    authorize,
    find_marks,
    open_limited,
    write_sources,
)
from support.peers import JSON, VERSIONS, envelope, message, serving
from support.wire import Answer, Wire, ask, dial

from asdlc_kb.app import Runtime
from asdlc_kb.site import page_cache

LIMITED: Final = ("articles", "one", "ship", "mixed", "unknown")
"""Of two trees and two projects one each: the others are their mirror images."""
WORDS: Final = ("harbour", "shared", "lighthouse", *MARKS.values())
TYPOS: Final = tuple(f"{mark[:-2]}x{mark[-1]}" for mark in MARKS.values())
_CHANGING: Final = {"date", "x-request-id", "mcp-session-id"}

_TIME: Final = re.compile(rb"[0-9-]{10}T[0-9:]{8}\.[0-9]{3}\+")
"""The time of a response."""

PAGES: Final = (
    *("/", "/llms.txt", "/llms-full.txt", "/sitemap.xml", "/feed.xml", "/map"),
    *("/connect", "/robots.txt", "/search", "/insights", "/metrics", "/health"),
    *("/ready", "/tags/", "/projects/", "/projects"),
    *(f"/projects/{name}{rest}" for name in MARKS for rest in ("", "/", "?path=a.py")),
    *("/search/index.json", "/mcp/server-card", "/docs/llms.txt", "/-/events"),
    *(f"{top}/old-{mark}" for top in ("", "/docs/one", "/docs/two")
      for mark in MARKS.values()),
    *("/.well-known/mcp.json", "/.well-known/mcp/server-card.json", "/index.md"),
    *("/.well-known/agent-skills/index.json", "/.well-known/api-catalog", "/docs/"),
    *(f"/llms-full-{number}.txt" for number in (1, 2, 3)),
    *(f"/search?q={word}" for word in (*WORDS, *TYPOS)),
    *(f"/-/search.json?q={word}" for word in (*WORDS, *TYPOS)),
    *(f"/search?q=harbour&source={name}" for name in (*MARKS, "docs", "narwhal")),
    *(f"/{name}/{mark}" for name in MARKS for mark in MARKS.values()),
    *(f"/docs/{name}/{word}{suffix}" for name in ("one", "two")
      for word in ("", "shared", *MARKS.values())
      for suffix in ("", "/", ".md", ".png")),
)  # fmt: skip
"""Addresses; those of the website's map are added."""

NAMED: Final[tuple[tuple[str, Mapping[str, Any]], ...]] = (
    *(("search_articles", {"query": word}) for word in (*WORDS, *TYPOS)),
    *(("search_docs", {"query": word}) for word in (*WORDS, *TYPOS)),
    *(("search_docs", {"query": "harbour", "source": name}) for name in MARKS),
    *(("search", {"query": word}) for word in (*WORDS, *TYPOS)),
    *(("get_article", {"slug": f"{mark}-first"}) for mark in MARKS.values()),
    *(("get_article", {"slug": f"{mark}-frist"}) for mark in MARKS.values()),
    *(("get_doc_page", {"path": f"{name}/{MARKS[name]}{suffix}"})
      for name in ("one", "two") for suffix in ("", ".md", "x.md")),
    *(("get_doc_page", {"path": path}) for path in ("shared.md", "index.md", "/")),
    ("list_articles", {}), ("list_doc_pages", {}), ("list_projects", {}),
    *((tool, {"project": name} if name else {})
      for name in ("", "ship", "boat", "narwhal")
      for tool in ("list_rules", "list_commands", "list_skills", "list_specs",
                   "get_project_context", "get_asdlc_artifacts")),
    *((f"get_{kind}", {"name": mark}) for mark in MARKS.values()
      for kind in ("rule", "command", "skill")),
    *(("rules_for_path", {"path": "a.py", "project": name}) for name in MARKS),
)  # fmt: skip
"""Calls of tools, which the server may not have."""


def read_core(answer: Answer) -> tuple[int, Mapping[str, str], bytes]:
    """Return all of a response that the sources decide."""
    kept = {k: v for k, v in answer.headers.items() if k not in _CHANGING}
    return answer.status, kept, _TIME.sub(b"", answer.body)


async def list_calls(wire: Wire) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """Return calls of everything that the server lists to the token for all."""
    found: dict[str, Any] = {}
    for method in ("tools", "resources", "prompts", "resources/templates"):
        answer = await post(wire, "all", VERSIONS[-1], f"{method}/list", {})
        found[method] = answer.json["result"]
    calls: list[tuple[str, Mapping[str, Any]]] = [
        (f"{method}/list", {}) for method in found
    ]
    calls += [
        ("tools/call", {"name": name, "arguments": given}) for name, given in NAMED
    ]
    uris = [resource["uri"] for resource in found["resources"]["resources"]]
    uris += [f"kb://doc/{name}/{MARKS[name]}.md" for name in ("one", "two")]
    uris += [f"kb://article/{mark}-first" for mark in MARKS.values()]
    uris += [f"ace://{name}/rules" for name in ("ship", "boat")]
    uris += ["ace://rules", "ace://skills", "ace://guides", "ace://agents-md"]
    calls += [("resources/read", {"uri": uri}) for uri in uris]
    prompts = [prompt["name"] for prompt in found["prompts"]["prompts"]]
    calls += [("prompts/get", {"name": name}) for name in (*prompts, *MARKS.values())]
    for prefix in ("", "s", *(mark[:3] for mark in MARKS.values())):
        for template in found["resources/templates"]["resourceTemplates"]:
            uri = template["uriTemplate"]
            first = re.findall(r"{[+/?]?(\w+)", uri)[0]
            ref = {"type": "ref/resource", "uri": uri}
            argument = {"name": first, "value": prefix}
            calls.append(("completion/complete", {"ref": ref, "argument": argument}))
    return tuple(calls)


async def post(
    wire: Wire, token: str, version: str, method: str, params: Mapping[str, Any]
) -> Answer:
    """Send a call in a version, without a session."""
    given = dict(params)
    sent = {**JSON, **authorize(token)}
    sent["MCP-Protocol-Version"] = version
    if version == VERSIONS[-1]:
        given["_meta"] = envelope(version)
        sent["Mcp-Method"] = method
        name = given.get("name", given.get("uri"))
        if name is not None:
            sent["Mcp-Name"] = name
    if method == "initialize":
        given |= {"protocolVersion": version, "capabilities": {}}
        given["clientInfo"] = {"name": "tests", "version": "1"}
    body = json.dumps(message(method, given)).encode()
    return await wire.exchange("POST", headers=sent, body=body)


@asynccontextmanager
async def open_both(full: Runtime, alone: Runtime) -> AsyncIterator[tuple[Wire, Wire]]:
    """Connect to a server of all sources, and to one that has only some."""
    async with (
        serving(alone) as expected,
        serving(full) as site,
        dial(site.port) as wire,
        dial(expected.port) as other,
    ):
        yield wire, other


def list_starts() -> Iterator[tuple[str, str]]:
    """Yield each version with the method that names server and instructions."""
    for version in VERSIONS:
        yield version, "server/discover" if version == VERSIONS[-1] else "initialize"


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folders of all sources; every missing page gets suggestions."""
    monkeypatch.setattr(page_cache, "PAUSE", 0.0)
    write_sources(tmp_path)
    return tmp_path


@pytest.mark.parametrize("token", LIMITED)
async def test_a_limited_token_sees_a_server_that_has_only_its_sources(
    sources: Path, token: str
) -> None:
    """D-266: lists of every version, calls of two, twice: caches answer too."""
    alone = open_limited(sources, TOKENS[token], chatgpt_tools=True)
    full = open_limited(sources, chatgpt_tools=True)
    async with open_both(full, alone) as (site, expected):
        calls = await list_calls(site)
        assert len(calls) > 120
        for version, start in list_starts():
            for method, params in ((start, {}), *calls):
                if version not in VERSIONS[-2:] and params:
                    continue
                given = token, version, method, params
                wanted = read_core(await post(expected, *given))
                # An error may repeat the name that it did not find.
                named = find_marks(json.dumps(params).encode(), token)
                for _ in range(2 if method == "tools/call" else 1):
                    answer = await post(site, *given)
                    assert find_marks(answer.body, token) <= named, given
                    assert read_core(answer) == wanted, given


@pytest.mark.parametrize("token", LIMITED)
async def test_a_limited_token_sees_a_website_that_has_only_its_sources(
    sources: Path, token: str
) -> None:
    """D-266: every page, publication and file, as HTML and Markdown, and twice."""
    options: dict[str, Any] = {"project_pages": True, "base_url": "http://localhost"}
    alone = open_limited(sources, TOKENS[token], **options)
    full = open_limited(sources, **options)
    async with open_both(full, alone) as (site, expected):
        sitemap = await site.exchange("GET", "/sitemap.xml", authorize("all"))
        listed = re.findall(rb"<loc>[^<]*//[^/<]+(/[^<]*)</loc>", sitemap.body)
        assert len(listed) > 10
        paths = dict.fromkeys((*PAGES, *map(bytes.decode, listed)))
        for path in paths:
            for accept in ("text/html", "text/markdown"):
                sent = {**authorize(token), "Accept": accept, "Host": "localhost"}
                wanted = read_core(await expected.exchange("GET", path, sent))
                for _ in range(2):
                    answer = await site.exchange("GET", path, sent)
                    requested = path.encode()
                    shown = answer.body.replace(requested, b"")
                    if b"q=" not in requested and answer.status != 404:
                        assert find_marks(shown, token) == set(), path
                    assert read_core(answer) == wanted, path


async def test_two_tokens_in_turn_on_one_connection_share_nothing(
    sources: Path,
) -> None:
    """D-266: with the fast path, whose answers come by the bytes of a request."""
    call = {"name": "list_doc_pages", "arguments": {}}
    body = json.dumps(message("tools/call", call)).encode()
    async with serving(open_limited(sources)) as site, dial(site.port) as wire:
        for _ in range(6):
            for token in ("one", "two", "all", "one", "articles", "two"):
                sent = {**JSON, **authorize(token)}
                await wire.request("POST", headers=sent, body=body)
                answer = await wire.answer()
                assert find_marks(answer.body, token) == set(), token
                for name in ("one", "two"):
                    is_seen = MARKS[name].encode() in answer.body
                    assert is_seen == (name in (TOKENS[token] or MARKS)), token
                await wire.request("GET", "/llms.txt", headers=authorize(token))
                page = await wire.answer()
                assert find_marks(page.body, token) == set(), token
                assert page.status == 200


async def test_health_counts_what_the_token_is_for(sources: Path) -> None:
    """D-267: without a token there are no counts, since they would reveal the rest."""
    async with serving(open_limited(sources)) as site:

        async def ask_health(**sent: str) -> Any:
            return (await ask(site.port, "GET", "/health", sent)).json

        bare = await ask_health()
        assert set(bare) == {"status", "ready", "version"}
        assert await ask_health(Authorization="Bearer akb_wrong") == bare
        everything = await ask_health(**authorize("all"))
        assert (everything["pages"], everything["articles"]) == (6, 3)
        limited = await ask_health(**authorize("one"))
        assert limited["pages"] == 3
        assert "articles" not in limited


async def test_a_limited_token_is_no_observer(sources: Path) -> None:
    """D-267: figures are about all sources, so they do not exist for it."""
    app = open_limited(
        sources, insights_allow=("127.0.0.1",), metrics_allow=("127.0.0.1",)
    )
    async with serving(app) as site:
        for path in ("/insights", "/metrics"):
            assert (await ask(site.port, "GET", path)).status == 200
            assert (await ask(site.port, "GET", path, authorize("all"))).status == 200
            missing = await ask(site.port, "GET", "/nowhere", authorize("one"))
            answer = await ask(site.port, "GET", path, authorize("one"))
            assert read_core(answer) == read_core(missing)
