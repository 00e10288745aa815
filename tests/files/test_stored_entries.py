"""Stored entries of a content cache: taken at the first scan, saved when it is due."""

import logging
from pathlib import Path

import pytest
from support.cache import TextCache
from support.files import Clock, save_in_place, save_over

from asdlc_kb.exceptions import OperationalError
from asdlc_kb.files.article_listing import check_article_path, list_files
from asdlc_kb.files.cache import ContentCache
from asdlc_kb.files.listing import Listing
from asdlc_kb.files.parsed_cache import ParsedCacheFormat
from asdlc_kb.files.reader import RawFile
from asdlc_kb.files.snapshot import ParseResult

FUTURE = 10**11
"""A time long after all changes, in seconds."""


class Server:
    """One start of a server over a root and a parsed cache."""

    def __init__(self, root: Path, *, rules: str = "", revision: int = 0) -> None:
        self.parsed: list[str] = []
        self.clock = Clock(FUTURE)
        self.revision = revision
        self.rules = rules
        self.cache: ContentCache[str] = ContentCache(
            root,
            self._parse,
            list_files=self._list,
            judge=check_article_path,
            clock=self.clock,
            stored_as=ParsedCacheFormat(
                values=str,
                texts=str,
                find_text=lambda value: None,
                find_served=lambda values: values.keys(),
                packages=(),
                describe_rules=lambda: self.rules,
            ),
            parsed_cache_path=root.parent / "parsed",
        )

    def scan(self) -> list[str]:
        """Scan and publish; return the paths parsed by it."""
        self.parsed = []
        self.cache.publish(self.cache.merge(self.cache.scan()))
        return self.parsed

    def _list(self, root: Path, max_files: int) -> Listing:
        listing = list_files(root, max_files)
        listing.revision = self.revision
        return listing

    def _parse(self, raw: RawFile) -> ParseResult[str]:
        self.parsed.append(raw.path)
        return ParseResult(raw.text)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder that was served and stored."""
    root = tmp_path / "content"
    for name in ("x", "y"):
        save_in_place(root / "a" / f"{name}.md", name)
    server = Server(root)
    assert server.scan() == ["a/x.md", "a/y.md"]
    assert server.cache.save() > 0
    return root


def test_only_the_first_scan_uses_the_store(root: Path) -> None:
    """Later ones compare with the snapshot, which is newer."""
    server = Server(root)
    assert server.scan() == []
    save_over(root / "a" / "x.md", "other")
    assert server.scan() == ["a/x.md"]
    save_over(root / "a" / "x.md", "x")
    assert server.scan() == ["a/x.md"]


def test_a_root_that_appears_later_is_taken_from_the_store(root: Path) -> None:
    """As a disk that is mounted after the start; it is not saved while it is gone."""
    away = root.rename(root.with_name("away"))
    server = Server(root)
    assert server.scan() == []
    assert server.cache.save() == 0
    away.rename(root)
    assert server.scan() == []
    assert len(server.cache.snapshot.entries) == 2


def test_a_file_read_too_soon_after_its_change_is_read_again(root: Path) -> None:
    """A later change may have left its signature; equal bytes are not parsed."""
    path = save_over(root / "a" / "x.md", "new")
    server = Server(root)
    server.clock.pass_after(path, 1.0)
    assert server.scan() == ["a/x.md"]
    server.cache.save()
    again = Server(root)
    assert again.scan() == []
    entry = again.cache.snapshot.entries["a/x.md"]
    assert (entry.value, entry.is_racy) == ("new", False)


def test_a_clock_that_was_set_back_only_costs_reads(root: Path) -> None:
    """Changes from the future count as recent."""
    server = Server(root)
    server.clock.now = 1.0
    assert server.scan() == []
    assert all(not e.is_racy for e in server.cache.snapshot.entries.values())
    path = save_over(root / "a" / "x.md", "z")
    late = Server(root)
    late.clock.pass_after(path, -3600)
    late.scan()
    late.cache.save()
    assert Server(root).scan() == []


def test_rows_of_other_rules_are_not_used(root: Path) -> None:
    """A revision is of one process; the description of its rules counts."""
    assert Server(root, revision=5).scan() == []
    assert Server(root, rules="other").scan() == ["a/x.md", "a/y.md"]


def test_a_snapshot_of_former_rules_is_not_saved(root: Path) -> None:
    """The rules changed between the scan and its publication."""
    server = Server(root, revision=1)
    save_over(root / "a" / "x.md", "new")
    server.scan()
    server.revision, server.rules = 2, "new"
    server.cache.scan()
    assert server.cache.save() == 0


def test_the_start_is_logged_once(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    """With the number of files, and of those that were parsed."""
    caplog.set_level(logging.INFO)
    save_over(root / "a" / "x.md", "new")
    server = Server(root)
    server.scan()
    server.scan()
    (record,) = caplog.records
    assert record.getMessage() == "files loaded"
    assert (vars(record)["files"], vars(record)["parsed"]) == (2, 1)


def test_a_store_that_cannot_be_deleted_is_reported(root: Path) -> None:
    """With its path and the reason."""
    (root.parent / "parsed").unlink()
    (root.parent / "parsed").mkdir()
    with pytest.raises(OperationalError, match="parsed cannot be deleted"):
        Server(root).cache.stored.drop()


def test_without_a_store_nothing_is_saved(root: Path) -> None:
    """As with `--cache-dir off`."""
    cache = TextCache(root).cache
    cache.publish(cache.merge(cache.scan()))
    assert cache.save() == 0
    cache.stored.drop()
