"""Tests of snapshots."""

from asdlc_kb.files.problem import Problem
from asdlc_kb.files.signature import Signature
from asdlc_kb.files.snapshot import CachedFile, ScanResult, Snapshot, merge_scan


def test_problems_of_files_and_of_the_rest_come_in_path_order() -> None:
    """The order of `check`, `/health` and the log."""
    problems = [Problem(path, 1, 1, "KB001", "wrong") for path in ("a", "b", "c")]
    entry: CachedFile[str] = CachedFile(
        Signature(1, 1, 1, 1, 1), problems=(problems[1],)
    )
    snapshot = Snapshot(1, {"b": entry}, (problems[2], problems[0]))
    assert snapshot.all_problems() == problems


def test_the_number_of_problems_follows_each_merge() -> None:
    """D-185: an edit does not count those of all files."""

    def entry(path: str, problems: int) -> CachedFile[str]:
        found = (Problem(path, 1, 1, "KB001", "wrong"),) * problems
        return CachedFile(Signature(1, 1, 1, 1, 1), problems=found)

    snapshot: Snapshot[str] = Snapshot()
    of_root = (Problem(".", 1, 1, "KB001", "wrong"),)
    for changed, problems, is_partial in (
        ({"a": entry("a", 2), "b": entry("b", 1)}, of_root, False),
        ({"a": entry("a", 1)}, (), True),
        ({"a": None, "c": entry("c", 3)}, (), True),
        ({"unknown": None}, of_root * 2, False),
        ({}, (), False),
    ):
        scan = ScanResult(snapshot, changed, problems, is_partial=is_partial)
        snapshot = merge_scan(snapshot, scan)
        assert snapshot.problem_count == len(snapshot.all_problems())
    assert snapshot.problem_count == 4
