"""What an edit of one document costs an index."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import tantivy
from support.texts import DOCUMENTS, document

from asdlc_kb.search.index import index_store
from asdlc_kb.search.index.directory import IndexDirectory
from asdlc_kb.search.index.index_pair import list_slots
from asdlc_kb.search.index.index_store import IndexStore
from asdlc_kb.search.policy import INDEX_POLICY


def test_an_edit_does_not_list_the_other_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-182: the slots of recent segments are recorded as they are written."""
    store = IndexStore(IndexDirectory(tmp_path / "index"), INDEX_POLICY)
    documents = [*DOCUMENTS, document("edited.md", "Title")]
    store.change((), ((one, one.digest) for one in documents), count=len(documents))
    listed: list[tantivy.Searcher] = []

    def spy(searcher: tantivy.Searcher) -> Iterator[tuple[int, int]]:
        listed.append(searcher)
        return list_slots(searcher)

    monkeypatch.setattr(index_store, "list_slots", spy)
    for number in range(6):
        new = document("edited.md", f"Title {number}")
        entries = store.snapshot.entries.items()
        slots = [slot for slot, entry in entries if entry.key == new.key]
        store.change(slots, [(new, new.digest)], count=1)
    assert listed == []
    found = sorted(entry.key for entry in store.snapshot.entries.values())
    assert found == sorted(one.key for one in documents)
    assert store.snapshot.pages.num_docs == len(documents)
    store.close()
