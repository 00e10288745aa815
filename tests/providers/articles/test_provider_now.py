"""Tool calls that are answered without waiting, and those that are not."""

from typing import Any

import pytest
from support.knowledge import KnowledgeBase, settled_clock
from support.library import index_articles

from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.mcp.dispatch.provider import CallContext
from asdlc_kb.mcp.protocol import jsonrpc
from asdlc_kb.mcp.protocol.errors import ToolFailure
from asdlc_kb.mcp.protocol.model import ToolResult
from asdlc_kb.mcp.protocol.versioned_encoding import encode_result
from asdlc_kb.mcp.protocol.versions import KNOWN
from asdlc_kb.providers.articles.provider import ArticleProvider

NOW: list[tuple[str, dict[str, Any]]] = [
    ("list_articles", {}),
    ("list_articles", {"category": "Concepts", "limit": "2"}),
    ("list_articles", {"format": "markdown"}),
    ("search_articles", {"query": "context"}),
    ("search_articles", {"query": " "}),
    ("search_articles", {"q": "context", "mode": "keyword", "limit": 1}),
    ("search_articles", {"query": "context", "format": "markdown"}),
    ("search_articles", {"query": "context", "include_content": True}),
    ("get_article", {"slug": "the-spec"}),
    ("get_article", {"slug": "Context Engineering", "format": "markdown"}),
]
LATER: list[tuple[str, dict[str, Any]]] = [
    ("list_articles", {"category": "none"}),
    ("list_articles", {"limit": 0}),
    ("list_articles", {"cursor": "x"}),
    ("search_articles", {}),
    ("search_articles", {"query": "zzz"}),
    ("search_articles", {"query": "zzz", "mode": "keyword"}),
    ("search_articles", {"query": "context", "mode": "fulltext"}),
    ("search_articles", {"query": "context", "category": "none"}),
    ("search_articles", {"query": "context", "cursor": "x"}),
    ("get_article", {}),
    ("get_article", {"slug": "none"}),
    ("get_article", {"slug": "known-draft"}),
    ("get_article", {"slug": "twice"}),
    ("get_article", {"slug": "broken"}),
    ("get_article", {"slug": "large"}),
    ("get_article", {"slug": "the-spec", "cursor": "x"}),
    ("get_article", {"slug": "the-spec", "include_images": True}),
]


@pytest.fixture
def provider(small_base: KnowledgeBase) -> ArticleProvider:
    """The provider of the small base, a large article and a broken one."""
    small_base.write("zoo/large", body="word " * 5_000)
    small_base.write("zoo/broken", title=None)
    library = ArticleLibrary(small_base.root, clock=settled_clock)
    library.load().precompute()
    return ArticleProvider(library, index_articles(library))


def encode(result: Any) -> bytes:
    """Return a result as it is sent."""
    return jsonrpc.write(encode_result(result, KNOWN[-1]))


async def call(provider: ArticleProvider, name: str, arguments: dict[str, Any]) -> Any:
    """Return the result of a call that may wait."""
    return await provider.call_tool(name, arguments, CallContext(KNOWN[-1]))


@pytest.mark.parametrize(("name", "arguments"), NOW)
async def test_what_takes_no_waiting_is_answered_at_once(
    provider: ArticleProvider, name: str, arguments: dict[str, Any]
) -> None:
    """With the same bytes as if it had waited."""
    result = provider.call_now(name, arguments)
    assert isinstance(result, ToolResult)
    assert encode(result) == encode(await call(provider, name, arguments))


@pytest.mark.parametrize(("name", "arguments"), LATER)
def test_what_waits_or_fails_is_left_to_the_call(
    provider: ArticleProvider, name: str, arguments: dict[str, Any]
) -> None:
    """Full text, empty results, large texts, pictures; hidden is like missing."""
    assert provider.call_now(name, arguments) is None


async def test_a_changed_file_is_read_before_it_is_shown(
    provider: ArticleProvider, small_base: KnowledgeBase
) -> None:
    """A read after a save is never stale: the file is read in a thread."""
    arguments = {"slug": "the-spec"}
    assert provider.call_now("get_article", arguments) is not None
    small_base.write("patterns/the-spec", title="The New Spec", body="New.\n")
    assert provider.call_now("get_article", arguments) is None
    assert b"New." in encode(await call(provider, "get_article", arguments))
    small_base.write("patterns/the-spec", status="Draft")
    assert provider.call_now("get_article", arguments) is None
    with pytest.raises(ToolFailure, match="Article 'the-spec' not found"):
        await call(provider, "get_article", arguments)
    assert provider.call_now("get_article", arguments) is None


async def test_keywords_are_searched_at_once_as_soon_as_they_are_indexed(
    small_base: KnowledgeBase,
) -> None:
    """A thread indexes them, which the first search waits for."""
    library = ArticleLibrary(small_base.root, clock=settled_clock)
    library.load()
    provider = ArticleProvider(library, index_articles(library))
    arguments = {"query": "context"}
    assert provider.call_now("search_articles", arguments) is None
    waited = await call(provider, "search_articles", arguments)
    answered = provider.call_now("search_articles", arguments)
    assert encode(answered) == encode(waited)


@pytest.mark.parametrize(
    "arguments",
    [
        {"query": "zzz"},
        {"query": "zzz qqq", "format": "markdown"},
        {"query": "contxet enginering xyzzy"},
        {"query": "zzz", "category": "concepts"},
        {"query": "zzz", "mode": "keyword"},
        {"query": "zzz", "mode": "fulltext", "limit": 3},
    ],
)
async def test_that_nothing_is_found_is_answered_at_once_once_all_is_indexed(
    provider: ArticleProvider, arguments: dict[str, Any]
) -> None:
    """The first search without a match indexes the full text, and the names."""
    await call(provider, "search_articles", {"query": "first"})
    waited = await call(provider, "search_articles", arguments)
    answered = provider.call_now("search_articles", arguments)
    if b"0 of " in encode(waited):
        assert encode(answered) == encode(waited)
    else:
        assert answered is None


@pytest.mark.parametrize("mode", ["auto", "keyword", "fulltext"])
async def test_a_cursor_is_checked_even_if_nothing_is_found(
    provider: ArticleProvider, mode: str
) -> None:
    """It cannot be one of a search without results."""
    await call(provider, "search_articles", {"query": "first"})
    arguments = {"query": "zzz", "mode": mode, "cursor": "x"}
    assert provider.call_now("search_articles", arguments) is None
    with pytest.raises(ToolFailure, match="Invalid cursor"):
        await call(provider, "search_articles", arguments)
