"""Page scores and section scores as one order."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.search.policy import QUERY_POLICY
from asdlc_kb.search.query.ranking import (
    Ranking,
    demote_pages,
    merge_rankings,
    merge_scores,
    put_first,
    put_last,
    put_matches_first,
)

P = replace(
    QUERY_POLICY, section_share=0.5, next_share=0.1, next_sections=1, missing=0.5
)


def test_a_page_counts_with_its_best_section_and_a_little_of_the_next() -> None:
    """And its position is that of the best."""
    pages = [(1, 10.0, "one"), (2, 8.0, "two")]
    sections = [(2, 6.0, "2b"), (1, 4.0, "1a"), (2, 3.0, "2a"), (2, 1.0, "2c")]
    head = merge_scores(pages, sections, policy=P).cut(0, 9)
    assert [(one.slot, one.score, one.section) for one in head] == [
        (2, (8 + 6 + 0.3) / 2, "2b"),
        (1, (10 + 4) / 2, "1a"),
    ]


def test_what_is_in_one_list_only_counts_with_a_part_of_the_lowest() -> None:
    """In the other one; a strict query leaves out pages of no page list."""
    pages, sections = [(1, 10.0, "one")], [(2, 6.0, "2a")]
    head = merge_scores(pages, sections, policy=P).cut(0, 9)
    assert [(one.slot, one.score) for one in head] == [(1, 6.5), (2, 5.5)]
    strict = merge_scores(pages, sections, is_strict=True, policy=P).cut(0, 9)
    assert [one.slot for one in strict] == [1]


def test_beyond_what_is_compared_pages_follow_by_their_own_scores() -> None:
    """But one with a good section is compared all the same."""
    few = replace(P, fused_pages=1)
    pages = [(1, 9.0, "a"), (2, 8.0, "b"), (3, 7.0, "c"), (4, 6.0, "d")]
    ranking = merge_scores(pages, [(3, 9.0, "3a"), (1, 8.0, "1a")], policy=few)
    assert len(ranking) == 4
    assert [one.slot for one in ranking.cut(0, 9)] == [1, 3, 2, 4]
    assert [one.slot for one in ranking.cut(1, 3)] == [3, 2]
    assert [one.slot for one in ranking.cut(3, 9)] == [4]


SCORE = st.floats(0.1, 50)
SCORES = st.dictionaries(st.integers(1, 9), SCORE)


@given(SCORES, st.lists(st.tuples(st.integers(1, 9), SCORE)), st.booleans())
def test_every_page_that_was_found_is_there_once(
    pages: dict[int, float], sections: list[tuple[int, float]], is_strict: bool
) -> None:
    """Best first, in parts as in whole."""
    few = replace(P, fused_pages=3)
    listed = sorted(((s, score, s) for s, score in pages.items()), key=lambda p: -p[1])
    ordered = sorted(((s, score, s) for s, score in sections), key=lambda p: -p[1])
    ranking = merge_scores(listed, ordered, is_strict=is_strict, policy=few)
    whole = ranking.cut(0, 99)
    slots = [one.slot for one in whole]
    expected = set(pages) | (set() if is_strict else {slot for slot, _ in sections})
    assert len(slots) == len(set(slots)) == len(ranking)
    assert set(slots) == expected
    scores = [one.score for one in whole]
    assert scores == sorted(scores, reverse=True)
    parts = [*ranking.cut(0, 2), *ranking.cut(2, 5), *ranking.cut(5, 99)]
    assert parts == whole


@given(st.integers(0, 4), st.integers(1, 6))
def test_no_more_pages_are_ranked_and_counted_than_the_limit(
    by_section: int, fused: int
) -> None:
    """However many are found by a section only: how many are depends on ties."""
    few = replace(P, fused_pages=fused, max_ranked=6)
    pages = [(slot, 50.0 - slot, "page") for slot in range(1, 7)]
    sections = [(100 + number, 9.0, "section") for number in range(by_section)]
    ranking = merge_scores(pages, sections, policy=few)
    assert len(ranking) == len(ranking.cut(0, 99)) == 6
    assert len(merge_scores(pages[:2], sections, policy=few)) == 2 + by_section


PAGES: Ranking[str] = Ranking(
    [(-4.0, 1, "a"), (-3.0, 2, "b"), (-2.0, 3, "c")], {}, [(4, 1.0, "d")]
)


def ranked(ranking: Ranking[str]) -> list[tuple[int, float]]:
    """Return slots and scores."""
    return [(page.slot, page.score) for page in ranking.cut(0, 9)]


def test_pages_are_demoted_by_a_factor() -> None:
    """They are found, behind pages that match about as well."""
    demoted = demote_pages(PAGES, lambda slot: slot == 1, QUERY_POLICY)
    share = QUERY_POLICY.demoted_share
    assert ranked(demoted) == [(2, 3.0), (1, 4.0 * share), (3, 2.0), (4, 1.0)]
    assert demote_pages(PAGES, lambda slot: slot == 9, QUERY_POLICY) is PAGES


def test_matches_are_put_first_in_their_order() -> None:
    """The highest first; scores stay, and others keep their order."""
    before = ranked(PAGES)
    (one, two, three, *rest) = before
    assert ranked(put_matches_first(PAGES, {three[0]: 1, two[0]: 2, 99: 3})) == [
        *(two, three, one),
        *rest,
    ]
    assert put_matches_first(PAGES, {99: 3}) is PAGES


def test_a_page_is_put_first_with_the_best_score() -> None:
    """Whether it was found or not; no page is there twice."""
    assert ranked(put_first(PAGES, (3, "c")))[:2] == [(3, 4.0), (1, 4.0)]
    assert len(put_first(PAGES, (3, "c"))) == 4
    assert ranked(put_first(PAGES, (9, "x"))) == [(9, 4.0), *ranked(PAGES)]
    assert [slot for slot, _ in ranked(put_first(Ranking([], {}, []), (9, "x")))] == [9]


def test_pages_are_put_last_with_the_lowest_score() -> None:
    """Scores never increase along a ranking."""
    moved = put_last(PAGES, lambda slot: slot in (1, 3))
    assert ranked(moved) == [(2, 3.0), (4, 1.0), (1, 1.0), (3, 1.0)]
    assert put_last(PAGES, lambda slot: False) is PAGES
    assert ranked(put_last(PAGES, lambda slot: True)) == ranked(PAGES)


def test_of_a_page_secondary_editions_are_left_out_behind_a_better_one() -> None:
    """Those of the first ranking stay, and another version with a better score."""
    editions = {
        1: ("a", "2", True),
        2: ("a", "1", False),
        3: ("b", "2", False),
        4: ("b", "2", True),
        5: ("c", "2", False),
        6: ("c", "1", False),
        7: ("d", "2", True),
        8: ("d", "1", False),
        9: ("d", "2", False),
    }
    primary = Ranking([(-9.0, 1, "1"), (-1.0, 7, "7")], {}, [])
    rows = [(-8.0, 2), (-7.0, 3), (-6.0, 4), (-5.0, 5), (-4.0, 6), (-3.0, 8), (-2.5, 9)]
    secondary = Ranking([(score, slot, str(slot)) for score, slot in rows], {}, [])
    merged = merge_rankings(primary, secondary, P, editions.__getitem__)
    assert [slot for _, slot, _ in merged.head] == [1, 4, 5, 8, 7]
    assert len(merge_rankings(primary, secondary, P)) == 9
