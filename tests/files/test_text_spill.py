"""Texts of a scan: on disk as soon as they are parsed, for no longer than needed."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from support.files import save_in_place, save_over

from asdlc_kb.files import text_spill
from asdlc_kb.files.article_listing import check_article_path, list_files
from asdlc_kb.files.cache import ContentCache
from asdlc_kb.files.lazy_value import LazyValue
from asdlc_kb.files.parsed_cache import ParsedCacheFormat
from asdlc_kb.files.snapshot import ParseResult

HIDDEN = "hidden"
NAMES = ("a.md", "b.md", "c.md", f"{HIDDEN}.md")


def text_of(value: LazyValue[str] | None) -> LazyValue[str] | None:
    """Return the text of a value: the value itself."""
    return value


def served(values: Mapping[str, Any]) -> set[str]:
    """Return the paths of the values that are served."""
    return {path for path in values if HIDDEN not in path}


def open_cache(root: Path) -> ContentCache[LazyValue[str]]:
    """Return a content cache of texts."""
    return ContentCache(
        root,
        lambda raw: ParseResult(LazyValue(raw.text)),
        list_files=list_files,
        judge=check_article_path,
        parsed_cache_path=root.parent / "parsed" / "cache",
        clock=lambda: 10.0**11,
        stored_as=ParsedCacheFormat(
            values=LazyValue,
            texts=str,
            find_text=text_of,
            find_served=served,
            packages=(),
        ),
    )


def load(root: Path) -> ContentCache[LazyValue[str]]:
    """Return a content cache after its first scan."""
    cache = open_cache(root)
    cache.publish(cache.merge(cache.scan()))
    return cache


def list_stored(cache: ContentCache[LazyValue[str]]) -> set[str]:
    """Return the paths of the texts that are on disk; all have to be readable."""
    stored = set()
    for path, entry in cache.snapshot.entries.items():
        assert entry.value is not None
        assert entry.value.get() == f"The text of {path}."
        if entry.value.stored_place is not None:
            stored.add(path.rpartition("/")[2])
    return stored


def count_nameless() -> int:
    """Return the number of open files that have no name."""
    folder = Path("/proc/self/fd")
    links = (os.readlink(link) for link in folder.iterdir() if link.is_symlink())
    return sum("/parsed/" in link and link.endswith(" (deleted)") for link in links)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder of files."""
    for name in NAMES:
        path = tmp_path / "content" / "a" / name
        save_in_place(path, f"The text of a/{name}.")
    return tmp_path / "content"


@pytest.fixture
def hold_bytes(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Set the limit of bytes that wait in memory."""
    return lambda limit: monkeypatch.setattr(text_spill, "MAX_HELD_BYTES", limit)


def test_what_a_scan_parses_is_on_disk_before_the_parsed_cache(
    root: Path, hold_bytes: Callable[[int], None]
) -> None:
    """D-304: 100,000 texts took 400 MB until then. Those that are not served stay."""
    hold_bytes(1)
    cache = load(root)
    assert list_stored(cache) == {"a.md", "b.md", "c.md"}
    assert os.listdir(root.parent / "parsed") == []
    assert count_nameless() == 1
    assert cache.save() > 0
    assert list_stored(cache) == {"a.md", "b.md", "c.md"}
    assert os.listdir(root.parent / "parsed") == ["cache"]
    assert count_nameless() == 0
    assert list_stored(load(root)) == {"a.md", "b.md", "c.md", f"{HIDDEN}.md"}


def test_a_small_scan_writes_no_file(
    root: Path, hold_bytes: Callable[[int], None]
) -> None:
    """Texts of few files wait in memory."""
    hold_bytes(1_000)
    assert list_stored(load(root)) == set()
    assert not (root.parent / "parsed").exists()


def test_a_later_scan_moves_the_texts_that_it_parses(
    root: Path, hold_bytes: Callable[[int], None]
) -> None:
    """As after the checkout of another branch."""
    cache = load(root)
    hold_bytes(30)
    for name in ("a.md", "b.md"):
        save_over(root / "a" / name, f"The text of a/{name}.")
    save_over(root / "a" / "d.md", "The text of a/d.md.")
    save_over(root / "a" / "e.md", "The text of a/e.md.")
    cache.publish(cache.merge(cache.scan()))
    assert {"d.md", "e.md"} <= list_stored(cache)


def test_texts_stay_in_memory_where_no_file_can_be_written(
    root: Path, hold_bytes: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder of others, and a disk that is full: as without a cache folder."""
    hold_bytes(1)
    folder = root.parent / "parsed"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    assert list_stored(load(root)) == set()
    folder.chmod(0o700)

    def refuse(**options: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(text_spill, "TemporaryFile", refuse)
    assert list_stored(load(root)) == set()


def test_a_text_that_cannot_be_read_is_read_from_its_file(
    root: Path, hold_bytes: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a damaged text of the parsed cache."""
    hold_bytes(1)
    cache = load(root)
    monkeypatch.setattr(
        "asdlc_kb.files.parsed_cache_file._read_at", lambda *where: b"damaged"
    )
    assert list_stored(cache) == {"a.md", "b.md", "c.md"}
