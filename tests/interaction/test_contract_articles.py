"""The contract of articles, test by test, on the project's own content."""

from typing import Any

import pytest
from interaction.content import SHOWN
from interaction.raw import Connect, compose, send_raw, tool_value
from support.results import read_cursor, read_note

from asdlc_kb.app import Runtime

TOO_EARLY = {"Draft", "Proposed", "Deprecated"}

ALL = {"limit": 1000, "max_chars": 80_000}
"""Arguments with which a list of the project's content is whole."""


@pytest.mark.behaviour("articles-list-all")
async def test_returns_all_articles_without_filters(
    project_app: Runtime, connect: Connect
) -> None:
    """list_articles: one text, all articles; the default size leaves the last out."""
    async with connect(project_app) as peer:
        whole = await peer.call("list_articles", **ALL)
        parts = [await peer.call("list_articles")]
        while cursor := read_cursor(parts[-1]):
            parts.append(await peer.call("list_articles", cursor=cursor))
    (item,) = whole["content"]
    assert item["type"] == "text"
    assert [a["slug"] for a in tool_value(whole)] == [file.slug for file in SHOWN]
    assert len(parts) > 1
    assert [row for part in parts for row in tool_value(part)] == tool_value(whole)
    assert max(len(part["content"][0]["text"]) for part in parts) <= 10_000


@pytest.mark.behaviour("articles-list-category")
async def test_filters_by_category(project_app: Runtime, connect: Connect) -> None:
    """list_articles: every article is a pattern."""
    async with connect(project_app) as peer:
        articles = tool_value(await peer.call("list_articles", category="patterns"))
    assert {article["category"] for article in articles} == {"patterns"}


@pytest.mark.behaviour("articles-list-limit")
async def test_limits_results(project_app: Runtime, connect: Connect) -> None:
    """list_articles: limit 3 gives the three newest, and how many there are in all."""
    async with connect(project_app) as peer:
        result = await peer.call("list_articles", limit=3)
    slugs = [a["slug"] for a in tool_value(result)]
    assert slugs == [file.slug for file in SHOWN[:3]]
    assert read_note(result).startswith(f"3 of {len(SHOWN)} articles shown.")


@pytest.mark.behaviour("articles-list-status", "articles-search-empty")
async def test_returns_only_live_and_experimental_articles(
    project_app: Runtime, connect: Connect
) -> None:
    """list_articles, and search_articles with an empty query."""
    async with connect(project_app) as peer:
        everything = tool_value(await peer.call("list_articles", **ALL))
        result = tool_value(await peer.call("search_articles", query="", **ALL))
    statuses = {article["status"] for article in everything}
    assert statuses == {"Live", "Experimental"}
    assert not statuses & TOO_EARLY
    assert result == everything


@pytest.mark.behaviour("articles-get-whole")
async def test_returns_an_article_with_full_content_for_a_valid_slug(
    project_app: Runtime, connect: Connect
) -> None:
    """get_article: for each slug that the list has, with all that is known of it."""
    further = {"content", "maturity", "metadata", "relatedIds"}
    async with connect(project_app) as peer:
        for listed in tool_value(await peer.call("list_articles", **ALL)):
            article = tool_value(await peer.call("get_article", slug=listed["slug"]))
            assert len(article["content"]) > 1000
            assert {k: v for k, v in article.items() if k not in further} == listed


@pytest.mark.behaviour("articles-get-unknown")
async def test_returns_an_error_for_a_nonexistent_article(
    project_app: Runtime, connect: Connect
) -> None:
    """get_article: isError, and the text says not found."""
    async with connect(project_app) as peer:
        result = await peer.call("get_article", slug="nonexistent-123")
    assert result["isError"] is True
    assert result["content"][0]["text"] == "Article 'nonexistent-123' not found"


@pytest.mark.behaviour("articles-get-nothing", "articles-search-nothing")
@pytest.mark.parametrize(
    ("tool", "field"), [("get_article", "slug"), ("search_articles", "query")]
)
@pytest.mark.parametrize("is_left_out", [True, False])
async def test_returns_an_error_for_a_missing_parameter(
    project_app: Runtime, connect: Connect, tool: str, field: str, is_left_out: bool
) -> None:
    """Both tools: isError names the parameter; arguments may be absent as a whole."""
    params = {"name": tool} if is_left_out else {"name": tool, "arguments": {}}
    async with connect(project_app) as peer:
        result = await peer.result("tools/call", params)
    assert result["isError"] is True
    assert result["content"] == [
        {"type": "text", "text": f"Missing required parameter: {field}"}
    ]


@pytest.mark.behaviour("articles-get-nothing")
async def test_an_empty_slug_is_a_missing_one(
    project_app: Runtime, connect: Connect
) -> None:
    """get_article treats an empty slug as none."""
    async with connect(project_app) as peer:
        result = await peer.call("get_article", slug="")
    assert result["isError"] is True
    assert result["content"][0]["text"] == "Missing required parameter: slug"


@pytest.mark.behaviour("articles-search-finds", "articles-search-metadata")
async def test_finds_articles_and_returns_metadata_only(
    project_app: Runtime, connect: Connect
) -> None:
    """search_articles: a list without content by default."""
    async with connect(project_app) as peer:
        articles = tool_value(await peer.call("search_articles", query="engineering"))
    assert articles
    assert [article for article in articles if "content" in article] == []


@pytest.mark.behaviour("articles-search-content")
async def test_includes_content_when_requested(
    project_app: Runtime, connect: Connect
) -> None:
    """search_articles: the same articles, and the content of each that fits."""
    query: dict[str, Any] = {"query": "engineering", "limit": 5}
    async with connect(project_app) as peer:
        bare = tool_value(await peer.call("search_articles", **query))
        query["include_content"] = True
        whole = tool_value(
            await peer.call("search_articles", **query, max_chars=80_000)
        )
        some = await peer.call("search_articles", **query)
        one = tool_value(await peer.call("get_article", slug=whole[0]["slug"]))
    assert whole[0]["content"] == one["content"]
    assert [{**article, "content": ""} for article in bare] == [
        {**article, "content": ""} for article in whole
    ]
    shown = tool_value(some)
    assert shown == whole[: len(shown)]
    assert len(shown) < len(whole) == 5
    assert read_note(some).startswith(f"{len(shown)} of ")
    assert len(some["content"][0]["text"]) <= 10_000


@pytest.mark.behaviour("articles-unknown-tool")
async def test_an_unknown_tool_is_named(project_app: Runtime, connect: Connect) -> None:
    """Error handling; the protocol requires a protocol error, with HTTP 200."""
    async with connect(project_app) as peer:
        call = {"name": "unknown_tool", "arguments": {}}
        response = await send_raw(peer, compose(peer, "tools/call", call))
    assert response.error == {"code": -32602, "message": "Unknown tool: unknown_tool"}
    assert response.is_status(200)


@pytest.mark.behaviour("articles-format")
@pytest.mark.parametrize(
    ("tool", "arguments", "kind"),
    [
        ("list_articles", {"category": "recipes"}, list),
        ("search_articles", {"query": "blast radius"}, list),
        ("get_article", {"slug": "context-engineering"}, dict),
    ],
)
async def test_responses_are_json_in_one_text(
    project_app: Runtime,
    connect: Connect,
    tool: str,
    arguments: dict[str, Any],
    kind: type,
) -> None:
    """Response format: one text item and nothing else, where nothing was left out."""
    async with connect(project_app) as peer:
        result = await peer.call(tool, **arguments)
    (item,) = result["content"]
    assert item["type"] == "text"
    assert isinstance(tool_value(result), kind)
