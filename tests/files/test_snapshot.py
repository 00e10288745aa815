"""Tests of snapshots."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.files.problem import Problem
from asdlc_kb.files.signature import Signature
from asdlc_kb.files.snapshot import (
    CachedFile,
    ScanResult,
    Snapshot,
    find_changed_paths,
    merge_scan,
)

entries = st.builds(
    lambda mtime, value, has_problem: CachedFile(
        Signature(mtime, 1, 1, 1, 1),
        value=value,
        problems=(Problem("a", 1, 1, "KB001", "wrong"),) * has_problem,
    ),
    st.integers(0, 2),
    st.sampled_from(["one", "two"]),
    st.booleans(),
)
changes = st.dictionaries(st.sampled_from("abc"), st.none() | entries, max_size=2)


def test_problems_of_files_and_of_the_rest_come_in_path_order() -> None:
    """The order of `check`, `/health` and the log."""
    problems = [Problem(path, 1, 1, "KB001", "wrong") for path in ("a", "b", "c")]
    entry: CachedFile[str] = CachedFile(
        Signature(1, 1, 1, 1, 1), problems=(problems[1],)
    )
    others = problems[2], problems[0]
    snapshot = Snapshot(1, {"b": entry}, others, faulty=frozenset("b"))
    assert snapshot.all_problems() == problems


def test_the_number_of_problems_follows_each_merge() -> None:
    """D-188: an edit does not count those of all files."""

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


@given(st.lists(changes, min_size=1, max_size=5))
def test_changed_paths_are_those_with_other_entries(
    steps: list[dict[str, CachedFile[str] | None]],
) -> None:
    """Whether the generations are neighbours or not, and with every faulty file."""
    current: Snapshot[str] = Snapshot()
    firsts = [current]
    for changed in steps:
        current = merge_scan(current, ScanResult(current, changed, is_partial=True))
        if current.generation != firsts[-1].generation:
            firsts.append(current)
        faulty = {path for path, entry in current.entries.items() if entry.problems}
        assert current.faulty == faulty
        for before in firsts:
            old, new = before.entries, current.entries
            differing = {p for p in "abc" if old.get(p) is not new.get(p)}
            assert differing <= find_changed_paths(before, current)
    for before, after in itertools.pairwise(firsts):
        assert find_changed_paths(before, after) == after.edited


def test_unrelated_snapshots_are_compared_by_their_entries() -> None:
    """As those of two roots, whatever their generations are."""
    entry: CachedFile[str] = CachedFile(Signature(1, 1, 1, 1, 1))
    one = merge_scan(Snapshot(), ScanResult(Snapshot(), {"a": entry, "b": entry}))
    other = Snapshot(one.generation + 1, {"b": entry, "c": entry})
    assert find_changed_paths(one, other) == {"a", "c"}
    assert find_changed_paths(one, one) == set()


def test_many_changes_are_found_by_comparing(monkeypatch: pytest.MonkeyPatch) -> None:
    """As those of the first scan, which a snapshot would list until the next change."""
    monkeypatch.setattr("asdlc_kb.files.snapshot.MAX_LISTED_CHANGES", 1)
    entry: CachedFile[str] = CachedFile(Signature(1, 1, 1, 1, 1), value="one")
    empty: Snapshot[str] = Snapshot()
    first = merge_scan(empty, ScanResult(empty, {"a": entry, "b": entry}))
    assert (first.edited, first.touched) == (frozenset(), frozenset())
    assert find_changed_paths(empty, first) == {"a", "b"}
    second = merge_scan(first, ScanResult(first, {"b": None}, is_partial=True))
    assert second.edited == {"b"}
    assert find_changed_paths(empty, second) == {"a"}
