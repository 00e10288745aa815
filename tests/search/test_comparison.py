"""Comparison of evaluations: measures by today's expectations, and the paired test."""

from itertools import product
from pathlib import Path

import pytest

from asdlc_kb.exceptions import SettingsError
from asdlc_kb.search import comparison
from asdlc_kb.search.comparison import (
    MAX_EXACT,
    FormerCase,
    FormerResults,
    compare_outcomes,
    find_p,
    read_results,
)
from asdlc_kb.search.evaluation import Case, CaseOutcome


def outcome(query: str, *found: str, source: str | None = None) -> CaseOutcome:
    """Return the outcome of a case that must find `a`."""
    case = Case(query, must_include=("a",), source=source)  # type: ignore[arg-type]
    return CaseOutcome(case, found)


def former(*cases: FormerCase) -> FormerResults:
    """Return former results."""
    return FormerResults(cases)


@pytest.mark.parametrize(
    ("steps", "p"),
    [
        ([], 1.0),
        ([0.0, 0.0], 1.0),
        ([0.5], 1.0),
        ([0.5, 0.5], 0.5),
        ([0.5, -0.5], 1.0),
        ([-1.0] * 5, 2 / 32),
        ([-1.0] * 6, 2 / 64),
        ([1.0, 1.0, 1.0, -0.5], 4 / 16),
    ],
)
def test_p_is_the_share_of_signs_with_such_a_difference(
    steps: list[float], p: float
) -> None:
    """Exact for few; cases that did not change count for nothing."""
    assert find_p(steps) == pytest.approx(p)


def test_many_cases_are_sampled_near_the_exact_value() -> None:
    """Two runs give the same."""
    steps = [0.1 * (n % 5) - 0.15 for n in range(MAX_EXACT + 2)]
    sums = [
        abs(sum(step * sign for step, sign in zip(steps, signs, strict=True)))
        for signs in product((1, -1), repeat=len(steps))
    ]
    exact = sum(each >= abs(sum(steps)) - 1e-9 for each in sums) / len(sums)
    assert find_p(steps) == find_p(steps) == pytest.approx(exact, abs=0.02)
    assert 0 < find_p([-1.0] * 100) < 0.001


def test_former_results_are_measured_by_the_expectations_of_today() -> None:
    """What was found counts, not how it was judged."""
    compared = compare_outcomes(
        [outcome("x", "a"), outcome("y", "b", "a")],
        former(FormerCase("x", ("b", "a")), FormerCase("y", ("b", "a"))),
    )
    assert compared.compared == 2
    by_name = {measure.name: measure for measure in compared.measures}
    assert (by_name["mrr"].before, by_name["mrr"].after) == (0.5, 0.75)
    (changed,) = compared.changed
    assert (changed.query, changed.is_better) == ("x", True)
    assert not compared.is_worse


def test_a_significant_loss_is_worse() -> None:
    """Six equal losses are, five are not."""
    for count, is_worse in ((5, False), (6, True)):
        names = [f"q{number}" for number in range(count)]
        compared = compare_outcomes(
            [outcome(name, "b", "a") for name in names],
            former(*(FormerCase(name, ("a",)) for name in names)),
        )
        assert compared.is_worse == is_worse
        assert not any(case.is_better for case in compared.changed)


def test_a_gain_is_never_worse() -> None:
    """However significant."""
    names = [f"q{number}" for number in range(9)]
    compared = compare_outcomes(
        [outcome(name, "a") for name in names],
        former(*(FormerCase(name, ()) for name in names)),
    )
    assert not compared.is_worse
    assert {measure.p for measure in compared.measures} == {2 / 512}


def test_cases_are_paired_by_query_and_source() -> None:
    """Results without a source are of both; new and unjudged cases are left out."""
    outcomes = [
        outcome("x", "a", source="docs"),
        outcome("x", "b", source="articles"),
        outcome("new", "a"),
        CaseOutcome(Case("unjudged"), ("a",)),
    ]
    old = former(FormerCase("x", ("b", "a"), "docs"), FormerCase("x", ("a",)))
    compared = compare_outcomes(outcomes, old)
    assert (compared.compared, compared.missing) == (2, 1)
    assert [case.is_better for case in compared.changed] == [True, False]


def test_results_of_other_queries_are_an_error() -> None:
    """Else nothing would be compared, and that would look fine."""
    with pytest.raises(SettingsError, match="no judged query of these cases"):
        compare_outcomes([outcome("x", "a")], former(FormerCase("y", ("a",))))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "write it with asdlc-kb eval FILE --json"),
        ("[]", "Expected `object`"),
        ('{"cases": [{"query": 1, "found": []}]}', "Expected `str`, got `int`"),
        ('{"good": true}', "missing required field `cases`"),
    ],
)
def test_an_invalid_file_is_an_error(tmp_path: Path, text: str, message: str) -> None:
    """With its name, and how to make a valid one."""
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(SettingsError, match=r"a\.json") as raised:
        read_results(path)
    assert message in str(raised.value)
    assert "eval FILE --json" in str(raised.value)


def test_a_missing_and_a_huge_file_are_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A huge one is not read."""
    path = tmp_path / "a.json"
    with pytest.raises(SettingsError, match="No such file"):
        read_results(path)
    path.write_text('{"cases": []}')
    assert read_results(path) == FormerResults(())
    monkeypatch.setattr(comparison, "MAX_RESULT_BYTES", 3)
    with pytest.raises(SettingsError, match="larger than 3 bytes"):
        read_results(path)
