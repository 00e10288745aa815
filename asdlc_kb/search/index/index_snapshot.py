"""Index snapshot: searchers over both indexes, and their documents.

Immutable and thread-safe; a change creates another snapshot. `VisibleIndex` filters all
results by the documents that the request may see: no term, hit or count bypasses it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import tantivy

from asdlc_kb.search.analyzer import stem
from asdlc_kb.search.index.index_schema import PAGES, PageRow, read_page, read_section
from asdlc_kb.search.values import AcceptsDocument, IndexedSection

_MAX_PREFIXES: Final = 512
"""Prefixes of which the lookup is cached."""

_MAX_TERMS: Final = 4_096
"""Terms of which the visibility is cached."""

_STEPS: Final = (8, 256, 65_536)
"""Numbers of documents with a term to check, until one is visible."""


IndexHit: TypeAlias = tuple[int, float, tantivy.DocAddress]
"""Slot of the page, score and address of a row."""


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """A document in the snapshot."""

    key: str
    digest: bytes


@dataclass(frozen=True, slots=True)
class VisibilityCache:
    """Cached decisions of one visibility function."""

    seen: set[int] = field(default_factory=set)
    """Slots of visible documents."""
    refused: set[int] = field(default_factory=set)
    """Other slots."""
    terms: dict[tuple[str, str], bool] = field(default_factory=dict)
    """Whether a visible document has a term, by field and term."""


class IndexSnapshot:
    """Searchers over both indexes, and the documents by slot."""

    def __init__(
        self,
        pages: tantivy.Searcher,
        sections: tantivy.Searcher,
        entries: Mapping[int, IndexedDocument],
    ) -> None:
        self.pages = pages
        self.sections = sections
        self.entries = entries
        """By slot: the number of one version of a document, never reused."""
        # Not lru_cache: its reference cycle would keep an old snapshot and its files
        # until the next garbage collection.
        self._words: dict[str, tuple[tuple[str, int], ...]] = {}
        self._visibility: tuple[AcceptsDocument, VisibilityCache] | None = None

    def visibility(self, accepts: AcceptsDocument) -> VisibilityCache:
        """Return the mutable cache of a visibility function.

        Only the last one is kept: the function stays the same until something changes.
        """
        if self._visibility is None or self._visibility[0] != accepts:
            self._visibility = accepts, VisibilityCache()
        return self._visibility[1]

    def words(self, prefix: str) -> tuple[tuple[str, int], ...]:
        """Return the words with a prefix and their page counts.

        The most frequent comes first.
        """
        words = self._words.get(prefix)
        if words is None:
            words = tuple(self.pages.terms_with_prefix("words", prefix))
            if len(self._words) < _MAX_PREFIXES:
                self._words[prefix] = words
        return words


class VisibleIndex:
    """A snapshot limited to the documents visible to one request."""

    def __init__(self, snapshot: IndexSnapshot, accepts: AcceptsDocument) -> None:
        self.snapshot = snapshot
        self._accepts = accepts
        self._visibility = snapshot.visibility(accepts)

    def is_visible(self, slot: int) -> bool:
        """Whether the document of a slot exists and is visible."""
        visibility = self._visibility
        if slot in visibility.seen:
            return True
        if slot in visibility.refused:
            return False
        entry = self.snapshot.entries.get(slot)
        is_accepted = entry is not None and self._accepts(entry.key, entry.digest)
        (visibility.seen if is_accepted else visibility.refused).add(slot)
        return is_accepted

    def filter_visible(self, hits: list[IndexHit]) -> list[IndexHit]:
        """Return the visible hits."""
        slots = [hit[0] for hit in hits]
        if self._visibility.seen.issuperset(slots):
            return hits
        return [
            hit for slot, hit in zip(slots, hits, strict=True) if self.is_visible(slot)
        ]

    def has_term(self, word: str, field: str = "words") -> bool:
        """Whether a visible document has a term."""
        terms = self._visibility.terms
        is_known = terms.get((field, word))
        if is_known is None:
            is_known = self._is_term_visible(word, field)
            if len(terms) < _MAX_TERMS:
                terms[field, word] = is_known
        return is_known

    def has_word(self, word: str) -> bool:
        """Whether a visible document has a word or its stem."""
        return self.has_term(word) or self.has_term(stem(word), "all")

    def _is_term_visible(self, word: str, field: str) -> bool:
        count = self.snapshot.pages.doc_freq(field, word)
        if not count:
            return False
        query = tantivy.Query.term_query(PAGES, field, word, index_option="basic")
        for step in _STEPS:
            if any(self.is_visible(slot) for slot, *_ in self.find_pages(query, step)):
                return True
            if step >= count:
                break
        return False

    def find_pages(self, query: tantivy.Query, limit: int) -> list[IndexHit]:
        """Return slot, score and address of the best pages, visible or not."""
        return _search(self.snapshot.pages, query, limit)

    def find_sections(self, query: tantivy.Query, limit: int) -> list[IndexHit]:
        """Return page slot, score and address of the best sections."""
        return _search(self.snapshot.sections, query, limit)

    def read_page(self, address: tantivy.DocAddress) -> PageRow:
        """Return the stored fields of a page."""
        return read_page(self.snapshot.pages.doc(address))

    def read_numbered(self, address: tantivy.DocAddress) -> tuple[int, IndexedSection]:
        """Return the number of a section in its page, and the section."""
        return read_section(self.snapshot.sections.doc(address))


def _search(
    searcher: tantivy.Searcher, query: tantivy.Query, limit: int
) -> list[IndexHit]:
    hits = searcher.search(query, limit, count=False).hits
    if not hits:
        return []
    scores, addresses = zip(*hits, strict=True)
    slots = searcher.fast_field_values("slot", list(addresses))
    return list(zip(slots, scores, addresses, strict=True))  # type: ignore[arg-type]
