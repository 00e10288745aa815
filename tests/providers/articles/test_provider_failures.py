"""How the tools of articles fail: fixed texts, and nothing about hidden articles."""

from typing import Any

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.peers import open_app
from support.shelf import DirectPeer

CATEGORIES = ["concepts", "patterns", "practices", "handbook"]


async def failed(peer: DirectPeer, tool: str, /, **arguments: Any) -> str:
    """Return the error of a call: one text, marked as an error, and perhaps a hint."""
    result = await peer.call(tool, **arguments)
    assert result["isError"] is True
    assert "structuredContent" not in result
    item, *hints = result["content"]
    assert item["type"] == "text"
    assert all(hint["text"].startswith("Did you mean: ") for hint in hints[:1])
    assert len(hints) < 2
    text: str = item["text"]
    return text


@pytest.mark.parametrize("arguments", [{}, {"slug": None}, {"slug": ""}])
async def test_a_missing_slug_is_told(
    peer: DirectPeer, arguments: dict[str, Any]
) -> None:
    """D-102: Missing required parameter: slug."""
    error = await failed(peer, "get_article", **arguments)
    assert error == "Missing required parameter: slug"


@pytest.mark.parametrize(
    "slug",
    [
        *("does-not-exist", "known-draft", "concepts/known-draft", "patterns/prune"),
        *("Contextengineering", "context-engineering.mdx", "the-spec-", "the-spec/x"),
        *("../concepts/twice", "concepts/../concepts/twice", "/etc/passwd", "a/b/c"),
        *("%74he-spec", "the\u2010spec", "a\x00b", "'", "x" * 500, "concepts/", "."),
    ],
)
async def test_what_cannot_be_seen_is_not_found(peer: DirectPeer, slug: str) -> None:
    """D-004: Article 'x' not found, for hidden, missing and odd names."""
    assert await failed(peer, "get_article", slug=slug) == f"Article '{slug}' not found"


async def test_an_article_that_breaks_the_schema_cannot_be_parsed(
    small_base: KnowledgeBase, scanner: Scanner
) -> None:
    """D-005: Failed to parse article metadata, without any of its text; not found if
    its status does not state that it is visible.
    """
    small_base.write("concepts/broken", title=None, body="secret words")
    small_base.write("concepts/hidden-and-broken", title=None, status="Draft")
    server = open_app(small_base, structured_results=True).server
    peer = DirectPeer("2026-07-28", server=server, scanner=scanner)
    for name in ("broken", "concepts/broken"):
        error = await failed(peer, "get_article", slug=name)
        assert error == "Failed to parse article metadata"
    error = await failed(peer, "get_article", slug="hidden-and-broken")
    assert error == "Article 'hidden-and-broken' not found"
    listed = (await peer.call("list_articles"))["structuredContent"]["articles"]
    assert "broken" not in [article["slug"] for article in listed]


@pytest.mark.parametrize("tool", ["list_articles", "search_articles"])
@pytest.mark.parametrize("limit", [0, -1, 1001, 10**18, 2.5, "5 a", True, [1]])
async def test_a_limit_out_of_range_is_told_with_the_range(
    peer: DirectPeer, tool: str, limit: object
) -> None:
    """D-102: 1 to 1,000, else a tool error naming the range."""
    arguments = {"query": "x"} if tool == "search_articles" else {}
    error = await failed(peer, tool, limit=limit, **arguments)
    assert error == "Invalid parameter limit: must be an integer from 1 to 1,000"


@pytest.mark.parametrize(
    ("tool", "field", "bounds"),
    [
        ("list_articles", "category", (0, 200)),
        ("search_articles", "category", (0, 200)),
        ("get_article", "slug", (1, 500)),
    ],
)
async def test_a_name_that_is_far_too_long_is_told_without_it(
    peer: DirectPeer, tool: str, field: str, bounds: tuple[int, int]
) -> None:
    """D-052: limits come before work, and errors repeat little."""
    arguments = {"query": "x"} if tool == "search_articles" else {}
    low, high = bounds
    for length in (high + 1, 100_000):
        error = await failed(peer, tool, **{field: "x" * length}, **arguments)
        allowed = f"{low} to {high} characters"
        assert error == f"Invalid parameter {field}: must be a string of {allowed}"


@pytest.mark.parametrize("tool", ["list_articles", "search_articles"])
async def test_an_unknown_category_is_told_with_the_visible_ones(
    peer: DirectPeer, tool: str
) -> None:
    """D-007: a tool error listing the visible categories."""
    arguments = {"query": "x"} if tool == "search_articles" else {}
    for category in ("concept", "known-draft", "../concepts"):
        assert await failed(peer, tool, category=category, **arguments) == (
            f"Unknown category '{category}'. Categories: {', '.join(CATEGORIES)}"
        )


@pytest.mark.parametrize(
    ("tool", "arguments", "known"),
    [
        ("list_articles", {}, "category, limit, format, max_chars, cursor"),
        (
            "get_article",
            {"slug": "the-spec"},
            "slug, sections, format, include_images, max_chars, cursor",
        ),
        (
            "search_articles",
            {"query": "x"},
            "query, mode, category, detail, include_content, limit, format, max_chars, "
            "cursor",
        ),
    ],
)
async def test_an_unknown_argument_is_refused(
    peer: DirectPeer, tool: str, arguments: dict[str, Any], known: str
) -> None:
    """D-015: unknown arguments are refused, and the known ones named."""
    error = await failed(peer, tool, **arguments, colour="red")
    assert error == f"Unknown parameter: colour. Known parameters: {known}"


async def test_an_unknown_tool_is_a_protocol_error(peer: DirectPeer) -> None:
    """D-034: -32602 Unknown tool (also the specification, server/tools)."""
    error = await peer.error("tools/call", {"name": "unknown_tool"})
    assert error == {"code": -32602, "message": "Unknown tool: unknown_tool"}


CATEGORY_ERROR = f"Unknown category 'x'. Categories: {', '.join(CATEGORIES)}"
LIMIT_ERROR = "must be an integer from 1 to 1,000"


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "message", "data"),
    [
        (
            "get_article",
            {"slug": "nope"},
            -32602,
            "Article 'nope' not found",
            {"slug": "nope"},
        ),
        (
            "get_article",
            {"slug": "known-draft"},
            -32602,
            "Article 'known-draft' not found",
            {"slug": "known-draft"},
        ),
        (
            "get_article",
            {"slug": "broken"},
            -32603,
            "Failed to parse article metadata",
            {"slug": "broken"},
        ),
        (
            "get_article",
            {},
            -32602,
            "Missing required parameter: slug",
            {"field": "slug", "error": "missing"},
        ),
        (
            "search_articles",
            {},
            -32602,
            "Missing required parameter: query",
            {"field": "query", "error": "missing"},
        ),
        (
            "list_articles",
            {"category": "x"},
            -32602,
            CATEGORY_ERROR,
            {"field": "category", "error": CATEGORY_ERROR},
        ),
        (
            "list_articles",
            {"limit": 0},
            -32602,
            f"Invalid parameter limit: {LIMIT_ERROR}",
            {"field": "limit", "error": LIMIT_ERROR},
        ),
    ],
)
@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
async def test_tool_errors_can_be_protocol_errors(
    small_base: KnowledgeBase,
    scanner: Scanner,
    version: str,
    tool: str,
    arguments: dict[str, Any],
    code: int,
    message: str,
    data: dict[str, Any],
) -> None:
    """D-004: JSON-RPC errors with data (tool_errors = protocol)."""
    small_base.write("concepts/broken", title=None)
    server = open_app(small_base, tool_errors="protocol").server
    peer = DirectPeer(version, server=server, scanner=scanner)
    error = await peer.error("tools/call", {"name": tool, "arguments": arguments})
    assert error == {"code": code, "message": message, "data": data}
    assert peer.status == 200
