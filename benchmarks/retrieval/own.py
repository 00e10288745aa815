"""Questions on this project's articles, asked with `search_articles` as models do."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.answers.measurement import Session, open_session
from benchmarks.answers.probes import ARTICLES
from benchmarks.bench import Section
from benchmarks.retrieval.measures import find_rank, mean_reciprocal, share_within
from benchmarks.retrieval.questions import OwnQuestion


@dataclass(frozen=True)
class OwnOutcome:
    """The results of one question."""

    question: OwnQuestion
    found: Sequence[str]
    """Articles, best first."""

    @property
    def rank(self) -> int | None:
        """Rank of the first article that answers; None if there is none."""
        return find_rank(self.found, self.question.must_include)


def ask_own(checkout: Path, questions: Sequence[OwnQuestion]) -> Sequence[OwnOutcome]:
    """Return the results of a server with the code of a checkout."""
    with open_session(checkout, ARTICLES) as session:
        return [OwnOutcome(one, _find(session, one.query)) for one in questions]


def _find(session: Session, query: str) -> Sequence[str]:
    """Return the articles that the tool finds when only the query is given."""
    result = session.call("search_articles", {"query": query}).result
    rows = json.loads(result["content"][0]["text"])
    return [f"{row['category']}/{row['slug'].rpartition('/')[2]}" for row in rows]


def show_own(outcomes: Sequence[OwnOutcome]) -> Sequence[Section]:
    """Return the measures by half, and the questions answered further down."""
    halves = list(dict.fromkeys(one.question.half for one in outcomes))
    rows = [
        _summarize(half, [one for one in outcomes if one.question.half == half])
        for half in halves
    ]
    if len(halves) > 1:
        rows.append(_summarize("all", outcomes))
    misses = [one for one in outcomes if one.rank != 1]
    return (
        Section("Own questions", ("half", "queries", "r@1", "r@3", "MRR"), rows),
        Section(
            "Not in the first place",
            ("question", "rank", "first result", "expected"),
            [_describe(one) for one in misses],
        ),
    )


def _summarize(name: str, outcomes: Sequence[OwnOutcome]) -> Sequence[str]:
    ranks = [one.rank for one in outcomes]
    measures = (share_within(ranks, 1), share_within(ranks, 3), mean_reciprocal(ranks))
    return (name, str(len(ranks)), *(f"{value:.3f}" for value in measures))


def _describe(outcome: OwnOutcome) -> Sequence[str]:
    question = outcome.question
    return (
        f"{question.query} ({question.half})",
        "-" if outcome.rank is None else str(outcome.rank),
        next(iter(outcome.found), "none"),
        ", ".join(question.must_include),
    )
