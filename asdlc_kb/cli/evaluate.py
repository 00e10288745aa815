"""The command `eval`: measures search quality, and compares two measurements."""

from collections.abc import Iterator, Mapping, Set
from contextlib import closing
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, cast

import click
import msgspec

from asdlc_kb.app import ConfiguredSources
from asdlc_kb.cli import terminal
from asdlc_kb.cli.draft_cases import draft
from asdlc_kb.cli.options import CommandSettings, settings_options
from asdlc_kb.cli.progress import show_progress
from asdlc_kb.cli.search_sources import SearchQuery, SourceSearch
from asdlc_kb.cli.sources import as_json, open_sources
from asdlc_kb.cli.terminal import ParentCommand, Span
from asdlc_kb.search.comparison import (
    ChangedCase,
    Comparison,
    compare_outcomes,
    read_results,
)
from asdlc_kb.search.evaluation import (
    Case,
    CaseOutcome,
    Verdict,
    evaluate_cases,
    read_fixtures,
)
from asdlc_kb.site.pages.evaluation_page import write_evaluation


class EvalCommand(ParentCommand):
    """`eval FILE`, and `eval draft LOG`."""

    commands: ClassVar[Mapping[str, click.Command]] = {"draft": draft}


@click.command(
    "eval",
    cls=EvalCommand,
    epilog="asdlc-kb eval draft LOG writes a file of cases from the queries of a log.",
)
@click.argument(
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Cases: queries with the results that they must find",
)
@settings_options(
    "docs",
    "dialect",
    "language",
    "cache_dir",
    "max_files",
    "changelog",
    "synonyms",
    "semantic",
)
@click.option(
    "--compare",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="RESULTS",
    help="Compare with the output of an earlier run with --json",
)
@click.option("-v", "--verbose", is_flag=True, help="List the cases that pass, too")
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write charts of the measures and of each query to an HTML file",
)
@as_json
def evaluate(
    given: CommandSettings,
    file: Path,
    compare: Path | None,
    verbose: bool,
    html: Path | None,
    as_json: bool,
) -> int:
    """Test search with the queries of FILE; exit 1 if a case fails.

    A score below the file's floor counts as a failure, too.

    With --compare a failed case does not count, but a score that is significantly lower
    than before does.
    """
    fixtures = read_fixtures(file)
    former = read_results(compare) if compare is not None else None
    sources = open_sources(given.settings)
    names = _list_names(sources)
    done = count(1)
    with (
        closing(SourceSearch(sources, given.settings)) as finder,
        show_progress("Searching") as progress,
    ):

        def find(case: Case, limit: int) -> list[str]:
            progress(next(done), len(fixtures.case))
            found = finder.find(SearchQuery(case.query, limit), case.source)
            return [item.name for findings in found for item in findings.items]

        verdict = evaluate_cases(fixtures, find, names.__contains__)
    report, lines = _report(verdict), [*_write(verdict, shows_all=verbose)]
    is_good, comparison = verdict.is_good, None
    if former is not None:
        comparison = compare_outcomes(verdict.outcomes, former)
        is_good = not (comparison.is_worse or verdict.shortfalls)
        report |= {"good": is_good, "comparison": _report_comparison(comparison)}
        lines += _write_comparison(comparison)
    if html is not None:
        html.write_bytes(write_evaluation(file.name, verdict, comparison))
    lines.append((Span(_summarize(verdict, is_good), _style(is_good)),))
    terminal.report(report, lines, as_json=as_json)
    return 0 if is_good else 1


def _list_names(sources: ConfiguredSources) -> Set[str]:
    """Return the names of everything that is visible."""
    articles, docs = sources.articles, sources.docs
    ids = articles.catalog.by_id.keys() if articles is not None else ()
    paths = docs.catalog.by_path.keys() if docs is not None else ()
    return {*ids, *paths}


def _report(verdict: Verdict) -> dict[str, Any]:
    return {
        "good": verdict.is_good,
        "scores": msgspec.to_builtins(verdict.scores),
        "floor": msgspec.to_builtins(verdict.floor),
        "cases": [_row(outcome) for outcome in verdict.outcomes],
    }


def _row(outcome: CaseOutcome) -> dict[str, Any]:
    return {
        "query": outcome.case.query,
        "source": outcome.case.source,
        "judged": outcome.case.is_judged,
        "good": not outcome.faults,
        "faults": list(outcome.faults),
        "found": list(outcome.found),
    }


def _write(verdict: Verdict, *, shows_all: bool) -> Iterator[terminal.Line]:
    for outcome in verdict.outcomes:
        if outcome.faults:
            yield (Span("FAIL", "failure"), f"  {outcome.case.query}")
            yield from (f"      {fault}" for fault in outcome.faults)
        elif shows_all:
            judged = "pass" if outcome.case.is_judged else "not judged"
            yield f"{judged}  {outcome.case.query}"
    scores, floor = verdict.scores, verdict.floor
    for name in scores.__struct_fields__:
        least = getattr(floor, name)
        note = f" (at least {least:.3f})" if least else ""
        score = f"{name:6} {getattr(scores, name):.3f}{note}"
        is_short = name in verdict.shortfalls
        yield (score, "  ", Span("TOO LOW", "failure")) if is_short else score


def _summarize(verdict: Verdict, is_good: bool) -> str:
    """Return the verdict in a line."""
    total = len(verdict.outcomes)
    judged = sum(outcome.case.is_judged for outcome in verdict.outcomes)
    failed = sum(bool(outcome.faults) for outcome in verdict.outcomes)
    cases = terminal.count_noun(total, "case")
    rest = f" ({total - judged:,} not judged)" if judged < total else ""
    note = "" if is_good or failed else ", but a score is too low"
    if failed and is_good:
        note = ", but no score is significantly lower than before"
    outcome = f"{failed:,} of {cases} failed" if failed else f"{cases} passed"
    return f"{outcome}{rest}{note}"


def _style(is_good: bool) -> terminal.StyleName:
    return "success" if is_good else "failure"


def _report_comparison(comparison: Comparison) -> dict[str, Any]:
    return {
        "worse": comparison.is_worse,
        "compared": comparison.compared,
        "missing": comparison.missing,
        "measures": [
            {**asdict(measure), "worse": measure.is_worse}
            for measure in comparison.measures
        ],
        "changed": [
            {
                "query": case.query,
                "better": case.is_better,
                "before": msgspec.to_builtins(case.before),
                "after": msgspec.to_builtins(case.after),
            }
            for case in comparison.changed
        ],
    }


def _write_comparison(comparison: Comparison) -> Iterator[terminal.Line]:
    yield ""
    missing = f", {comparison.missing} are new" if comparison.missing else ""
    yield f"Compared with before: {comparison.compared} judged cases{missing}"
    for measure in comparison.measures:
        step = measure.after - measure.before
        worse = "  SIGNIFICANTLY LOWER" if measure.is_worse else ""
        yield (
            f"{measure.name:6} {measure.before:.3f} to {measure.after:.3f}, "
            f"{step:+.3f}, p = {measure.p:.3f}{worse}"
        )
    for case in sorted(comparison.changed, key=lambda case: case.is_better):
        yield f"{'better' if case.is_better else 'worse '}  {case.query}"
        yield f"        {_describe_change(case)}"


def _describe_change(case: ChangedCase) -> str:
    before, after = (
        cast(Mapping[str, float], msgspec.to_builtins(each))
        for each in (case.before, case.after)
    )
    return ", ".join(
        f"{name} {before[name]:.3f} to {after[name]:.3f}"
        for name in before
        if before[name] != after[name]
    )
