"""The state of an index on disk, seen from outside."""

import json
import os
from pathlib import Path

import pytest
from support.texts import DOCUMENTS, Texts, document

from asdlc_kb.search.index.integrity import IntegrityReport, inspect_index
from asdlc_kb.search.index.manifest import MANIFEST
from asdlc_kb.search.policy import IndexPolicy
from asdlc_kb.search.service.fulltext import FullText


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the index of a few documents."""
    index = FullText(tmp_path / "index")
    index.sync(Texts(*DOCUMENTS))
    index.close()
    return tmp_path / "index"


def test_no_index_is_told_with_what_it_lacks(tmp_path: Path) -> None:
    """And nothing is made."""
    report = inspect_index(tmp_path / "none", Texts(*DOCUMENTS).digests())
    assert report == IntegrityReport(added=len(DOCUMENTS))
    assert not report.is_current
    assert list(tmp_path.iterdir()) == []


def test_an_index_of_the_present_documents_is_current(folder: Path) -> None:
    """Its pages are counted, and the bytes of its files."""
    report = inspect_index(folder, Texts(*DOCUMENTS).digests())
    assert report.is_current
    parts = [path for path in folder.rglob("*") if path.is_file()]
    size = sum(p.stat().st_size for p in parts if p.parent != folder)
    assert report == IntegrityReport(is_there=True, pages=len(DOCUMENTS), size=size)


def test_it_tells_how_many_documents_are_others(folder: Path) -> None:
    """New, changed and removed ones; the index stays as it is."""
    before = (folder / MANIFEST).read_bytes()
    changed = document(DOCUMENTS[0].key, "Another title")
    new = document("new.md", "New")
    report = inspect_index(folder, Texts(changed, new, *DOCUMENTS[2:]).digests())
    assert (report.added, report.changed, report.removed) == (1, 1, 1)
    assert not report.is_current
    assert (folder / MANIFEST).read_bytes() == before


def test_an_index_in_use_can_be_looked_at(folder: Path) -> None:
    """It takes no lock."""
    index = FullText(folder)
    index.sync(Texts(*DOCUMENTS))
    assert inspect_index(folder, Texts(*DOCUMENTS).digests()).is_current
    index.close()


def test_a_damaged_file_is_a_fault(folder: Path) -> None:
    """D-090: one flipped byte is enough."""
    path = max(folder.rglob("*.store"), key=lambda file: file.stat().st_size)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    report = inspect_index(folder, Texts(*DOCUMENTS).digests())
    assert report.fault == "its files do not match their checksums"
    assert not report.is_current


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"version": 1}', b"\xff"])
def test_a_manifest_that_is_none_is_a_fault(folder: Path, data: bytes) -> None:
    """Whatever is in its place."""
    (folder / MANIFEST).write_bytes(data)
    report = inspect_index(folder, Texts(*DOCUMENTS).digests())
    assert (report.is_there, report.is_current) == (True, False)
    assert report.fault == "its manifest is malformed"


def test_a_pipe_is_a_fault(folder: Path) -> None:
    """And is not waited for, at a start neither."""
    (folder / MANIFEST).unlink()
    os.mkfifo(folder / MANIFEST)
    report = inspect_index(folder, Texts(*DOCUMENTS).digests())
    assert report.fault == "it contains files that do not belong to a search index"
    assert FullText(folder).has_stale_documents(Texts(*DOCUMENTS))


def test_files_that_are_gone_are_a_fault(folder: Path) -> None:
    """The manifest alone is no index."""
    number = json.loads((folder / MANIFEST).read_bytes())["number"]
    for path in (folder / f"pages-{number}").iterdir():
        path.unlink()
    (folder / f"pages-{number}").rmdir()
    report = inspect_index(folder, Texts(*DOCUMENTS).digests())
    assert report.fault == "its files cannot be read"


def test_an_index_of_another_policy_is_of_another_version(folder: Path) -> None:
    """Its files would be made again."""
    report = inspect_index(
        folder, Texts(*DOCUMENTS).digests(), IndexPolicy(title_copies=9)
    )
    assert report.fault == "it has another version"
    assert not report.is_current
