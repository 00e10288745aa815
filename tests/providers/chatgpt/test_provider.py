"""`search` and `fetch` over MCP, as ChatGPT calls them."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.canary import CANARY, Scanner
from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.library import rescan
from support.pages import PERSON
from support.peers import VERSIONS, http_peer, open_app, serving
from support.shelf import DirectPeer
from support.site import articles_of
from support.wire import ask

from asdlc_kb.app import Runtime
from asdlc_kb.mcp.dispatch.provider import CallContext
from asdlc_kb.mcp.protocol.model import ToolResult
from asdlc_kb.providers.chatgpt.documents import ArticleDocuments, RankedDocument
from asdlc_kb.providers.chatgpt.provider import ChatGptProvider
from asdlc_kb.providers.chatgpt.tools import FoundDocument
from asdlc_kb.providers.shared import full_text
from asdlc_kb.search.filters import FilteredQuery

VERSION = "2026-07-28"


@pytest.fixture
def tree(tmp_path: Path) -> DocsTree:
    """A documentation tree with a page on herons."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("guide/heron.md", "# Feeding herons\n\nA heron eats fish.\n")
    tree.write("guide/crane.md", "# Cranes\n\nA crane is no heron.\n")
    return tree


@pytest.fixture
def both(knowledge: KnowledgeBase, tree: DocsTree) -> Runtime:
    """A server with articles, documentation and the two tools."""
    knowledge.write("concepts/heron", title="Heron", body="A heron stands still.\n")
    knowledge.write("concepts/walk", title="Walk", body="Seen: a heron, a duck.\n" * 4)
    return open_app(knowledge, docs=tree, chatgpt_tools=True)


def connect(app: Runtime, scanner: Scanner) -> DirectPeer:
    """Return a client of the server."""
    return DirectPeer(VERSION, server=app.server, scanner=scanner)


async def call(peer: DirectPeer, tool: str, **arguments: Any) -> Any:
    """Call a tool that succeeds; return the value of its only text item."""
    result = await peer.call(tool, **arguments)
    assert not result.get("isError"), result["content"]
    (item,) = result["content"]
    assert item["type"] == "text"
    value = json.loads(item["text"])
    assert result.get("structuredContent", value) == value
    return value


async def test_search_answers_results_of_all_sources_as_one_text(
    both: Runtime, scanner: Scanner
) -> None:
    """D-143: id, title and url, the best of each source first."""
    answer = await call(connect(both, scanner), "search", query="heron")
    assert list(answer) == ["results"]
    assert all(list(row) == ["id", "title", "url"] for row in answer["results"])
    ids = [row["id"] for row in answer["results"]]
    assert ids[:2] == ["kb://article/heron", "kb://doc/guide/heron.md"]
    assert set(ids[2:]) == {"kb://article/walk", "kb://doc/guide/crane.md"}


async def test_fetch_answers_what_search_found(both: Runtime, scanner: Scanner) -> None:
    """D-143: id, title, text, url and metadata; the text is that of the resource."""
    peer = connect(both, scanner)
    for row in (await call(peer, "search", query="heron"))["results"]:
        document = await call(peer, "fetch", id=row["id"])
        assert list(document) == ["id", "title", "text", "url", "metadata"]
        assert {name: document[name] for name in row} == row
        read = await peer.result("resources/read", {"uri": row["id"]})
        assert document["text"] == read["contents"][0]["text"]


async def test_urls_are_those_of_the_website(
    knowledge: KnowledgeBase, tree: DocsTree, scanner: Scanner
) -> None:
    """With a public address, the one under which the page is served."""
    knowledge.write("concepts/heron", title="Heron", body="A heron.\n")
    tree.write("guide/heron/index.md", "# Heron pages\n\nHeron, heron.\n")
    app = open_app(
        knowledge,
        docs=tree,
        chatgpt_tools=True,
        base_url="https://kb.example.com/wiki/",
    )
    found = (await call(connect(app, scanner), "search", query="heron"))["results"]
    urls = {row["id"]: row["url"] for row in found}
    assert urls["kb://article/heron"] == "https://kb.example.com/wiki/concepts/heron"
    assert len(set(urls.values())) == len(urls) == 4
    async with serving(app) as site:
        for url in urls.values():
            # The proxy of this address removes its path.
            path = url.removeprefix("https://kb.example.com/wiki")
            host = {"Host": "kb.example.com", **PERSON}
            assert (await ask(site.port, "GET", path, host)).status == 200


async def test_without_a_public_address_a_url_is_the_id(
    both: Runtime, scanner: Scanner
) -> None:
    """D-143: ChatGPT cites only what has a url."""
    found = (await call(connect(both, scanner), "search", query="heron"))["results"]
    assert all(row["url"] == row["id"] for row in found)


async def test_hidden_documents_are_found_and_fetched_under_no_name(
    both: Runtime, scanner: Scanner
) -> None:
    """D-004: they are like missing ones, whatever id is asked for."""
    peer = connect(both, scanner)
    for query in (CANARY, "plover", "known draft"):
        for row in (await call(peer, "search", query=query))["results"]:
            assert "draft" not in row["id"]
    texts = []
    for name in ("known-draft", "unknown-one"):
        for uri in (f"kb://article/{name}", f"kb://doc/{name}.md", name):
            result = await peer.call("fetch", id=uri)
            assert result["isError"]
            text = result["content"][0]["text"]
            texts.append(text.replace(name, "NAME"))
    assert texts[:3] == texts[3:]
    assert texts[2] == "Document 'NAME' not found"


async def test_an_article_that_is_hidden_later_is_gone_at_once(
    both: Runtime, knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """Also from the cache of results."""
    peer = connect(both, scanner)
    document = await call(peer, "fetch", id="kb://article/heron")
    assert document == await call(peer, "fetch", id="kb://article/heron")
    await call(peer, "search", query="heron")
    knowledge.write("concepts/heron", title="Heron", status="Draft")
    result = await peer.call("fetch", id="kb://article/heron")
    assert result["content"][0]["text"] == "Article 'heron' not found"
    rescan(articles_of(both))
    found = (await call(peer, "search", query="heron"))["results"]
    assert "kb://article/heron" not in [row["id"] for row in found]


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("search", {}, "Missing required parameter: query"),
        ("search", {"query": " "}, "Missing required parameter: query"),
        ("fetch", {}, "Missing required parameter: id"),
        ("fetch", {"id": ""}, "Missing required parameter: id"),
        ("fetch", {"id": "kb://article/"}, "Document 'kb://article/' not found"),
        ("fetch", {"id": "kb://article/%ff"}, "Document 'kb://article/%ff' not found"),
        ("fetch", {"id": "ace://rules"}, "Document 'ace://rules' not found"),
        ("fetch", {"id": "kb://article/heroon"}, "Article 'heroon' not found"),
    ],
)
async def test_a_wrong_argument_is_an_error_of_the_tool(
    both: Runtime,
    scanner: Scanner,
    tool: str,
    arguments: dict[str, str],
    message: str,
) -> None:
    """The model reads what is wrong."""
    result = await connect(both, scanner).call(tool, **arguments)
    assert result["isError"]
    assert result["content"][0]["text"] == message


@pytest.mark.parametrize(
    ("id", "found"),
    [
        ("heron", "kb://article/heron"),
        ("Heron", "kb://article/heron"),
        ("concepts/heron.md", "kb://article/heron"),
        ("https://kb.example.com/concepts/heron", "kb://article/heron"),
        ("guide/crane.md", "kb://doc/guide/crane.md"),
    ],
)
async def test_a_document_is_fetched_by_other_names_too(
    both: Runtime, scanner: Scanner, id: str, found: str
) -> None:
    """Models write titles, paths and addresses instead of ids."""
    assert (await call(connect(both, scanner), "fetch", id=id))["id"] == found


async def test_near_names_of_an_unknown_article_are_suggested(
    both: Runtime, scanner: Scanner
) -> None:
    """In a second text; only visible ones."""
    peer = connect(both, scanner)
    result = await peer.call("fetch", id="kb://article/heroon")
    first, second = (item["text"] for item in result["content"])
    assert first == "Article 'heroon' not found"
    assert second == "Did you mean: heron?"
    result = await peer.call("fetch", id="kb://doc/guide/cranes.md")
    assert result["content"][1]["text"].startswith("Did you mean: guide/crane.md")


async def test_a_search_fails_while_an_index_is_built(
    both: Runtime, scanner: Scanner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An incomplete answer would look like a complete one."""
    monkeypatch.setattr(full_text, "READY_SECONDS", 0.0)
    result = await connect(both, scanner).call("search", query="heron")
    assert result["isError"]
    assert "still being built" in result["content"][0]["text"]


@pytest.mark.parametrize("version", VERSIONS)
async def test_the_tools_are_offered_in_every_version_if_they_are_on(
    knowledge: KnowledgeBase, version: str
) -> None:
    """Two more tools, and none without the setting."""
    names = []
    for is_on in (False, True):
        app = open_app(knowledge, chatgpt_tools=is_on)
        async with http_peer(app, version) as peer:
            listed = (await peer.result("tools/list"))["tools"]
        names.append([tool["name"] for tool in listed])
    assert names[1] == [*names[0], "search", "fetch"]


async def test_without_articles_and_documentation_there_is_nothing_to_search(
    tmp_path: Path, scanner: Scanner
) -> None:
    """A project is not searched."""
    app = open_app(None, projects=(tmp_path,), chatgpt_tools=True)
    peer = connect(app, scanner)
    listed = (await peer.result("tools/list"))["tools"]
    assert not {"search", "fetch"} & {tool["name"] for tool in listed}


class FixedCollection(ArticleDocuments):
    """A collection whose results have fixed scores."""

    def __init__(self, prefix: str, *scores: float) -> None:
        self.prefix = prefix
        self._scores = scores

    async def search(self, query: FilteredQuery) -> list[RankedDocument]:
        """Return a document for each score, named by it."""
        return [
            RankedDocument(s, FoundDocument(id=f"{self.prefix}{s}", title="T", url="u"))
            for s in self._scores
        ]


async def test_results_of_two_sources_are_one_list_by_relative_score() -> None:
    """D-143: ten at most; of equal results those of the first source come first."""
    first = FixedCollection("a", 1.0, 0.7, *[0.2] * 8)
    second = FixedCollection("b", 1.0, 0.8, 0.7, *[0.1] * 7)
    provider = ChatGptProvider([first, second])
    context = CallContext(VERSION)
    result = await provider.call_tool("search", {"query": "x"}, context)
    assert isinstance(result, ToolResult)
    ids = [row["id"] for row in result.structured_content["results"]]
    assert ids == ["a1.0", "b1.0", "b0.8", "a0.7", "b0.7", *["a0.2"] * 5]
    # For the access log.
    assert result.total == 10


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("heron source:articles", {"kb://article/heron", "kb://article/walk"}),
        (
            "heron -source:articles",
            {"kb://doc/guide/heron.md", "kb://doc/guide/crane.md"},
        ),
        (
            "category:guide heron",
            {"kb://doc/guide/heron.md", "kb://doc/guide/crane.md"},
        ),
        ("category:concepts source:api", set()),
        ("-category:concepts source:articles", set()),
        ("heron updated:2019", set()),
    ],
)
async def test_a_filter_narrows_all_collections(
    both: Runtime, scanner: Scanner, query: str, ids: set[str]
) -> None:
    """Nothing has what only another collection has."""
    answer = await call(connect(both, scanner), "search", query=query)
    assert {row["id"] for row in answer["results"]} == ids
