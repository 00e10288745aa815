"""The command `eval`: measures search quality."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import click
import msgspec

from asdlc_kb.cli import terminal
from asdlc_kb.cli.options import CommandSettings, settings_options
from asdlc_kb.cli.search_sources import SearchQuery, SourceSearch
from asdlc_kb.cli.sources import as_json, open_sources
from asdlc_kb.search.evaluation import (
    Case,
    CaseOutcome,
    Verdict,
    evaluate_cases,
    read_fixtures,
)


@click.command("eval")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@settings_options(
    "docs",
    "dialect",
    "language",
    "cache_dir",
    "missing_grace",
    "max_files",
    "synonyms",
)
@as_json
def evaluate(given: CommandSettings, file: Path, as_json: bool) -> int:
    """Run every query of FILE; exit 1 if a case fails or a score is too low."""
    fixtures = read_fixtures(file)
    sources = open_sources(given.settings)
    with closing(SourceSearch(sources, given.settings)) as finder:

        def find(case: Case, limit: int) -> list[str]:
            found = finder.find(SearchQuery(case.query, limit), case.source)
            return [item.name for findings in found for item in findings.items]

        verdict = evaluate_cases(fixtures, find)
    terminal.report(_report(verdict), _write(verdict), as_json=as_json)
    return 0 if verdict.is_good else 1


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


def _write(verdict: Verdict) -> Iterator[str]:
    for outcome in verdict.outcomes:
        yield f"{'FAIL' if outcome.faults else 'pass'}  {outcome.case.query}"
        yield from (f"      {fault}" for fault in outcome.faults)
    scores, floor = verdict.scores, verdict.floor
    for name in scores.__struct_fields__:
        least = getattr(floor, name)
        note = f" (at least {least:.3f})" if least else ""
        short = "  TOO LOW" if name in verdict.shortfalls else ""
        yield f"{name:6} {getattr(scores, name):.3f}{note}{short}"
