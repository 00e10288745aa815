"""Mirrors that have lost files."""

import os
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest
from store.ingesting import Ingester
from store.mirroring import open_writer
from support.files import save_over

from asdlc_kb.store import mirror_writer
from asdlc_kb.store.mirror_set import MirrorSet
from asdlc_kb.store.mirror_writer import MirrorWriter


@pytest.fixture
def damaged(
    tmp_path: Path, database: str
) -> Iterator[tuple[Ingester, MirrorSet, MirrorWriter]]:
    """A mirror of three pages that has lost one of them."""
    ingester = Ingester(database)
    for name in "abc":
        save_over(tmp_path / "docs" / f"{name}.md", f"# {name}\n")
    ingester.write(tmp_path / "docs", "d", "docs")
    mirrors, writer = open_writer(tmp_path / "m", database)
    writer.synchronize()
    (mirrors.locate(mirrors.sources[0]) / "b.md").unlink()
    yield ingester, mirrors, writer
    writer.close()


def list_pages(mirrors: MirrorSet) -> list[str]:
    """Return the names of the mirrored files."""
    return sorted(os.listdir(mirrors.locate(mirrors.sources[0])))


def test_what_a_mirror_lost_comes_back_with_the_next_snapshot(
    tmp_path: Path, damaged: tuple[Ingester, MirrorSet, MirrorWriter]
) -> None:
    """Cleaners of caches delete old files, and those of a mirror keep their times."""
    ingester, mirrors, writer = damaged
    save_over(tmp_path / "docs" / "c.md", "# C\n")
    snapshot = ingester.write(tmp_path / "docs", "d", "docs")
    writer.synchronize()
    assert list_pages(mirrors) == ["a.md", "b.md", "c.md"]
    assert mirrors.sources[0].snapshot == snapshot


def test_what_a_mirror_lost_comes_back_with_the_next_check(
    damaged: tuple[Ingester, MirrorSet, MirrorWriter],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Followers see that it was written again; it is logged."""
    _, mirrors, writer = damaged
    before = mirrors.sources[0]
    writer.synchronize()
    assert list_pages(mirrors) == ["a.md", "c.md"]
    ended = monotonic() + mirror_writer.CHECK_SECONDS
    monkeypatch.setattr(mirror_writer, "monotonic", lambda: ended)
    assert not writer.is_due({"d": before.snapshot or 0})
    writer.synchronize()
    assert list_pages(mirrors) == ["a.md", "b.md", "c.md"]
    assert "mirror lost files" in caplog.messages
    after = mirrors.sources[0]
    assert (after.snapshot, after.writes) == (before.snapshot, before.writes + 1)
    caplog.clear()
    monkeypatch.setattr(mirror_writer, "monotonic", lambda: ended * 2)
    writer.synchronize()
    assert "mirror lost files" not in caplog.messages


def test_a_writer_that_starts_checks_the_mirrors(
    tmp_path: Path,
    database: str,
    damaged: tuple[Ingester, MirrorSet, MirrorWriter],
) -> None:
    """Files may have been deleted while no server ran."""
    _, mirrors, writer = damaged
    writer.close()
    _, other = open_writer(tmp_path / "m", database)
    other.synchronize()
    assert list_pages(mirrors) == ["a.md", "b.md", "c.md"]
    other.close()
