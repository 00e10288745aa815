"""Words and meaning as one score."""

from dataclasses import replace

import pytest

from asdlc_kb.search.query.meaning import (
    SEMANTIC_POLICY,
    add_meaning,
    is_question,
)
from asdlc_kb.search.query.operators import parse_query
from asdlc_kb.search.query.ranking import Ranking
from asdlc_kb.search.values import SimilarPage

P = replace(SEMANTIC_POLICY, share=0.5, min_similarity=0.2, min_alone=0.4)
MOST = 100


def page(slot: int, similarity: float) -> SimilarPage:
    """Return a similar page."""
    return SimilarPage(slot, similarity, 0)


def ranked(*scores: float, tail: tuple[tuple[int, float], ...] = ()) -> Ranking[str]:
    """Return pages 1, 2, and so on, with these scores; others in the tail."""
    head = [(-score, slot, f"p{slot}") for slot, score in enumerate(scores, 1)]
    return Ranking(list(head), {}, [(slot, score, f"p{slot}") for slot, score in tail])


def scores(ranking: Ranking[str]) -> list[tuple[int, float]]:
    """Return slots and scores, best first."""
    return [(one.slot, round(one.score, 3)) for one in ranking.cut(0, MOST)]


def test_the_score_is_a_share_of_words_and_a_share_of_meaning() -> None:
    """From the least similar page, 0, to the most, as much as the best words."""
    similar = [page(2, 0.8), page(1, 0.5), page(3, 0.4)]
    merged = add_meaning(ranked(10.0, 8.0, 6.0), similar, MOST, P)
    assert scores(merged) == [(2, 9.0), (1, 6.25), (3, 3.0)]


def test_a_page_without_the_words_may_enter() -> None:
    """With nothing for its words, and no address."""
    merged = add_meaning(ranked(10.0, 1.0), [page(7, 0.8), page(1, 0.2)], MOST, P)
    assert scores(merged) == [(1, 5.0), (7, 5.0), (2, 0.5)]
    assert merged.head[1] == (-5.0, 7, None)
    assert len(merged) == 3


def test_the_least_similar_page_does_not_enter() -> None:
    """It is no more similar than any other."""
    merged = add_meaning(ranked(10.0), [page(7, 0.8), page(8, 0.2)], MOST, P)
    assert [slot for slot, _ in scores(merged)] == [1, 7]


@pytest.mark.parametrize("similar", [[], [page(2, 0.19), page(1, 0.1)]])
def test_below_a_threshold_nothing_changes(similar: list[SimilarPage]) -> None:
    """The same ranking is returned."""
    ranking = ranked(10.0, 8.0)
    assert add_meaning(ranking, similar, MOST, P) is ranking


def test_equal_similarities_change_nothing() -> None:
    """They say nothing."""
    ranking = ranked(10.0, 8.0)
    assert add_meaning(ranking, [page(2, 0.5), page(1, 0.5)], MOST, P) is ranking


def test_without_words_more_similarity_is_needed() -> None:
    """One page alone is compared with none."""
    assert not len(add_meaning(ranked(), [page(4, 0.39)], MOST, P))
    assert scores(add_meaning(ranked(), [page(4, 0.41)], MOST, P)) == [(4, 0.5)]


def test_a_page_of_the_tail_moves_up() -> None:
    """The others stay behind, in their order and number."""
    ranking = ranked(10.0, 9.0, tail=((5, 8.0), (6, 7.0), (7, 6.0)))
    similar = [page(6, 0.9), page(1, 0.1)]
    merged = add_meaning(ranking, similar, MOST, P)
    assert [slot for slot, _ in scores(merged)] == [6, 1, 2, 5, 7]
    assert scores(merged)[0] == (6, 8.5)
    assert [slot for slot, *_ in merged.tail] == [5, 7]


def test_no_more_pages_are_ranked_than_without() -> None:
    """Those of the tail are dropped first."""
    ranking = ranked(10.0, 9.0, tail=((5, 8.0), (6, 7.0)))
    merged = add_meaning(ranking, [page(9, 0.9), page(1, 0.1)], 3, P)
    assert [slot for slot, _ in scores(merged)] == [1, 9, 2]


QUESTIONS = [
    "how do I clear the cache?",
    "What happens in the `run_target` method",
    "(why) does the server stop",
    "the site is slow, any idea?",
    "the site is slow, how do people mend that",
    "it keeps forgetting what I said",
    "the tool overwrites our settings file",
]
OTHERS = [
    "cache lifetime",
    "clear the cache of pages",
    "how to?",
    "what is it?",
    "clearing the cache on every deploy",
    'how do I clear the "page cache"?',
    "how do I clear the +cache?",
    "how do I clear tags:cache now?",
    "how do I clear the cach*",
    "what is cached, NOT cookies",
    "however it is done, clear caches",
    "for i.e. three files a cache",
    "the my_cache setting and i18n files",
    "???? ?? ? ?",
    "",
]


@pytest.mark.parametrize("query", QUESTIONS)
def test_a_question_is_recognized(query: str) -> None:
    """By its first word, that of a clause, what is said of oneself, or its mark."""
    assert is_question(parse_query(query), query)


@pytest.mark.parametrize("query", OTHERS)
def test_anything_else_is_not(query: str) -> None:
    """Names, headings, operators, stop words alone."""
    assert not is_question(parse_query(query), query)
