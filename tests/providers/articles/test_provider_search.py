"""search_articles: matches, their order, and how they are formatted."""

import json
from typing import Any

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.peers import open_app
from support.shelf import DirectPeer


def slugs(result: dict[str, Any]) -> list[str]:
    """Return the slugs of a search, from its text."""
    return [article["slug"] for article in json.loads(result["content"][0]["text"])]


def open_peer(knowledge: KnowledgeBase, scanner: Scanner) -> DirectPeer:
    """Return a peer of a knowledge base in its current state."""
    server = open_app(knowledge, structured_results=True).server
    return DirectPeer("2026-07-28", server=server, scanner=scanner)


async def test_matches_are_weighed_3_2_1_and_then_by_date(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """D-012: title 3, tags 2, description 1, added up; then the newest."""
    fields: dict[str, dict[str, str]] = {
        "all": {"title": "Zebra", "tags": "[zebra]", "description": "a zebra"},
        "title-and-tag": {"title": "zebras", "tags": "[Zebra, zebra]"},
        "title-and-description": {"title": "ZEBRA", "description": "the zebra's"},
        "title-old": {"title": "A zebra", "lastUpdated": "2024-01-01"},
        "tag-and-description": {"tags": "[zebra]", "description": "zebra"},
        "tag": {"tags": "[one zebra two]"},
        "description-new": {"description": "zebra", "lastUpdated": "2025-06-01"},
        "description": {"description": "zebra"},
        "body-only": {"body": "zebra"},
        "zebra-slug": {"description": "Not a word"},
        "hidden-zebra": {"title": "Zebra", "status": "Proposed"},
    }
    for slug, text in fields.items():
        knowledge.write(f"concepts/{slug}", **{"title": "T", **text})
    peer = open_peer(knowledge, scanner)
    result = await peer.call("search_articles", query="zEbRa")
    assert slugs(result) == [
        "all",  # 6
        "title-and-tag",  # 5
        "title-and-description",  # 4
        "tag-and-description",  # 3, newer than the next
        "title-old",  # 3
        "tag",  # 2
        "description-new",  # 1
        "description",  # 1
    ]
    assert result["structuredContent"]["total"] == 8


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("context", ["context-engineering", "the-spec"]),
        ("CONTEXT ENG", ["context-engineering"]),
        ("engineering context", []),
        ("text eng", ["context-engineering"]),
        ("more.", []),
        ("known-draft", []),
        ("(", []),
        ("' OR 1=1 --", []),
        ("*", []),
        ("\x00", []),
    ],
)
async def test_the_whole_query_is_looked_up_as_it_is(
    peer: DirectPeer, query: str, found: list[str]
) -> None:
    """D-012: a case-insensitive substring, no syntax, hidden articles never."""
    result = await peer.call("search_articles", query=query, mode="keyword")
    assert slugs(result) == found
    assert result["structuredContent"]["total"] == len(found)


async def test_an_empty_query_finds_every_visible_article(peer: DirectPeer) -> None:
    """D-012: all visible ones, in the order of the list."""
    result = await peer.call("search_articles", query="")
    listed = await peer.call("list_articles")
    assert result["structuredContent"] == listed["structuredContent"]


@pytest.mark.parametrize("arguments", [{}, {"query": None}])
async def test_a_missing_query_is_told(
    peer: DirectPeer, arguments: dict[str, Any]
) -> None:
    """D-102: Missing required parameter: query."""
    result = await peer.call("search_articles", **arguments)
    assert result["isError"] is True
    assert result["content"] == [
        {"type": "text", "text": "Missing required parameter: query"}
    ]


async def test_a_query_may_have_2000_characters(peer: DirectPeer) -> None:
    """D-102: 0 to 2,000 characters; beyond it a tool error that says so."""
    assert slugs(await peer.call("search_articles", query="é" * 2000)) == []
    result = await peer.call("search_articles", query="é" * 2001)
    assert result["isError"] is True
    assert result["content"][0]["text"] == (
        "Invalid parameter query: must be a string of 0 to 2,000 characters"
    )


async def test_content_comes_when_it_is_asked_for(peer: DirectPeer) -> None:
    """`include_content` is false by default."""
    bare = await peer.call("search_articles", query="Context Engineering")
    whole = await peer.call(
        "search_articles", query="Context Engineering", include_content=True
    )
    (article,) = json.loads(whole["content"][0]["text"])
    assert article.pop("content") == "## Definition\n\nText.\n"
    assert bare["structuredContent"]["articles"] == [article]
    nothing = await peer.call(
        "search_articles", query="Context Engineering", include_content=None
    )
    assert nothing == bare


async def test_a_category_and_a_limit_narrow_the_search(peer: DirectPeer) -> None:
    """D-103: the total counts matches before the limit."""
    result = await peer.call("search_articles", query="twice", category="handbook")
    titles = [a["title"] for a in result["structuredContent"]["articles"]]
    assert titles == ["Twice More"]
    result = await peer.call("search_articles", query="twice", limit=1)
    assert [a["title"] for a in result["structuredContent"]["articles"]] == ["Twice"]
    assert result["structuredContent"]["total"] == 2


async def test_results_as_markdown_are_the_documented_text(peer: DirectPeer) -> None:
    """D-010: Found N articles, blocks of title, category and summary; a slug that two
    articles share has its category, so that it finds one.
    """
    result = await peer.call("search_articles", query="twice", format="markdown")
    assert result["content"][0]["text"] == (
        "Found 2 articles:\n\n"
        "- Twice (concepts/twice)\n"
        "  Category: concepts\n"
        "  What twice is about\n\n"
        "- Twice More (handbook/twice)\n"
        "  Category: handbook\n"
        "  What twice is about"
    )
    as_json = await peer.call("search_articles", query="twice")
    assert result["structuredContent"] == as_json["structuredContent"]
    assert result["content"][1:] == as_json["content"][1:]


async def test_a_long_description_is_cut_in_the_text(peer: DirectPeer) -> None:
    """D-104: 200 characters, between words; the total counts all matches."""
    result = await peer.call("search_articles", query="prune", format="markdown")
    assert result["content"][0]["text"] == (
        f"Found 1 articles:\n\n- Prune (prune)\n  Category: practices\n  {'d' * 199}…"
    )
    result = await peer.call(
        "search_articles", query="twice", format="markdown", limit=1
    )
    assert result["content"][0]["text"].startswith("Found 2 articles:\n\n- Twice (")


@pytest.mark.parametrize("query", ["nothing like it", "known-draft"])
async def test_nothing_found_is_no_error(peer: DirectPeer, query: str) -> None:
    """An empty array; as text a sentence."""
    arguments = {"query": query, "mode": "keyword"}
    result = await peer.call("search_articles", **arguments)
    searched = "0 of 6 articles. Searched titles, tags and descriptions."
    assert [item["text"] for item in result["content"]] == ["[]", searched]
    assert result["structuredContent"] == {"articles": [], "total": 0}
    text = await peer.call("search_articles", **arguments, format="markdown")
    sentence = f"No articles found matching '{query}'."
    assert [item["text"] for item in text["content"]] == [sentence, searched]


async def search_both(peer: DirectPeer, query: str, **arguments: str) -> list[Any]:
    """Return the contents of a search by keyword, and of one in the full text."""
    return [
        (await peer.call("search_articles", query=query, mode=mode, **arguments))[
            "content"
        ]
        for mode in ("keyword", "fulltext", "auto")
    ]


async def test_a_category_in_the_query_is_like_the_argument(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """By keyword and in the full text; notes included."""
    for category in ("concepts", "patterns"):
        knowledge.write(f"{category}/heron", title="Heron", body="A heron wades.\n")
    peer = open_peer(knowledge, scanner)
    for text in ("heron", "wades", "zzqx"):
        written = await search_both(peer, f"category:Patterns {text}")
        assert written == await search_both(peer, text, category="patterns")
    result = await peer.call("search_articles", query="-category:patterns heron")
    assert slugs(result) == ["concepts/heron"] or slugs(result) == ["heron"]


@pytest.mark.parametrize("mode", ["keyword", "fulltext"])
async def test_articles_are_filtered_by_their_last_update(
    knowledge: KnowledgeBase, scanner: Scanner, mode: str
) -> None:
    """Pages of results too; with dates alone all articles of these are listed."""
    days = {"a": "2025-01-01", "b": "2025-12-31", "c": "2026-01-01", "d": "2026-02-01"}
    for slug, day in days.items():
        knowledge.write(
            f"concepts/{slug}", title=f"Heron {slug}", lastUpdated=day, body="Heron.\n"
        )
    peer = open_peer(knowledge, scanner)
    for dates, expected in (
        ("2025", ["b", "a"]),
        (">2025", ["d", "c"]),
        ("2025-12..2026-01", ["c", "b"]),
        ("<2025", []),
    ):
        query = f"heron updated:{dates}"
        result = await peer.call("search_articles", query=query, mode=mode, limit=9)
        assert sorted(slugs(result), reverse=True) == expected
    alone = await peer.call("search_articles", query="updated:2026", mode=mode)
    assert slugs(alone) == ["d", "c"]
    first = await peer.call(
        "search_articles", query="heron updated:>2025-06", mode=mode, limit=2
    )
    cursor = first["structuredContent"]["nextCursor"]
    second = await peer.call(
        "search_articles",
        query="heron updated:>2025-06",
        mode=mode,
        limit=2,
        cursor=cursor,
    )
    assert sorted(slugs(first) + slugs(second)) == ["b", "c", "d"]


async def test_a_filter_never_discloses_a_hidden_article(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """A category with hidden articles only is as unknown, and so is their date."""
    knowledge.write("concepts/heron", title="Heron", body="A heron wades.\n")
    knowledge.write(
        "secrets/x", title="Heron", status="Draft", lastUpdated="2019-01-01"
    )
    peer = open_peer(knowledge, scanner)
    for text in ("", "heron", "wades"):
        hidden = await search_both(peer, f"category:secrets {text}")
        missing = await search_both(peer, f"category:nothing {text}")
        assert str(hidden).replace("secrets", "nothing") == str(missing)
        hidden = await search_both(peer, f"{text} updated:2019")
        assert hidden == await search_both(peer, f"{text} updated:2018")
