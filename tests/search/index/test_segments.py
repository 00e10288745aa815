"""The segments of an index: the engine's list, and their merging."""

import errno
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.exceptions import IndexCorrupt
from asdlc_kb.search.index.segments import (
    TARGET_PARTS,
    Segment,
    choose_rewritten,
    delete_folder,
    delete_other_files,
    documents_per_part,
    read_segments,
)

LIST = {
    "segments": [
        {"segment_id": "aa-bb", "max_doc": 7, "deletes": None},
        {"segment_id": "cc-dd", "max_doc": 5, "deletes": {"num_deleted_docs": 2}},
    ]
}


def segments(*sizes: int) -> tuple[Segment, ...]:
    """Return segments of these sizes."""
    return tuple(Segment(f"{at}", size, 0) for at, size in enumerate(sizes))


def test_the_list_of_the_engine_says_what_is_deleted(tmp_path: Path) -> None:
    """In its own order, since addresses count by it."""
    (tmp_path / "meta.json").write_text(json.dumps(LIST))
    assert read_segments(tmp_path) == (Segment("aabb", 7, 0), Segment("ccdd", 3, 2))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"segments": [1]}',
        '{"segments": [{"segment_id": "a", "max_doc": "7", "deletes": null}]}',
        '{"segments": [{"segment_id": "a", "max_doc": 7}]}',
        '{"segments": [{"segment_id": "a", "max_doc": 7, "deletes": {}}]}',
    ],
)
def test_a_list_that_is_none_is_a_fault(tmp_path: Path, text: str) -> None:
    """The index is made again then."""
    (tmp_path / "meta.json").write_text(text)
    with pytest.raises(IndexCorrupt):
        read_segments(tmp_path)


def test_files_of_other_segments_are_deleted(tmp_path: Path) -> None:
    """And nothing else: the list, the lock."""
    ours, other = "a" * 32, "b" * 32
    for name in (f"{ours}.store", f"{other}.store", f"{other}.7.del"):
        (tmp_path / name).touch()
    for name in ("meta.json", ".managed.json", ".tantivy-writer.lock"):
        (tmp_path / name).touch()
    delete_other_files(tmp_path, (Segment(ours, 1, 0),))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".managed.json",
        ".tantivy-writer.lock",
        f"{ours}.store",
        "meta.json",
    ]


def test_nothing_is_folded_where_nothing_comes() -> None:
    """A deletion only marks, which is fast."""
    assert not choose_rewritten(segments(1, 2, 3), 0)


def test_what_came_late_is_written_with_what_comes() -> None:
    """The small ones; not the large ones, which would take long."""
    assert choose_rewritten(segments(1000, 3, 1000), 1) == {"1"}
    assert not choose_rewritten(segments(1000, 4, 1000), 1)
    assert choose_rewritten(segments(1000, 3, 1000, 12), 1) == {"1", "3"}


@given(st.lists(st.integers(1, 5_000), max_size=300))
def test_there_are_never_eight(changes: list[int]) -> None:
    """The engine would merge them into one: whatever is added, in whatever order."""
    sizes: dict[str, int] = {}
    for at, new in enumerate(changes):
        present = tuple(Segment(name, size, 0) for name, size in sizes.items())
        folded = choose_rewritten(present, new)
        total = new + sum(sizes.pop(name) for name in folded)
        count = total + sum(sizes.values())
        parts = max(1, round(new / documents_per_part(count)))
        for part in range(parts):
            rest = total - new if not part else 0
            sizes[f"{at}.{part}"] = new // parts + rest
        assert len(sizes) < 8


def test_a_document_is_written_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand changes, one by one, on large parts."""
    sizes = {f"base {n}": 5_000 // TARGET_PARTS for n in range(TARGET_PARTS)}
    written = peak = 0
    for at in range(1_000):
        present = tuple(Segment(name, size, 0) for name, size in sizes.items())
        sizes[f"{at}"] = 1 + sum(
            sizes.pop(name) for name in choose_rewritten(present, 1)
        )
        written += sizes[f"{at}"]
        peak = max(peak, sizes[f"{at}"])
    assert len(sizes) < 8
    assert written < 1_000 * 20
    assert peak <= 2_000


@pytest.mark.parametrize(
    ("late_files", "is_deleted"), [(0, True), (2, True), (9, False)]
)
def test_a_folder_to_which_the_engine_adds_files_is_deleted_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late_files: int, is_deleted: bool
) -> None:
    """Its threads create a lock file late; the attempts are bounded."""
    folder = tmp_path / "pages-1"
    folder.mkdir()
    (folder / "meta.json").write_text("{}")
    lock, remove = folder / ".tantivy-meta.lock", os.rmdir
    remaining = late_files

    def remove_after_engine(path: str, *, dir_fd: int | None = None) -> None:
        nonlocal remaining
        if remaining:
            remaining -= 1
            lock.touch()
        remove(path, dir_fd=dir_fd)

    monkeypatch.setattr(os, "rmdir", remove_after_engine)
    if is_deleted:
        delete_folder(folder)
        delete_folder(folder)
    else:
        with pytest.raises(OSError) as raised:
            delete_folder(folder)
        assert raised.value.errno == errno.ENOTEMPTY
    assert folder.exists() is not is_deleted
