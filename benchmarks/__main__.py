"""`python -m benchmarks [ROW]...`: measures, checks, and prints the report."""

import argparse
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks import charts, goals, load, report
from benchmarks.bench import Bench, Outcome
from benchmarks.cache import ROOT
from benchmarks.changes import changes
from benchmarks.edits import edits
from benchmarks.failure import BenchFailure
from benchmarks.first_search import first
from benchmarks.full_text import full_text
from benchmarks.idle import idle
from benchmarks.new_searches import new
from benchmarks.pages import pages
from benchmarks.projects import project
from benchmarks.resources import growth, memory, startup
from benchmarks.searches import search
from benchmarks.servers import Cores
from benchmarks.stages import stages
from benchmarks.streams import streams
from benchmarks.throughput import WORKLOADS, throughput
from benchmarks.wire_sizes import sizes
from benchmarks.writes import writes

ROWS: Final[Mapping[str, Callable[[Bench], Outcome]]] = {
    "new": new,
    "stages": stages,
    "sizes": sizes,
    "growth": growth,
    "search": search,
    "startup": startup,
    "first": first,
    "memory": memory,
    "idle": idle,
    "writes": writes,
    "edits": edits,
    "streams": streams,
    "docs": full_text,
    "changes": changes,
    "pages": pages,
    "project": project,
}
ALL: Final = (*WORKLOADS, *ROWS)
PAGE: Final = ROOT / "docs" / "benchmarks.md"


def main(arguments: list[str]) -> int:
    """Run the requested rows; return 1 if a figure would be invalid.

    Rows that were measured before are printed even so, and not written; likewise
    when it is interrupted.
    """
    options = _parse(arguments)
    cores = Cores.split(frozenset(os.sched_getaffinity(0)))
    machine = report.machine()
    rounds = options.rounds or (2 if options.quick else 5)
    seconds = options.seconds or (1 if options.quick else 3)
    outcome = Outcome()
    try:
        load.find_wrk()
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(
                cores=cores,
                folder=Path(folder),
                rounds=rounds,
                seconds=seconds,
                is_quick=options.quick,
                articles=options.articles,
            )
            os.sched_setaffinity(0, cores.load)
            for measured in _run(bench, options.rows or ALL):
                outcome.add(measured)
        code = 0
    except BenchFailure as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        code = 1
    except KeyboardInterrupt:
        code = 130
    except OSError:
        # A defect of a row: what the others measured in many minutes is printed.
        traceback.print_exc()
        code = 1
    if outcome.sections:
        sections = [goals.section(outcome.facts), *outcome.sections]
        drawn = charts.draw_charts(outcome.facts)
        pictures = [chart.markdown for chart in drawn]
        text = report.render(sections, arguments, machine, rounds, seconds, pictures)
        print(text)
        if options.write and not code:
            report.write(text, PAGE)
            charts.write_charts(drawn, PAGE.parent)
    return code


def _run(bench: Bench, rows: Sequence[str]) -> Iterator[Outcome]:
    """Measure the rows one after the other, in their own order."""
    if loads := [row for row in WORKLOADS if row in rows]:
        yield throughput(bench, loads)
    for name, measure in ROWS.items():
        if name in rows:
            yield measure(bench)


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tox -e bench --", description=__doc__)
    parser.add_argument(
        "rows", nargs="*", metavar="ROW", help=f"what to measure: {', '.join(ALL)}"
    )
    parser.add_argument(
        "--articles", nargs="+", type=int, default=(), metavar="N", help="sizes"
    )
    parser.add_argument("--rounds", type=int, help="interleaved rounds, by default 5")
    parser.add_argument("--seconds", type=int, help="seconds of each load, usually 3")
    parser.add_argument(
        "--quick", action="store_true", help="about three minutes, at most 300 articles"
    )
    parser.add_argument(
        "--write",
        action="store_true",
        help="put the report into docs/benchmarks.md, and its charts beside it",
    )
    options = parser.parse_intermixed_args(arguments)
    if unknown := set(options.rows) - set(ALL):
        parser.error(f"no such row: {', '.join(sorted(unknown))}")
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
