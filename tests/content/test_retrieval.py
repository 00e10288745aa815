"""Questions of practitioners find the articles that answer them."""

import json
from typing import Any, Final

import pytest
from support.own_articles import CONTENT, run_command, visible_articles

from asdlc_kb.search.evaluation import Fixtures, read_fixtures

TUNED: Final = CONTENT / "retrieval.toml"
HELD_OUT: Final = CONTENT / "retrieval-held-out.toml"
FILES: Final = (TUNED, HELD_OUT)
QUESTIONS: Final = 80


@pytest.fixture(scope="module", params=FILES, ids=lambda each: each.name)
def report(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The report of `asdlc-kb eval` about a file of questions."""
    result = run_command("eval", "--json", request.param)
    report: dict[str, Any] = json.loads(result.stdout)
    return report | {"file": request.param}


def test_the_means_are_not_below_the_floors(report: dict[str, Any]) -> None:
    """Each measure has one, in either half."""
    scores, floor = report["scores"], report["floor"]
    assert min(floor.values()) >= 0.7
    assert {name: n for name, n in scores.items() if n < floor[name]} == {}


def test_every_case_of_the_half_that_is_tuned_passes(report: dict[str, Any]) -> None:
    """The other half has what is missed, too, so that its means say something."""
    missed = [case for case in report["cases"] if not case["good"]]
    if report["file"] == TUNED:
        assert missed == []
        assert report["good"]


def test_every_article_answers_a_question() -> None:
    """Of the two halves, in which no question is asked twice."""
    halves: list[Fixtures] = [read_fixtures(file) for file in FILES]
    queries = [case.query.lower() for half in halves for case in half.case]
    assert len(set(queries)) == len(queries) >= QUESTIONS
    expected = {n for half in halves for case in half.case for n in case.must_include}
    assert expected == {article.id for article in visible_articles()}
