"""The documents of an index on disk, in its manifest and in a file of their own."""

import gc
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.texts import Texts, document

from asdlc_kb.exceptions import IndexCorrupt
from asdlc_kb.search.index import saved_documents
from asdlc_kb.search.index.index_snapshot import IndexedDocument
from asdlc_kb.search.index.integrity import inspect_index
from asdlc_kb.search.index.manifest import (
    DOCUMENTS,
    Manifest,
    digest_bytes,
    parse_manifest,
    read_manifest,
)
from asdlc_kb.search.index.saved_documents import SavedDocuments, read_entries
from asdlc_kb.search.service.fulltext import FullText
from asdlc_kb.search.values import SearchDocument

MAX_ROWS = 3

PAGES = tuple(document(f"page{number}.md", "Title", "Text.") for number in range(8))


@pytest.fixture(autouse=True)
def few_rows() -> Iterator[None]:
    """An index of few documents has a file of them, with several lines."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(saved_documents, "MAX_ROWS", MAX_ROWS)
        patch.setattr(saved_documents, "LINE_ROWS", 2)
        yield


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of an index of all pages."""
    sync(tmp_path / "index", PAGES)
    return tmp_path / "index"


def sync(folder: Path, *states: tuple[SearchDocument, ...]) -> None:
    """Open an index, and sync it with one state after the other."""
    fulltext = FullText(folder)
    for documents in states:
        fulltext.sync(Texts(*documents))
    fulltext.close()


def edited(text: str, *numbers: int) -> tuple[SearchDocument, ...]:
    """Return the pages, some of them with another text."""
    return tuple(
        document(page.key, "Title", text) if number in numbers else page
        for number, page in enumerate(PAGES)
    )


def list_rows(folder: Path) -> list[str]:
    """Return the keys of the rows in the manifest."""
    return sorted(parse_manifest(read_manifest(folder) or b"").documents)


def find_files(folder: Path) -> list[Path]:
    """Return the files of documents."""
    return [*folder.rglob(f"*{DOCUMENTS}")]


def test_an_edit_writes_its_row_alone(folder: Path) -> None:
    """D-189: the file of the others stays, also after another start."""
    (file,) = find_files(folder)
    assert list_rows(folder) == []
    sync(folder, edited("Two.", 1), edited("Three.", 1, 2))
    assert find_files(folder) == [file]
    assert list_rows(folder) == ["page1.md", "page2.md"]
    sync(folder, edited("Four.", 1, 2, 3))
    assert find_files(folder) == [file]
    assert list_rows(folder) == ["page1.md", "page2.md", "page3.md"]


def test_many_edits_replace_the_file(folder: Path) -> None:
    """One more than the manifest takes."""
    (before,) = find_files(folder)
    sync(folder, edited("Two.", *range(MAX_ROWS + 1)))
    (after,) = find_files(folder)
    assert after != before
    assert list_rows(folder) == []


@pytest.mark.parametrize("removed", [0, 7])
def test_a_removed_document_is_named_nowhere(folder: Path, removed: int) -> None:
    """Its path may be as secret as its text."""
    key = PAGES[removed].key
    assert key.encode() in find_files(folder)[0].read_bytes()
    sync(folder, tuple(page for page in PAGES if page.key != key))
    for file in (*find_files(folder), folder / "manifest.json"):
        assert key.encode() not in file.read_bytes()


def test_few_documents_are_in_the_manifest(folder: Path) -> None:
    """Also as soon as the others are removed."""
    sync(folder, PAGES[:MAX_ROWS])
    assert find_files(folder) == []
    assert list_rows(folder) == [page.key for page in PAGES[:MAX_ROWS]]
    assert inspect_index(folder, Texts(*PAGES[:MAX_ROWS]).digests()).is_current


def test_opening_many_documents_takes_little_more_than_what_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-305: decoded as one object, 100,000 rows left 40 MiB of holes in memory."""
    monkeypatch.setattr(saved_documents, "LINE_ROWS", 256)
    count = 3_000
    folder, pages = tmp_path / "index", tmp_path / "index" / "pages-1"
    pages.mkdir(parents=True)
    entries = {
        slot: IndexedDocument(f"folder/page{slot}.md", bytes(15) + b"%c" % (slot % 256))
        for slot in range(count)
    }
    known = {entry.key: entry.digest for entry in entries.values()}
    slots = {entry.key: slot for slot, entry in entries.items()}
    saved = SavedDocuments()
    snapshot: Any = SimpleNamespace(entries=entries, slots=slots)
    rows = saved.write(pages, snapshot)
    files = {saved.file: digest_bytes((folder / saved.file).read_bytes())}
    manifest = Manifest((), 1, files, rows, count, saved.file)
    gc.collect()
    tracemalloc.start()
    try:
        found = read_entries(manifest.read_documents(folder), known)
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found == entries
    assert all(found[slot].key is entry.key for slot, entry in entries.items())
    assert all(found[slot].digest is entry.digest for slot, entry in entries.items())
    assert kept / count < 160
    assert peak / count < 700


def test_an_index_in_memory_has_no_file(tmp_path: Path) -> None:
    """Nothing is recorded for one, either."""
    fulltext = FullText(None)
    fulltext.sync(Texts(*PAGES))
    assert fulltext._store is not None
    assert fulltext._store._saved._changed == set()


@pytest.mark.parametrize("damage", [b"{", b'{"page0.md":[1,"00",""]}', None])
def test_a_damaged_file_is_a_fault(folder: Path, damage: bytes | None) -> None:
    """It has a checksum, like all others; the index is built again."""
    sync(folder, edited("Two.", 1))
    (file,) = find_files(folder)
    manifest = parse_manifest(read_manifest(folder) or b"")
    if damage is None:
        file.unlink()
    else:
        file.write_bytes(damage)
    with pytest.raises((IndexCorrupt, OSError)):
        dict(manifest.read_documents(folder))
    digests = Texts(*edited("Two.", 1)).digests()
    assert inspect_index(folder, digests).fault
    assert FullText(folder).has_stale_documents(Texts(*PAGES))
    sync(folder, edited("Two.", 1))
    assert inspect_index(folder, digests).is_current


_STATES = st.lists(
    st.dictionaries(st.integers(0, 7), st.sampled_from(("Two.", "Three."))),
    max_size=3,
)


@settings(max_examples=10, deadline=None)
@given(st.lists(_STATES, min_size=1, max_size=2))
def test_the_rows_are_those_of_the_documents_after_any_changes(
    tmp_path_factory: pytest.TempPathFactory,
    starts: list[list[dict[int, str]]],
) -> None:
    """Added, edited and removed ones, with starts in between."""
    folder = tmp_path_factory.mktemp("changes") / "index"
    for states in starts:
        documents = [
            tuple(document(f"page{n}.md", "Title", text) for n, text in state.items())
            for state in states
        ]
        sync(folder, *documents)
        data = read_manifest(folder)
        if not documents or data is None:  # Nothing was ever indexed.
            continue
        digests = Texts(*documents[-1]).digests()
        manifest = parse_manifest(data)
        rows = dict(manifest.read_documents(folder))
        assert {key: row[1] for key, row in rows.items()} == {
            key: digest.hex() for key, digest in digests.items()
        }
        assert inspect_index(folder, digests).is_current
        assert len(find_files(folder)) == bool(manifest.base)
