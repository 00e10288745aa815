"""Plans as queries of the engine: conditions, and scoring parts."""

import pytest
from support.texts import DOCUMENTS, document, open_snapshot, section

from asdlc_kb.search.index.index_snapshot import VisibleIndex
from asdlc_kb.search.policy import QUERY_POLICY
from asdlc_kb.search.query.engine_query import (
    Conditions,
    limit_to_pages,
    score_pages,
    score_sections,
)
from asdlc_kb.search.query.operators import parse_query
from asdlc_kb.search.query.plan import Planner
from asdlc_kb.search.query.speller import Speller
from asdlc_kb.search.values import SearchDocument

PAGES = (
    document("a.md", "Alpha", "cache server proxy"),
    document("b.md", "Beta", "cache server", category="other"),
    document("c.md", "Gamma cache", "proxy servers cachet"),
)


def view(*documents: SearchDocument) -> VisibleIndex:
    """Return a view of everything in an index."""
    snapshot = open_snapshot(*(documents or PAGES))
    return VisibleIndex(snapshot, lambda key, digest: True)


ALL = view()


def find(query: str, category: str | None = None) -> dict[str, float]:
    """Return the matching keys, with their scores."""
    parsed = parse_query(query)
    plan = Planner(Speller(ALL)).plan(parsed)
    conditions = Conditions(Speller(ALL), plan, QUERY_POLICY)
    restricted = conditions.restrict(score_pages(plan, QUERY_POLICY), parsed, category)
    found = ALL.find_pages(restricted, 10)
    return {ALL.snapshot.entries[slot].key[0]: score for slot, score, _ in found}


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("proxy", "ac"),
        ("cache proxy", "abc"),
        ("+cache +proxy", "ac"),
        ("cache -proxy", "b"),
        ("-proxy", "b"),
        ("NOT (cache AND proxy)", "b"),
        ("cache AND NOT proxy", "b"),
        ("beta OR gamma", "bc"),
        ("(beta OR gamma) AND proxy", "c"),
        ("NOT NOT beta", "b"),
        ("gamma OR -proxy", "bc"),
        ("gamma OR NOT proxy", "bc"),
        ("-gamma OR -proxy", "ab"),
        ('"server proxy"', "a"),
        ('"proxy"', "ac"),
        ("title:cache", "c"),
        ("body:cache", "ab"),
        ('title:"gamma cache"', "c"),
        ("+proxy-servers", "c"),
        ("+serverr +proxy", "ac"),
        ("title:zebra cache", ""),
        ("+cacheproxy", "ac"),
        ("cach*", "abc"),
        ("+cachet*", "c"),
        ("category:other", "b"),
        ("category:OTHER cache", "b"),
        ("+title:!!! cache", "abc"),
    ],
)
def test_conditions_decide_what_fits(query: str, keys: str) -> None:
    """Each operator, alone and together; a required word may be corrected."""
    assert set(find(query)) == set(keys)


def test_a_category_is_a_condition_for_any_query() -> None:
    """In addition to its own conditions."""
    assert set(find("cache", "Other")) == {"b"}
    assert set(find("cache -server", "Other")) == set()


def test_a_condition_adds_nothing_to_the_score() -> None:
    """Only words affect the ranking."""
    assert find("cache", "guides")["a"] == pytest.approx(find("cache")["a"])


def test_a_word_in_the_title_counts_more() -> None:
    """And the whole title most."""
    scores = find("cache")
    assert scores["c"] > scores["a"]
    assert find("gamma cache")["c"] > 2 * scores["c"]


def test_a_heading_counts_more_than_three_mentions() -> None:
    """What is below a heading is about it; a section mentions much (D-245)."""
    told = "rotate keys then rotate keys and rotate keys again"
    headed = document("h.md", "One", "", section("Rotate keys", "see there " * 4))
    mentioned = document("m.md", "Two", "", section("See there", told))
    visible = view(headed, mentioned)
    plan = Planner(Speller(visible)).plan(parse_query("keys to rotate daily"))
    found = visible.find_sections(score_sections(plan, QUERY_POLICY), 2)
    assert [visible.snapshot.entries[slot].key for slot, *_ in found] == [
        "h.md",
        "m.md",
    ]


def test_sections_can_be_asked_of_one_page() -> None:
    """With the same scores as among all."""
    visible = view(*DOCUMENTS)
    plan = Planner(Speller(visible)).plan(parse_query("clear the cache"))
    scored = score_sections(plan, QUERY_POLICY)
    slot, score, _ = visible.find_sections(scored, 1)[0]
    ((inside, same, _),) = visible.find_sections(limit_to_pages(scored, [slot]), 1)
    assert inside == slot
    assert same == pytest.approx(score)
    other = next(s for s in visible.snapshot.entries if s != slot)
    assert {
        s for s, *_ in visible.find_sections(limit_to_pages(scored, [other]), 9)
    } <= {other}
