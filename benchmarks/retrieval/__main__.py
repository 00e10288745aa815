"""`python -m benchmarks.retrieval own|trees|judged`: prints how well search finds."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from benchmarks.bench import Section
from benchmarks.cache import ROOT
from benchmarks.failure import BenchFailure
from benchmarks.report import table


def main(arguments: Sequence[str]) -> int:
    """Print the tables; return 1 if something needed is missing."""
    options = _parse(arguments)
    try:
        for section in options.measure(options):
            print(table(section), end="\n\n", flush=True)
    except BenchFailure as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 1
    return 0


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval")
    commands = parser.add_subparsers(required=True)
    own = commands.add_parser("own", help="Questions on this project's articles")
    own.add_argument("--half", choices=("dev", "test"), help="Only this half")
    own.add_argument(
        "--source", type=Path, default=ROOT, help="A checkout, default: this one"
    )
    own.set_defaults(measure=_measure_own)
    trees = commands.add_parser("trees", help="Questions over public trees")
    trees.add_argument("folder", type=Path, help="Has a checkout for each tree")
    trees.add_argument(
        "--postgres", metavar="URL", help="Also PostgreSQL, in a temporary table"
    )
    trees.add_argument(
        "--further", action="store_true", help="The questions over four other trees"
    )
    trees.add_argument("--half", choices=("dev", "test"), help="Only this half of them")
    trees.add_argument("--ours", action="store_true", help="Without other engines")
    trees.set_defaults(measure=_measure_trees)
    judged = commands.add_parser("judged", help="Collections with judgements")
    judged.add_argument("files", nargs="+", type=Path, metavar="FILE")
    judged.set_defaults(measure=_measure_judged)
    return parser.parse_args(arguments)


def _measure_own(options: argparse.Namespace) -> Iterator[Section]:
    from benchmarks.retrieval.own import ask_own, show_own
    from benchmarks.retrieval.questions import read_own_questions

    yield from show_own(ask_own(options.source, read_own_questions(options.half)))


def _measure_trees(options: argparse.Namespace) -> Iterator[Section]:
    from benchmarks.retrieval.engines import ENGINES
    from benchmarks.retrieval.questions import (
        FURTHER_QUESTIONS,
        TREE_QUESTIONS,
        read_tree_questions,
    )
    from benchmarks.retrieval.trees import ask_trees, show_trees

    is_further = options.further or options.half
    path = FURTHER_QUESTIONS if is_further else TREE_QUESTIONS
    questions = read_tree_questions(path, options.half)

    first = next(iter(ENGINES))
    engines = {first: ENGINES[first]} if options.ours else dict(ENGINES)
    if options.postgres:
        from benchmarks.retrieval.postgres_engine import rank_postgres

        engines["PostgreSQL"] = partial(rank_postgres, options.postgres)
    yield from show_trees(ask_trees(options.folder, questions, engines, _report))


def _measure_judged(options: argparse.Namespace) -> Iterator[Section]:
    from benchmarks.retrieval.judged import (
        measure_collection,
        read_collection,
        show_judged,
    )

    measured = []
    for path in options.files:
        measured.append(measure_collection(path.stem, read_collection(path)))
        _report(f"{path.stem}  {measured[-1].ndcg:.4f}  {measured[-1].mrr:.4f}")
    yield show_judged(measured)


def _report(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
