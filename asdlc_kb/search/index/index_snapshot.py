"""One state of the two indexes that any thread may read: searchers and their documents.

Immutable; a change makes another shelf. What the engine finds counts only if the reader
is allowed to see it (`VisibleIndex`): no term, no hit and no number comes past that.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import tantivy

from asdlc_kb.search.analyzer import stem
from asdlc_kb.search.index.index_schema import PAGES, PageRow, read_page, read_section
from asdlc_kb.search.values import IndexedSection

_MAX_PREFIXES: Final = 512
"""Beginnings of words that are looked up once."""

_MAX_TERMS: Final = 4_096
"""Terms of which it is remembered whether a reader may know them."""

_STEPS: Final = (8, 256, 65_536)
"""How many documents with a term are looked at, until one may be seen."""


IndexHit: TypeAlias = tuple[int, float, tantivy.DocAddress]
"""Slot of the page, score and place of a row."""

AcceptsDocument: TypeAlias = Callable[[str, bytes], bool]
"""Whether a reader may see a key with the content of a digest; always the same."""


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """A document on the shelf."""

    key: str
    digest: bytes


@dataclass(frozen=True, slots=True)
class VisibilityCache:
    """What is known of what a reader sees."""

    seen: set[int] = field(default_factory=set)
    """Slots whose documents are there, and may be seen."""
    refused: set[int] = field(default_factory=set)
    """Others."""
    terms: dict[tuple[str, str], bool] = field(default_factory=dict)
    """Whether a document that may be seen has a term in a field."""


class IndexSnapshot:
    """Searchers over both indexes, and whose the slots are."""

    def __init__(
        self,
        pages: tantivy.Searcher,
        sections: tantivy.Searcher,
        entries: Mapping[int, IndexedDocument],
    ) -> None:
        self.pages = pages
        self.sections = sections
        self.entries = entries
        """By slot: the number of one state of one document, never used again."""
        # Not lru_cache: it would refer back, and hold an old shelf and its files until
        # the garbage collector comes by.
        self._words: dict[str, tuple[tuple[str, int], ...]] = {}
        self._sight: tuple[AcceptsDocument, VisibilityCache] | None = None

    def sight(self, accepts: AcceptsDocument) -> VisibilityCache:
        """Return what one reader was found to see, to be added to.

        Of the last one only: as long as nothing changes, it is always the same.
        """
        if self._sight is None or self._sight[0] != accepts:
            self._sight = accepts, VisibilityCache()
        return self._sight[1]

    def words(self, prefix: str) -> tuple[tuple[str, int], ...]:
        """Return the words that begin so, and how many pages have each.

        The commonest comes first.
        """
        found = self._words.get(prefix)
        if found is None:
            found = tuple(self.pages.terms_with_prefix("words", prefix))
            if len(self._words) < _MAX_PREFIXES:
                self._words[prefix] = found
        return found


class VisibleIndex:
    """A shelf as one request may see it."""

    def __init__(self, shelf: IndexSnapshot, accepts: AcceptsDocument) -> None:
        self.shelf = shelf
        self._accepts = accepts
        self._sight = shelf.sight(accepts)

    def sees(self, slot: int) -> bool:
        """Whether the document of a slot is there and may be seen."""
        sight = self._sight
        if slot in sight.seen:
            return True
        if slot in sight.refused:
            return False
        entry = self.shelf.entries.get(slot)
        is_seen = entry is not None and self._accepts(entry.key, entry.digest)
        (sight.seen if is_seen else sight.refused).add(slot)
        return is_seen

    def keep(self, found: list[IndexHit]) -> list[IndexHit]:
        """Return those that may be seen."""
        slots = [one[0] for one in found]
        if self._sight.seen.issuperset(slots):
            return found
        return [one for slot, one in zip(slots, found, strict=True) if self.sees(slot)]

    def knows(self, word: str, field: str = "words") -> bool:
        """Whether a document that may be seen has a term."""
        terms = self._sight.terms
        known = terms.get((field, word))
        if known is None:
            known = self._looks_up(word, field)
            if len(terms) < _MAX_TERMS:
                terms[field, word] = known
        return known

    def has(self, word: str) -> bool:
        """Whether a document that may be seen has a word in any of its forms."""
        return self.knows(word) or self.knows(stem(word), "all")

    def _looks_up(self, word: str, field: str) -> bool:
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

    def find_pages(self, query: tantivy.Query, limit: int) -> list[IndexHit]:
        """Return slot, score and place of the best pages, seen or not."""
        return _find(self.shelf.pages, query, limit)

    def find_sections(self, query: tantivy.Query, limit: int) -> list[IndexHit]:
        """Return the slot of the page, score and place of the best sections."""
        return _find(self.shelf.sections, query, limit)

    def read_page(self, address: tantivy.DocAddress) -> PageRow:
        """Return what is kept of a page."""
        return read_page(self.shelf.pages.doc(address))

    def read_numbered(self, address: tantivy.DocAddress) -> tuple[int, IndexedSection]:
        """Return the number of a section in its page, and the section."""
        return read_section(self.shelf.sections.doc(address))


def _find(
    searcher: tantivy.Searcher, query: tantivy.Query, limit: int
) -> list[IndexHit]:
    hits = searcher.search(query, limit, count=False).hits
    if not hits:
        return []
    scores, addresses = zip(*hits, strict=True)
    slots = searcher.fast_field_values("slot", list(addresses))
    return list(zip(slots, scores, addresses, strict=True))  # type: ignore[arg-type]
