"""`search_docs` over several trees, versions and languages."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.canary import CANARY, Scanner
from support.shelf import DirectPeer, make_server

from asdlc_kb.app.doc_trees import open_trees
from asdlc_kb.docs.documents import PageSource
from asdlc_kb.mcp.subscriptions.events import ToolsChanged
from asdlc_kb.providers.docs.events import list_events
from asdlc_kb.providers.docs.provider import DocsProvider
from asdlc_kb.search.service.fulltext import FullText
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.settings import Settings

PAGES = {
    "api/docusaurus.config.js": (
        "module.exports = {title: 'Api', i18n: {defaultLocale: 'en', "
        "locales: ['en', 'fr']}};\n"
    ),
    "api/versions.json": json.dumps(["2.0", "1.0"]),
    "api/docs/limits.md": "# Limits\n\nNext year a client has more requests.\n",
    "api/versioned_docs/version-2.0/limits.md": (
        "# Limits\n\nA client has twenty requests.\n"
    ),
    "api/versioned_docs/version-1.0/limits.md": (
        "# Limits\n\nA client has ten requests.\n"
    ),
    "api/versioned_docs/version-1.0/legacy.md": (
        "# Legacy\n\nOnly the old marmalade endpoint.\n"
    ),
    "api/versioned_docs/version-1.0/draft.md": (
        f"---\ndraft: true\n---\n# {CANARY}\n\nmarmalade {CANARY}\n"
    ),
    "api/i18n/fr/docusaurus-plugin-content-docs/version-2.0/limits.md": (
        "# Limites\n\nUn client a droit à vingt requêtes nationales.\n"
    ),
    "manual/guide/start.md": "# Start\n\nHow a client is installed.\n",
}


@pytest.fixture
def served(tmp_path: Path, scanner: Scanner) -> DirectPeer:
    """A peer of a server with the trees `manual`, unnamed, and `api`."""
    for path, text in PAGES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    docs = open_trees(Settings(), [f"{tmp_path}/manual", f"api={tmp_path}/api"])
    for tree in docs.trees:
        tree.library.load()
    index = FullText(None)
    index.sync(PageSource(docs.catalog))
    indexer = Indexer(index, lambda: PageSource(docs.catalog))
    server = make_server(DocsProvider(docs, indexer))
    return DirectPeer("2026-07-28", server=server, scanner=scanner)


async def find(peer: DirectPeer, query: str, **arguments: Any) -> list[str]:
    """Return the paths of the results."""
    result = await peer.call("search_docs", query=query, **arguments)
    assert not result.get("isError"), result["content"]
    return [row["path"] for row in result["structuredContent"]["results"]]


async def test_the_default_version_and_language_come_first(served: DirectPeer) -> None:
    """D-164: the other ones follow, unless they only repeat a page at the end."""
    found = await find(served, "limits client requests", limit=10)
    assert found[0] == "api/2.0/limits.md"
    assert set(found[1:4]) >= {"api/limits.md", "api/1.0/limits.md"}
    assert "api/1.0/limits.md" not in await find(served, "limits client requests")
    assert await find(served, "marmalade") == ["api/1.0/legacy.md"]


@pytest.mark.parametrize(
    ("arguments", "paths"),
    [
        ({"version": "1.0"}, {"api/1.0/limits.md"}),
        ({"version": "v1.0"}, {"api/1.0/limits.md"}),
        ({"language": "fr"}, {"api/fr/2.0/limits.md"}),
        ({"source": "api", "version": "next"}, {"api/limits.md"}),
        ({"category": "api/1.0"}, {"api/1.0/limits.md"}),
        ({"category": "guide"}, {"guide/start.md"}),
        ({"category": "", "version": "", "limit": 10}, None),
    ],
)
async def test_a_search_is_limited_to_what_it_names(
    served: DirectPeer, arguments: dict[str, Any], paths: set[str] | None
) -> None:
    """G: a tree, any folder, a version, a language; an empty text is absent."""
    found = await find(served, "client", **arguments)
    if paths is None:
        assert len(found) == 5
    else:
        assert set(found) == paths


async def test_a_language_is_searched_with_its_own_stems(served: DirectPeer) -> None:
    """D-163: with and without accents, in the plural and the singular."""
    for query in ("requete nationale", "requêtes nationales"):
        assert await find(served, query, language="fr") == ["api/fr/2.0/limits.md"]


async def test_a_result_says_its_version_and_language(served: DirectPeer) -> None:
    """Unless they are the default ones."""
    result = await served.call("search_docs", query="limits", version="1.0")
    (row,) = result["structuredContent"]["results"]
    assert (row["version"], "language" in row) == ("1.0", False)
    assert "1. api/1.0/limits.md (score: " in result["content"][0]["text"]
    assert ", version 1.0)" in result["content"][0]["text"]
    result = await served.call("search_docs", query="limites", language="fr")
    (row,) = result["structuredContent"]["results"]
    assert (row["language"], "version" in row) == ("fr", False)
    assert ", fr)" in result["content"][0]["text"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"version": "3"}, "Unknown version '3'. Known: 2.0, next, 1.0"),
        ({"language": "de"}, "Unknown language 'de'. Known: en, fr"),
        ({"source": "zz"}, "Unknown source 'zz'. Known: root, api"),
        ({"category": "api/zz"}, "Unknown category 'api/zz'. Categories: "),
    ],
)
async def test_an_unknown_value_is_answered_with_the_known_ones(
    served: DirectPeer, arguments: dict[str, str], message: str
) -> None:
    """So the next call can be right."""
    result = await served.call("search_docs", query="client", **arguments)
    assert result["isError"] is True
    assert result["content"][0]["text"].startswith(message)


async def test_the_schema_shows_only_what_there_is_to_choose(
    served: DirectPeer, tmp_path: Path, scanner: Scanner
) -> None:
    """Models pay for each argument; a change of the choices is announced."""
    tools = (await served.result("tools/list"))["tools"]
    shown = tools[0]["inputSchema"]["properties"]
    assert shown["source"]["enum"] == ["root", "api"]
    assert shown["version"]["enum"] == ["2.0", "next", "1.0"]
    assert shown["language"]["enum"] == ["en", "fr"]
    alone = open_trees(Settings(), [f"{tmp_path}/manual"])
    alone.trees[0].library.load()
    indexer = Indexer(FullText(None), lambda: PageSource(alone.catalog))
    server = make_server(DocsProvider(alone, indexer))
    plain = DirectPeer("2026-07-28", server=server, scanner=scanner)
    (tool, *_) = (await plain.result("tools/list"))["tools"]
    shown = tool["inputSchema"]["properties"]
    assert not {"source", "version", "language"} & shown.keys()
    assert "category" in shown
    both = open_trees(Settings(), [f"{tmp_path}/manual", f"api={tmp_path}/api"])
    before = both.catalog
    for tree in both.trees:
        tree.library.load()
    assert ToolsChanged() in list_events(before, both.catalog)
    assert ToolsChanged() not in list_events(both.catalog, both.catalog)


@pytest.mark.parametrize(
    ("operators", "arguments"),
    [
        ("version:1.0", {"version": "1.0"}),
        ("language:fr", {"language": "fr"}),
        ("source:api AND version:next", {"source": "api", "version": "next"}),
        ("category:api/1.0", {"category": "api/1.0"}),
    ],
)
async def test_an_operator_is_like_the_argument(
    served: DirectPeer, operators: str, arguments: dict[str, str]
) -> None:
    """The same results with the same scores."""
    written = await served.call("search_docs", query=f"{operators} client")
    given = await served.call("search_docs", query="client", **arguments)
    results = written["structuredContent"]["results"]
    assert results
    assert results == given["structuredContent"]["results"]


async def test_a_query_of_filters_alone_finds_all_that_they_let_pass(
    served: DirectPeer,
) -> None:
    """A list of what there is."""
    found = await find(served, "version:1.0")
    assert set(found) == {"api/1.0/limits.md", "api/1.0/legacy.md"}


async def test_an_operator_with_an_unknown_value_is_text(served: DirectPeer) -> None:
    """As an argument it would be an error."""
    assert len(await find(served, "client version:9", limit=10)) == 5
    assert await find(served, "marmalade source:zz") == ["api/1.0/legacy.md"]
