"""`kb://article/{slug}`: lists, reads, and reads of missing articles."""

from typing import Any

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.peers import VERSIONS, open_app
from support.shelf import DirectPeer
from support.site import articles_of

EXPECTED = "Invalid URI format. Expected: kb://article/{slug}"


async def test_every_visible_article_is_a_resource_newest_first(
    peer: DirectPeer,
) -> None:
    """D-006: visible ones, by date; text/markdown."""
    result = await peer.result("resources/list")
    assert [resource["uri"] for resource in result["resources"]] == [
        "kb://article/context-engineering",
        "kb://article/the-spec",
        "kb://article/prune",
        "kb://article/concepts/twice",
        "kb://article/handbook/twice",
        "kb://article/links-to-hidden",
    ]
    assert result["resources"][0] == {
        "uri": "kb://article/context-engineering",
        "name": "context-engineering",
        "title": "Context Engineering",
        "description": "What an agent sees",
        "mimeType": "text/markdown",
        "annotations": {
            "audience": ["user", "assistant"],
            "priority": 0.8,
            "lastModified": "2025-03-01T00:00:00Z",
        },
    }
    assert "nextCursor" not in result
    for resource in result["resources"]:
        await peer.result("resources/read", {"uri": resource["uri"]})


async def test_a_description_is_cut_at_200_characters_in_the_list_only(
    peer: DirectPeer,
) -> None:
    """D-104: 200 characters with the ellipsis; tools return it whole."""
    resources = (await peer.result("resources/list"))["resources"]
    assert resources[2]["description"] == "d" * 199 + "…"
    article = (await peer.call("get_article", slug="prune"))["structuredContent"]
    assert article["description"] == "d" * 250


async def test_there_is_one_template(peer: DirectPeer) -> None:
    """D-100: kb://article/{slug}."""
    result = await peer.result("resources/templates/list")
    assert result["resourceTemplates"] == [
        {
            "uriTemplate": "kb://article/{slug}",
            "name": "article",
            "title": "Article",
            "description": "An article as Markdown, by its slug",
            "mimeType": "text/markdown",
        }
    ]


async def test_pages_of_100_survive_what_changes_between_them(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """D-037: a cursor is the last key: nothing twice, nothing skipped."""
    for number in range(120):
        knowledge.write(f"concepts/n{number:03}", lastUpdated="2025-02-02")
    app = open_app(knowledge, structured_results=True)
    peer = DirectPeer("2026-07-28", server=app.server, scanner=scanner)
    first = await peer.result("resources/list")
    names = [resource["name"] for resource in first["resources"]]
    assert names == [f"n{number:03}" for number in range(100)]
    knowledge.write("concepts/n099", status="Draft")
    knowledge.write("concepts/n110", status="Draft")
    knowledge.write("concepts/newest", lastUpdated="2025-03-03")
    articles_of(app).load()
    rest = await peer.result("resources/list", {"cursor": first["nextCursor"]})
    assert [resource["name"] for resource in rest["resources"]] == [
        *(f"n{number:03}" for number in range(100, 120) if number != 110),
        "links-to-hidden",
    ]
    assert "nextCursor" not in rest
    error = await peer.error("resources/list", {"cursor": "garbage"})
    assert error["code"] == -32602


@pytest.mark.parametrize("name", ["the-spec", "patterns/the-spec", "%74he%2Dspec"])
async def test_an_article_is_read_as_markdown_under_the_uri_that_was_asked_for(
    peer: DirectPeer, name: str
) -> None:
    """D-010: one content, the Markdown text of the article."""
    uri = f"kb://article/{name}"
    result = await peer.result("resources/read", {"uri": uri})
    text = await peer.call("get_article", slug="the-spec", format="markdown")
    assert result["contents"] == [
        {"uri": uri, "mimeType": "text/markdown", "text": text["content"][0]["text"]}
    ]


async def test_a_name_of_any_script_is_listed_and_read_percent_encoded(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """RFC 3986: the list gives an encoded URI, and the plain one is read too."""
    knowledge.write("concepts/größe", title="Größe")
    server = open_app(knowledge, structured_results=True).server
    peer = DirectPeer("2026-07-28", server=server, scanner=scanner)
    listed = (await peer.result("resources/list"))["resources"][0]["uri"]
    assert listed == "kb://article/gr%C3%B6%C3%9Fe"
    for uri in (listed, "kb://article/größe"):
        result = await peer.result("resources/read", {"uri": uri})
        assert result["contents"][0]["uri"] == uri
        assert result["contents"][0]["text"].startswith("# Größe\n")


def not_found(version: str) -> int:
    """Return a version's code for a missing resource."""
    return -32602 if version == "2026-07-28" else -32002


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "uri",
    [
        *("", "kb:", "kb://", "kb://article", "kb://article/", "kb://doc/x"),
        *("KB://article/the-spec", "http://kb/article/the-spec", "the-spec"),
        *("file:///etc/passwd", "kb://article/%ff", "kb://article/%C3"),
    ],
)
async def test_a_uri_of_another_form_is_not_found_and_told_the_form(
    small_base: KnowledgeBase, scanner: Scanner, version: str, uri: str
) -> None:
    """D-035: the era's code, the expected form, the URI as data."""
    server = open_app(small_base, structured_results=True).server
    peer = DirectPeer(version, server=server, scanner=scanner)
    error = await peer.error("resources/read", {"uri": uri})
    assert error == {
        "code": not_found(version),
        "message": EXPECTED,
        "data": {"uri": uri},
    }


async def test_a_uri_that_is_far_too_long_is_cut_in_the_error(peer: DirectPeer) -> None:
    """D-052: errors repeat little of what was sent."""
    for prefix in ("kb://article/", "x:"):
        error = await peer.error("resources/read", {"uri": prefix + "a" * 100_000})
        assert error["message"] == EXPECTED
        assert len(error["data"]["uri"]) <= 500


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("nope", "nope"),
        ("known-draft", "known-draft"),
        ("concepts/known-draft", "concepts/known-draft"),
        ("the-spec?x=1", "the-spec?x=1"),
        ("the-spec#x", "the-spec#x"),
        ("../the-spec", "../the-spec"),
        ("..%2Fpatterns%2Fthe-spec", "../patterns/the-spec"),
        ("the-spec%00", "the-spec\x00"),
        ("%zz", "%zz"),
        ("%2574he-spec", "%74he-spec"),
    ],
)
async def test_a_uri_that_names_nothing_visible_is_not_found(
    small_base: KnowledgeBase, scanner: Scanner, version: str, path: str, name: str
) -> None:
    """D-035: Article 'x' not found with the URI; never empty contents."""
    server = open_app(small_base, structured_results=True).server
    peer = DirectPeer(version, server=server, scanner=scanner)
    uri = f"kb://article/{path}"
    assert await peer.error("resources/read", {"uri": uri}) == {
        "code": not_found(version),
        "message": f"Article '{name}' not found",
        "data": {"uri": uri},
    }


async def test_a_resource_that_two_articles_share_names_both(peer: DirectPeer) -> None:
    """D-008: a bare slug of two visible articles is an error."""
    error = await peer.error("resources/read", {"uri": "kb://article/twice"})
    assert error["code"] == -32602
    assert error["message"] == (
        "Article 'twice' is ambiguous: use one of concepts/twice, handbook/twice"
    )


async def test_a_resource_that_breaks_the_schema_is_an_internal_error(
    small_base: KnowledgeBase, scanner: Scanner
) -> None:
    """D-005: -32603 Failed to parse article metadata."""
    small_base.write("concepts/broken", title=None)
    server = open_app(small_base, structured_results=True).server
    peer = DirectPeer("2026-07-28", server=server, scanner=scanner)
    uri = "kb://article/broken"
    assert await peer.error("resources/read", {"uri": uri}) == {
        "code": -32603,
        "message": "Failed to parse article metadata",
        "data": {"uri": uri},
    }


@pytest.mark.parametrize(("dev", "kept"), [(False, (300_000, 60_000)), (True, (0, 0))])
async def test_results_say_how_long_they_may_be_kept(
    small_base: KnowledgeBase, scanner: Scanner, dev: bool, kept: tuple[int, int]
) -> None:
    """D-036: five minutes for what rarely changes, one for resources so that a demoted
    article does not stay in clients, nothing in development.
    """
    server = open_app(small_base, dev=dev).server
    peer = DirectPeer("2026-07-28", server=server, scanner=scanner)
    read: dict[str, Any] = {"uri": "kb://article/the-spec"}
    long, short = kept
    for method, params, ttl in (
        ("server/discover", {}, long),
        ("tools/list", {}, long),
        ("prompts/list", {}, long),
        ("resources/templates/list", {}, long),
        ("resources/list", {}, short),
        ("resources/read", read, short),
    ):
        result = await peer.result(method, params)
        assert (result["ttlMs"], result["cacheScope"]) == (ttl, "public")


MISSING = "known-drift"
"""As long as known-draft, and missing."""


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "get_article", "arguments": {"slug": "X"}}),
        ("tools/call", {"name": "get_article", "arguments": {"slug": "concepts/X"}}),
        ("tools/call", {"name": "search_articles", "arguments": {"query": "X"}}),
        ("tools/call", {"name": "list_articles", "arguments": {"category": "X"}}),
        ("resources/read", {"uri": "kb://article/X"}),
        ("resources/read", {"uri": "kb://article/concepts/X"}),
        ("prompts/get", {"name": "explain_concept", "arguments": {"slug": "X"}}),
        ("prompts/get", {"name": "find_guidance", "arguments": {"topic": "X"}}),
        (
            "completion/complete",
            {
                "ref": {"type": "ref/prompt", "name": "explain_concept"},
                "argument": {"name": "slug", "value": "X"},
            },
        ),
    ],
)
async def test_hidden_and_missing_are_the_same_byte_for_byte(
    small_base: KnowledgeBase,
    scanner: Scanner,
    version: str,
    method: str,
    params: dict[str, Any],
) -> None:
    """D-002: a hidden article is indistinguishable from a missing one."""
    server = open_app(small_base, structured_results=True).server

    def named(value: Any, name: str) -> Any:
        if isinstance(value, dict):
            return {key: named(item, name) for key, item in value.items()}
        return value.replace("X", name)

    bodies = []
    for name in ("known-draft", MISSING):
        peer = DirectPeer(version, server=server, scanner=scanner)
        await peer.request(method, named(params, name))
        bodies.append(peer.body.replace(name.encode(), b"X"))
    assert bodies[0] == bodies[1]
