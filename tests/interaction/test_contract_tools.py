"""The contract of the article tools, scenario by scenario, on our own content."""

import json
from importlib.metadata import version
from typing import Any

import pytest
from interaction.content import FILES, HIDDEN, SHOWN
from interaction.raw import Connect, titled, tool_value
from support.knowledge import KnowledgeBase
from support.peers import open_app
from support.results import read_note

from asdlc_kb.app import Runtime

METADATA = {
    "slug",
    "category",
    "title",
    "description",
    "tags",
    "lastUpdated",
    "status",
}

ALL = {"limit": 1000, "max_chars": 80_000}
"""Arguments with which a list of the project's content is whole."""


def listed(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the articles that a tool's text lists."""
    articles: list[dict[str, Any]] = tool_value(result)
    return articles


@pytest.mark.behaviour("tools-identity")
async def test_the_server_says_who_it_is(
    project_app: Runtime, connect: Connect
) -> None:
    """D-043: asdlc-knowledge-base, the version of the package."""
    async with connect(project_app) as peer:
        if peer.is_stateless:
            result = await peer.result("tools/list")
            info = result["_meta"]["io.modelcontextprotocol/serverInfo"]
        else:
            params = {"protocolVersion": peer.version, "capabilities": {}}
            info = (await peer.result("initialize", params))["serverInfo"]
    assert info == {
        "name": "asdlc-knowledge-base",
        **titled(peer, "ASDLC Knowledge Base"),
        "version": version("asdlc-kb"),
    }


@pytest.mark.behaviour("tools-tools")
async def test_a_client_discovers_the_three_tools(
    project_app: Runtime, connect: Connect
) -> None:
    """D-100: the three tools with their descriptions."""
    async with connect(project_app) as peer:
        tools = {t["name"]: t for t in (await peer.result("tools/list"))["tools"]}
    assert list(tools) == ["list_articles", "get_article", "search_articles"]
    inputs = {
        name: (
            set(tool["inputSchema"]["properties"]),
            tool["inputSchema"].get("required", []),
        )
        for name, tool in tools.items()
    }
    assert inputs == {
        "list_articles": (
            {"category", "limit", "format", "max_chars", "cursor"},
            [],
        ),
        "get_article": (
            {"slug", "sections", "format", "include_images", "max_chars", "cursor"},
            ["slug"],
        ),
        "search_articles": (
            {
                *("query", "mode", "category", "detail", "include_content"),
                *("limit", "format", "max_chars", "cursor"),
            },
            ["query"],
        ),
    }
    categories = tools["list_articles"]["inputSchema"]["properties"]["category"]["enum"]
    assert categories == ["concepts", "patterns", "practices", "recipes"]


@pytest.mark.behaviour("tools-list")
async def test_a_client_lists_all_articles(
    project_app: Runtime, connect: Connect
) -> None:
    """D-006: all of them, newest first."""
    async with connect(project_app) as peer:
        articles = listed(await peer.call("list_articles", **ALL))
    assert len(articles) == len(SHOWN) >= 30
    assert [(a["lastUpdated"], a["category"], a["slug"]) for a in articles] == [
        (file.updated, file.category, file.slug) for file in SHOWN
    ]
    for article, file in zip(articles, SHOWN, strict=True):
        assert article.keys() == METADATA
        assert (article["title"], article["description"], article["tags"]) == (
            file.title,
            file.description,
            file.tags,
        )
        assert article["status"] == file.status


@pytest.mark.behaviour("tools-category")
@pytest.mark.parametrize("category", ["concepts", "patterns", "practices", "recipes"])
async def test_a_client_lists_articles_by_category(
    project_app: Runtime, connect: Connect, category: str
) -> None:
    """D-100: the articles of one category."""
    async with connect(project_app) as peer:
        articles = listed(await peer.call("list_articles", category=category))
    assert [article["slug"] for article in articles] == [
        file.slug for file in SHOWN if file.category == category
    ]
    assert {article["category"] for article in articles} == {category}


@pytest.mark.behaviour("tools-get")
async def test_a_client_retrieves_a_specific_article(
    project_app: Runtime, connect: Connect
) -> None:
    """D-010: one article with its content."""
    (file,) = [file for file in FILES if file.slug == "context-engineering"]
    async with connect(project_app) as peer:
        result = await peer.call("get_article", slug="context-engineering")
    article = json.loads(result["content"][0]["text"])
    assert (article["slug"], article["status"]) == ("context-engineering", "Live")
    above, _, references = article["content"].partition("\n\n## References\n\n")
    assert above.strip("\n") == file.body.strip("\n")
    assert not references or references.startswith("- ")
    assert article["maturity"] == "Standard"


@pytest.mark.behaviour("tools-draft", "tools-missing")
@pytest.mark.parametrize("slug", ["draft-concept", "does-not-exist"])
async def test_a_draft_and_a_missing_article_are_not_found(
    project_app: Runtime, connect: Connect, slug: str
) -> None:
    """D-004: a Draft and a non-existent article."""
    assert slug in {f.slug for f in HIDDEN} or slug not in {f.slug for f in FILES}
    async with connect(project_app) as peer:
        result = await peer.call("get_article", slug=slug)
    assert result["isError"] is True
    assert result["content"] == [
        {"type": "text", "text": f"Article '{slug}' not found"}
    ]
    assert "structuredContent" not in result


@pytest.mark.behaviour("tools-search")
async def test_a_client_searches_articles(
    project_app: Runtime, connect: Connect
) -> None:
    """D-012: one article with the tag Context Engineering."""
    assert any("Context Engineering" in file.tags for file in SHOWN)
    async with connect(project_app) as peer:
        for query in ("context", "CONTEXT", "agent", "spec", "review"):
            answer = await peer.call("search_articles", query=query, **ALL)
            articles = listed(answer)
            found = sorted(
                (file for file in SHOWN if file.weight(query)),
                key=lambda file: -file.weight(query),
            )
            assert [a["slug"] for a in articles] == [f.slug for f in found]
            assert articles


@pytest.mark.behaviour("tools-hidden")
async def test_no_hidden_article_of_the_content_is_in_any_answer(
    project_app: Runtime, connect: Connect
) -> None:
    """D-001: Draft, Proposed and Deprecated, each of them."""
    assert {file.status for file in HIDDEN} == {"Draft", "Proposed", "Deprecated"}
    async with connect(project_app) as peer:
        listed_uris = {
            r["uri"] for r in (await peer.result("resources/list"))["resources"]
        }
        for file in HIDDEN:
            result = await peer.call("get_article", slug=file.slug)
            assert result["content"][0]["text"] == f"Article '{file.slug}' not found"
            by_title = await peer.call("search_articles", query=file.title)
            assert file.slug not in {a["slug"] for a in listed(by_title)}
            assert f"kb://article/{file.slug}" not in listed_uris


async def call_both(peer: Any, method: str, params: Any) -> tuple[Any, Any]:
    """Request a hidden name and a missing one of the same length."""
    hidden, missing = "known-draft", "known-draff"
    answers = []
    for name in (hidden, missing):
        adapted = json.loads(json.dumps(params).replace("NAME", name))
        answer = await peer.request(method, adapted)
        del answer["id"]
        answers.append(json.dumps(answer).replace(name, "NAME"))
    return answers[0], answers[1]


ASKING = [
    ("tools/call", {"name": "get_article", "arguments": {"slug": "NAME"}}),
    ("tools/call", {"name": "get_article", "arguments": {"slug": "concepts/NAME"}}),
    ("tools/call", {"name": "search_articles", "arguments": {"query": "NAME"}}),
    ("resources/read", {"uri": "kb://article/NAME"}),
    ("resources/read", {"uri": "kb://article/concepts/NAME"}),
    ("prompts/get", {"name": "explain_concept", "arguments": {"slug": "NAME"}}),
    (
        "completion/complete",
        {
            "ref": {"type": "ref/resource", "uri": "kb://article/{slug}"},
            "argument": {"name": "slug", "value": "NAME"},
        },
    ),
]


@pytest.mark.behaviour("tools-hidden")
@pytest.mark.parametrize(("method", "params"), ASKING, ids=str)
async def test_a_hidden_article_answers_exactly_as_a_missing_one(
    app: Runtime, connect: Connect, method: str, params: dict[str, Any]
) -> None:
    """D-002: indistinguishable but for the requested name."""
    async with connect(app) as peer:
        hidden, missing = await call_both(peer, method, params)
    assert hidden == missing


@pytest.mark.behaviour("tools-weights")
async def test_weights_add_up_and_the_newest_wins_a_tie(
    knowledge: KnowledgeBase, connect: Connect
) -> None:
    """D-012: 3 for the title, 2 for tags however many, 1 for the rest."""
    word, no = "Zebra", "No"
    rows = {
        "six": (word, f"[{word}, {word} two]", word),
        "five": (word, f"[{word}]", no),
        "four": (word, "[x]", word),
        "three-by-sum": (no, f"[a {word} b]", word),
        "three-by-title": (f"A{word.lower()}s", "[x]", no),
        "two": (no, f"[{word.upper()}]", no),
        "one": (no, "[x]", f"{word}, {word}, {word}"),
        "one-newer": (no, "[x]", word),
        "none": (no, "[x]", no),
    }
    for number, (slug, (title, tags, description)) in enumerate(rows.items()):
        knowledge.write(
            f"concepts/{slug}",
            title=title,
            tags=tags,
            description=description,
            lastUpdated=f"2025-01-{number + 1:02}",
            body=f"{word} in the text does not count\n",
        )
    async with connect(open_app(knowledge)) as peer:
        articles = listed(await peer.call("search_articles", query="zEBRA"))
    assert [article["slug"] for article in articles] == [
        "six",
        "five",
        "four",
        "three-by-title",
        "three-by-sum",
        "two",
        "one-newer",
        "one",
    ]


@pytest.mark.behaviour("tools-default-limit")
async def test_a_list_has_fifty_articles_and_a_search_ten_unless_told_otherwise(
    knowledge: KnowledgeBase, connect: Connect
) -> None:
    """D-009: 50 and 10 by default; the note states how many there are."""
    for number in range(60):
        knowledge.write(f"concepts/many-{number}", tags="[]", description="d")
    room = {"max_chars": 20_000}
    async with connect(open_app(knowledge)) as peer:
        for tool, arguments, count, total in (
            ("list_articles", {}, 50, 61),
            ("list_articles", {"limit": 55}, 55, 61),
            ("search_articles", {"query": "many"}, 10, 60),
            ("search_articles", {"query": "many", "limit": 55}, 55, 60),
        ):
            result = await peer.call(tool, **arguments, **room)
            assert len(listed(result)) == count
            assert read_note(result).startswith(f"{count} of {total} articles shown.")


@pytest.mark.behaviour("tools-unparsable")
async def test_a_visible_article_that_breaks_the_schema_says_so(
    knowledge: KnowledgeBase, connect: Connect
) -> None:
    """D-005: Failed to parse article metadata, without any of its text."""
    knowledge.write("concepts/broken", lastUpdated="someday", body="Its text\n")
    async with connect(open_app(knowledge)) as peer:
        result = await peer.call("get_article", slug="broken")
        error = await peer.error("resources/read", {"uri": "kb://article/broken"})
        rest = listed(await peer.call("list_articles"))
    message = "Failed to parse article metadata"
    assert result["isError"] is True
    assert result["content"] == [{"type": "text", "text": message}]
    assert (error["code"], error["message"]) == (-32603, message)
    assert [article["slug"] for article in rest] == ["links-to-hidden"]
