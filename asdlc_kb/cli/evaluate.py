"""The command `eval`: measures search quality."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import click
import msgspec

from asdlc_kb.cli import terminal
from asdlc_kb.cli.options import read_settings, settings_options
from asdlc_kb.cli.search_sources import SearchQuery, SourceSearch
from asdlc_kb.cli.sources import as_json, open_sources
from asdlc_kb.search.evaluation import Case, CaseOutcome, Verdict, read_fixtures
from asdlc_kb.search.evaluation import evaluate_cases as judge


@click.command("eval")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@settings_options("docs", "cache_dir", "missing_grace")
@as_json
@click.pass_context
def evaluate(
    context: click.Context,
    /,
    file: Path,
    config: Path | None,
    as_json: bool,
    **_: object,
) -> None:
    """Ask every query of FILE; exit 1 if a case or a measure is not good enough."""
    fixtures = read_fixtures(file)
    settings = read_settings(context, config)
    with closing(SourceSearch(open_sources(settings), settings)) as finder:

        def find(case: Case, limit: int) -> list[str]:
            found = finder.find(SearchQuery(case.query, limit), case.source)
            return [item.name for findings in found for item in findings.items]

        verdict = judge(fixtures, find)
    if as_json:
        click.echo(json.dumps(_report(verdict), indent=2))
    else:
        _write(verdict)
    context.exit(0 if verdict.is_good else 1)


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
        "good": not outcome.faults,
        "faults": list(outcome.faults),
        "found": list(outcome.found),
    }


def _write(verdict: Verdict) -> None:
    for outcome in verdict.outcomes:
        terminal.echo(f"{'FAIL' if outcome.faults else 'pass'}  {outcome.case.query}")
        for fault in outcome.faults:
            terminal.echo(f"      {fault}")
    scores, floor = verdict.scores, verdict.floor
    for name in scores.__struct_fields__:
        least = getattr(floor, name)
        note = f" (at least {least:.3f})" if least else ""
        short = "  TOO LOW" if name in verdict.shortfalls else ""
        terminal.echo(f"{name:6} {getattr(scores, name):.3f}{note}{short}")
