"""Promises of tools beyond the contracts: schemas, hints, links, names, arguments."""

import json
from typing import Any

import jsonschema
import pytest
from interaction.raw import (
    ANNOTATIONS_SINCE,
    LINKS_SINCE,
    STRUCTURE_SINCE,
    TITLES_SINCE,
    Connect,
    has,
    tool_value,
)
from support.knowledge import KnowledgeBase
from support.peers import open_app

from asdlc_kb.app import Runtime


async def described(peer: Any) -> dict[str, dict[str, Any]]:
    """Return the tools by name."""
    return {tool["name"]: tool for tool in (await peer.result("tools/list"))["tools"]}


@pytest.mark.behaviour("tools-annotations")
async def test_tools_say_that_they_only_read(
    project_app: Runtime, connect: Connect
) -> None:
    """Hints by which a client decides whether to ask its user."""
    async with connect(project_app) as peer:
        tools = await described(peer)
    for tool in tools.values():
        assert tool["description"]
        hints = {
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        }
        known = hints if has(peer, ANNOTATIONS_SINCE) else None
        assert tool.get("annotations") == known
    titles = {
        "list_articles": "List articles",
        "get_article": "Get an article",
        "search_articles": "Search articles",
    }
    assert {n: t["title"] for n, t in tools.items() if "title" in t} == (
        titles if has(peer, TITLES_SINCE) else {}
    )


@pytest.mark.behaviour("tools-schemas")
async def test_schemas_are_valid_and_closed(
    project_app: Runtime, connect: Connect
) -> None:
    """D-100: an invented argument is an error; a client can check results."""
    async with connect(project_app) as peer:
        tools = await described(peer)
    for tool in tools.values():
        kinds = {"inputSchema", "outputSchema"} & tool.keys()
        assert ("outputSchema" in kinds) == has(peer, STRUCTURE_SINCE)
        for kind in kinds:
            schema = tool[kind]
            jsonschema.Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
            assert schema["additionalProperties"] is False
            assert "$ref" not in json.dumps(schema)
            for field in schema["properties"].values():
                assert kind == "outputSchema" or field["description"]


@pytest.mark.behaviour("tools-categories")
async def test_the_enum_has_the_visible_categories_only(
    knowledge: KnowledgeBase, connect: Connect
) -> None:
    """D-007: the usual three come first; a folder of hidden articles does not exist."""
    for name in ("recipes/a", "practices/b", "anecdotes/c"):
        knowledge.write(name)
    knowledge.write("patterns/hidden", status="Draft")
    async with connect(open_app(knowledge)) as peer:
        tools = await described(peer)
        unknown = await peer.call("list_articles", category="patterns")
    for name in ("list_articles", "search_articles"):
        enum = tools[name]["inputSchema"]["properties"]["category"]["enum"]
        assert enum == ["concepts", "practices", "anecdotes", "recipes"]
    assert unknown["isError"] is True
    assert unknown["content"][0]["text"] == (
        "Unknown category 'patterns'. "
        "Categories: concepts, practices, anecdotes, recipes"
    )


@pytest.mark.behaviour("tools-order")
async def test_tools_are_listed_in_the_same_order_each_time(
    project_app: Runtime, connect: Connect
) -> None:
    """So that a prompt that contains them can be cached."""
    async with connect(project_app) as peer:
        first = await peer.result("tools/list")
        again = await peer.result("tools/list")
    assert json.dumps(first) == json.dumps(again)


WRONG = [
    (
        "list_articles",
        {"limit": 0},
        "Invalid parameter limit: must be an integer from 1 to 1,000",
    ),
    (
        "list_articles",
        {"limit": 1001},
        "Invalid parameter limit: must be an integer from 1 to 1,000",
    ),
    (
        "search_articles",
        {"query": "x", "limit": "many"},
        "Invalid parameter limit: must be an integer from 1 to 1,000",
    ),
    (
        "list_articles",
        {"limit": 2.5},
        "Invalid parameter limit: must be an integer from 1 to 1,000",
    ),
    (
        "list_articles",
        {"categroy": "concepts"},
        "Unknown parameter: categroy. Known parameters: category, limit, cursor",
    ),
    (
        "list_articles",
        {"category": "recipes"},
        "Unknown category 'recipes'. Categories: concepts, patterns, practices",
    ),
    (
        "get_article",
        {"slug": 5},
        "Invalid parameter slug: must be a string of 0 to 500 characters",
    ),
    (
        "get_article",
        {"slug": "x", "format": "html"},
        "Invalid parameter format: must be one of json, markdown",
    ),
    (
        "search_articles",
        {"query": "q" * 2001},
        "Invalid parameter query: must be a string of 0 to 2,000 characters",
    ),
    (
        "search_articles",
        {"query": "x", "include_content": "yes"},
        "Invalid parameter include_content: must be true or false",
    ),
]


@pytest.mark.behaviour("tools-arguments")
@pytest.mark.parametrize(("tool", "arguments", "message"), WRONG)
async def test_wrong_arguments_fail_in_words_a_model_can_act_on(
    project_app: Runtime,
    connect: Connect,
    tool: str,
    arguments: dict[str, Any],
    message: str,
) -> None:
    """An error for the model, not for the protocol (SEP-1303)."""
    async with connect(project_app) as peer:
        result = await peer.call(tool, **arguments)
    assert result["isError"] is True
    assert result["content"] == [{"type": "text", "text": message}]


@pytest.mark.behaviour("tools-null")
async def test_a_null_argument_is_one_that_was_left_out(
    project_app: Runtime, connect: Connect
) -> None:
    """D-015: many clients send null for every optional argument, some whole floats."""
    async with connect(project_app) as peer:
        without = await peer.call("search_articles", query="context", limit=3)
        with_nulls = await peer.call(
            "search_articles",
            query="context",
            limit=3.0,
            category=None,
            include_content=None,
            format=None,
        )
        missing = await peer.call("get_article", slug=None)
    assert with_nulls == without
    assert missing["content"][0]["text"] == "Missing required parameter: slug"


@pytest.mark.behaviour("tools-links")
async def test_links_follow_the_text_of_a_search_only(
    project_app: Runtime, connect: Connect
) -> None:
    """D-104: each found article in the same order, and each can be read."""
    async with connect(project_app) as peer:
        result = await peer.call("search_articles", query="context", limit=5)
        listed = await peer.call("list_articles", limit=5)
        got = await peer.call("get_article", slug="context-engineering")
        text, *links = result["content"]
        articles = tool_value(peer, result)
        assert text["type"] == "text"
        assert len(links) == len(articles) == 5
        for link, article in zip(links, articles, strict=True):
            uri = f"kb://article/{article['slug']}"
            if not has(peer, LINKS_SINCE):
                line = f"{article['title']}: {uri}"
                assert link == {"type": "text", "text": line}
                continue
            assert (link["type"], link["uri"]) == ("resource_link", uri)
            assert (link["name"], link["title"]) == (article["slug"], article["title"])
            assert link["mimeType"] == "text/markdown"
            assert (await peer.result("resources/read", {"uri": uri}))["contents"]
    for other in (listed, got):
        assert [item["type"] for item in other["content"]] == ["text"]


@pytest.mark.behaviour("tools-markdown")
async def test_an_article_can_be_asked_for_as_markdown(
    project_app: Runtime, connect: Connect
) -> None:
    """D-010: the text is that of the resource; the structured content is unchanged."""
    slug = "context-engineering"
    async with connect(project_app) as peer:
        as_json = await peer.call("get_article", slug=slug)
        as_text = await peer.call("get_article", slug=slug, format="markdown")
        read = await peer.result("resources/read", {"uri": f"kb://article/{slug}"})
    assert as_text["content"] == [{"type": "text", "text": read["contents"][0]["text"]}]
    structured = as_json.get("structuredContent")
    assert as_text.get("structuredContent") == structured
    assert (structured is not None) == has(peer, STRUCTURE_SINCE)


@pytest.mark.behaviour("tools-twins")
async def test_a_slug_of_two_visible_articles_must_be_named_in_full(
    knowledge: KnowledgeBase, connect: Connect
) -> None:
    """D-008: the error names both; links and completions use the full names."""
    knowledge.write("patterns/review", title="Pattern review")
    knowledge.write("practices/review", title="Practice review")
    async with connect(open_app(knowledge)) as peer:
        bare = await peer.call("get_article", slug="review")
        full = await peer.call("get_article", slug="practices/review")
        result = await peer.call("search_articles", query="pattern review")
        uri = "kb://article/patterns/review"
        read = await peer.result("resources/read", {"uri": uri})
    assert bare["isError"] is True
    assert bare["content"][0]["text"] == (
        "Article 'review' is ambiguous: use one of patterns/review, practices/review"
    )
    assert tool_value(peer, full)["title"] == "Practice review"
    (link,) = result["content"][1:]
    assert link.get("uri", link.get("text")) == (
        uri if has(peer, LINKS_SINCE) else f"Pattern review: {uri}"
    )
    assert read["contents"][0]["text"].startswith("# Pattern review\n")


@pytest.mark.behaviour("tools-twins")
async def test_a_hidden_twin_does_not_count(
    knowledge: KnowledgeBase, connect: Connect
) -> None:
    """D-008: it is never named, and the visible one keeps its short name."""
    knowledge.write("patterns/known-draft", title="Visible twin")
    async with connect(open_app(knowledge)) as peer:
        bare = await peer.call("get_article", slug="known-draft")
        hidden = await peer.call("get_article", slug="concepts/known-draft")
    assert tool_value(peer, bare)["title"] == "Visible twin"
    assert hidden["content"][0]["text"] == "Article 'concepts/known-draft' not found"
