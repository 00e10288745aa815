"""Evaluation of search by a file of cases: exit codes, output."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from support.knowledge import KnowledgeBase

Invoke = Callable[..., Result]

ROOT = Path(__file__).parents[2]


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
    """Each case and each measure is printed."""
    result = run(f"[floor]\nmrr = 1\n{GOOD}")
    assert (result.exit_code, result.stdout.splitlines()) == (
        0,
        [
            "pass  pelican",
            "mrr    1.000 (at least 1.000)",
            "recall 1.000",
            "ndcg   1.000",
        ],
    )


def test_a_fault_exits_with_1_and_says_what_is_wrong(
    run: Callable[..., Result],
) -> None:
    """Below its case."""
    result = run(f"{GOOD}{BAD}")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[:3] == [
        "pass  pelican",
        "FAIL  fish",
        "      concepts/pelican must not be among the first 1",
    ]


def test_a_measure_below_its_floor_exits_with_1(run: Callable[..., Result]) -> None:
    """Every case may be good enough, and the mean too low."""
    case = '[[case]]\nquery = "pelican"\nmust_include = ["concepts/none"]\nwithin = 1\n'
    result = run(f"[floor]\nndcg = 0.6\n{GOOD}{case}")
    assert result.exit_code == 1
    assert "ndcg   0.500 (at least 0.600)  TOO LOW" in result.stdout


def test_json_has_everything(run: Callable[..., Result]) -> None:
    """For machines that gate a change."""
    report = json.loads(run(f"{GOOD}{BAD}", "--json").stdout)
    assert report["good"] is False
    assert report["scores"] == {"mrr": 1.0, "recall": 1.0, "ndcg": 1.0}
    assert report["cases"][0] == {
        "query": "pelican",
        "good": True,
        "faults": [],
        "found": ["concepts/pelican"],
    }


def test_a_wrong_file_is_a_usage_error(run: Callable[..., Result]) -> None:
    """Exit code 2, with the position."""
    result = run("[[case]]\nquery = 1\n")
    assert result.exit_code == 2
    assert "cases.toml" in result.stderr


def test_our_own_articles_are_found(invoke: Invoke) -> None:
    """The content of this project meets its floor."""
    content = ROOT / "content"
    result = invoke("eval", str(content / "retrieval.toml"), str(content))
    assert result.exit_code == 0, result.stdout
