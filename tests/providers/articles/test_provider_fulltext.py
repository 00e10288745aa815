"""search_articles in its modes: when full text is searched, and how results say so."""

import json
from typing import Any

import pytest
from support.canary import CANARY, Scanner
from support.knowledge import KnowledgeBase
from support.peers import open_app
from support.shelf import DirectPeer
from support.site import articles_of

from asdlc_kb.app import Runtime
from asdlc_kb.articles.documents import ArticleSource
from asdlc_kb.search.service.fulltext import FullText
from asdlc_kb.search.values import SearchResults


@pytest.fixture
def bird_articles(knowledge: KnowledgeBase) -> KnowledgeBase:
    """Articles about birds; next to each visible word there is a hidden one."""
    knowledge.write(
        "concepts/heron",
        title="Heron",
        description="A patient bird",
        body="Grey.\n\n## Where it waits\n\nIn the shallows.\n",
    )
    knowledge.write(
        "patterns/nest",
        title="Nest",
        body="What a heron builds of twigs, reeds and grass, near the shallows.\n",
    )
    knowledge.write(
        "practices/count", title="Count", body="Write down every kingfisher.\n"
    )
    knowledge.write(
        "concepts/secret",
        title=f"Shallows {CANARY}",
        status="Draft",
        body=f"## Shallows {CANARY}\n\nThe kingfisher {CANARY} cormorants.\n",
    )
    return knowledge


@pytest.fixture
def app(bird_articles: KnowledgeBase) -> Runtime:
    """The birds, opened."""
    return open_app(bird_articles, structured_results=True)


@pytest.fixture
def peer(app: Runtime, scanner: Scanner) -> DirectPeer:
    """A peer of the newest version that asks them."""
    return DirectPeer("2026-07-28", server=app.server, scanner=scanner)


async def search(peer: DirectPeer, query: str, **arguments: Any) -> dict[str, Any]:
    """Search; return the structured content of a call that succeeds."""
    result = await peer.call("search_articles", query=query, **arguments)
    assert not result.get("isError"), result["content"]
    answer: dict[str, Any] = result["structuredContent"]
    return answer


def slugs(answer: dict[str, Any]) -> list[str]:
    """Return what was found, best first."""
    return [article["slug"] for article in answer["articles"]]


@pytest.mark.parametrize(
    ("query", "mode", "found"),
    [
        ("heron", "auto", ["heron"]),
        ("heron", "keyword", ["heron"]),
        ("heron", "fulltext", ["heron", "nest"]),
        ("shallows", "auto", ["heron", "nest"]),
        ("shallows", "keyword", []),
        ("shallows", "fulltext", ["heron", "nest"]),
        ("where does the heron wait?", "auto", ["heron", "nest"]),
        ("where does the heron wait?", "keyword", []),
        ("kingfisher", "auto", ["count"]),
        ("cormorants", "auto", []),
    ],
)
async def test_the_mode_says_what_is_searched(
    peer: DirectPeer, query: str, mode: str, found: list[str]
) -> None:
    """D-012: auto is keywords, and full text only if those find nothing."""
    answer = await search(peer, query, mode=mode, limit=10)
    assert slugs(answer) == found
    assert answer["total"] == len(found)
    by_keyword = mode == "keyword" or (mode == "auto" and query == "heron")
    assert answer.get("mode") == (None if by_keyword else "fulltext")


async def test_results_far_from_the_best_come_only_if_asked(peer: DirectPeer) -> None:
    """A question matches nearly everything; the rest is a cursor or a limit away."""
    answer = await search(peer, "where does the heron wait?")
    assert (slugs(answer), answer["total"]) == (["heron"], 2)
    cursor = answer["nextCursor"]
    more = await search(peer, "where does the heron wait?", cursor=cursor)
    assert slugs(more) == ["nest"]


async def test_auto_is_the_default(peer: DirectPeer) -> None:
    """D-100: clients that send no mode get keyword results as before."""
    for query in ("heron", "shallows", ""):
        assert await search(peer, query) == await search(peer, query, mode="auto")


async def test_keywords_do_not_wait_for_an_index(
    app: Runtime, peer: DirectPeer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keyword search is cheap: no index is built or used."""

    def refuse(*_: object, **__: object) -> SearchResults:
        raise AssertionError("the index was asked")

    monkeypatch.setattr(FullText, "sync", refuse)
    monkeypatch.setattr(FullText, "search", refuse)
    for query, mode in (("heron", "auto"), ("shallows", "keyword"), (" ", "fulltext")):
        await search(peer, query, mode=mode)
    assert not app.indexers["articles"].index.is_ready


@pytest.mark.parametrize("query", ["", " ", "\n\t"])
async def test_an_empty_query_is_keywords_in_every_mode(
    peer: DirectPeer, query: str
) -> None:
    """D-012: "" finds all visible ones; a blank query is empty too."""
    expected = await search(peer, query, mode="keyword")
    for mode in ("auto", "fulltext"):
        assert await search(peer, query, mode=mode) == expected


@pytest.mark.parametrize("mode", ["word", "FULL TEXT", 1])
async def test_another_mode_is_refused(peer: DirectPeer, mode: object) -> None:
    """The schema lists the three."""
    result = await peer.call("search_articles", query="heron", mode=mode)
    assert result["isError"] is True
    assert "mode" in result["content"][0]["text"]


async def test_a_hit_says_where_it_is(peer: DirectPeer) -> None:
    """Heading, anchor and passage, or snippet; keyword results have none of them."""
    best, other = (await search(peer, "shallows"))["articles"]
    assert (best["heading"], best["anchor"]) == ("Where it waits", "where-it-waits")
    assert best["passage"] == "In the shallows."
    assert not other.keys() & {"heading", "anchor", "snippet"}
    best, other = (await search(peer, "shallows", detail="list"))["articles"]
    assert best["snippet"] == "In the **shallows**."
    assert (
        other["snippet"]
        == "What a heron builds of twigs, reeds and grass, near the **shallows**."
    )
    assert not {"passage"} & (best.keys() | other.keys())
    (article,) = (await search(peer, "heron"))["articles"]
    assert not article.keys() & {"heading", "anchor", "snippet", "passage"}


async def test_a_hit_is_an_article_like_any_other(peer: DirectPeer) -> None:
    """Every field of the list; the text is the same array."""
    result = await peer.call("search_articles", query="kingfisher")
    (hit,) = result["structuredContent"]["articles"]
    assert json.loads(result["content"][0]["text"]) == [hit]
    (listed,) = (await search(peer, "count", mode="keyword"))["articles"]
    assert hit.pop("passage") == "Write down every kingfisher."
    assert hit == listed
    assert len(result["content"]) == 1


async def test_content_comes_when_it_is_asked_for(peer: DirectPeer) -> None:
    """`include_content` applies to full-text results too."""
    (hit,) = (await search(peer, "kingfisher"))["articles"]
    assert "content" not in hit
    (hit,) = (await search(peer, "kingfisher", include_content=True))["articles"]
    assert hit["content"] == "Write down every kingfisher.\n"
    assert hit["snippet"] == "Write down every **kingfisher**."


@pytest.mark.parametrize("mode", ["auto", "fulltext"])
async def test_a_category_and_a_limit_narrow_the_full_text(
    peer: DirectPeer, mode: str
) -> None:
    """D-103: the total counts matches before the limit, within the category."""
    answer = await search(peer, "shallows", mode=mode, category="patterns")
    assert (slugs(answer), answer["total"]) == (["nest"], 1)
    answer = await search(peer, "shallows", mode=mode, limit=1)
    assert (slugs(answer), answer["total"]) == (["heron"], 2)
    answer = await search(peer, "shallows", mode=mode, category="practices")
    assert (slugs(answer), answer["total"]) == ([], 0)


@pytest.mark.parametrize("mode", ["auto", "keyword", "fulltext"])
async def test_an_unknown_category_is_told(peer: DirectPeer, mode: str) -> None:
    """In every mode the same: the visible ones."""
    for category in ("recipes", CANARY[:6]):
        result = await peer.call(
            "search_articles", query="shallows", mode=mode, category=category
        )
        assert result["isError"] is True
        assert result["content"][0]["text"] == (
            f"Unknown category '{category}'. Categories: concepts, patterns, practices"
        )


async def test_a_corrected_word_is_told(peer: DirectPeer) -> None:
    """D-103: a result states what was searched instead."""
    answer = await search(peer, "kingfihser")
    assert slugs(answer) == ["count"]
    assert answer["corrected"] == [{"typed": "kingfihser", "searched": "kingfisher"}]
    assert "corrected" not in await search(peer, "kingfisher")


async def test_what_full_text_finds_as_markdown(peer: DirectPeer) -> None:
    """D-104: section and passage in the place of the description."""
    arguments = {"format": "markdown", "detail": "list"}
    result = await peer.call("search_articles", query="shalows", **arguments)
    assert result["content"][0]["text"] == (
        "Found 2 articles:\n\n"
        "- Heron (heron)\n"
        "  Category: concepts\n"
        "  Section: Where it waits (#where-it-waits)\n"
        "  In the **shallows**.\n\n"
        "- Nest (nest)\n"
        "  Category: patterns\n"
        "  What a heron builds of twigs, reeds and grass, near the **shallows**."
    )
    (note,) = result["content"][1:]
    assert note["text"].startswith("No searched article has 'shalows'. Searched for ")
    as_json = await peer.call("search_articles", query="shalows", detail="list")
    assert result["structuredContent"] == as_json["structuredContent"]
    assert result["content"][1:] == as_json["content"][1:]


async def test_another_query_is_suggested_where_nothing_fits(
    app: Runtime, peer: DirectPeer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stated as a field, and in the text."""
    await search(peer, "shallows")
    results = SearchResults(suggestion="grey heron")
    monkeypatch.setattr(
        app.indexers["articles"].index, "search", lambda *_, **__: results
    )
    answer = await search(peer, "grye hreon")
    assert answer == {
        "articles": [],
        "total": 0,
        "mode": "fulltext",
        "suggestion": "grey heron",
    }
    text = await peer.call("search_articles", query="grye hreon", format="markdown")
    assert [item["text"] for item in text["content"]] == [
        "No articles found matching 'grye hreon'.",
        "0 of 4 articles. Searched titles, tags, descriptions and text. "
        "Did you mean 'grey heron'?",
    ]


async def test_nothing_found_is_no_error(peer: DirectPeer) -> None:
    """An empty array, and as text a sentence."""
    result = await peer.call("search_articles", query="zzqxv wwkjh")
    assert "isError" not in result
    searched = "0 of 4 articles. Searched titles, tags, descriptions and text."
    assert [item["text"] for item in result["content"]] == ["[]", searched]
    text = await peer.call("search_articles", query="zzqxv wwkjh", format="markdown")
    assert text["content"][0]["text"] == "No articles found matching 'zzqxv wwkjh'."


HIDDEN_WORDS = (
    *("cormorants", "cormorant", "cormoran*", "cormornats", "known-draft", "secret"),
    *(
        CANARY,
        CANARY[:-2],
        '"the kingfisher canary"',
        "7q4x9",
        "title:canary",
        "-heron canary",
    ),
)


@pytest.mark.parametrize("form", ["json", "markdown"])
async def test_words_of_hidden_articles_are_never_suggested(
    peer: DirectPeer, form: str
) -> None:
    """D-087: no hit, no count, no correction and no suggestion reveals one.

    The canary scan reads every answer. A query is repeated in the sentence about no
    results: that it was sent is no secret.
    """
    for query in HIDDEN_WORDS:
        for mode in ("auto", "fulltext"):
            if CANARY in query and form == "markdown":
                continue
            result = await peer.call(
                "search_articles", query=query, mode=mode, format=form
            )
            answer = result["structuredContent"]
            corrections = json.dumps(answer.get("corrected", [])) + str(
                answer.get("suggestion")
            )
            assert "cormorant" not in corrections, query
            assert not set(slugs(answer)) & {"secret", "known-draft"}, query
            if "heron" not in query:
                assert (answer["articles"], answer["total"]) == ([], 0), query


async def test_an_answer_is_remembered_until_the_index_is_another(
    bird_articles: KnowledgeBase, app: Runtime, peer: DirectPeer
) -> None:
    """D-107: the validator covers the articles and their index."""
    await search(peer, "shallows")
    for _ in range(2):
        assert slugs(await search(peer, "avocet")) == []
    assert peer.remembered == 1
    bird_articles.write(
        "practices/count", title="Count", body="Write down every avocet.\n"
    )
    articles_of(app).load()
    index = app.indexers["articles"].index
    assert slugs(await search(peer, "avocet")) == []
    index.sync(ArticleSource(articles_of(app).catalog))
    assert slugs(await search(peer, "avocet")) == ["count"]


@pytest.mark.parametrize("mode", ["auto", "fulltext"])
async def test_a_demoted_article_is_gone_before_the_index_knows(
    bird_articles: KnowledgeBase, app: Runtime, peer: DirectPeer, mode: str
) -> None:
    """D-087: hits are resolved against the visible articles; the count too."""
    assert slugs(await search(peer, "shallows", mode=mode)) == ["heron", "nest"]
    bird_articles.write(
        "patterns/nest", title=CANARY, status="Draft", body=f"Shallows {CANARY}.\n"
    )
    articles_of(app).load()
    answer = await search(peer, "shallows", mode=mode)
    assert (slugs(answer), answer["total"]) == (["heron"], 1)
    (bird_articles.root / "concepts" / "heron.md").unlink()
    articles_of(app).load()
    answer = await search(peer, "shallows", mode=mode)
    assert (answer["articles"], answer["total"]) == ([], 0)
    assert "suggestion" not in answer


async def test_an_article_that_was_saved_again_is_not_shown_as_it_was(
    bird_articles: KnowledgeBase, app: Runtime, peer: DirectPeer
) -> None:
    """A passage of a former version would be quoted as current."""
    assert slugs(await search(peer, "shallows")) == ["heron", "nest"]
    bird_articles.write("patterns/nest", title="Nest", body="What an egret builds.\n")
    articles_of(app).load()
    answer = await search(peer, "shallows")
    assert (slugs(answer), answer["total"]) == (["heron"], 1)
