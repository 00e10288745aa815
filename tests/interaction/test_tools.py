"""Promises of tools beyond the contracts: schemas, hints, notes, names, arguments."""

import json
import re
from typing import Any

import jsonschema
import pytest
from interaction.content import SHOWN
from interaction.raw import (
    ANNOTATIONS_SINCE,
    TITLES_SINCE,
    Connect,
    has,
    tool_value,
)
from support.knowledge import KnowledgeBase
from support.peers import open_app
from support.results import read_cursor, read_note, read_value

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
    """D-101: an invented argument is an error; D-013: no schema of results."""
    async with connect(project_app) as peer:
        tools = await described(peer)
    for tool in tools.values():
        assert "outputSchema" not in tool
        check_schema(tool["inputSchema"])
        for field in tool["inputSchema"]["properties"].values():
            assert field["description"]


def check_schema(schema: dict[str, Any]) -> None:
    """Check that a schema is valid, closed and without references."""
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert "$ref" not in json.dumps(schema)


@pytest.mark.behaviour("tools-structure")
async def test_a_setting_adds_the_structure_of_results(
    knowledge: KnowledgeBase, connect: Connect
) -> None:
    """D-013: output schemas, and structured content with the facts of both texts."""
    knowledge.write("concepts/second")
    async with connect(open_app(knowledge, structured_results=True)) as peer:
        tools = await described(peer)
        listed = await peer.call("list_articles", limit=1)
        found = await peer.call("search_articles", query="second")
        got = await peer.call("get_article", slug="second")
        failed = await peer.call("get_article", slug="absent")
    for tool in tools.values():
        check_schema(tool["inputSchema"])
        check_schema(tool["outputSchema"])
    structured = listed["structuredContent"]
    assert (structured["articles"], structured["total"]) == (read_value(listed), 2)
    assert structured["nextCursor"] == read_cursor(listed)
    assert found["structuredContent"]["articles"] == read_value(found)
    assert got["structuredContent"] == read_value(got)
    assert "structuredContent" not in failed


@pytest.mark.behaviour("tools-structure")
@pytest.mark.parametrize("format", ["json", "markdown"])
async def test_the_setting_does_not_change_the_text(
    knowledge: KnowledgeBase, connect: Connect, format: str
) -> None:
    """D-013: a model that reads the text reads the same."""
    calls = (
        ("list_articles", {"limit": 1}),
        ("search_articles", {"query": "links", "limit": 1}),
        ("get_article", {"slug": "links-to-hidden"}),
    )
    knowledge.write("concepts/more-links")
    contents = []
    for setting in (False, True):
        async with connect(open_app(knowledge, structured_results=setting)) as peer:
            results = [await peer.call(t, **a, format=format) for t, a in calls]
        contents.append([result["content"] for result in results])
        assert ["structuredContent" in result for result in results] == [setting] * 3
    assert contents[0] == contents[1]


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
        "Unknown parameter: categroy. Known parameters: category, limit, "
        "format, max_chars, cursor",
    ),
    (
        "list_articles",
        {"category": "notes"},
        "Unknown category 'notes'. Categories: concepts, patterns, practices, recipes",
    ),
    (
        "get_article",
        {"slug": 5},
        "Invalid parameter slug: must be a string of 1 to 500 characters",
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
    assert result["content"][0]["text"] == message
    assert read_note(result) == (
        "Did you mean: category?" if "categroy" in arguments else ""
    )


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


@pytest.mark.behaviour("tools-note")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("list_articles", {}),
        ("list_articles", {"format": "markdown"}),
        ("search_articles", {"query": "context"}),
        ("search_articles", {"query": "context", "format": "markdown"}),
    ],
)
async def test_a_list_that_was_cut_says_so_and_how_to_go_on(
    project_app: Runtime, connect: Connect, tool: str, arguments: dict[str, Any]
) -> None:
    """Two texts: the second has count, total and cursor; the last page has the rest."""
    async with connect(project_app) as peer:
        whole = await peer.call(tool, **arguments, limit=1000, max_chars=80_000)
        first = await peer.call(tool, **arguments, limit=4)
        cursor = read_cursor(first)
        last = await peer.call(
            tool, **arguments, limit=1000, max_chars=80_000, cursor=cursor
        )
        rows = [slugs_of(result) for result in (whole, first, last)]
    total = len(rows[0])
    assert rows[0] == rows[1] + rows[2]
    assert (len(rows[1]), len(first["content"])) == (4, 2)
    assert read_note(first) == f'4 of {total} articles shown. Next: cursor "{cursor}"'
    assert read_note(whole) == ""
    assert read_note(last) == f"Articles 5 to {total} of {total}."
    for result in (whole, first, last):
        assert "structuredContent" not in result


def slugs_of(result: dict[str, Any]) -> list[str]:
    """Return the slugs that a list or search names, in JSON or in Markdown."""
    text = result["content"][0]["text"]
    if text.startswith("["):
        return [article["slug"] for article in tool_value(result)]
    is_found = text.startswith("Found ")
    return re.findall(r"^- .*\((\S+)\)$" if is_found else r"^- (\S+):", text, re.M)


@pytest.mark.behaviour("tools-note")
async def test_a_search_without_results_says_so(
    project_app: Runtime, connect: Connect
) -> None:
    """An empty list, or a sentence; and a note on what was searched."""
    note = f"0 of {len(SHOWN)} articles. Searched titles, tags, descriptions and text."
    async with connect(project_app) as peer:
        as_json = await peer.call("search_articles", query="zzzzz")
        as_text = await peer.call("search_articles", query="zzzzz", format="markdown")
    assert tool_value(as_json) == []
    assert read_note(as_json) == read_note(as_text) == note
    message = "No articles found matching 'zzzzz'."
    assert as_text["content"][0]["text"] == message


@pytest.mark.behaviour("tools-note")
@pytest.mark.parametrize("format", ["json", "markdown"])
async def test_a_long_article_says_how_to_get_its_next_part(
    knowledge: KnowledgeBase, connect: Connect, format: str
) -> None:
    """D-103: the cursor in the second text leads to the rest."""
    body = "".join(f"## Part {n}\n\n{'Some words. ' * 40}\n\n" for n in range(20))
    knowledge.write("concepts/long", body=body)
    cursor, texts = None, []
    async with connect(open_app(knowledge)) as peer:
        for _ in range(20):
            result = await peer.call(
                "get_article",
                slug="long",
                format=format,
                max_chars=4_000,
                cursor=cursor,
            )
            texts.append(result["content"][0]["text"])
            cursor = read_cursor(result)
            if cursor is None:
                break
    assert cursor is None
    assert 2 < len(texts) <= 5
    assert max(map(len, texts)) <= 4_000
    together = "".join(texts)
    assert [f"## Part {n}" in together for n in range(20)] == [True] * 20


@pytest.mark.behaviour("tools-markdown")
async def test_an_article_can_be_asked_for_as_markdown(
    project_app: Runtime, connect: Connect
) -> None:
    """D-010: the text is that of the resource."""
    slug = "context-engineering"
    async with connect(project_app) as peer:
        as_text = await peer.call("get_article", slug=slug, format="markdown")
        read = await peer.result("resources/read", {"uri": f"kb://article/{slug}"})
    assert as_text["content"] == [{"type": "text", "text": read["contents"][0]["text"]}]


@pytest.mark.behaviour("tools-twins")
async def test_a_slug_of_two_visible_articles_must_be_named_in_full(
    knowledge: KnowledgeBase, connect: Connect
) -> None:
    """D-008: the error names both; a search uses the full names."""
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
    assert tool_value(full)["title"] == "Practice review"
    assert [found["slug"] for found in tool_value(result)] == ["patterns/review"]
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
    assert tool_value(bare)["title"] == "Visible twin"
    assert hidden["content"][0]["text"] == "Article 'concepts/known-draft' not found"
