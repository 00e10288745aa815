"""Public repositories as documentation, measured.

`python -m benchmarks.documentation NAME=FOLDER... [--built NAME=SITE]... [--write]`

The folders are fetched, and the sites built, by hand; nothing of them is kept.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.cache import ROOT
from benchmarks.documentation.measurement import measure_tree
from benchmarks.documentation.tables import show_trees
from benchmarks.report import write

PAGE = ROOT / "docs" / "documentation.md"


def main(arguments: Sequence[str] | None = None, page: Path = PAGE) -> int:
    """Print the table as Markdown; what is not right goes to standard error."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.documentation")
    parser.add_argument("trees", nargs="+", metavar="NAME=FOLDER", type=_read_tree)
    parser.add_argument(
        "--built",
        action="append",
        default=[],
        metavar="NAME=SITE",
        type=_read_tree,
        help="The site that the generator built of a tree, to compare their order",
    )
    parser.add_argument(
        "--write", action="store_true", help="Write the table to docs/documentation.md"
    )
    args = parser.parse_args(arguments)
    sites = dict(args.built)
    if unknown := sites.keys() - dict(args.trees):
        parser.error(f"--built {min(unknown)}: there is no tree of this name")
    measured = []
    for name, folder in args.trees:
        tree = measure_tree(name, folder, sites.get(name))
        measured.append(tree)
        print(f"== {name}", *tree.remarks, sep="\n", file=sys.stderr, flush=True)
    report = show_trees(measured)
    print(report, end="")
    if args.write:
        write(report, page)
    return 0


def _read_tree(written: str) -> tuple[str, Path]:
    """Return the name and the folder of a tree."""
    name, equals, folder = written.partition("=")
    if not (name and equals and Path(folder).is_dir()):
        raise argparse.ArgumentTypeError(f"write NAME=FOLDER, not {written!r}")
    return name, Path(folder).absolute()


if __name__ == "__main__":
    sys.exit(main())
