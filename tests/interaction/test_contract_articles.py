"""The contract of articles, test by test, on the project's own content."""

import json
from typing import Any

import pytest
from interaction.content import SHOWN
from interaction.raw import STRUCTURE_SINCE, Connect, compose, has, send_raw

from asdlc_kb.app import Runtime

TOO_EARLY = {"Draft", "Proposed", "Deprecated"}


def parsed(result: dict[str, Any]) -> Any:
    """Return the JSON of a successful result's text."""
    assert "isError" not in result, result
    return json.loads(result["content"][0]["text"])


@pytest.mark.behaviour("articles-list-all")
async def test_returns_all_articles_without_filters(
    project_app: Runtime, connect: Connect
) -> None:
    """list_articles: one text, a list that is not empty."""
    async with connect(project_app) as peer:
        result = await peer.call("list_articles")
    (item,) = result["content"]
    assert item["type"] == "text"
    assert len(parsed(result)) == len(SHOWN)


@pytest.mark.behaviour("articles-list-category")
async def test_filters_by_category(project_app: Runtime, connect: Connect) -> None:
    """list_articles: every article is a pattern."""
    async with connect(project_app) as peer:
        articles = parsed(await peer.call("list_articles", category="patterns"))
    assert {article["category"] for article in articles} == {"patterns"}


@pytest.mark.behaviour("articles-list-limit")
async def test_limits_results(project_app: Runtime, connect: Connect) -> None:
    """list_articles: limit 3 gives the three newest, and how many there are in all."""
    async with connect(project_app) as peer:
        result = await peer.call("list_articles", limit=3)
    assert [a["slug"] for a in parsed(result)] == [file.slug for file in SHOWN[:3]]
    assert ("structuredContent" in result) == has(peer, STRUCTURE_SINCE)
    if has(peer, STRUCTURE_SINCE):
        assert result["structuredContent"]["total"] == len(SHOWN)


@pytest.mark.behaviour("articles-list-status", "articles-search-empty")
async def test_returns_only_live_and_experimental_articles(
    project_app: Runtime, connect: Connect
) -> None:
    """list_articles, and search_articles with an empty query."""
    async with connect(project_app) as peer:
        everything = parsed(await peer.call("list_articles"))
        result = parsed(await peer.call("search_articles", query=""))
    statuses = {article["status"] for article in everything}
    assert statuses == {"Live", "Experimental"}
    assert not statuses & TOO_EARLY
    assert result == everything


@pytest.mark.behaviour("articles-get-whole")
async def test_returns_an_article_with_full_content_for_a_valid_slug(
    project_app: Runtime, connect: Connect
) -> None:
    """get_article: for each slug that the list has."""
    async with connect(project_app) as peer:
        for listed in parsed(await peer.call("list_articles", limit=1000)):
            article = parsed(await peer.call("get_article", slug=listed["slug"]))
            assert len(article.pop("content")) > 1000
            assert article == listed


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
        articles = parsed(await peer.call("search_articles", query="engineering"))
    assert articles
    assert [article for article in articles if "content" in article] == []


@pytest.mark.behaviour("articles-search-content")
async def test_includes_content_when_requested(
    project_app: Runtime, connect: Connect
) -> None:
    """search_articles: the same articles, and the content of each."""
    async with connect(project_app) as peer:
        bare = parsed(await peer.call("search_articles", query="engineering"))
        whole = parsed(
            await peer.call(
                "search_articles", query="engineering", include_content=True
            )
        )
        one = parsed(await peer.call("get_article", slug=whole[0]["slug"]))
    assert whole[0] == one
    assert [{**article, "content": ""} for article in bare] == [
        {**article, "content": ""} for article in whole
    ]


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
    ("tool", "arguments", "key"),
    [
        ("list_articles", {"limit": 1}, "articles"),
        ("search_articles", {"query": "context"}, "articles"),
        ("get_article", {"slug": "context-engineering"}, None),
    ],
)
async def test_responses_are_json_in_one_text(
    project_app: Runtime,
    connect: Connect,
    tool: str,
    arguments: dict[str, Any],
    key: str | None,
) -> None:
    """Response format: the text repeats the structured content."""
    async with connect(project_app) as peer:
        result = await peer.call(tool, **arguments)
    first, *others = result["content"]
    assert first["type"] == "text"
    if not has(peer, STRUCTURE_SINCE):
        assert "structuredContent" not in result
        assert parsed(result)
        return
    assert [item for item in others if item["type"] == "text"] == []
    structured = result["structuredContent"]
    assert parsed(result) == (structured[key] if key else structured)
