"""An evaluation of the search as charts, and its changes since a former one."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from asdlc_kb.search.comparison import Comparison, MeasureChange
from asdlc_kb.search.evaluation import CaseOutcome, Floor, Verdict
from asdlc_kb.site.layout.frame import PageLayout, SiteIdentity
from asdlc_kb.site.pages.charts import BarPart, draw_bar

NAMES: Final = {
    "mrr": "Mean reciprocal rank",
    "recall": "Recall",
    "ndcg": "nDCG",
}


class MeasureRow(NamedTuple):
    """The mean of a measure, now and before."""

    name: str
    value: float
    bar: str
    least: float
    """The least that is good enough; 0 for none."""
    change: MeasureChange | None
    former_bar: str


class CaseRow(NamedTuple):
    """A query, its nDCG, and by how much it changed."""

    query: str
    faults: Sequence[str]
    value: float
    bar: str
    step: float


def write_evaluation(
    title: str, verdict: Verdict, comparison: Comparison | None = None
) -> bytes:
    """Return an HTML file that needs no other one."""
    frame = PageLayout(SiteIdentity(title), has_docs=False, has_articles=False)
    judged = [outcome for outcome in verdict.outcomes if outcome.case.must_include]
    cases = sorted(
        _draw_cases(judged, comparison), key=lambda row: (-abs(row.step), row.value)
    )
    return frame.write_file(
        "evaluation_file.html",
        title="Search evaluation",
        measures=list(_draw_measures(verdict, comparison)),
        cases=cases,
        comparison=comparison,
        failed=sum(bool(outcome.faults) for outcome in verdict.outcomes),
        number=len(verdict.outcomes),
        not_judged=sum(not outcome.case.is_judged for outcome in verdict.outcomes),
        better=sum(row.step > 0 for row in cases),
        worse=sum(row.step < 0 for row in cases),
    )


def _draw_measures(
    verdict: Verdict, comparison: Comparison | None
) -> Iterator[MeasureRow]:
    changes = (
        {change.name: change for change in comparison.measures} if comparison else {}
    )
    for name in Floor.__struct_fields__:
        value, change = getattr(verdict.scores, name), changes.get(name)
        former = BarPart(change.before, "former") if change else BarPart(0, "former")
        yield MeasureRow(
            NAMES[name],
            value,
            draw_bar([BarPart(value, "found")], 1),
            getattr(verdict.floor, name),
            change,
            draw_bar([former], 1),
        )


def _draw_cases(
    outcomes: Sequence[CaseOutcome], comparison: Comparison | None
) -> Iterator[CaseRow]:
    """Yield the judged cases; what was gained or lost is a part of the bar."""
    changed = comparison.changed if comparison else ()
    steps = {case.query: case.after.ndcg - case.before.ndcg for case in changed}
    for outcome in outcomes:
        value, step = outcome.ndcg, steps.get(outcome.case.query, 0.0)
        parts = (
            BarPart(value - max(step, 0.0), "found"),
            BarPart(max(step, 0.0), "gained"),
            BarPart(max(-step, 0.0), "lost"),
        )
        bar = draw_bar(parts, 1)
        yield CaseRow(outcome.case.query, outcome.faults, value, bar, step)
