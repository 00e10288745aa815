"""Index snapshot: searchers over both indexes, and their documents.

Immutable and thread-safe; a change creates another snapshot. `VisibleIndex` filters all
results by the documents that the request may see: no term, hit or count bypasses it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Final, TypeAlias

import msgspec
import tantivy

from asdlc_kb.search.analyzer import StemmedWords, make_stem, stem_words
from asdlc_kb.search.index.index_schema import (
    PAGES,
    SECTIONS,
    PageRow,
    in_languages,
    read_page,
    read_section,
)
from asdlc_kb.search.index.slot_filter import SlotFilter
from asdlc_kb.search.index.vocabulary import Vocabulary
from asdlc_kb.search.languages import ENGLISH, find_stemmer
from asdlc_kb.search.values import AcceptsDocument, IndexedSection

_MAX_PREFIX_WORDS: Final = 20_000
"""Words of all prefixes of which the lookup is cached, at about 150 bytes each."""

_MAX_TERMS: Final = 4_096
"""Terms of which the visibility is cached."""

_MAX_SCOPES: Final = 8
"""Sets of keys of which the decisions are cached."""

_STEPS: Final = (8, 256, 65_536)
"""Numbers of documents with a term to check, until one is visible."""


IndexHit: TypeAlias = tuple[int, float, tantivy.DocAddress]
"""Slot of the page, score and address of a row."""


class IndexedDocument(msgspec.Struct, frozen=True, gc=False):
    """A document in the snapshot.

    There can be many, so they are left out of garbage collection.
    """

    key: str
    digest: bytes
    language: str = ""
    """Language tag."""

    @property
    def stemmer(self) -> str:
        """Return the stemmer of its words."""
        return find_stemmer(self.language)


Entries: TypeAlias = Mapping[int, IndexedDocument]
"""Documents by slot: the number of one version of a document, never reused."""

IsSecondary: TypeAlias = Callable[[str], bool]
"""Whether the document of a key stands behind others."""


@dataclass(slots=True)
class Scope:
    """Cached decisions of one visibility function for a set of keys."""

    filter: SlotFilter | None
    """The documents of these keys; None for all."""
    terms: dict[tuple[str, StemmedWords], bool] = field(default_factory=dict)
    """Whether a visible document has a term, by field and term."""
    stemmers: tuple[str, ...] = ()
    """The stemmers of visible documents; empty until they are asked for."""


MAX_DIVISIONS: Final = 4
"""Cached divisions of the visible documents: by version, and by some languages."""


class VisibilityCache:
    """Cached decisions of one visibility function."""

    def __init__(self, accepts: AcceptsDocument) -> None:
        self.accepts = accepts
        self.seen: set[int] = set()
        """Slots of visible documents."""
        self.refused: set[int] = set()
        """Other slots."""
        self.scopes: dict[frozenset[str] | None, Scope] = {}
        """By the keys that are searched; None for all."""
        self.parts: dict[IsSecondary, tuple[SlotFilter, ...]] = {}
        """Both parts of the visible documents, by the function that divides them."""


class IndexSnapshot:
    """Searchers over both indexes, and the documents by slot."""

    def __init__(
        self,
        pages: tantivy.Searcher,
        sections: tantivy.Searcher,
        entries: Entries,
        slots: Mapping[str, int] | None = None,
    ) -> None:
        """Hold searchers; `slots` are those of the documents by key, if known."""
        self.pages = pages
        self.sections = sections
        self.entries = entries
        if slots is not None:
            self.slots = slots
        # Not lru_cache: its reference cycle would keep an old snapshot and its files
        # until the next garbage collection.
        self._words: dict[str, tuple[tuple[str, int], ...]] = {}
        self._prefix_words = 0
        self.vocabulary = Vocabulary(partial(pages.terms_with_prefix, "words"))
        """The words of all documents, visible or not."""
        self._visibility: VisibilityCache | None = None

    def visibility(self, accepts: AcceptsDocument) -> VisibilityCache:
        """Return the mutable cache of a visibility function.

        Only the last one is kept: the function stays the same until something changes.
        """
        visibility = self._visibility
        if visibility is None or visibility.accepts != accepts:
            self._visibility = visibility = VisibilityCache(accepts)
        return visibility

    @cached_property
    def stemmers(self) -> tuple[str, ...]:
        """The stemmers of the documents."""
        languages = {entry.language for entry in self.entries.values()}
        return tuple(sorted(set(map(find_stemmer, languages))))

    @cached_property
    def by_stemmer(self) -> Mapping[str, frozenset[int]]:
        """The slots of the documents by their stemmer, if there are several."""
        slots: dict[str, list[int]] = {}
        for slot, entry in self.entries.items():
            slots.setdefault(entry.language, []).append(slot)
        merged: dict[str, list[int]] = {}
        for language, its_slots in slots.items():
            merged.setdefault(find_stemmer(language), []).extend(its_slots)
        return {stemmer: frozenset(found) for stemmer, found in merged.items()}

    @cached_property
    def slots(self) -> Mapping[str, int]:
        """The slots of the documents by key."""
        return {entry.key: slot for slot, entry in self.entries.items()}

    def find_digest(self, key: str) -> bytes | None:
        """Return the digest of the document of a key, or None."""
        slot = self.slots.get(key)
        return None if slot is None else self.entries[slot].digest

    def filter_keys(self, keys: frozenset[str]) -> SlotFilter:
        """Return a filter of the documents of some keys."""
        slots = frozenset(self.slots[key] for key in keys if key in self.slots)
        return SlotFilter(slots, self.entries)

    def words(self, prefix: str) -> tuple[tuple[str, int], ...]:
        """Return the words with a prefix and their page counts.

        The most frequent comes first.
        """
        words = self._words.get(prefix)
        if words is None:
            words = tuple(self.pages.terms_with_prefix("words", prefix))
            self._prefix_words += 1 + len(words)
            if self._prefix_words > _MAX_PREFIX_WORDS:
                self._words, self._prefix_words = {}, 0
            else:
                self._words[prefix] = words
        return words


class VisibleIndex:
    """A snapshot limited to the documents visible to one request."""

    def __init__(
        self,
        snapshot: IndexSnapshot,
        accepts: AcceptsDocument,
        keys: frozenset[str] | None = None,
        language: str | None = None,
    ) -> None:
        """Limit a snapshot to accepted documents, and to those of `keys`.

        Words are stemmed in a language, or in those of all these documents.
        """
        self.snapshot = snapshot
        self._accepts = accepts
        self._visibility = snapshot.visibility(accepts)
        self._scope = self._find_scope(keys)
        self.stemmers = (
            self._list_stemmers() if language is None else (find_stemmer(language),)
        )
        """The stemmers of words to search for."""

    def _find_scope(self, keys: frozenset[str] | None) -> Scope:
        scopes = self._visibility.scopes
        scope = scopes.get(keys)
        if scope is None:
            scope = Scope(None if keys is None else self.snapshot.filter_keys(keys))
            if len(scopes) >= _MAX_SCOPES:
                scopes.clear()
            scopes[keys] = scope
        return scope

    def _list_stemmers(self) -> tuple[str, ...]:
        if not self._scope.stemmers:
            stemmers = self.snapshot.stemmers
            if len(stemmers) > 1:
                found = tuple(filter(self._has_stemmer, stemmers))
            else:
                found = stemmers
            self._scope.stemmers = found or (ENGLISH,)
        return self._scope.stemmers

    def _has_stemmer(self, stemmer: str) -> bool:
        """Whether a visible document is stemmed so."""
        slots = self.snapshot.by_stemmer[stemmer]
        if self._scope.filter:
            slots &= self._scope.filter.slots
        return any(map(self.is_visible, slots))

    def stem(self, *words: str) -> list[StemmedWords]:
        """Return the distinct stems of adjacent words in all languages to search."""
        return stem_words(words, self.stemmers)

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

    def includes(self, slot: int, digest: bytes) -> bool:
        """Whether the document of a slot has a digest, is searched and is visible."""
        entry = self.snapshot.entries.get(slot)
        if entry is None or entry.digest != digest:
            return False
        chosen = self._scope.filter
        return (chosen is None or slot in chosen.slots) and self.is_visible(slot)

    def split(self, is_secondary: IsSecondary) -> tuple[SlotFilter, ...]:
        """Return filters of the other visible documents, and of the secondary ones.

        Empty if all are of one kind. The function is called for visible documents only.
        """
        parts = self._visibility.parts
        divided = parts.get(is_secondary)
        if divided is None:
            entries = self.snapshot.entries
            visible = frozenset(filter(self.is_visible, entries))
            secondary = frozenset(s for s in visible if is_secondary(entries[s].key))
            primary = visible - secondary
            filters = tuple(SlotFilter(part, entries) for part in (primary, secondary))
            divided = filters if primary and secondary else ()
            if len(parts) >= MAX_DIVISIONS:
                parts.clear()
            parts[is_secondary] = divided
        return divided

    def filter_visible(self, hits: list[IndexHit]) -> list[IndexHit]:
        """Return the visible hits."""
        slots = [hit[0] for hit in hits]
        if self._visibility.seen.issuperset(slots):
            return hits
        return [
            hit for slot, hit in zip(slots, hits, strict=True) if self.is_visible(slot)
        ]

    def has_category(self, name: str) -> bool:
        """Whether a visible document is in a category or a folder."""
        return self._has("category", StemmedWords((name.casefold().strip("/"),)))

    def has_term(self, word: str) -> bool:
        """Whether a visible document has a word."""
        return self._has("words", StemmedWords((word,)))

    def has_word(self, word: str, language: str | None = None) -> bool:
        """Whether a visible document has a word or, in its language, its stem.

        With the stemmer of a language, the stem counts in this language alone: an
        unfinished or misspelt word is often the stem of another word elsewhere.
        """
        if self.has_term(word):
            return True
        if language is None or len(self.stemmers) == 1:
            return any(self._has("all", stemmed) for stemmed in self.stem(word))
        stem = make_stem(language)(word)
        return self._has("all", StemmedWords((stem,), (language,)))

    def _has(self, field: str, term: StemmedWords) -> bool:
        terms = self._scope.terms
        is_known = terms.get((field, term))
        if is_known is None:
            is_known = self._is_term_visible(field, term)
            if len(terms) < _MAX_TERMS:
                terms[field, term] = is_known
        return is_known

    def _is_term_visible(self, field: str, term: StemmedWords) -> bool:
        (word,), stemmers = term
        count = self.snapshot.pages.doc_freq(field, word)
        if not count:
            return False
        query = tantivy.Query.term_query(PAGES, field, word, index_option="basic")
        query = in_languages(PAGES, query, stemmers)
        for step in _STEPS:
            if any(self.is_visible(slot) for slot, *_ in self.find_pages(query, step)):
                return True
            if step >= count:
                break
        return False

    def find_pages(self, query: tantivy.Query, limit: int) -> list[IndexHit]:
        """Return slot, score and address of the best pages, visible or not."""
        if self._scope.filter:
            query = self._scope.filter.restrict(PAGES, query)
        return _search(self.snapshot.pages, query, limit)

    def find_sections(self, query: tantivy.Query, limit: int) -> list[IndexHit]:
        """Return page slot, score and address of the best sections."""
        if self._scope.filter:
            query = self._scope.filter.restrict(SECTIONS, query)
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
