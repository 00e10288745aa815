"""One state of the indexes, for one reader."""

import tantivy
from support.texts import DOCUMENTS, document, open_snapshot

from asdlc_kb.search.index.index_snapshot import VisibleIndex


def test_a_word_is_known_only_if_a_document_that_may_be_seen_has_it() -> None:
    """D-087: however many others have it."""
    many = [document(f"{n}.md", "Page", "zebra") for n in range(300)]
    last = many[-1].key
    full = open_snapshot(*many)
    assert VisibleIndex(full, lambda key, digest: key == last).has_term("zebra")
    assert not VisibleIndex(full, lambda key, digest: False).has_term("zebra")
    assert not VisibleIndex(full, lambda key, digest: True).has_term("okapi")


def test_a_reader_is_asked_once_about_a_document() -> None:
    """With its key and the digest of the indexed text."""
    lookups: list[tuple[str, bytes]] = []

    def accepts(key: str, digest: bytes) -> bool:
        lookups.append((key, digest))
        return key != DOCUMENTS[0].key

    view = VisibleIndex(open_snapshot(), accepts)
    found = view.find_pages(tantivy.Query.all_query(), 10)
    for _ in range(2):
        assert len(view.filter_visible(found)) == len(DOCUMENTS) - 1
    assert sorted(lookups) == sorted((one.key, one.digest) for one in DOCUMENTS)


class Reader:
    """A reader of every document but one, with a count of the checks."""

    def __init__(self, hidden: str = "") -> None:
        self.hidden = hidden
        self.asked = 0

    def sees(self, key: str, digest: bytes) -> bool:
        """Whether it is another one."""
        self.asked += 1
        return key != self.hidden


def test_what_one_reader_sees_is_remembered_as_long_as_nothing_changes() -> None:
    """From search to search; another reader is checked afresh, whatever was seen."""
    full, one, other = open_snapshot(), Reader(), Reader(DOCUMENTS[0].key)
    for _ in range(2):
        view = VisibleIndex(full, one.sees)
        every = view.find_pages(tantivy.Query.all_query(), 10)
        assert len(view.filter_visible(every)) == len(DOCUMENTS) and view.has_term(
            "empty"
        )
    assert one.asked == len(DOCUMENTS)
    for reader, count, knows in (
        (other, len(DOCUMENTS) - 1, False),
        (one, len(DOCUMENTS), True),
    ):
        view = VisibleIndex(full, reader.sees)
        assert (
            len(view.filter_visible(every)) == count and view.has_term("empty") is knows
        )
    assert one.asked == 2 * len(DOCUMENTS)


def test_a_slot_that_is_not_there_is_not_seen() -> None:
    """As when sections of a former state are still found."""
    assert not VisibleIndex(open_snapshot(), lambda key, digest: True).is_visible(99)


def test_rows_give_back_what_was_written() -> None:
    """Pages their fields, sections their position."""
    view = VisibleIndex(open_snapshot(DOCUMENTS[0]), lambda key, digest: True)
    ((_, _, page),) = view.find_pages(tantivy.Query.all_query(), 5)
    row = view.read_page(page)
    assert (row.key, row.title, row.tags) == (
        DOCUMENTS[0].key,
        DOCUMENTS[0].title,
        DOCUMENTS[0].tags,
    )
    found = view.find_sections(tantivy.Query.all_query(), 5)
    sections = {view.read_numbered(address)[1] for _, _, address in found}
    assert sections == set(DOCUMENTS[0].sections)
