"""The content cache: parsing, publishing, retention."""

import dataclasses
import logging
import os
import threading
from pathlib import Path

import pytest
from support.cache import TextCache
from support.files import save_in_place, save_over

from asdlc_kb.files.article_listing import check_article_path, list_files
from asdlc_kb.files.cache import ContentCache
from asdlc_kb.files.reader import RawFile
from asdlc_kb.files.snapshot import ParseResult, Snapshot


@pytest.fixture
def cache(tmp_path: Path) -> TextCache:
    """A cache that has scanned two files once."""
    for name in ("a/x.md", "a/y.md"):
        save_in_place(tmp_path / "content" / name, f"{name} one")
    cache = TextCache(tmp_path / "content")
    cache.scan()
    return cache


def test_a_cache_begins_empty_and_unseen(tmp_path: Path) -> None:
    """Nothing is known before the first scan: generation 0."""
    cache = TextCache(tmp_path)
    assert cache.snapshot == Snapshot()
    assert (cache.snapshot.generation, cache.snapshot.was_seen) == (0, False)
    cache.scan()
    assert (cache.snapshot.generation, cache.snapshot.was_seen) == (1, True)


def test_the_first_look_parses_each_file_once(cache: TextCache) -> None:
    """Every file is parsed once and its value is the parser's result."""
    assert cache.parses() == ["a/x.md", "a/y.md"]
    assert cache.values == {"a/x.md": "a/x.md one", "a/y.md": "a/y.md one"}
    assert cache.snapshot.generation == 1


def test_a_thousand_looks_at_an_unchanged_folder_parse_nothing(
    cache: TextCache,
) -> None:
    """D-064: equal keys cost no parse."""
    cache.parses()
    before = cache.snapshot
    for _ in range(1000):
        assert cache.scan().changed == {}
    assert cache.parses() == []
    assert cache.snapshot == before


def test_one_edit_parses_one_file(cache: TextCache) -> None:
    """Only the changed file is parsed; the generation increases by one."""
    cache.parses()
    save_over(cache.root / "a" / "x.md", "x two")
    cache.scan()
    assert cache.parses() == ["a/x.md"]
    assert cache.values == {"a/x.md": "x two", "a/y.md": "a/y.md one"}
    assert cache.snapshot.generation == 2


def test_a_touched_file_is_read_but_not_parsed(cache: TextCache) -> None:
    """Equal bytes: no parse, no new generation."""
    cache.parses()
    os.utime(cache.root / "a" / "x.md", (1, 1))
    assert list(cache.scan().changed) == ["a/x.md"]
    assert cache.parses() == []
    assert cache.snapshot.generation == 1
    assert cache.scan().changed == {}


@pytest.mark.parametrize("when", [0, 2_147_483_647])
def test_an_mtime_in_the_past_or_future_is_no_obstacle(
    cache: TextCache, when: int
) -> None:
    """D-064: 1970 and 2038 are mtimes like others."""
    path = save_over(cache.root / "a" / "x.md", "x two")
    os.utime(path, (when, when))
    cache.scan()
    assert cache.values["a/x.md"] == "x two"


def test_a_deleted_file_is_gone_and_a_new_one_is_there(cache: TextCache) -> None:
    """D-069: a deleted file is gone."""
    (cache.root / "a" / "x.md").unlink()
    save_in_place(cache.root / "b" / "z.md", "z one")
    cache.scan()
    assert cache.values == {"a/y.md": "a/y.md one", "b/z.md": "z one"}
    assert cache.snapshot.generation == 2


def test_a_deleted_folder_takes_its_files(cache: TextCache) -> None:
    """A missing category has no articles at the next scan."""
    for name in ("x.md", "y.md"):
        (cache.root / "a" / name).unlink()
    (cache.root / "a").rmdir()
    cache.scan()
    assert cache.values == {}
    assert cache.faults == []


def test_a_snapshot_is_never_changed(cache: TextCache) -> None:
    """D-065: a request reads one snapshot from start to end."""
    before = cache.snapshot
    save_over(cache.root / "a" / "x.md", "x two")
    (cache.root / "a" / "y.md").unlink()
    cache.scan()
    assert {path: e.value for path, e in before.entries.items()} == {
        "a/x.md": "a/x.md one",
        "a/y.md": "a/y.md one",
    }
    with pytest.raises(dataclasses.FrozenInstanceError):
        before.generation = 9  # type: ignore[misc]
    with pytest.raises(TypeError):
        cache.snapshot.entries["a/z.md"] = None  # type: ignore[index]


def test_a_malformed_file_keeps_its_last_good_version(cache: TextCache) -> None:
    """D-068: it keeps the version before, and is reported until it is repaired."""
    path = cache.root / "a" / "x.md"
    save_over(path, "bad text")
    cache.scan()
    assert cache.values["a/x.md"] == "a/x.md one"
    assert cache.faults == ["a/x.md:1:1: KB999 malformed"]
    save_over(path, "bad again")
    cache.scan()
    assert cache.values["a/x.md"] == "a/x.md one"
    save_over(path, "x two")
    cache.scan()
    assert cache.values["a/x.md"] == "x two"
    assert cache.faults == []


def test_what_the_domain_hides_has_no_last_good_version(cache: TextCache) -> None:
    """D-068: a file without a value loses the one it had, for later faults too."""
    save_over(cache.root / "a" / "x.md", "gone")
    cache.scan()
    assert cache.values["a/x.md"] is None
    save_over(cache.root / "a" / "x.md", "bad")
    cache.scan()
    assert cache.values["a/x.md"] is None


def test_a_version_never_seen_good_is_absent(cache: TextCache) -> None:
    """A new file that is malformed has an entry with a problem and no value."""
    save_in_place(cache.root / "a" / "z.md", "bad")
    cache.scan()
    assert cache.values["a/z.md"] is None
    assert cache.faults == ["a/z.md:1:1: KB999 malformed"]


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
    cache = ContentCache(
        tmp_path,
        parse,
        list_files=list_files,
        judge=check_article_path,
        clock=TextCache(tmp_path).clock,
    )
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


def test_problems_come_in_path_order_whatever_they_are_of(cache: TextCache) -> None:
    """Problems of entries and of files without entry are one sorted list."""
    save_over(cache.root / "a" / "x.md", "bad")
    save_in_place(cache.root / "a" / "a b.md", "text")
    save_in_place(cache.root / "b c" / "z.md", "text")
    cache.scan()
    assert [problem.path for problem in cache.snapshot.all_problems()] == [
        "a/a b.md",
        "a/x.md",
        "b c",
    ]


def test_a_problem_that_comes_or_goes_is_a_new_generation(cache: TextCache) -> None:
    """Pages that show problems follow the generation as readers do."""
    odd = save_in_place(cache.root / "a" / "a b.md", "text")
    cache.scan()
    assert cache.snapshot.generation == 2
    cache.scan()
    assert cache.snapshot.generation == 2
    odd.unlink()
    cache.scan()
    assert cache.snapshot.generation == 3


def test_an_older_look_does_not_undo_a_newer_reading(cache: TextCache) -> None:
    """A scan that began before a refresh was published leaves that file alone."""
    path = save_over(cache.root / "a" / "x.md", "x two")
    look = cache.cache.scan()
    save_over(path, "x three")
    cache.refresh("a/x.md")
    cache.publish(look)
    assert cache.values["a/x.md"] == "x three"
    assert cache.scan().changed == {}


def test_looks_from_many_threads_take_turns(cache: TextCache) -> None:
    """Scans may come from any thread; each change is parsed by one of them."""
    cache.parses()
    save_over(cache.root / "a" / "x.md", "x two")
    looks = []
    threads = [
        threading.Thread(target=lambda: looks.append(cache.cache.scan()))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for look in looks:
        cache.publish(look)
    assert cache.values["a/x.md"] == "x two"
    assert cache.snapshot.generation == 2
