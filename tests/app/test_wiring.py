"""Composition of a configuration."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from support.docs import HIDDEN_COUNT as HIDDEN_PAGES
from support.docs import DocsTree
from support.knowledge import HIDDEN_COUNT, VISIBLE_COUNT, KnowledgeBase
from support.peers import VERSIONS, Peer, http_peer, message, open_app, serving
from support.shelf import SampleProvider
from support.wire import ask

from asdlc_kb.app import Runtime
from asdlc_kb.app.instructions import ARTICLES, DOCS
from asdlc_kb.cli.serve import startup_banner

STATELESS = VERSIONS[-1]


TTL = {
    "server/discover": 300_000,
    "tools/list": 300_000,
    "prompts/list": 300_000,
    "resources/templates/list": 300_000,
    "resources/list": 60_000,
}
"""Milliseconds that a client may cache a result (D-036)."""


@pytest.mark.parametrize("method", TTL)
@pytest.mark.parametrize("dev", [False, True])
async def test_caching_hints_are_off_in_development(
    knowledge: KnowledgeBase, method: str, dev: bool
) -> None:
    """D-036: five minutes, one for resources, none with `--dev`."""
    async with http_peer(open_app(knowledge, dev=dev), STATELESS) as peer:
        result = await peer.result(method)
    assert result["ttlMs"] == (0 if dev else TTL[method])
    assert result["cacheScope"] == "public"


@pytest.mark.parametrize("version", VERSIONS)
async def test_tool_failures_can_be_protocol_errors(
    knowledge: KnowledgeBase, version: str
) -> None:
    """D-004: -32602 with the slug as data, where the operator configures it."""
    app = open_app(knowledge, tool_errors="protocol")
    call = {"name": "get_article", "arguments": {"slug": "known-draft"}}
    async with http_peer(app, version) as peer:
        error = await peer.error("tools/call", call)
    assert error == {
        "code": -32602,
        "message": "Article 'known-draft' not found",
        "data": {"slug": "known-draft"},
    }


async def test_further_providers_come_after_the_articles(
    knowledge: KnowledgeBase,
) -> None:
    """A configured source adds its tools; the articles stay first."""
    async with http_peer(open_app(knowledge, SampleProvider()), STATELESS) as peer:
        listed = await peer.result("tools/list")
    names = [tool["name"] for tool in listed["tools"]]
    assert names[:3] == ["list_articles", "get_article", "search_articles"]
    assert names[3:] == ["echo", "fail", "break", "count", "mirror"]


@pytest.mark.parametrize(
    ("given", "host", "origin", "status"),
    [
        ({}, "kb.example.com", None, 403),
        ({"allow_host": ("kb.example.com",)}, "kb.example.com", None, 200),
        ({"base_url": "https://kb.example.com"}, "kb.example.com", None, 200),
        ({}, "127.0.0.1", "https://app.example.com", 403),
        (
            {"allow_origin": ("https://app.example.com",)},
            "127.0.0.1",
            "https://app.example.com",
            200,
        ),
    ],
)
async def test_the_gate_is_set_as_configured(
    knowledge: KnowledgeBase,
    given: dict[str, Any],
    host: str,
    origin: str | None,
    status: int,
) -> None:
    """The specification, basic/transports: Host and Origin allow-lists."""
    headers = {"Host": host} | ({"Origin": origin} if origin else {})
    async with serving(open_app(knowledge, **given)) as site:
        answer = await ask(site.port, "GET", "/health", headers)
    assert answer.status == status


async def test_bodies_are_limited_as_configured(knowledge: KnowledgeBase) -> None:
    """D-054: `max_body` bytes, then 413."""
    async with serving(open_app(knowledge, max_body=1024)) as site:
        small = await site.post(message("ping"))
        large = await site.post(message("ping", {"x": "y" * 1024}))
    assert (small.code, large.code) == (200, 413)


ARTICLE_TOOLS = ["list_articles", "get_article", "search_articles"]
DOCS_TOOLS = ["search_docs", "get_doc_page", "list_doc_pages"]


@pytest.fixture
def tree(tmp_path: Path) -> DocsTree:
    """A tree of two visible pages."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("index.md", "# Welcome\n\nA pelican.\n")
    tree.write("guide/heron.md", "# Herons\n\n" + "a heron wades and waits " * 100)
    return tree


Open = Callable[..., Runtime]


@pytest.fixture(params=["articles", "docs", "articles+docs"])
def served(request: pytest.FixtureRequest) -> frozenset[str]:
    """The sources: each kind alone, and both."""
    return frozenset(request.param.split("+"))


@pytest.fixture
def open_served(
    served: frozenset[str], knowledge: KnowledgeBase, tree: DocsTree
) -> Open:
    """Open an application with these sources."""

    def run(**given: Any) -> Runtime:
        content = knowledge if "articles" in served else None
        docs = tree if "docs" in served else None
        return open_app(content, docs=docs, **given)

    return run


Connect = Callable[[Runtime], AbstractAsyncContextManager[Peer]]


async def test_what_is_served_is_offered_and_nothing_else(
    served: frozenset[str], open_served: Open, connect: Connect
) -> None:
    """Each kind adds its tools and templates; articles add prompts too."""
    async with connect(open_served()) as peer:
        tools = (await peer.result("tools/list"))["tools"]
        resources = (await peer.result("resources/list"))["resources"]
        found = await peer.result("resources/templates/list")
        prompts = (await peer.result("prompts/list"))["prompts"]
    expected = ARTICLE_TOOLS if "articles" in served else []
    expected = expected + (DOCS_TOOLS if "docs" in served else [])
    assert [tool["name"] for tool in tools] == expected
    hosts = {r["uri"].split("/")[2] for r in resources}
    kinds = {"articles": "article", "docs": "doc"}
    assert hosts == {kinds[kind] for kind in served}
    assert len(found["resourceTemplates"]) == len(served)
    assert bool(prompts) is ("articles" in served)


async def test_clients_are_told_of_what_is_served(
    served: frozenset[str], open_served: Open
) -> None:
    """No instruction names a tool that is not there."""
    async with http_peer(open_served(), STATELESS) as peer:
        told = (await peer.result("server/discover"))["instructions"]
    for kind, text in (("articles", ARTICLES), ("docs", DOCS)):
        # Topics may follow the first sentence.
        assert (text.partition(". ")[2] in told) is (kind in served)
    for kind, tools in (("articles", ARTICLE_TOOLS), ("docs", DOCS_TOOLS)):
        assert any(tool in told for tool in tools) is (kind in served)


async def test_health_counts_each_kind(
    served: frozenset[str], open_served: Open
) -> None:
    """Numbers of visible items; hidden ones are not counted."""
    async with serving(open_served()) as site:
        health = (await ask(site.port, "GET", "/health")).json
        assert (await ask(site.port, "GET", "/ready")).status == 200
    counts = {"articles": VISIBLE_COUNT, "pages": 2}
    kinds = {"articles": "articles", "docs": "pages"}
    expected = {kinds[kind]: counts[kinds[kind]] for kind in served}
    assert {key: health[key] for key in counts if key in health} == expected
    assert "hidden" not in health
    assert health["ready"] is True


def test_the_operator_is_told_what_is_served(
    served: frozenset[str], open_served: Open
) -> None:
    """One line for each source: how many are served and hidden, and from where."""
    app = open_served()
    lines = startup_banner(app, 8420).splitlines()[3:-1]
    expected = []
    unknown = ", 1 of them without a known status"
    if app.sources.articles is not None:
        root = app.sources.articles.root
        counts = f"{VISIBLE_COUNT} served, {HIDDEN_COUNT} hidden{unknown}"
        expected.append(f"  Articles  {counts} ({root})")
    if app.sources.docs is not None:
        counts = f"2 served, {HIDDEN_PAGES} hidden{unknown}"
        expected.append(f"  Docs      {counts} ({app.sources.docs.roots[0]})")
    assert lines == expected
    assert len(lines) == len(served)


def test_each_source_has_a_watcher_and_an_index(
    served: frozenset[str], open_served: Open
) -> None:
    """Neither is shared: a large tree does not delay the articles."""
    app = open_served()
    assert len(app.watchers) == len(app.indexers) == len(served)
    assert len({id(indexer.index) for indexer in app.indexers.values()}) == len(served)


@pytest.mark.parametrize("missing", ["articles", "docs"])
async def test_not_ready_before_every_source_was_seen(
    knowledge: KnowledgeBase, tree: DocsTree, missing: str
) -> None:
    """D-093: a load balancer sends no requests until all content was read."""
    folder = (knowledge if missing == "articles" else tree).root
    away = folder.with_suffix(".away")
    folder.rename(away)
    app = open_app(knowledge, docs=tree)
    async with serving(app) as site:
        assert (await ask(site.port, "GET", "/ready")).status == 503
        away.rename(folder)
        for source in app.corpus:
            source.load()
        assert (await ask(site.port, "GET", "/ready")).status == 200


async def test_search_docs_finds_as_many_as_is_set(
    tree: DocsTree, knowledge: KnowledgeBase
) -> None:
    """D-019: `max_search_results` is the schema's default; a call may differ."""
    for number in range(5):
        tree.write(f"many/{number}.md", f"# Page {number}\n\nAn albatross.\n")
    app = open_app(knowledge, docs=tree, max_search_results=3, structured_results=True)
    async with http_peer(app, STATELESS) as peer:
        tools = (await peer.result("tools/list"))["tools"]
        found = await peer.call("search_docs", query="albatross")
        more = await peer.call("search_docs", query="albatross", limit=4)
    schema = next(t for t in tools if t["name"] == "search_docs")["inputSchema"]
    assert schema["properties"]["limit"]["default"] == 3
    for result, number in ((found, 3), (more, 4)):
        answer = result["structuredContent"]
        assert (len(answer["results"]), answer["total"]) == (number, 5)


async def test_excerpts_of_both_searches_are_as_long_as_is_set(
    tree: DocsTree, knowledge: KnowledgeBase
) -> None:
    """The setting `snippet_length`, without the marks of what matched."""
    knowledge.write("concepts/heron", body="a heron wades and waits " * 100)
    lengths: dict[int, list[int]] = {}
    for most in (40, 400):
        app = open_app(
            knowledge, docs=tree, snippet_length=most, structured_results=True
        )
        async with http_peer(app, STATELESS) as peer:
            docs = await peer.call("search_docs", query="wades", detail="list")
            articles = await peer.call("search_articles", query="wades", detail="list")
        (page,) = docs["structuredContent"]["results"]
        (article,) = articles["structuredContent"]["articles"]
        snippets = (page["snippet"], article["snippet"])
        lengths[most] = [len(s.replace("**", "").strip("… ")) for s in snippets]
    assert max(lengths[40]) <= 40
    assert 200 < min(lengths[400]) <= max(lengths[400]) <= 400


async def test_answers_name_the_other_kind_of_content(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """Where it has what was not found, never for what is hidden there."""
    knowledge.write("concepts/albatross")
    knowledge.write("concepts/heron", status="Draft")
    tree = DocsTree(tmp_path / "docs")
    tree.write("guide/install.md", "# Install\n")

    async def read_notes(name: str, **arguments: str) -> list[str]:
        result = await peer.call(name, **arguments)
        return [item["text"] for item in result["content"][1:]]

    async with http_peer(open_app(knowledge, docs=tree), STATELESS) as peer:
        assert await read_notes("get_article", slug="guide/install.md") == [
            "It is the name of a documentation page: call get_doc_page."
        ]
        assert await read_notes("get_doc_page", path="concepts/albatross") == [
            "It is the name of an article: call get_article."
        ]
        assert await read_notes("get_doc_page", path="concepts/heron") == []
        (note,) = await read_notes("search_docs", query="albatross")
        assert note.endswith(" Also try search_articles.")
        (note,) = await read_notes("search_articles", query="qqqq")
        assert note.endswith(" Also try search_docs.")
