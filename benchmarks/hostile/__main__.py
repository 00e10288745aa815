"""`python -m benchmarks.hostile [KIND…]`: cost of hostile repetition.

Prints each text that took too long or whose cost grew too fast, and ends with exit
code 1 if there is one, 0 if not.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from benchmarks.cache import ROOT
from benchmarks.hostile import lexers, patterns, table, texts
from benchmarks.hostile.attempts import Finding, Result, Subject, run

KINDS: Final[Mapping[str, Callable[[], Iterator[Subject]]]] = {
    "lexers": lambda: lexers.list_subjects(lexers.find_classes().values()),
    "patterns": lambda: patterns.list_subjects(ROOT / "asdlc_kb"),
    "texts": texts.list_subjects,
}


def main(arguments: Sequence[str]) -> int:
    """Try the requested kinds; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hostile")
    kinds = f"{', '.join(KINDS)}; all of them if none is named"
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=kinds)
    only = "subjects whose names begin so: a lexer, a module's path, a reader"
    parser.add_argument("--only", nargs="+", default=[""], metavar="NAME", help=only)
    parser.add_argument("--processes", type=int, default=2, help="default: 2")
    parser.add_argument(
        "--write", action="store_true", help=f"write the lexers to {table.PATH}"
    )
    options = parser.parse_args(arguments)
    if unknown := set(options.kinds) - KINDS.keys():
        parser.error(f"unknown kind: {', '.join(sorted(unknown))}")
    if options.write and (options.kinds != ["lexers"] or any(options.only)):
        parser.error("--write needs all lexers, and nothing else")
    results: dict[str, list[Result]] = {}
    for kind in options.kinds or KINDS:
        every = KINDS[kind]()
        subjects = (s for s in every if s.name.startswith(tuple(options.only)))
        results[kind] = list(_report(run(subjects, options.processes)))
    if options.write:
        table.write(lexers.select(results["lexers"], lexers.find_classes()), ROOT)
    found = sum(bool(r.findings) for kind in results.values() for r in kind)
    tried = sum(map(len, results.values()))
    print(f"{found:,} of {tried:,} subjects have findings")
    return 1 if found else 0


def _report(results: Iterator[Result]) -> Iterator[Result]:
    """Print the findings of each result as it comes."""
    for result in results:
        for finding in sorted(result.findings, key=_rank, reverse=True):
            print(_describe(finding), flush=True)
        yield result


def _rank(finding: Finding) -> float:
    return finding.cost.seconds / finding.cost.size


def _describe(finding: Finding) -> str:
    size, seconds, exponent = finding.cost
    cost = f"{size:,} characters: {seconds * 1_000:,.0f} ms"
    growth = f", grows with size^{exponent:.1f}" if 0 < exponent < float("inf") else ""
    killed = f"{size:,} characters: killed"
    outcome = killed if seconds == float("inf") else f"{cost}{growth}"
    return f"{finding.subject}: {outcome}: {finding.trial}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
