"""`python -m benchmarks.answers [--before DIR] [--curve]`: sizes of answers."""

import argparse
import sys
from pathlib import Path

from benchmarks.answers.curve import measure_curve
from benchmarks.answers.measurement import measure_checkout
from benchmarks.answers.probes import SOURCES
from benchmarks.answers.tables import (
    group_by_kind,
    show_findings,
    show_limits,
    show_sizes,
)
from benchmarks.cache import ROOT
from benchmarks.report import table


def main() -> int:
    """Print the tables as Markdown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.answers")
    parser.add_argument(
        "--source", type=Path, default=ROOT, help="A checkout, default: this one"
    )
    parser.add_argument("--before", type=Path, help="A checkout to compare with")
    parser.add_argument(
        "--curve", action="store_true", help="Measure answers of several lengths"
    )
    args = parser.parse_args()
    if args.curve:
        print("\n\n".join(map(table, measure_curve(args.source))))
        return 0
    now = group_by_kind(measure_checkout(args.source, SOURCES))
    before = group_by_kind(
        measure_checkout(args.before, SOURCES) if args.before else ()
    )
    sections = show_sizes(now, before), show_findings(now, before), show_limits(now)
    print("\n\n".join(map(table, sections)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
