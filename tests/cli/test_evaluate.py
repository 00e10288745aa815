"""Evaluation of search by a file of cases: exit codes, output."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from support.knowledge import KnowledgeBase

Invoke = Callable[..., Result]


@pytest.fixture
def run(
    invoke: Invoke, knowledge: KnowledgeBase, folder: Path
) -> Callable[..., Result]:
    """Run `eval` with cases of this text."""
    knowledge.write("concepts/pelican", title="The pelican", body="It eats fish.\n")

    def run(text: str, *options: str) -> Result:
        (folder / "cases.toml").write_text(text)
        return invoke("eval", "cases.toml", str(knowledge.root), *options)

    return run


GOOD = '[[case]]\nquery = "pelican"\nmust_include = ["concepts/pelican"]\n'
BAD = '[[case]]\nquery = "fish"\nmust_not_include = ["concepts/pelican"]\n'


def test_good_cases_exit_with_0(run: Callable[..., Result]) -> None:
    """Each measure is printed, and each case only if that is asked for."""
    result = run(f"[floor]\nmrr = 1\n{GOOD}")
    assert (result.exit_code, result.stdout.splitlines()) == (
        0,
        [
            "mrr    1.000 (at least 1.000)",
            "recall 1.000",
            "ndcg   1.000",
            "1 case passed",
        ],
    )


def test_a_fault_exits_with_1_and_says_what_is_wrong(
    run: Callable[..., Result],
) -> None:
    """Below its case."""
    result = run(f"{GOOD}{BAD}")
    assert result.exit_code == 1
    first, second, *_, last = result.stdout.splitlines()
    assert (first, second, last) == (
        "FAIL  fish",
        "      concepts/pelican must not be among the first 1",
        "1 of 2 cases failed",
    )
    typo = run(GOOD.replace("concepts/p", "concepts/typo-p"))
    assert "concepts/typo-pelican is not the name of a visible" in typo.stdout
    everything = run(f"{GOOD}{BAD}", "--verbose").stdout.splitlines()
    assert everything[:2] == ["pass  pelican", "FAIL  fish"]


def test_a_measure_below_its_floor_exits_with_1(run: Callable[..., Result]) -> None:
    """Every case may be good enough, and the mean too low."""
    case = '[[case]]\nquery = "pelican"\nmust_include = ["concepts/none"]\nwithin = 1\n'
    result = run(f"[floor]\nndcg = 0.6\n{GOOD}{case}")
    assert result.exit_code == 1
    assert "ndcg   0.500 (at least 0.600)  TOO LOW" in result.stdout
    assert result.stdout.endswith("\n1 of 2 cases failed\n")


def test_a_low_score_fails_without_a_failed_case(
    run: Callable[..., Result], knowledge: KnowledgeBase
) -> None:
    """The last line says so."""
    knowledge.write("concepts/birds", description="No pelican")
    case = '[[case]]\nquery = "pelican"\nmust_include = ["concepts/birds"]\n'
    result = run(f"[floor]\nmrr = 0.6\n{case}")
    assert result.exit_code == 1
    assert result.stdout.endswith("\n1 case passed, but a score is too low\n")


def test_json_has_everything(run: Callable[..., Result]) -> None:
    """For machines that gate a change."""
    report = json.loads(run(f"{GOOD}{BAD}", "--json").stdout)
    assert report["good"] is False
    assert report["scores"] == {"mrr": 1.0, "recall": 1.0, "ndcg": 1.0}
    assert report["cases"][0] == {
        "query": "pelican",
        "source": None,
        "judged": True,
        "good": True,
        "faults": [],
        "found": ["concepts/pelican"],
    }


def test_charts_are_written_to_a_file(run: Callable[..., Result], folder: Path) -> None:
    """With the comparison, if there is one; the output stays the same."""
    plain = run(GOOD)
    (folder / "former.json").write_text(run(GOOD, "--json").stdout)
    assert run(GOOD, "--html", "new.html").stdout == plain.stdout
    assert "Compared with" not in (folder / "new.html").read_text()
    run(GOOD, "--html", "new.html", "--compare", "former.json")
    text = (folder / "new.html").read_text()
    assert "cases.toml: 1 query, 0 failed." in text
    assert "Compared with an earlier run: 0 better, 0 worse." in text


def test_a_case_without_expectations_is_not_judged(run: Callable[..., Result]) -> None:
    """It is reported, fails nothing and counts for no measure."""
    cases = f'{GOOD}[[case]]\nquery = "fish"\nmust_include = []\n'
    result = run(cases, "--verbose")
    assert (result.exit_code, result.stdout.splitlines()) == (
        0,
        [
            "pass  pelican",
            "not judged  fish",
            "mrr    1.000",
            "recall 1.000",
            "ndcg   1.000",
            "2 cases passed (1 not judged)",
        ],
    )


@pytest.fixture
def compare(run: Callable[..., Result], folder: Path) -> Callable[..., Result]:
    """Run `eval` with cases for which `before` was found earlier."""

    def compare(cases: str, before: dict[str, list[str]], *options: str) -> Result:
        rows = [{"query": query, "found": found} for query, found in before.items()]
        (folder / "a.json").write_text(json.dumps({"cases": rows}))
        return run(cases, "--compare", "a.json", *options)

    return compare


def test_a_comparison_has_the_measures_before_and_after(
    compare: Callable[..., Result],
) -> None:
    """And the queries that changed."""
    result = compare(GOOD, {"pelican": ["patterns/x", "concepts/pelican"]})
    assert (result.exit_code, result.stdout.splitlines()[3:]) == (
        0,
        [
            "",
            "Compared with before: 1 judged cases",
            "mrr    0.500 to 1.000, +0.500, p = 1.000",
            "recall 1.000 to 1.000, +0.000, p = 1.000",
            "ndcg   0.631 to 1.000, +0.369, p = 1.000",
            "better  pelican",
            "        mrr 0.500 to 1.000, ndcg 0.631 to 1.000",
            "1 case passed",
        ],
    )


LOST = "".join(
    f'[[case]]\nquery = "zzq{number}"\nmust_include = ["concepts/pelican"]\n'
    for number in range(6)
)
NONE: dict[str, list[str]] = {f"zzq{number}": [] for number in range(6)}
FOUND = {f"zzq{number}": ["concepts/pelican"] for number in range(6)}


def test_a_significant_loss_exits_with_1(compare: Callable[..., Result]) -> None:
    """Failed cases alone do not: they may have failed before."""
    result = compare(LOST, FOUND)
    assert result.exit_code == 1
    assert "mrr    1.000 to 0.000, -1.000, p = 0.031  SIGNIFICANTLY LOWER" in (
        result.stdout.splitlines()
    )
    few = compare(LOST, NONE)
    assert ("FAIL" in few.stdout, few.exit_code) == (True, 0)
    note = "but no score is significantly lower than before"
    assert few.stdout.splitlines()[-1] == f"6 of 6 cases failed, {note}"
    floor = compare(f"[floor]\nmrr = 0.5\n{LOST}", NONE)
    assert floor.exit_code == 1


def test_the_output_of_one_run_is_compared_by_the_next(
    run: Callable[..., Result], folder: Path, knowledge: KnowledgeBase
) -> None:
    """Nothing changed; then the article is gone."""
    (folder / "before.json").write_text(run(GOOD, "--json").stdout)
    same = json.loads(run(GOOD, "--compare", "before.json", "--json").stdout)
    assert same["good"] is True
    assert same["comparison"]["changed"] == []
    assert same["comparison"]["compared"] == 1
    assert [measure["p"] for measure in same["comparison"]["measures"]] == [1.0] * 3
    (knowledge.root / "concepts/pelican.md").unlink()
    gone = json.loads(run(GOOD, "--compare", "before.json", "--json").stdout)
    (changed,) = gone["comparison"]["changed"]
    assert (changed["query"], changed["better"]) == ("pelican", False)
    assert (changed["before"]["mrr"], changed["after"]["mrr"]) == (1.0, 0.0)


def test_wrong_results_are_a_usage_error(
    run: Callable[..., Result], compare: Callable[..., Result], folder: Path
) -> None:
    """A file that is none, and results of other queries."""
    (folder / "a.json").write_text("no JSON")
    for result in (run(GOOD, "--compare", "a.json"), compare(GOOD, {"other": []})):
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr


def test_a_wrong_file_is_a_usage_error(run: Callable[..., Result]) -> None:
    """Exit code 2, with the position."""
    result = run("[[case]]\nquery = 1\n")
    assert result.exit_code == 2
    assert "cases.toml" in result.stderr
