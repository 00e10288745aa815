"""One ranking of the hits of several indexes."""

import math

import pytest
from support.texts import document, index, section

from asdlc_kb.search.service.merged_ranking import RankedHit, find_scales, rank_hits
from asdlc_kb.search.values import (
    IndexFrequencies,
    NameMatch,
    SearchDocument,
    SearchHit,
    SearchRequest,
    SearchResults,
    TermFrequency,
)


def find_merged(query: str, *sources: tuple[SearchDocument, ...]) -> list[str]:
    """Return the keys of the hits of indexes in one ranking."""
    found = []
    for documents in sources:
        fulltext, source = index(*documents)
        request = SearchRequest(query, 50, source.accepts, is_merged=True)
        found.append(fulltext.search(request))
    return [found[hit.source].hits[hit.number].key for hit in rank_hits(found)]


def test_a_word_counts_as_it_does_in_all_indexes_together() -> None:
    """D-197: where each page has it, it is not as rare as where one of many has it."""
    birds = tuple(
        document(f"bird{n}.md", f"Bird {n}", f"A heron, number {n}.") for n in range(9)
    )
    exact = document("exact.md", "Grey herons", "A heron of the lagoon, a heron.")
    others = [document(f"{n}.md", f"Page {n}", f"Nothing {n}.") for n in range(300)]
    rare = document("rare.md", "Page", "One long text that also has a heron once.")
    first = find_merged("heron", (*birds, exact), (rare, *others))[0]
    assert first == "exact.md"
    # The scores alone would have it the other way round.
    alone = []
    for documents in ((*birds, exact), (rare, *others)):
        fulltext, source = index(*documents)
        hits = fulltext.search(SearchRequest("heron", 1, source.accepts)).hits
        alone.append(hits[0].score)
    assert alone[0] < alone[1]


def test_equal_documents_of_equal_indexes_are_in_the_order_of_indexes() -> None:
    """And each index keeps its own order."""
    documents = (
        document("a.md", "Heron", "A heron."),
        document("b.md", "Page", "One heron in a longer text about a lagoon."),
    )
    assert find_merged("heron", documents, documents) == [
        "a.md",
        "a.md",
        "b.md",
        "b.md",
    ]


@pytest.mark.parametrize("query", ["rate limit", "Rate Limits", "rate limits"])
def test_exact_titles_and_headings_are_first(query: str) -> None:
    """D-197: titles before headings, in any form of their words; then by score."""
    text = "rate limit " * 9
    much = document("much.md", "Limits of a rate", text, tags=("rate limit",))
    heading = document("h.md", "Page", "", section("Rate limits", "Of calls.", 3))
    title = document("t.md", "Rate limits", "Of pages.")
    other = document("o.md", "Page", "Neither.")
    assert find_merged(query, (much, other), (other, heading, title))[:3] == [
        *("t.md", "h.md", "much.md")
    ]


def test_scales_are_shares_of_the_rarity() -> None:
    """The inverse document frequency of BM25, summed by the weights of terms."""

    def rarity(documents: int, having: int) -> float:
        return math.log(1 + (documents - having + 0.5) / (having + 0.5))

    def weigh(documents: int, having: int, sections: int, with_it: int) -> float:
        return 0.6 * rarity(documents, having) + 0.4 * rarity(sections, with_it)

    terms = {"a": TermFrequency(1.0, 10, 40), "b": TermFrequency(1.0, 0, 0)}
    small = IndexFrequencies(10, 50, terms)
    terms = {"a": TermFrequency(0.5, 1, 2), "b": TermFrequency(1.0, 9, 9)}
    large = IndexFrequencies(90, 800, terms)
    a, b = weigh(100, 11, 850, 42), weigh(100, 9, 850, 9)
    assert find_scales([small, large]) == pytest.approx(
        [
            a / weigh(10, 10, 50, 40),
            (a / 2 + b) / (weigh(90, 1, 800, 2) / 2 + weigh(90, 9, 800, 9)),
        ]
    )
    assert find_scales([large, IndexFrequencies()]) == pytest.approx([1.0, 1.0])


def test_a_word_of_few_sections_counts_as_it_does_in_all_together() -> None:
    """Where each section of each page has it, it is not rare where others have it."""
    sections = [section(f"Heron {n}", "A heron waits.", n) for n in range(9)]
    birds = tuple(document(f"b{n}.md", f"Heron {n}", "", *sections) for n in range(4))
    others = [section(f"Part {n}", f"Nothing {n}.", n) for n in range(90)]
    passing = section("Passing", "One heron in a text about other things.", 99)
    pages = (
        document("p.md", "Page", "", *others, passing),
        document("q.md", "Q", "No."),
    )
    assert find_merged("heron", birds, pages)[-1] == "p.md"


def test_names_count_before_scores() -> None:
    """A hit with a lower score but an equal name is first."""

    def hit(key: str, score: float, match: NameMatch) -> SearchHit:
        return SearchHit(key, score, "", "", 1, (), match=match)

    found = [
        SearchResults((hit("a", 9.0, NameMatch.NONE),)),
        SearchResults((hit("b", 1.0, NameMatch.TITLE), hit("c", 9.5, NameMatch.NONE))),
    ]
    assert list(rank_hits(found)) == [RankedHit(1, 0), RankedHit(1, 1), RankedHit(0, 0)]
    assert list(rank_hits([])) == []
