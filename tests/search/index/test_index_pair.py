"""The two indexes of a source, below any state of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.texts import DOCUMENTS

from asdlc_kb.exceptions import IndexCorrupt
from asdlc_kb.search.index.index_pair import IndexPair, list_slots, read_documents
from asdlc_kb.search.index.index_snapshot import IndexedDocument, IndexSnapshot
from asdlc_kb.search.policy import INDEX_POLICY
from asdlc_kb.search.values import SearchDocument


@pytest.fixture
def pair(tmp_path: Path) -> IndexPair:
    """Two indexes in folders, with some documents."""
    folders = tmp_path / "pages-1", tmp_path / "sections-1"
    for folder in folders:
        folder.mkdir()
    pair = IndexPair(folders, 1)
    pair.write((), enumerate(DOCUMENTS), INDEX_POLICY, count=len(DOCUMENTS))
    return pair


def open_snapshot(pair: IndexPair) -> IndexSnapshot:
    """Return their content."""
    entries = {
        slot: IndexedDocument(one.key, one.digest) for slot, one in enumerate(DOCUMENTS)
    }
    return IndexSnapshot(*pair.searchers(), entries)


def test_documents_are_read_back_as_they_were_written(pair: IndexPair) -> None:
    """The requested ones."""
    found = dict(read_documents(open_snapshot(pair), [1, 3]))
    assert found == {1: DOCUMENTS[1], 3: DOCUMENTS[3]}


def test_a_slot_can_be_rewritten(pair: IndexPair) -> None:
    """Its former rows are deleted in the same commit; its segment too."""
    before = pair.segments
    pair.write([0, 1, 2, 3], enumerate(DOCUMENTS[:2]), INDEX_POLICY, count=2)
    snapshot = open_snapshot(pair)
    assert sorted(slot for slot, _ in list_slots(snapshot.pages)) == [0, 1]
    assert dict(read_documents(snapshot, [0, 1])) == dict(enumerate(DOCUMENTS[:2]))
    names = {segment.name for one in before for segment in one}
    assert not names & {segment.name for one in pair.segments for segment in one}


def test_each_is_where_the_list_says(pair: IndexPair) -> None:
    """The number of a segment is its position in the list."""
    pair.write((), [(4, DOCUMENTS[0])], INDEX_POLICY, count=1)
    pages = list_slots(open_snapshot(pair).pages)
    places = {slot: pair.segments[0][at].live for slot, at in pages}
    assert places == {0: 4, 1: 4, 2: 4, 3: 4, 4: 1}


@pytest.mark.parametrize("is_on_disk", [True, False])
def test_what_is_deleted_is_counted(pair: IndexPair, is_on_disk: bool) -> None:
    """As long as it is in the index."""
    if not is_on_disk:
        pair = IndexPair(None)
        pair.write((), enumerate(DOCUMENTS), INDEX_POLICY, count=len(DOCUMENTS))
    pair.write([1, 2], (), INDEX_POLICY, count=0)
    assert pair.dead == 2


def test_what_fails_is_not_written(pair: IndexPair, tmp_path: Path) -> None:
    """Neither earlier rows, nor a file."""

    def fail() -> Iterator[tuple[int, SearchDocument]]:
        yield 7, DOCUMENTS[0]
        raise KeyError

    before = sorted(path.name for path in tmp_path.rglob("*.*"))
    with pytest.raises(KeyError):
        pair.write([0], fail(), INDEX_POLICY, count=2)
    assert sorted(path.name for path in tmp_path.rglob("*.*")) == before
    assert open_snapshot(pair).pages.num_docs == len(DOCUMENTS)


def test_a_list_of_another_state_is_a_fault(
    pair: IndexPair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The position of a document would be guessed otherwise."""
    before = pair.segments
    pair.write([0], (), INDEX_POLICY, count=0)
    assert pair.searchers()[0].num_docs == 3
    monkeypatch.setattr(IndexPair, "segments", before)
    with pytest.raises(IndexCorrupt):
        pair.searchers()
