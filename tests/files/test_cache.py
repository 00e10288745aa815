"""The content cache: parsing, publishing, retention."""

import dataclasses
import logging
import os
import threading
from pathlib import Path

import pytest
from support.cache import TextCache
from support.files import save_in_place, save_over

from asdlc_kb.files.cache import ContentCache
from asdlc_kb.files.reader import RawFile
from asdlc_kb.files.snapshot import ParseResult, Snapshot


@pytest.fixture
def shelf(tmp_path: Path) -> TextCache:
    """A cache that has scanned two files once."""
    for name in ("a/x.md", "a/y.md"):
        save_in_place(tmp_path / "content" / name, f"{name} one")
    shelf = TextCache(tmp_path / "content")
    shelf.scan()
    return shelf


def test_a_cache_begins_empty_and_unseen(tmp_path: Path) -> None:
    """Nothing is known before the first scan: generation 0."""
    shelf = TextCache(tmp_path)
    assert shelf.snapshot == Snapshot()
    assert (shelf.snapshot.generation, shelf.snapshot.was_seen) == (0, False)
    shelf.scan()
    assert (shelf.snapshot.generation, shelf.snapshot.was_seen) == (1, True)


def test_the_first_look_parses_each_file_once(shelf: TextCache) -> None:
    """Every file is parsed once and its value is the parser's result."""
    assert shelf.parses() == ["a/x.md", "a/y.md"]
    assert shelf.values == {"a/x.md": "a/x.md one", "a/y.md": "a/y.md one"}
    assert shelf.snapshot.generation == 1


def test_a_thousand_looks_at_an_unchanged_folder_parse_nothing(
    shelf: TextCache,
) -> None:
    """D-064: equal keys cost no parse."""
    shelf.parses()
    before = shelf.snapshot
    for _ in range(1000):
        assert shelf.scan().changed == {}
    assert shelf.parses() == []
    assert shelf.snapshot == before


def test_one_edit_parses_one_file(shelf: TextCache) -> None:
    """Only the file whose key changed is parsed; the generation increases by one."""
    shelf.parses()
    save_over(shelf.root / "a" / "x.md", "x two")
    shelf.scan()
    assert shelf.parses() == ["a/x.md"]
    assert shelf.values == {"a/x.md": "x two", "a/y.md": "a/y.md one"}
    assert shelf.snapshot.generation == 2


def test_a_touched_file_is_read_but_not_parsed(shelf: TextCache) -> None:
    """Equal bytes: no parse, no new generation."""
    shelf.parses()
    os.utime(shelf.root / "a" / "x.md", (1, 1))
    assert list(shelf.scan().changed) == ["a/x.md"]
    assert shelf.parses() == []
    assert shelf.snapshot.generation == 1
    assert shelf.scan().changed == {}


@pytest.mark.parametrize("when", [0, 2_147_483_647])
def test_an_mtime_in_the_past_or_future_is_no_obstacle(
    shelf: TextCache, when: int
) -> None:
    """D-064: 1970 and 2038 are mtimes like others."""
    path = save_over(shelf.root / "a" / "x.md", "x two")
    os.utime(path, (when, when))
    shelf.scan()
    assert shelf.values["a/x.md"] == "x two"


def test_a_deleted_file_is_gone_and_a_new_one_is_there(shelf: TextCache) -> None:
    """D-069: a deleted file is gone."""
    (shelf.root / "a" / "x.md").unlink()
    save_in_place(shelf.root / "b" / "z.md", "z one")
    shelf.scan()
    assert shelf.values == {"a/y.md": "a/y.md one", "b/z.md": "z one"}
    assert shelf.snapshot.generation == 2


def test_a_deleted_folder_takes_its_files(shelf: TextCache) -> None:
    """A missing category has no articles at the next scan."""
    for name in ("x.md", "y.md"):
        (shelf.root / "a" / name).unlink()
    (shelf.root / "a").rmdir()
    shelf.scan()
    assert shelf.values == {}
    assert shelf.faults == []


def test_a_snapshot_is_never_changed(shelf: TextCache) -> None:
    """D-065: a request reads one snapshot from start to end."""
    before = shelf.snapshot
    save_over(shelf.root / "a" / "x.md", "x two")
    (shelf.root / "a" / "y.md").unlink()
    shelf.scan()
    assert {path: e.value for path, e in before.entries.items()} == {
        "a/x.md": "a/x.md one",
        "a/y.md": "a/y.md one",
    }
    with pytest.raises(dataclasses.FrozenInstanceError):
        before.generation = 9  # type: ignore[misc]
    with pytest.raises(TypeError):
        shelf.snapshot.entries["a/z.md"] = None  # type: ignore[index]


def test_a_malformed_file_keeps_its_last_good_version(shelf: TextCache) -> None:
    """D-068: it keeps the version before, and is reported until it is repaired."""
    path = shelf.root / "a" / "x.md"
    save_over(path, "bad text")
    shelf.scan()
    assert shelf.values["a/x.md"] == "a/x.md one"
    assert shelf.faults == ["a/x.md:1:1: KB999 malformed"]
    save_over(path, "bad again")
    shelf.scan()
    assert shelf.values["a/x.md"] == "a/x.md one"
    save_over(path, "x two")
    shelf.scan()
    assert shelf.values["a/x.md"] == "x two"
    assert shelf.faults == []


def test_what_the_domain_hides_has_no_last_good_version(shelf: TextCache) -> None:
    """D-068: a file without a value loses the one it had, for later faults too."""
    save_over(shelf.root / "a" / "x.md", "gone")
    shelf.scan()
    assert shelf.values["a/x.md"] is None
    save_over(shelf.root / "a" / "x.md", "bad")
    shelf.scan()
    assert shelf.values["a/x.md"] is None


def test_a_version_never_seen_good_is_absent(shelf: TextCache) -> None:
    """A new file that is malformed has an entry with a problem and no value."""
    save_in_place(shelf.root / "a" / "z.md", "bad")
    shelf.scan()
    assert shelf.values["a/z.md"] is None
    assert shelf.faults == ["a/z.md:1:1: KB999 malformed"]


def test_a_parser_that_fails_harms_one_file_only(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """D-051: one bad file must not affect the rest, not even through a bug of ours."""

    def parse(raw: RawFile) -> ParseResult[str]:
        if "boom" in raw.text:
            raise ZeroDivisionError(raw.text)
        return ParseResult(raw.text)

    for name in ("a", "b"):
        save_in_place(tmp_path / "f" / f"{name}.md", f"{name} one")
    cache = ContentCache(tmp_path, parse, clock=TextCache(tmp_path).clock)
    cache.publish(cache.merge(cache.scan()))
    save_over(tmp_path / "f" / "a.md", "boom")
    save_over(tmp_path / "f" / "b.md", "b two")
    with caplog.at_level(logging.ERROR):
        cache.publish(cache.merge(cache.scan()))
    assert [entry.value for entry in cache.snapshot.entries.values()] == [None, "b two"]
    assert [str(problem) for problem in cache.snapshot.all_problems()] == [
        "f/a.md:1:1: KB001 cannot be parsed because of a bug in asdlc-kb: "
        "please report it"
    ]
    assert [record.getMessage() for record in caplog.records] == ["parser failed"]
    assert [vars(record)["path"] for record in caplog.records] == ["f/a.md"]
    assert "boom" not in caplog.text
    caplog.clear()
    cache.publish(cache.merge(cache.scan()))
    assert caplog.records == []


def test_problems_come_in_path_order_whatever_they_are_of(shelf: TextCache) -> None:
    """Problems of entries and of files without entry are one sorted list."""
    save_over(shelf.root / "a" / "x.md", "bad")
    save_in_place(shelf.root / "a" / "a b.md", "text")
    save_in_place(shelf.root / "b c" / "z.md", "text")
    shelf.scan()
    assert [problem.path for problem in shelf.snapshot.all_problems()] == [
        "a/a b.md",
        "a/x.md",
        "b c",
    ]


def test_a_problem_that_comes_or_goes_is_a_new_generation(shelf: TextCache) -> None:
    """Pages that show problems follow the generation as readers do."""
    odd = save_in_place(shelf.root / "a" / "a b.md", "text")
    shelf.scan()
    assert shelf.snapshot.generation == 2
    shelf.scan()
    assert shelf.snapshot.generation == 2
    odd.unlink()
    shelf.scan()
    assert shelf.snapshot.generation == 3


def test_an_older_look_does_not_undo_a_newer_reading(shelf: TextCache) -> None:
    """A scan that began before a refresh was published leaves that file alone."""
    path = save_over(shelf.root / "a" / "x.md", "x two")
    look = shelf.cache.scan()
    save_over(path, "x three")
    shelf.refresh("a/x.md")
    shelf.publish(look)
    assert shelf.values["a/x.md"] == "x three"
    assert shelf.scan().changed == {}


def test_looks_from_many_threads_take_turns(shelf: TextCache) -> None:
    """Scans may come from any thread; each change is parsed by one of them."""
    shelf.parses()
    save_over(shelf.root / "a" / "x.md", "x two")
    looks = []
    threads = [
        threading.Thread(target=lambda: looks.append(shelf.cache.scan()))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for look in looks:
        shelf.publish(look)
    assert shelf.values["a/x.md"] == "x two"
    assert shelf.snapshot.generation == 2
