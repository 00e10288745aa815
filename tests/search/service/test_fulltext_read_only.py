"""An index in a folder that cannot be written: served from there until a change."""

import logging
import os
import tempfile
from pathlib import Path

import pytest
from support.texts import DOCUMENTS, Texts, document, find, keys

from asdlc_kb import trusted_files
from asdlc_kb.search.index import sealed_files
from asdlc_kb.search.policy import IndexPolicy
from asdlc_kb.search.service.fulltext import FullText

FOUND = {"guides/cache.md", "guides/deploy.md"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the index of an administrator, another user than the server's.

    Links of the engine go to a folder of the test.
    """
    folder = tmp_path / "index"
    fulltext = FullText(folder)
    fulltext.sync(Texts(*DOCUMENTS))
    fulltext.close()
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    user = os.geteuid()
    monkeypatch.setattr(trusted_files, "_ROOT_USER", user)
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    (tmp_path / "links").mkdir()
    monkeypatch.setattr(sealed_files, "_MEMORY_FOLDER", tmp_path / "links")
    return folder


def open_index(folder: Path, source: Texts) -> FullText:
    """Return the index in a folder, in sync with a source."""
    fulltext = FullText(folder)
    fulltext.sync(source)
    return fulltext


def read_files(folder: Path) -> dict[Path, bytes]:
    """Return the content of all files of a folder."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def list_reasons(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    """Return the messages with a reason."""
    records = [vars(record) for record in caplog.records]
    return [(r["msg"], r["reason"]) for r in records if "reason" in r]


@pytest.mark.parametrize("max_bytes", [sealed_files.MAX_BYTES, 0])
def test_an_intact_index_is_served_without_reading_a_document(
    folder: Path,
    max_bytes: int,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """From copies, or mapped if it is large; nothing is written or left over."""
    caplog.set_level(logging.INFO, "asdlc_kb.search")
    monkeypatch.setattr(sealed_files, "MAX_BYTES", max_bytes)
    before = read_files(folder)
    source = Texts(*DOCUMENTS)
    fulltext = open_index(folder, source)
    assert set(keys(find((fulltext, source), "configuration"))) == FOUND
    assert source.asked == []
    reason = "it belongs to another user"
    assert fulltext.refused is None
    assert list_reasons(caplog) == [("index is read-only", reason)]
    assert fulltext.purge() and not fulltext.sync(source)
    assert not fulltext.has_lost_files()
    fulltext.close()
    assert read_files(folder) == before
    assert list(sealed_files._MEMORY_FOLDER.iterdir()) == []


def test_the_first_change_copies_it_to_memory(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Only what changed is read; it is reported once; the folder stays as it is."""
    caplog.set_level(logging.INFO, "asdlc_kb.search")
    before = read_files(folder)
    fulltext = open_index(folder, Texts(*DOCUMENTS))
    new = document("new.md", "Walrus", "A walrus with its configuration.")
    source = Texts(*DOCUMENTS[1:], new)
    assert fulltext.sync(source)
    assert source.asked == ["new.md"]
    assert set(keys(find((fulltext, source), "configuration"))) == {
        *("new.md", "guides/deploy.md"),
    }
    assert DOCUMENTS[0].key not in keys(find((fulltext, source), "clear the cache"))
    reason = "it is read-only, and pages changed"
    assert fulltext.refused == reason
    assert fulltext.purge()
    last = Texts(*DOCUMENTS, new)
    fulltext.sync(last)
    assert last.asked == [DOCUMENTS[0].key]
    assert list_reasons(caplog)[-1:] == [("index kept in memory only", reason)]
    assert len(list_reasons(caplog)) == 2
    fulltext.close()
    assert read_files(folder) == before


def test_an_index_that_is_not_intact_is_not_used(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Damaged, of another version, or writable by others: all pages are read."""
    manifest = folder / "manifest.json"
    part = next(folder.glob("pages-*/meta.json"))
    kept = part.read_bytes()
    source = Texts(*DOCUMENTS)
    other = FullText(folder, index_policy=IndexPolicy(title_copies=1))
    other.sync(source)
    assert other.refused == (
        "it belongs to another user; it has no index of this version"
    )
    part.write_bytes(b"{}")
    damaged = open_index(folder, source)
    assert damaged.refused == (
        "it belongs to another user; its files do not match their checksums"
    )
    part.write_bytes(kept)
    part.chmod(0o666)
    writable = open_index(folder, source)
    assert writable.refused == (
        "it belongs to another user; other users can write to it"
    )
    part.chmod(0o644)
    manifest.unlink()
    empty = open_index(folder, source)
    assert empty.refused == other.refused
    assert len(source.asked) == 4 * len(DOCUMENTS)
    assert "index is read-only" not in dict(list_reasons(caplog))
    for fulltext in (other, damaged, writable, empty):
        assert set(keys(find((fulltext, source), "configuration"))) == FOUND
        fulltext.close()


def test_links_of_the_engine_go_to_any_folder_for_temporary_files(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without one, the index is built in memory."""
    monkeypatch.setattr(sealed_files, "_MEMORY_FOLDER", tmp_path / "none")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "links"))
    source = Texts(*DOCUMENTS)
    assert open_index(folder, source).refused is None
    assert source.asked == []
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    fulltext = open_index(folder, source)
    assert fulltext.is_ready
    assert len(source.asked) == len(DOCUMENTS)
