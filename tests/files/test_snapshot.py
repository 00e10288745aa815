"""Tests of snapshots."""

from asdlc_kb.files.problem import Problem
from asdlc_kb.files.signature import Signature
from asdlc_kb.files.snapshot import CachedFile, Snapshot


def test_problems_of_files_and_of_the_rest_come_in_path_order() -> None:
    """The order of `check`, `/health` and the log."""
    problems = [Problem(path, 1, 1, "KB001", "wrong") for path in ("a", "b", "c")]
    entry: CachedFile[str] = CachedFile(
        Signature(1, 1, 1, 1, 1), problems=(problems[1],)
    )
    snapshot = Snapshot(1, {"b": entry}, (problems[2], problems[0]))
    assert snapshot.all_problems() == problems
