"""Search as by the tools, for the commands search and eval."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from support.canary import CANARY
from support.docs import DocsTree
from support.knowledge import KnowledgeBase

from asdlc_kb.articles.catalog import Mode
from asdlc_kb.cli.search_sources import Findings, SearchQuery, SourceSearch
from asdlc_kb.cli.sources import open_sources
from asdlc_kb.exceptions import UnknownCategory
from asdlc_kb.settings import MEMORY, Settings


@pytest.fixture
def finder(knowledge: KnowledgeBase, tmp_path: Path) -> Iterator[SourceSearch]:
    """Articles and pages about birds; a hidden one of each."""
    knowledge.write(
        "concepts/heron", title="Heron", body="## Where\n\nIt waits in the shallows.\n"
    )
    knowledge.write("patterns/nest", title="Nest", body="What a heron builds.\n")
    knowledge.write("patterns/secret", status="Draft", body=f"Shallows {CANARY}.\n")
    tree = DocsTree(tmp_path / "docs")
    tree.write("guide/heron.md", "# Herons\n\n## Feeding\n\nFish of the shallows.\n")
    tree.write("guide/hidden.md", f"---\ndraft: true\n---\nShallows {CANARY}.\n")
    settings = Settings(
        content=str(knowledge.root), docs=(str(tree.root),), cache_dir=MEMORY
    )
    with closing(SourceSearch(open_sources(settings), settings)) as it:
        yield it


def names(found: Iterator[Findings]) -> list[list[str]]:
    """Return the results of each source."""
    return [[item.name for item in findings.items] for findings in found]


def test_articles_come_before_pages(finder: SourceSearch) -> None:
    """Each source by its own rules: keywords for articles, full text for pages."""
    results = names(finder.find(SearchQuery("heron", 10)))
    assert results == [["concepts/heron"], ["guide/heron.md"]]


@pytest.mark.parametrize(
    ("query", "mode", "articles"),
    [
        ("heron", "auto", ["concepts/heron"]),
        ("heron", "keyword", ["concepts/heron"]),
        ("heron", "fulltext", ["concepts/heron", "patterns/nest"]),
        ("shallows", "auto", ["concepts/heron"]),
        ("shallows", "keyword", []),
        ("shallows", "fulltext", ["concepts/heron"]),
        ("zzqxv", "auto", []),
    ],
)
def test_the_mode_is_that_of_the_tool(
    finder: SourceSearch, query: str, mode: Mode, articles: list[str]
) -> None:
    """D-012: auto is keywords, and full text only if they find nothing."""
    (results,) = names(finder.find(SearchQuery(query, 10, mode=mode), "articles"))
    assert results == articles


@pytest.mark.parametrize("mode", ["auto", "keyword", "fulltext"])
def test_an_empty_query_finds_all_articles(finder: SourceSearch, mode: Mode) -> None:
    """D-012: in every mode; a blank query is empty in full text too."""
    (results,) = names(finder.find(SearchQuery("", 10, mode=mode), "articles"))
    assert len(results) == 3


def test_full_text_says_where(finder: SourceSearch) -> None:
    """Heading and passage; a keyword hit has neither."""
    (findings,) = finder.find(SearchQuery("shallows", 10), "articles")
    (item,) = findings.items
    assert item.hit is not None
    assert (item.hit.heading, item.hit.anchor) == ("Where", "where")
    assert item.hit.snippet == "It waits in the **shallows**."
    assert findings.full_text.total == 1
    (findings,) = finder.find(SearchQuery("nest", 10), "articles")
    assert [item.hit for item in findings.items] == [None]


def test_a_limit_holds_for_each_source(finder: SourceSearch) -> None:
    """As two tools would answer."""
    results = names(finder.find(SearchQuery("heron", 1, mode="fulltext")))
    assert [len(items) for items in results] == [1, 1]


def test_one_kind_can_be_asked_alone(finder: SourceSearch) -> None:
    """As evaluations of one domain need it."""
    assert names(finder.find(SearchQuery("heron", 10), "docs")) == [["guide/heron.md"]]


@pytest.mark.parametrize("mode", ["auto", "keyword", "fulltext"])
def test_a_category_is_one_of_visible_articles(
    finder: SourceSearch, mode: Mode
) -> None:
    """An unknown one is refused in each mode, one of hidden articles likewise."""
    (results,) = names(
        finder.find(SearchQuery("heron", 10, "patterns", "fulltext"), "articles")
    )
    assert results == ["patterns/nest"]
    with pytest.raises(UnknownCategory) as caught:
        list(finder.find(SearchQuery("heron", 10, "recipes", mode), "articles"))
    assert caught.value.known == ("concepts", "patterns")


def test_hidden_texts_are_in_no_answer(finder: SourceSearch) -> None:
    """D-002: neither as a hit nor as a suggestion."""
    for query in (CANARY, CANARY[:-1], "secret", "shallows"):
        for mode in ("auto", "fulltext"):
            assert CANARY not in repr(
                list(finder.find(SearchQuery(query, 10, mode=mode)))
            )


def test_synonyms_are_searched_in_every_source(
    finder: SourceSearch, knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """D-192: by keyword and in the full text, of articles and of pages."""
    words = tmp_path / "words.txt"
    words.write_text("egret, heron\nreef, shallows\n")
    settings = Settings(
        content=str(knowledge.root),
        docs=(str(tmp_path / "docs"),),
        cache_dir=MEMORY,
        synonyms=str(words),
    )
    assert names(finder.find(SearchQuery("egret", 10))) == [[], []]
    with closing(SourceSearch(open_sources(settings), settings)) as varied:
        assert names(varied.find(SearchQuery("egret", 10))) == [
            ["concepts/heron"],
            ["guide/heron.md"],
        ]
        assert names(varied.find(SearchQuery("reef", 10))) == [
            ["concepts/heron"],
            ["guide/heron.md"],
        ]
