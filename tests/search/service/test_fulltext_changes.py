"""Full text of a source that knows what changed."""

from collections.abc import Mapping

import pytest
from support.texts import DOCUMENTS, Texts, document

from asdlc_kb.search.service.fulltext import FullText
from asdlc_kb.search.values import DocumentSource, SearchDocument


class Successor(Texts):
    """A source that names the documents which may differ from the one before."""

    def __init__(
        self, before: Texts, *documents: SearchDocument, gone: str = ""
    ) -> None:
        super().__init__(*documents)
        self._before = before
        self._gone = gone
        self.listings = 0

    def digests(self) -> Mapping[str, bytes]:
        """Return the digests, and count the calls."""
        self.listings += 1
        return super().digests()

    def changes_since(
        self, earlier: DocumentSource
    ) -> Mapping[str, bytes | None] | None:
        """Return the digests of its documents, if it continues the earlier source."""
        if earlier is not self._before:
            return None
        gone: dict[str, bytes | None] = {self._gone: None} if self._gone else {}
        return {**gone, **super().digests()}


def find_digests(fulltext: FullText) -> dict[str, bytes]:
    """Return the digests of the indexed documents by key."""
    assert fulltext._snapshot is not None
    entries = fulltext._snapshot.entries.values()
    return {entry.key: entry.digest for entry in entries}


@pytest.fixture
def source() -> Texts:
    """The first state."""
    return Texts(*DOCUMENTS)


@pytest.fixture
def fulltext(source: Texts) -> FullText:
    """An index of it."""
    fulltext = FullText(None)
    fulltext.sync(source)
    return fulltext


def test_only_what_a_source_names_is_compared(
    fulltext: FullText, source: Texts
) -> None:
    """D-188: the digests of all other documents are not listed."""
    changed = document(DOCUMENTS[0].key, "Another title")
    added = document("guides/new.md", "New")
    after = Successor(source, DOCUMENTS[1], changed, added, gone=DOCUMENTS[2].key)
    assert fulltext.sync(after)
    assert after.listings == 0
    assert after.asked == [changed.key, added.key]
    expected = {one.key: one.digest for one in (*DOCUMENTS, changed, added)}
    del expected[DOCUMENTS[2].key]
    assert find_digests(fulltext) == expected


def test_what_is_named_without_a_difference_changes_nothing(
    fulltext: FullText, source: Texts
) -> None:
    """Neither the same document nor one that was never indexed."""
    after = Successor(source, DOCUMENTS[0], gone="guides/never.md")
    assert not fulltext.sync(after)
    assert (after.listings, after.asked) == (0, [])


def test_a_source_that_continues_another_one_is_listed(
    fulltext: FullText,
) -> None:
    """It names what changed since a state that is not the indexed one."""
    after = Successor(Texts(), *DOCUMENTS[:1])
    assert fulltext.sync(after)
    assert after.listings == 1
    assert list(find_digests(fulltext)) == [DOCUMENTS[0].key]


def test_a_rebuilt_index_is_compared_with_all_documents(
    fulltext: FullText, source: Texts
) -> None:
    """It has none of those that the source does not name."""
    fulltext.is_damaged = True
    after = Successor(source, *DOCUMENTS)
    fulltext.sync(after)
    assert after.listings == 1
    assert find_digests(fulltext) == after.digests()
