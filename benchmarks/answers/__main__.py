"""`python -m benchmarks.answers [--before DIR] [--write]`: sizes of answers."""

import argparse
import sys
from pathlib import Path

from benchmarks.answers.curve import measure_curves, show_curves
from benchmarks.answers.measurement import measure_checkout, measure_introduction
from benchmarks.answers.plot import draw_curves
from benchmarks.answers.probes import SOURCES
from benchmarks.answers.tables import (
    group_by_kind,
    show_findings,
    show_introduction,
    show_sizes,
)
from benchmarks.cache import ROOT
from benchmarks.report import table, write

PAGE = ROOT / "docs" / "answers.md"
PLOT = ROOT / "docs" / "answers.svg"


def main() -> int:
    """Print the tables as Markdown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.answers")
    parser.add_argument(
        "--source", type=Path, default=ROOT, help="A checkout, default: this one"
    )
    parser.add_argument("--before", type=Path, help="A checkout to compare with")
    parser.add_argument(
        "--write", action="store_true", help="Write docs/answers.md and its plot"
    )
    args = parser.parse_args()
    checkouts = [args.source, *([args.before] if args.before else ())]
    now, *older = (
        group_by_kind(measure_checkout(checkout, SOURCES)) for checkout in checkouts
    )
    before = older[0] if older else {}
    curves = measure_curves(args.source)
    sections = (
        show_sizes(now, before),
        show_findings(now, before),
        show_introduction([measure_introduction(checkout) for checkout in checkouts]),
        *show_curves(curves),
    )
    report = "\n\n".join(map(table, sections)) + "\n"
    print(report)
    if args.write:
        write(report, PAGE)
        PLOT.write_text(draw_curves(curves), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
