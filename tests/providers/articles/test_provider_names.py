"""Names as models write them over MCP: fresh, cached rightly, hidden stays hidden."""

from pathlib import Path
from typing import Any

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.peers import open_app
from support.shelf import DirectPeer

LENIENT = (
    "kb://article/prune",
    "practices/prune.md",
    "Prune",
    "PRUNE",
    "/practices/prune",
)


async def get(peer: DirectPeer, **arguments: Any) -> list[str]:
    """Return the texts of `get_article`."""
    result = await peer.call("get_article", **arguments)
    return [item["text"] for item in result["content"]]


@pytest.mark.parametrize("written", LENIENT)
async def test_a_tool_and_a_prompt_take_the_name(
    peer: DirectPeer, written: str
) -> None:
    """The same answer as with the slug; D-015: `id` and others are the slug."""
    expected = await get(peer, slug="prune")
    for parameter in ("slug", "id", "article", "uri", "Slug"):
        assert await get(peer, **{parameter: written}) == expected
    for parameter in ("slug", "name"):
        params = {"name": "explain_concept", "arguments": {parameter: written}}
        result = await peer.result("prompts/get", params)
        address = result["messages"][1]["content"]["resource"]["uri"]
        assert address == "kb://article/prune"


async def test_a_resource_has_exact_names_only(peer: DirectPeer) -> None:
    """URIs are identifiers."""
    for uri in ("kb://article/Prune", "kb://article/practices/prune.md"):
        error = await peer.error("resources/read", {"uri": uri})
        assert error["message"].endswith("not found")


@pytest.mark.parametrize("parameter", ["slug", "id"])
@pytest.mark.parametrize("written", ["prune", *LENIENT])
async def test_an_answer_is_as_fresh_as_the_file(
    small_base: KnowledgeBase, peer: DirectPeer, written: str, parameter: str
) -> None:
    """D-066: by any name, after each atomic save, before the watcher speaks."""
    for number in range(3):
        text = f"Version {number} of it.\n"
        small_base.write("practices/prune", title="Prune", body=text)
        for _ in range(3):
            # The last answer is the cached one.
            assert text.strip() in (await get(peer, **{parameter: written}))[0]
    small_base.write("practices/prune", title="Prune", status="Draft")
    assert (await get(peer, **{parameter: written}))[
        0
    ] == f"Article '{written}' not found"


async def test_an_article_that_was_just_made_is_found(
    small_base: KnowledgeBase, peer: DirectPeer
) -> None:
    """D-066: by its own URI and path, before the watcher speaks."""
    small_base.write("concepts/brand-new", title="Brand new")
    (text,) = await get(peer, slug="kb://article/brand-new")
    assert '"slug":"brand-new"' in text
    small_base.write("concepts/newer", title="Newer")
    (text,) = await get(peer, slug="/concepts/newer.md")
    assert '"slug":"newer"' in text


async def test_near_names_are_in_a_second_text(peer: DirectPeer) -> None:
    """D-102: the first text is the contract's."""
    assert await get(peer, slug="the-spek") == [
        "Article 'the-spek' not found",
        "Did you mean: the-spec?",
    ]
    assert await get(peer, slug="zzz") == ["Article 'zzz' not found"]
    params = {"name": "explain_concept", "arguments": {"slug": "the-spek"}}
    error = await peer.error("prompts/get", params)
    assert error["data"] == {"slug": "the-spek", "hint": "Did you mean: the-spec?"}


async def test_a_hint_is_in_the_data_of_a_protocol_error(
    small_base: KnowledgeBase, scanner: Scanner
) -> None:
    """D-004: with `tool_errors = protocol`."""
    server = open_app(small_base, tool_errors="protocol").server
    peer = DirectPeer("2026-07-28", server=server, scanner=scanner)
    call = {"name": "get_article", "arguments": {"slug": "the-spek"}}
    error = await peer.error("tools/call", call)
    assert error["message"] == "Article 'the-spek' not found"
    assert error["data"] == {"slug": "the-spek", "hint": "Did you mean: the-spec?"}


@pytest.mark.parametrize(
    "wanted",
    [
        *("secret-spec", "Secret Spec", "patterns/secret-spec", "secret-spec.md"),
        *("kb://article/secret-spec", "SECRET-SPEC", "the-spec-secret", "the-secret"),
    ],
)
async def test_a_hidden_article_leaves_no_trace_in_hints(
    tmp_path: Path, scanner: Scanner, wanted: str
) -> None:
    """D-002: the same bytes where it is hidden and where it never was."""
    bodies = []
    for has_hidden in (True, False):
        knowledge = KnowledgeBase(tmp_path / f"base-{has_hidden}")
        knowledge.write("patterns/the-spec", title="The Spec")
        knowledge.write("patterns/other", title="Other")
        if has_hidden:
            knowledge.write("patterns/secret-spec", title="Secret Spec", status="Draft")
        peer = DirectPeer(
            "2026-07-28", server=open_app(knowledge).server, scanner=scanner
        )
        for method, name in (
            ("tools/call", "get_article"),
            ("prompts/get", "explain_concept"),
        ):
            params = {"name": name, "arguments": {"slug": wanted}}
            await peer.request(method, params)
            bodies.append(peer.body)
    assert bodies[:2] == bodies[2:]
    assert b"the-spec" in bodies[0]
    assert b"Did you mean: secret" not in bodies[0]
