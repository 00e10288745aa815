"""Cases of a file, and the quality of a search on them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.exceptions import SettingsError
from asdlc_kb.search.evaluation import (
    Case,
    CaseOutcome,
    Fixtures,
    Floor,
    evaluate_cases,
    read_fixtures,
)

NAMES = [f"concepts/{letter}" for letter in "abcdefghijkl"]


def outcome(*found: str, **expected: object) -> CaseOutcome:
    """Return the outcome of a case with these results."""
    return CaseOutcome(Case("q", **expected), found)  # type: ignore[arg-type]


def test_a_file_of_cases_is_read(tmp_path: Path) -> None:
    """The format of the module's docstring."""
    path = tmp_path / "cases.toml"
    path.write_text(
        "[floor]\nmrr = 0.5\n"
        '[[case]]\nquery = "a b"\nsource = "docs"\nmust_include = ["x.md"]\n'
        'within = 3\nmust_not_include = ["y.md"]\n[[case]]\nquery = "c"\n'
    )
    first = Case("a b", ("x.md",), 3, ("y.md",), "docs")
    assert read_fixtures(path) == Fixtures((first, Case("c")), Floor(mrr=0.5))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("case =", "it is not TOML: Invalid value"),
        ("case: x", "it is not TOML: Expected '=' after a key"),
        ('[[cases]]\nquery = "a"', "field `cases`: write one of `case`, `floor`"),
        ("[floor]\nmr = 1", "`mr` at `floor`: write one of `mrr`, `recall`, `ndcg`"),
        ("", "missing required field `case`"),
        ("case = []", "length >= 1"),
        ('[[case]]\nquery = ""', "length >= 1"),
        (
            '[[case]]\nquery = "a"\nwithn = 3',
            "unknown field `withn` at `case[0]`: write one of `query`, `must",
        ),
        ('[[case]]\nquery = "a"\nwithin = 0', ">= 1"),
        ('[floor]\nmrr = 2\n[[case]]\nquery = "a"', "<= 1"),
    ],
)
def test_a_wrong_file_is_told_by_name(tmp_path: Path, text: str, message: str) -> None:
    """The fault, and its location."""
    path = tmp_path / "cases.toml"
    path.write_text(text)
    with pytest.raises(SettingsError) as caught:
        read_fixtures(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    """In the system's words."""
    with pytest.raises(SettingsError, match="No such file"):
        read_fixtures(tmp_path / "cases.toml")


def test_an_outcome_tells_what_is_absent_and_what_is_unwanted() -> None:
    """Each fault has the position of the name."""
    made = outcome(
        *NAMES[:4],
        must_include=("concepts/a", "concepts/c", "concepts/z"),
        must_not_include=("concepts/b", "concepts/d"),
        within=2,
    )
    unknown = replace(made, unknown=frozenset({"concepts/z"}))
    assert unknown.faults[1] == (
        "concepts/z is not the name of a visible article or page"
    )
    assert made.faults == (
        "concepts/c is not among the first 2, but number 3",
        "concepts/z is not among the first 2, nor below",
        "concepts/b must not be among the first 2",
    )


def test_measures_are_those_of_the_textbooks() -> None:
    """MRR: 1/place of the first; recall: share; nDCG: 1/log2(place + 1), normed."""
    made = outcome("x", "concepts/a", "y", must_include=("concepts/a", "concepts/b"))
    assert made.mrr == 1 / 2
    assert made.recall == 1 / 2
    assert made.ndcg == pytest.approx(0.63093 / 1.63093, abs=1e-5)
    nothing = outcome("x", must_include=("concepts/a",))
    assert (nothing.mrr, nothing.recall, nothing.ndcg) == (0, 0, 0)


@given(st.permutations(NAMES), st.integers(1, 8))
def test_no_order_is_better_than_the_right_one(found: list[str], right: int) -> None:
    """Every measure is between 0 and 1, and 1 for what is right first."""
    names = tuple(NAMES[:right])
    made = outcome(*found, must_include=names)
    best = outcome(*NAMES, must_include=names)
    for measure in Floor.__struct_fields__:
        assert 0 <= getattr(made, measure) <= getattr(best, measure) == 1


def test_an_expected_name_that_nothing_has_is_a_mistake_of_the_case() -> None:
    """Not of the search, which cannot find it."""
    cases = Case("a", ("x", "typo")), Case("b", must_not_include=("gone",))
    names = {"x"}
    verdict = evaluate_cases(
        Fixtures(cases), lambda case, limit: ["x"], names.__contains__
    )
    assert [outcome.unknown for outcome in verdict.outcomes] == [{"typo"}, set()]


def test_a_verdict_is_the_mean_and_holds_it_against_the_floor() -> None:
    """Cases without expected results count for their faults only."""
    cases = (
        Case("a", ("x",)),
        Case("b", ("y",)),
        Case("c", must_not_include=("w",)),
    )
    searched: list[tuple[str, int]] = []

    def find(case: Case, limit: int) -> list[str]:
        searched.append((case.query, limit))
        return ["x", "y"]

    verdict = evaluate_cases(Fixtures(cases, Floor(mrr=0.8, recall=1)), find)
    assert searched == [("a", 10), ("b", 10), ("c", 10)]
    close: Any = pytest.approx(0.81546, abs=1e-5)
    assert verdict.scores == Floor(0.75, 1.0, close)
    assert verdict.shortfalls == ("mrr",)
    assert not verdict.is_good
    assert evaluate_cases(Fixtures(cases, Floor(mrr=0.75)), find).is_good


def test_one_fault_is_enough_to_fail() -> None:
    """Whatever the means are."""
    cases = (Case("a", must_not_include=("x",)),)
    verdict = evaluate_cases(Fixtures(cases), lambda case, limit: ["x"])
    assert verdict.scores == Floor(1, 1, 1)
    assert not verdict.is_good
