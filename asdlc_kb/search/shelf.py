"""One state of the two indexes that any thread may read: searchers and their documents.

Immutable; a change makes another shelf. What the engine finds counts only if the reader
is allowed to see it (`View`): no term, no hit and no number comes past that.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

import tantivy

from asdlc_kb.search.document import Section
from asdlc_kb.search.schema import PAGES, PageRow, read_page, read_section

_STEPS: Final = (8, 256, 65_536)
"""How many documents with a term are looked at, until one may be seen."""


Found: TypeAlias = tuple[int, float, tantivy.DocAddress]
"""Slot of the page, score and place of a row."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A document on the shelf."""

    key: str
    digest: bytes


class Shelf:
    """Searchers over both indexes, and whose the slots are."""

    def __init__(
        self,
        pages: tantivy.Searcher,
        sections: tantivy.Searcher,
        entries: Mapping[int, Entry],
    ) -> None:
        self.pages = pages
        self.sections = sections
        self.entries = entries
        """By slot: the number of one state of one document, never used again."""
        self.words = lru_cache(maxsize=512)(self._read_words)
        """The words that begin so, with the number of pages; the commonest first."""

    def _read_words(self, prefix: str) -> tuple[tuple[str, int], ...]:
        return tuple(self.pages.terms_with_prefix("words", prefix))


class View:
    """A shelf as one request may see it."""

    def __init__(self, shelf: Shelf, accepts: Callable[[str, bytes], bool]) -> None:
        self.shelf = shelf
        self._accepts = accepts
        self._seen: dict[int, bool] = {}

    def sees(self, slot: int) -> bool:
        """Whether the document of a slot is there and may be seen."""
        seen = self._seen.get(slot)
        if seen is None:
            entry = self.shelf.entries.get(slot)
            seen = entry is not None and self._accepts(entry.key, entry.digest)
            self._seen[slot] = seen
        return seen

    def keep(self, found: list[Found]) -> list[Found]:
        """Return those that may be seen."""
        seen, entries, accepts = self._seen, self.shelf.entries, self._accepts
        for slot, _, _ in found:
            if slot not in seen:
                # As `sees` does; a call for each of a thousand would be felt.
                entry = entries.get(slot)
                seen[slot] = entry is not None and accepts(entry.key, entry.digest)
        return [one for one in found if seen[one[0]]]

    def knows(self, word: str, field: str = "words") -> bool:
        """Whether a document that may be seen has a term."""
        count = self.shelf.pages.doc_freq(field, word)
        if not count:
            return False
        query = tantivy.Query.term_query(PAGES, field, word, index_option="basic")
        for step in _STEPS:
            if any(self.sees(slot) for slot, *_ in self.find_pages(query, step)):
                return True
            if step >= count:
                break
        return False

    def find_pages(self, query: tantivy.Query, limit: int) -> list[Found]:
        """Return slot, score and place of the best pages, seen or not."""
        return _find(self.shelf.pages, query, limit)

    def find_sections(self, query: tantivy.Query, limit: int) -> list[Found]:
        """Return the slot of the page, score and place of the best sections."""
        return _find(self.shelf.sections, query, limit)

    def read_page(self, address: tantivy.DocAddress) -> PageRow:
        """Return what is kept of a page."""
        return read_page(self.shelf.pages.doc(address))

    def read_section(self, address: tantivy.DocAddress) -> Section:
        """Return a section."""
        return read_section(self.shelf.sections.doc(address))[1]


def _find(searcher: tantivy.Searcher, query: tantivy.Query, limit: int) -> list[Found]:
    hits = searcher.search(query, limit, count=False).hits
    addresses = [address for _, address in hits]
    slots = searcher.fast_field_values("slot", addresses)
    return [
        (slot, score, address)  # type: ignore[misc]
        for slot, (score, address) in zip(slots, hits, strict=True)
    ]
