"""The three tools of articles: names, arguments and results."""

import json
from typing import Any

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.peers import open_app
from support.shelf import DirectPeer
from support.site import articles_of

ORDER = [
    "context-engineering",
    "the-spec",
    "prune",
    "concepts/twice",
    "handbook/twice",
    "links-to-hidden",
]
"""Newest first, then by category, then by slug."""

CATEGORIES = ["concepts", "patterns", "practices", "handbook"]

SPEC = {
    "slug": "the-spec",
    "category": "patterns",
    "title": "The Spec",
    "description": "A living document about context",
    "tags": ["Specification"],
    "lastUpdated": "2025-02-01",
    "status": "Experimental",
}
CONTEXT = {
    "slug": "context-engineering",
    "category": "concepts",
    "title": "Context Engineering",
    "description": "What an agent sees",
    "tags": ["Context Engineering", "Prompting"],
    "lastUpdated": "2025-03-01",
    "status": "Live",
    "maturity": "Standard",
    "relatedIds": ["patterns/the-spec"],
}
CONTENT = "## Definition\n\nText.\n"


def only_text(result: dict[str, Any]) -> str:
    """Return the text of a result that has exactly one content item."""
    (item,) = result["content"]
    assert item["type"] == "text"
    text: str = item["text"]
    return text


def slugs(result: dict[str, Any]) -> list[str]:
    """Return the slugs of a list or search, from its text."""
    return [article["slug"] for article in json.loads(result["content"][0]["text"])]


async def failed(peer: DirectPeer, tool: str, /, **arguments: Any) -> str:
    """Return the error of a call: one text, marked as an error."""
    result = await peer.call(tool, **arguments)
    assert result["isError"] is True
    assert "structuredContent" not in result
    return only_text(result)


async def test_the_tools_are_the_documented_three(peer: DirectPeer) -> None:
    """D-100: list_articles, get_article, search_articles; all read only."""
    tools = (await peer.result("tools/list"))["tools"]
    assert [tool["name"] for tool in tools] == [
        "list_articles",
        "get_article",
        "search_articles",
    ]
    for tool in tools:
        assert tool["title"]
        assert tool["description"]
        assert tool["annotations"] == {
            "readOnlyHint": True,
            "destructiveHint": False,
            "openWorldHint": False,
        }
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            assert schema["type"] == "object"
            assert schema["additionalProperties"] is False
            assert "$ref" not in json.dumps(schema)


async def test_the_arguments_are_the_documented_ones(peer: DirectPeer) -> None:
    """D-100: required arguments, bounds and enums."""
    tools = (await peer.result("tools/list"))["tools"]
    schemas = {tool["name"]: tool["inputSchema"] for tool in tools}
    listing, getting, searching = (schemas[tool["name"]] for tool in tools)
    paging = {"limit", "max_chars", "cursor"}
    assert set(listing["properties"]) == {"category", "format", *paging}
    assert listing["required"] == []
    assert set(getting["properties"]) == {
        *("slug", "sections", "format", "include_images", "max_chars", "cursor")
    }
    assert getting["required"] == ["slug"]
    assert set(searching["properties"]) == {
        *("query", "mode", "category", "detail", "include_content", "format"),
        *paging,
    }
    assert searching["required"] == ["query"]
    for schema in (listing, searching):
        limit = schema["properties"]["limit"]
        assert (limit["minimum"], limit["maximum"]) == (1, 1000)
        assert schema["properties"]["category"]["enum"] == CATEGORIES
    assert searching["properties"]["query"]["maxLength"] == 2000
    for schema in (getting, searching):
        form = schema["properties"]["format"]
        assert (form["enum"], form["default"]) == (["json", "markdown"], "json")


async def test_the_category_enum_follows_what_can_be_seen(
    small_base: KnowledgeBase, scanner: Scanner
) -> None:
    """D-007: only categories with a visible article exist on any transport."""
    app = open_app(small_base, structured_results=True)
    peer = DirectPeer("2026-07-28", server=app.server, scanner=scanner)

    async def listed() -> list[str]:
        tools = (await peer.result("tools/list"))["tools"]
        enum: list[str] = tools[0]["inputSchema"]["properties"]["category"]["enum"]
        assert tools[2]["inputSchema"]["properties"]["category"]["enum"] == enum
        return enum

    assert await listed() == CATEGORIES
    small_base.write("patterns/the-spec", status="Draft")
    small_base.write("archive/new")
    articles_of(app).load()
    assert await listed() == ["concepts", "practices", "archive", "handbook"]
    refused = await failed(peer, "list_articles", category="patterns")
    assert refused == (
        "Unknown category 'patterns'. "
        "Categories: concepts, practices, archive, handbook"
    )


async def test_without_a_visible_article_there_are_no_categories(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """JSON Schema draft 4: an enum has a value; the tools still answer."""
    knowledge.write("concepts/links-to-hidden", status="Draft")
    app = open_app(knowledge, structured_results=True)
    peer = DirectPeer("2026-07-28", server=app.server, scanner=scanner)
    tools = (await peer.result("tools/list"))["tools"]
    assert "enum" not in tools[0]["inputSchema"]["properties"]["category"]
    assert only_text(await peer.call("list_articles")) == "[]"
    refused = await failed(peer, "list_articles", category="concepts")
    assert refused == "Unknown category 'concepts'. Categories: none yet"


async def test_all_visible_articles_are_listed_newest_first(peer: DirectPeer) -> None:
    """D-006: Live and Experimental, by date, then category and slug; no content.

    Maturity and related articles are those of get_article.
    """
    result = await peer.call("list_articles")
    articles = json.loads(only_text(result))
    assert [article["slug"] for article in articles] == ORDER
    whole = {"maturity", "relatedIds"}
    assert articles[0] == {k: v for k, v in CONTEXT.items() if k not in whole}
    assert articles[1] == SPEC
    assert not any("content" in article for article in articles)
    assert {article["status"] for article in articles} == {"Live", "Experimental"}
    assert result["structuredContent"] == {"articles": articles, "total": 6}
    assert "isError" not in result


async def test_a_category_and_a_limit_narrow_the_list(peer: DirectPeer) -> None:
    """D-103: the total counts what is visible of the category; a note says the rest."""
    result = await peer.call("list_articles", category="concepts", limit=2)
    assert slugs(result) == ["context-engineering", "concepts/twice"]
    assert result["structuredContent"]["total"] == 3
    note = result["content"][1]["text"]
    assert note.startswith('2 of 3 articles shown. Next: cursor "')
    assert slugs(await peer.call("list_articles", limit=5.0)) == ORDER[:5]


@pytest.mark.parametrize("arguments", [{"category": None}, {"limit": None}])
async def test_an_argument_without_a_value_counts_as_left_out(
    peer: DirectPeer, arguments: dict[str, Any]
) -> None:
    """D-015: clients send null or nothing for what they leave out."""
    assert slugs(await peer.call("list_articles", **arguments)) == ORDER


async def test_50_articles_are_listed_by_default(
    small_base: KnowledgeBase, scanner: Scanner
) -> None:
    """D-009: the default limit is 50; the total states how many there are."""
    for number in range(60):
        small_base.write(f"concepts/n{number}")
    server = open_app(small_base, structured_results=True).server
    peer = DirectPeer("2025-11-25", server=server, scanner=scanner)
    result = await peer.call("list_articles", max_chars=80_000)
    assert len(slugs(result)) == 50
    assert result["structuredContent"]["total"] == 66
    found = await peer.call("search_articles", query="", max_chars=80_000)
    assert len(slugs(found)) == 50
    assert found["structuredContent"]["total"] == 66
    found = await peer.call("search_articles", query="n", max_chars=80_000)
    assert len(slugs(found)) == 10
    every = await peer.call("list_articles", limit=1000, max_chars=80_000)
    assert len(slugs(every)) == 66


async def test_a_list_may_be_lines(peer: DirectPeer) -> None:
    """Half as long: the name to get each article by, and its description."""
    result = await peer.call("list_articles", format="markdown")
    lines = only_text(result).split("\n")
    assert lines[0] == "- context-engineering: What an agent sees"
    assert lines[2] == f"- prune: {'d' * 199}…"
    names = [line.split(":")[0] for line in lines]
    assert names[3:5] == ["- concepts/twice", "- handbook/twice"]


async def test_an_article_is_its_json_as_one_text(peer: DirectPeer) -> None:
    """D-010: JSON of the Article, compact, keys in a fixed order."""
    result = await peer.call("get_article", slug="context-engineering")
    text = only_text(result)
    article = {**CONTEXT, "content": CONTENT}
    assert text == json.dumps(article, separators=(",", ":"))
    assert result["structuredContent"] == article
    assert list(result["structuredContent"]) == list(article)


async def test_optional_fields_are_left_out_and_removed_characters_counted(
    small_base: KnowledgeBase, scanner: Scanner
) -> None:
    """D-100: maturity and relatedIds are optional; D-082: invisible characters are
    removed and their number is stated.
    """
    small_base.write("concepts/odd", tags=None, body="a\u200b\u202eb\n")
    server = open_app(small_base, structured_results=True).server
    peer = DirectPeer("2025-06-18", server=server, scanner=scanner)
    article = (await peer.call("get_article", slug="odd"))["structuredContent"]
    assert article == {
        "slug": "odd",
        "category": "concepts",
        "title": "Odd",
        "description": "What odd is about",
        "tags": [],
        "lastUpdated": "2025-01-15",
        "status": "Live",
        "content": "ab\n",
        "removed": 2,
    }


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("the-spec", "The Spec"),
        ("patterns/the-spec", "The Spec"),
        ("concepts/twice", "Twice"),
        ("handbook/twice", "Twice More"),
    ],
)
async def test_a_slug_or_category_and_slug_find_an_article(
    peer: DirectPeer, name: str, title: str
) -> None:
    """D-008: category/slug is always accepted."""
    result = await peer.call("get_article", slug=name)
    assert result["structuredContent"]["title"] == title


async def test_a_slug_that_two_visible_articles_share_names_both(
    small_base: KnowledgeBase, scanner: Scanner
) -> None:
    """D-008: ambiguous; a hidden twin does not count and is never named."""
    small_base.write("practices/twice", status="Draft")
    small_base.write("concepts/prune", status="Draft")
    server = open_app(small_base, structured_results=True).server
    peer = DirectPeer("2026-07-28", server=server, scanner=scanner)
    assert await failed(peer, "get_article", slug="twice") == (
        "Article 'twice' is ambiguous: use one of concepts/twice, handbook/twice"
    )
    result = await peer.call("get_article", slug="prune")
    assert result["structuredContent"]["category"] == "practices"


async def test_an_article_is_read_as_the_disk_has_it_now(
    small_base: KnowledgeBase, scanner: Scanner
) -> None:
    """D-066: after an atomic save a read is never stale, nor after a demotion, even
    before the watcher scanned.
    """
    server = open_app(small_base, structured_results=True).server
    peer = DirectPeer("2026-07-28", server=server, scanner=scanner)
    small_base.write("patterns/the-spec", body="New text.\n")
    result = await peer.call("get_article", slug="the-spec")
    assert result["structuredContent"]["content"] == "New text.\n"
    small_base.write("patterns/the-spec", status="Draft")
    error = await failed(peer, "get_article", slug="the-spec")
    assert error == "Article 'the-spec' not found"
    assert "the-spec" not in slugs(await peer.call("list_articles"))


async def test_an_article_as_markdown_has_the_same_structure(peer: DirectPeer) -> None:
    """D-010: title, body and footer as the text; structured content is the JSON."""
    result = await peer.call("get_article", slug="the-spec", format="markdown")
    assert only_text(result) == (
        "# The Spec\n\n"
        "Some text about The-spec.\n\n## More\n\nAnd more of it.\n\n"
        "Author: Ville\n"
        "Category: patterns\n"
        "Tags: Specification\n"
        "Published: 2024-12-24\n"
        "Status: Experimental (high-risk: an emerging pattern, not yet proven)"
    ).replace("The-spec", "The spec")
    plain = await peer.call("get_article", slug="the-spec")
    assert result["structuredContent"] == plain["structuredContent"]
