"""`python -m benchmarks.recordings record FILE` and `compare OLD NEW`."""

import argparse
import json
import sys
from pathlib import Path

from benchmarks.recordings.comparison import compare_answers
from benchmarks.recordings.recording import record_answers


def main() -> int:
    """Run one of the two commands; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recordings")
    commands = parser.add_subparsers(dest="command", required=True)
    record = commands.add_parser("record", help="Write every answer into FILE")
    record.add_argument("file", type=Path)
    record.add_argument(
        "--python", default=sys.executable, help="The interpreter to start"
    )
    record.add_argument("--source", type=Path, help="A checkout to import from")
    compare = commands.add_parser("compare", help="Show differences; exit 1 if any")
    compare.add_argument("old", type=Path)
    compare.add_argument("new", type=Path)
    args = parser.parse_args()
    if args.command == "record":
        answers = record_answers(args.python, args.source)
        text = json.dumps(answers, indent=0, sort_keys=True, ensure_ascii=False)
        args.file.write_text(text + "\n", encoding="utf-8")
        print(f"{len(answers)} answers, {len(text):,} characters: {args.file}")
        return 0
    old, new = (json.loads(path.read_text("utf-8")) for path in (args.old, args.new))
    report = compare_answers(old, new)
    print("\n".join(report) if report else f"{len(new)} answers are equal")
    return 1 if report else 0


if __name__ == "__main__":
    sys.exit(main())
