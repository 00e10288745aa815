"""The row `new`: its loads and its facts."""

from benchmarks import corpus
from benchmarks.goals import GOALS
from benchmarks.new_searches import (
    MANY,
    NEW_KINDS,
    WORKLOAD,
    distinct,
    kinds,
    tabulate_kinds,
)
from benchmarks.searches import find
from benchmarks.throughput import PAIRS


def _rows(count: int) -> list[tuple[str, tuple[str, ...], str]]:
    return [
        (
            sample.title.lower(),
            tuple(tag.lower() for tag in sample.tags),
            sample.description.lower(),
        )
        for sample in corpus.samples(count)
    ]


def test_a_tenth_of_the_distinct_searches_finds_nothing() -> None:
    """A tenth repeats an earlier one, and all others are new and have hits."""
    rows = _rows(100)
    queries = [call.arguments["query"] for call in distinct(100, 200)]
    assert len(queries) == 200
    assert len(set(queries)) == 180
    assert sum(not find(rows, query) for query in set(queries)) == 20
    assert queries == [call.arguments["query"] for call in distinct(100, 200)]


def test_each_kind_of_search_finds_what_its_name_says() -> None:
    """And no query is in two of them."""
    rows = _rows(300)
    remembered, few, many, none = kinds(300, 100).values()
    assert len(remembered) == 100
    assert len({call.arguments["query"] for call in remembered}) == 50
    assert all(find(rows, call.arguments["query"]) for call in few)
    assert all(len(find(rows, call.arguments["query"])) >= MANY for call in many)
    assert not any(find(rows, call.arguments["query"]) for call in none)
    queries = [{call.arguments["query"] for call in kind} for kind in (few, many, none)]
    assert len(set().union(*queries)) == sum(map(len, queries))
    assert all(queries)


def test_the_cost_of_a_kind_is_that_above_a_remembered_search() -> None:
    """In each round, scaled to a bare request of 140 µs."""
    few, many, none = NEW_KINDS
    costs = {"remembered": [100, 200, 50], few: [120, 240, 60]}
    costs |= {many: [200, 400, 100], none: [300, 600, 150]}
    outcome = tabulate_kinds([140, 280, 70], costs)
    assert outcome.facts[f"new/{few}"] == 20
    assert outcome.facts[f"new/{many}"] == 100
    assert outcome.facts[f"new/{none}"] == 200
    (section,) = outcome.sections
    assert section.rows[1] == (few, "120", "0.86", "20.0")


def test_the_goals_ask_for_facts_of_this_row() -> None:
    """A goal that no row measures would never be met."""
    required = {name for goal in GOALS for name in goal.facts}
    of_kinds = {f"new/{kind}" for kind in NEW_KINDS}
    of_pairs = {f"{WORKLOAD}/{pair}/300/16" for pair in PAIRS}
    assert {name for name in required if name.startswith("new/")} == of_kinds
    assert {name for name in required if name.startswith(WORKLOAD)} <= of_pairs
