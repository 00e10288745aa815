"""Sections of one article: by heading, by anchor, in both formats."""

import json
from typing import Any

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.peers import open_app
from support.shelf import DirectPeer

BODY = "Intro.\n\n## One\n\nFirst.\n\n### Deep\n\nDeeper.\n\n## Two\n\nSecond.\n"
ONE = "# Parts\n\n## One\n\nFirst.\n\n### Deep\n\nDeeper.\n"
TWO = "# Parts\n\n## Two\n\nSecond.\n"


@pytest.fixture
def peer(knowledge: KnowledgeBase, scanner: Scanner) -> DirectPeer:
    """Return a client of a knowledge base with an article in sections."""
    knowledge.write("concepts/parts", title="Parts", body=BODY)
    return DirectPeer("2025-11-25", server=open_app(knowledge).server, scanner=scanner)


def content_of(result: dict[str, Any]) -> Any:
    """Return the content in the JSON of an article."""
    return json.loads(result["content"][0]["text"])["content"]


@pytest.mark.parametrize(
    ("arguments", "content"),
    [
        ({"slug": "parts", "sections": ["One"]}, ONE),
        ({"slug": "parts", "sections": ["two"]}, TWO),
        ({"slug": "parts", "section": "#two"}, TWO),
        ({"slug": "parts#two"}, TWO),
        ({"slug": "kb://article/parts#one"}, ONE),
        ({"slug": "https://kb.example/concepts/parts#one"}, ONE),
        ({"slug": "parts#one", "sections": ["two"]}, TWO),
        ({"slug": "parts", "sections": [""]}, "# Parts\n\nIntro.\n"),
        ({"slug": "parts", "sections": []}, BODY),
    ],
)
async def test_some_sections_are_given_below_the_title(
    peer: DirectPeer, arguments: dict[str, Any], content: str
) -> None:
    """As search results name them, or links do."""
    result = await peer.call("get_article", **arguments)
    assert content_of(result) == content
    assert len(result["content"]) == 1
    text = await peer.call("get_article", **arguments, format="markdown")
    if content != BODY:
        assert text["content"][0]["text"] == content


async def test_a_missing_anchor_is_said_with_the_whole_article(
    peer: DirectPeer,
) -> None:
    """A link whose heading was renamed still leads to the article."""
    result = await peer.call("get_article", slug="parts#three")
    assert content_of(result) == BODY
    assert result["content"][1]["text"] == "It has no section 'three'."


async def test_a_missing_section_is_told_with_those_there_are(
    peer: DirectPeer,
) -> None:
    """As with pages of documentation: D-020."""
    result = await peer.call("get_article", slug="parts", sections=["Twoo"])
    assert result["isError"] is True
    error, hint = (content["text"] for content in result["content"])
    assert error.startswith("No section 'Twoo' in 'parts'. Sections of this page:\n")
    assert hint == "Did you mean: Two?"


async def test_a_title_with_a_number_sign_names_no_section(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """What follows it is part of the title."""
    knowledge.write("concepts/c-sharp", title="C# rules", body=BODY)
    app = open_app(knowledge)
    peer = DirectPeer("2025-11-25", server=app.server, scanner=scanner)
    result = await peer.call("get_article", slug="C# rules")
    assert content_of(result) == BODY
    assert len(result["content"]) == 1


async def test_a_hidden_article_has_no_sections(peer: DirectPeer) -> None:
    """D-002: the answer is that of a missing one."""
    for slug in ("known-draft", "missing"):
        for arguments in ({"slug": f"{slug}#one"}, {"slug": slug, "sections": ["x"]}):
            result = await peer.call("get_article", **arguments)
            text = result["content"][0]["text"]
            assert text == f"Article '{arguments['slug']}' not found"
