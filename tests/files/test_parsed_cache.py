"""The parsed cache: which rows are used, and when it is written."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.unusable import REFUSED_NAME

import asdlc_kb
from asdlc_kb.files import parsed_cache
from asdlc_kb.files.dependencies import Dependency
from asdlc_kb.files.lazy_value import LazyValue
from asdlc_kb.files.parsed_cache import (
    CHUNK_FILES,
    MAX_DEPENDENCIES,
    Cancelled,
    ParsedCache,
    ParsedCacheFormat,
    identify_code,
)
from asdlc_kb.files.parsed_cache_file import ParsedCacheFileWriter
from asdlc_kb.files.signature import Signature
from asdlc_kb.files.snapshot import CachedFile

FORMAT: ParsedCacheFormat[str] = ParsedCacheFormat(
    values=str,
    texts=str,
    find_text=lambda value: None,
    find_served=lambda values: values.keys(),
    packages=("files",),
)
SIGNATURE = Signature(1, 2, 3, 4, 5)


def entry(text: str, **fields: Any) -> CachedFile[str]:
    """Return the entry of a file with a text."""
    return CachedFile(SIGNATURE, text.encode(), text, **fields)


def open_parsed_cache(path: Path) -> ParsedCache[str]:
    """Return a cache as a new process opens it."""
    return ParsedCache(path, FORMAT, lambda path, digest: None)


def save(
    path: Path,
    entries: dict[str, CachedFile[str]],
    is_cancelled: Callable[[], bool] = lambda: False,
) -> int:
    """Write entries by the rules `r`."""
    return open_parsed_cache(path).save(entries, "r", is_cancelled)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the cache is."""
    return tmp_path / "parsed" / "cache"


def test_entries_are_the_same_after_a_restart_but_for_the_revision(path: Path) -> None:
    """Revisions are counted by each process."""
    dependency = Dependency("/a/y.md", None)
    stored = entry("x", dependencies=(dependency,), is_racy=True, revision=7)
    assert save(path, {"a/x.md": stored}) > 0
    (loaded,) = open_parsed_cache(path).load("r", 3).values()
    assert loaded == entry("x", dependencies=(dependency,), is_racy=True, revision=3)


@pytest.mark.parametrize("count", [0, 1, CHUNK_FILES, 2 * CHUNK_FILES + 1])
def test_all_files_are_stored_in_their_order(path: Path, count: int) -> None:
    """In as many chunks as it takes."""
    entries = {f"a/{number}.md": entry(str(number)) for number in range(count)}
    save(path, entries)
    assert list(open_parsed_cache(path).load("r", 0).items()) == list(entries.items())


def test_paths_and_signatures_are_those_of_the_listing(path: Path) -> None:
    """Not further objects for each of 100,000 files; another signature is kept."""
    save(path, {"a/x.md": entry("x"), "a/y.md": entry("y"), "a/z.md": entry("z")})
    one, other = Signature(1, 2, 3, 4, 5), Signature(9, 9, 9, 9, 9)
    files = {"".join(("a/", name)): one for name in ("x.md", "y.md")}
    files["a/y.md"] = other
    loaded = open_parsed_cache(path).load("r", 0, files)
    assert all(any(key is path for key in loaded) for path in files)
    assert loaded["a/x.md"].signature is one
    assert loaded["a/y.md"].signature == loaded["a/z.md"].signature == SIGNATURE


@pytest.mark.parametrize(
    "fields",
    [
        {"is_retried": True},
        {"is_storable": False},
        {"dependencies": (Dependency("/a", None),) * (MAX_DEPENDENCIES + 1)},
    ],
)
def test_what_does_not_follow_from_the_file_is_not_stored(
    path: Path, fields: dict[str, Any]
) -> None:
    """The next start reads and parses it."""
    save(path, {"a/x.md": entry("x", **fields), "a/y.md": entry("y")})
    assert list(open_parsed_cache(path).load("r", 0)) == ["a/y.md"]


def test_other_rules_or_code_use_no_row(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Equal bytes need not parse equally."""
    save(path, {"a/x.md": entry("x")})
    assert open_parsed_cache(path).load("s", 0) == {}
    assert len(open_parsed_cache(path).load("r", 0)) == 1
    monkeypatch.setattr(parsed_cache, "identify_code", lambda packages: "other")
    assert open_parsed_cache(path).load("r", 0) == {}


def test_rows_of_an_unknown_shape_are_not_used(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Intact, but not what this version reads."""
    caplog.set_level("INFO")
    cache = open_parsed_cache(path)
    with ParsedCacheFileWriter(path) as writer:
        writer.finish(
            cache._identify("r"), b"\0\0\0\5\x81\xa1x\xa1y", str, lambda *_: None
        )
    assert cache.load("r", 0) == {}
    (record,) = caplog.records
    assert vars(record)["reason"] == "damaged"


def test_a_cancelled_write_changes_nothing(path: Path) -> None:
    """As when the server stops."""
    save(path, {"a/x.md": entry("x")})
    before = path.read_bytes()
    with pytest.raises(Cancelled):
        save(path, {"a/x.md": entry("y")}, lambda: True)
    assert path.read_bytes() == before


def test_a_write_by_another_process_is_left_alone(path: Path) -> None:
    """Both would write the same."""
    with ParsedCacheFileWriter(path):
        assert save(path, {"a/x.md": entry("x")}) == 0


def test_it_is_written_for_any_difference_at_the_start_and_for_many_later(
    path: Path,
) -> None:
    """A start parses a few files faster than a server rewrites a cache."""
    entries = {f"a/{number}.md": entry(str(number)) for number in range(100)}
    cache = open_parsed_cache(path)
    assert cache.is_due(entries)
    cache.save(entries, "r", lambda: False)
    assert not cache.is_due(entries)
    started = open_parsed_cache(path)
    started.load("r", 0)
    few = {**entries, "a/1.md": entry("other")}
    assert started.is_due(few)
    assert not started.is_due(few)
    unchanged = open_parsed_cache(path)
    unchanged.load("r", 0)
    assert not unchanged.is_due(dict(entries))
    assert not unchanged.is_due(few)
    assert not cache.is_due(few)
    assert cache.is_due({**few, **{f"b/{n}.md": entry("new") for n in range(6)}})


@pytest.mark.parametrize("is_loaded", [False, True])
@pytest.mark.parametrize("is_deleted", [False, True])
@pytest.mark.parametrize("is_alone", [False, True])
def test_it_is_written_at_once_when_a_text_is_withdrawn(
    path: Path, *, is_loaded: bool, is_deleted: bool, is_alone: bool
) -> None:
    """Deleted or hidden: the text leaves the disk, however few files changed."""
    entries = {str(number): entry(str(number)) for number in range(100)}
    texts = {name: LazyValue(name) for name in entries}
    hidden = set[str]()
    of_value: ParsedCacheFormat[str] = ParsedCacheFormat(
        values=str,
        texts=str,
        find_text=lambda value: texts[value] if value else None,
        find_served=lambda values: values.keys() - hidden,
        is_served_alone=is_alone,
        packages=(),
    )
    cache = ParsedCache(path, of_value, lambda *_: "recovered")
    cache.save(entries, "r", lambda: False)
    if is_loaded:
        cache = ParsedCache(path, of_value, lambda *_: "recovered")
        cache.load("r", 0)
    after = {**entries, "2": entry("3")}
    assert cache.is_due(after) == is_loaded
    if is_deleted:
        del after["1"]
    else:
        hidden.add("1")
        # A value that is served alone is hidden only by a change of its file.
        after["1"] = entry("1", is_racy=is_alone)
    assert cache.is_due(after)


def test_a_stored_text_is_copied_and_a_damaged_one_recovered(path: Path) -> None:
    """The text of the file itself takes its place."""
    texts = {"a/x.md": LazyValue("one"), "a/y.md": LazyValue("two")}
    of_value: ParsedCacheFormat[str] = ParsedCacheFormat(
        values=str,
        texts=str,
        find_text=lambda value: texts[value] if value else None,
        find_served=lambda values: values.keys(),
        packages=(),
    )
    entries = {name: entry(name) for name in texts}
    recovered: list[str] = []

    def recover(path: str, digest: bytes) -> str:
        recovered.append(path)
        return "recovered"

    cache = ParsedCache(path, of_value, recover)
    cache.save(entries, "r", lambda: False)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"two", b"too"))
    cache.save(entries, "r", lambda: False)
    assert [text.get() for text in texts.values()] == ["one", "recovered"]
    assert recovered == ["a/y.md"]


def test_the_code_is_identified_by_version_and_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another installation of the same code is the same; other files do not matter."""
    module = tmp_path / "part" / "below" / "x.py"
    module.parent.mkdir(parents=True)
    module.write_text("1")
    monkeypatch.setattr(asdlc_kb, "__file__", str(tmp_path / "__init__.py"))
    seen = []

    def identify() -> str:
        identify_code.cache_clear()
        seen.append(identify_code(("part",)))
        return seen[-1]

    first = identify()
    os.utime(module, ns=(0, 5_000_000_000))
    (module.parent / "x.txt").write_text("other")
    (module.parent / "__pycache__").mkdir()
    (module.parent / "__pycache__" / "x.py").write_text("other")
    assert identify() == first
    module.write_text("2")
    identify()
    module.rename(module.with_name("y.py"))
    identify()
    monkeypatch.setattr(asdlc_kb, "__version__", "0.0.0")
    identify()
    assert len(set(seen)) == 4
    identify_code.cache_clear()


def test_a_folder_that_cannot_be_opened_has_no_cache(tmp_path: Path) -> None:
    """As that of another user: files are parsed at each start."""
    cache = open_parsed_cache(tmp_path / REFUSED_NAME / "cache")
    assert cache.load("r", 0) == {}
    report = cache.inspect(7)
    assert (report.fault, report.files, report.size, report.parsed) == (
        None,
        0,
        None,
        7,
    )


def test_a_decoded_value_is_given_the_objects_of_its_entry(path: Path) -> None:
    """The path of the listing, and the digest of the entry."""
    adopted: list[tuple[str | None, str, bytes]] = []
    stored_as = replace(FORMAT, adopt=lambda *given: adopted.append(given))
    save(path, {"a/x.md": entry("x")})
    listed = "".join(("a/", "x.md"))
    cache = ParsedCache(path, stored_as, lambda *_: None)
    (loaded,) = cache.load("r", 0, {listed: SIGNATURE}).values()
    ((value, given, digest),) = adopted
    assert value == "x"
    assert given is listed
    assert digest is loaded.digest
