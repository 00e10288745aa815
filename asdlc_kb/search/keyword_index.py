"""Keyword index: exact substring search without scanning every document.

The whole query is matched as a case-insensitive substring: 3 points for the title, 2
for any tag or alias, 1 for the description, added up.

Each field stores its vocabulary as one string separated by blanks, and a posting list
per word. A query without a blank is in a field exactly if it is in one of its words; a
phrase is verified in the few fields that have all its words. A trigram filter rejects a
query that is in no word. Documents have slots, small stable numbers; sets of slots are
bit sets.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Final, Generic, Protocol, TypeAlias, TypeVar

from asdlc_kb.search.slot_sets import list_slots, make_set
from asdlc_kb.search.synonyms import QueryVariant

_MAX_LISTED_SLOTS: Final = 64
"""Slots up to which a posting is a tuple; beyond, it is a bit set."""

_VERIFY_SHARE: Final = 8
"""Ratio of documents to candidates above which these are verified at once."""

_MAX_PATTERN_BYTES: Final = 1 << 19
"""Bytes of the bit sets of cached patterns, for each field."""

_PATTERN_BYTES: Final = 150
"""Bytes of a cached pattern without its bit set."""

_FIELDS: Final = 3

_SEPARATOR: Final = "\n"
"""Separates the texts of a field in its stored string."""

Posting: TypeAlias = "int | tuple[int, ...]"
"""Slots of the documents with a word: a few as a tuple, many as a bit set."""


class KeywordDocument(Protocol):
    """The searchable fields of a document."""

    @property
    def title(self) -> str:
        """The title."""

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags."""

    @property
    def aliases(self) -> tuple[str, ...]:
        """Further names, which count as tags."""

    @property
    def description(self) -> str:
        """The description."""


POINTS: Final = {"title": 3, "tags": 2, "description": 1}
"""Points of a match by field."""

D = TypeVar("D", bound=KeywordDocument)
V = TypeVar("V")


class KeywordIndex(Generic[D]):
    """Documents by slot, with an inverted index. Immutable."""

    def __init__(
        self, changes: Mapping[int, D | None], base: "KeywordIndex[D] | None" = None
    ) -> None:
        """Index documents, added to those of a base; None removes that of a slot."""
        documents: list[D | None] = list(base.documents) if base else []
        fields = base._fields if base else (_Field({}, []),) * _FIELDS
        _make_room(documents, changes, None)
        before = {slot: documents[slot] for slot in changes}
        removed = {slot: doc for slot, doc in before.items() if doc is not None}
        added = {slot: doc for slot, doc in changes.items() if doc is not None}
        for slot, document in changes.items():
            documents[slot] = document
        self.documents: Sequence[D | None] = documents
        """The document of each slot; None for an unused one."""
        self._fields: tuple[_Field, ...] = tuple(
            field.updated(_fold(removed, number), _fold(added, number))
            for number, field in enumerate(fields)
        )

    def updated(self, changes: Mapping[int, D | None]) -> "KeywordIndex[D]":
        """Return the index with the documents of some slots replaced or removed."""
        return KeywordIndex(changes, self)

    def rank(self, query: str) -> Iterator[int]:
        """Yield disjoint bit sets of the matching slots, the best score first.

        None of them is empty. An empty query matches every title: all documents score
        alike.
        """
        folded = query.lower()
        if not folded:
            used = (s for s, doc in enumerate(self.documents) if doc is not None)
            tiers: tuple[int, ...] = (make_set(used),)
        else:
            words = folded.split(" ")
            trigrams = _trigrams_of(words)
            tiers = _rank_fields(
                self._find(number, folded, words) if field.may_have(trigrams) else 0
                for number, field in enumerate(self._fields)
            )
        yield from filter(None, tiers)

    def rank_variants(self, variants: Iterable[QueryVariant]) -> Iterator[int]:
        """Yield disjoint bit sets of the slots that match any variant of a query.

        The best score comes first; a field counts once, whichever variants it has.
        """
        fields = [0] * _FIELDS
        for variant in variants:
            for number in range(_FIELDS):
                fields[number] |= self._find_variant(number, variant)
        yield from filter(None, _rank_fields(fields))

    def _find_variant(self, number: int, variant: QueryVariant) -> int:
        """Return the slots with a variant of a query in a field."""
        field, words = self._fields[number], variant.text.split(" ")
        if not field.may_have(_trigrams_of(words)):
            return 0
        pattern = variant.pattern
        if len(words) == 1:
            return field.find_pattern(pattern)
        slots = field.search(variant.text, field.find_phrase(words))
        return make_set(slot for slot in slots if field.has_pattern(slot, pattern))

    def _find(self, number: int, folded: str, words: Sequence[str]) -> int:
        """Return the slots with the folded text, which has these words, in a field."""
        field = self._fields[number]
        if len(words) == 1:
            return field.find(folded)
        slots = field.search(folded, field.find_phrase(words))
        if _SEPARATOR in folded:
            slots = [slot for slot in slots if self._contains(slot, number, folded)]
        return make_set(slots)

    def _contains(self, slot: int, field: int, part: str) -> bool:
        """Whether any text of a document's field contains a part."""
        document = self.documents[slot]
        if document is None:
            return False
        return any(part in text for text in _fold_field(document, field))


def score_fields(document: KeywordDocument, query: str) -> dict[str, int]:
    """Return the points of a document for a query by field; empty for none."""
    folded = query.lower()
    return {
        name: points
        for number, (name, points) in enumerate(POINTS.items())
        if folded and any(folded in text for text in _fold_field(document, number))
    }


class _Field:
    """The inverted index of one field."""

    def __init__(
        self,
        postings: Mapping[str, Posting],
        texts: Sequence[str],
        trigrams: frozenset[str] = frozenset(),
        text: str | None = None,
    ) -> None:
        self._postings = postings
        self._text = f" {' '.join(postings)} " if text is None else text
        """The words, each between blanks."""
        self._texts = texts
        """By slot; empty for an unused one."""
        self._trigrams = trigrams
        """Trigrams of the words, possibly with those of removed words."""
        self._slots: dict[str, int] = {}
        """The slots of words with a pattern: queries have many words in common."""
        self._cached_bytes = 0

    def updated(
        self, removed: Mapping[int, Sequence[str]], added: Mapping[int, Sequence[str]]
    ) -> "_Field":
        """Return the field with other texts in some slots; itself if they are equal."""
        if removed == added:
            return self
        postings, texts = dict(self._postings), list(self._texts)
        removed_slots, added_slots = _slots_by_word(removed), _slots_by_word(added)
        for word, slots in removed_slots.items():
            remaining = _remove_slots(postings[word], slots)
            if remaining or word in added_slots:
                postings[word] = remaining
            else:
                del postings[word]
        for slot in removed:
            texts[slot] = ""
        _make_room(texts, added, "")
        for word, slots in added_slots.items():
            postings[word] = _add_slots(postings.get(word, ()), slots)
        for slot, folded in added.items():
            texts[slot] = _SEPARATOR.join(folded)
        trigrams = _trigrams_of(added_slots)
        is_known = trigrams <= self._trigrams
        has_gone = len(postings) < len(self._postings)
        has_new = any(word not in self._postings for word in added_slots)
        return _Field(
            postings,
            texts,
            self._trigrams if is_known else self._trigrams | trigrams,
            None if has_gone or has_new else self._text,
        )

    def search(self, phrase: str, candidates: int | None) -> list[int]:
        """Return the slots with a phrase, among the candidates if known."""
        texts = self._texts
        if candidates is None or candidates.bit_count() > len(texts) // 2:
            return [slot for slot, text in enumerate(texts) if phrase in text]
        return [slot for slot in list_slots(candidates) if phrase in texts[slot]]

    def find(self, part: str) -> int:
        """Return the slots with a word that contains `part`; blanks are boundaries."""
        slots = self._slots.get(part)
        if slots is None:
            slots = self._remember(part, _union(self._matching(part)))
        return slots

    def _remember(self, key: str, slots: int) -> int:
        """Cache the slots of a pattern, and return them."""
        self._cached_bytes += _PATTERN_BYTES + len(key) + slots.bit_length() // 8
        if self._cached_bytes > _MAX_PATTERN_BYTES:
            self._slots, self._cached_bytes = {}, 0
        else:
            self._slots[key] = slots
        return slots

    def find_pattern(self, pattern: re.Pattern[str]) -> int:
        """Return the slots with a word that a pattern without blanks matches."""
        # No part of a query that is looked up has two blanks.
        key = f"{pattern.pattern}  "
        slots = self._slots.get(key)
        if slots is None:
            text = self._text
            words = {
                text[text.rfind(" ", 0, m.start() + 1) + 1 : text.find(" ", m.end())]
                for m in pattern.finditer(text)
            }
            slots = self._remember(key, _union(map(self._postings.__getitem__, words)))
        return slots

    def has_pattern(self, slot: int, pattern: re.Pattern[str]) -> bool:
        """Whether a pattern matches in the texts of a slot."""
        return pattern.search(self._texts[slot]) is not None

    def may_have(self, trigrams: set[str]) -> bool:
        """Whether its words may have all these trigrams: else it has no such words."""
        return trigrams <= self._trigrams

    def find_phrase(self, words: Sequence[str]) -> int | None:
        """Return the slots with words that fit the start, middle and end of a phrase.

        None if the phrase consists of blanks.
        """
        first, *middle, last = words
        patterns = [f" {word} " for word in middle if word]
        if first:
            patterns.append(f"{first} ")
        if last:
            patterns.append(f" {last}")
        candidates: int | None = None
        is_few = False
        # Long patterns are the most selective; few candidates are faster to verify.
        for pattern in sorted(patterns, key=len, reverse=True):
            if is_few and pattern not in self._slots:
                continue
            slots = self.find(pattern)
            candidates = slots if candidates is None else candidates & slots
            is_few = candidates.bit_count() <= len(self._texts) // _VERIFY_SHARE
        return candidates

    def _matching(self, pattern: str) -> list[Posting]:
        """Return the postings of words with a pattern; a blank is a word boundary."""
        text, postings = self._text, self._postings
        edge = pattern.startswith(" ")
        if edge and pattern.endswith(" "):
            return [postings[word]] if (word := pattern[1:-1]) in postings else []
        matches: list[Posting] = []
        at = text.find(pattern)
        while at >= 0:
            end = text.find(" ", at + edge)
            matches.append(postings[text[text.rfind(" ", 0, at + edge) + 1 : end]])
            at = text.find(pattern, end)
        return matches


def _rank_fields(fields: Iterable[int]) -> tuple[int, ...]:
    """Return disjoint bit sets of slots by score, given those that match by field."""
    t, g, d = fields
    return (
        t & g & d,
        t & g & ~d,
        t & d & ~g,
        (t & ~g & ~d) | (g & d & ~t),
        g & ~t & ~d,
        d & ~t & ~g,
    )


def _trigrams_of(words: Iterable[str]) -> set[str]:
    """Return the trigrams of the words."""
    return {word[at : at + 3] for word in words for at in range(len(word) - 2)}


def _union(postings: Iterable[Posting]) -> int:
    """Return the union of postings as a bit set."""
    union, listed_slots = 0, list[int]()
    for posting in postings:
        if isinstance(posting, int):
            union |= posting
        else:
            listed_slots += posting
    return union | make_set(listed_slots) if listed_slots else union


def _fold(documents: Mapping[int, D], field: int) -> Mapping[int, Sequence[str]]:
    """Return the texts of one field by slot, in lower case."""
    return {slot: _fold_field(document, field) for slot, document in documents.items()}


def _fold_field(document: KeywordDocument, field: int) -> tuple[str, ...]:
    """Return the texts of a field, by its number, in lower case."""
    if field == 1:
        return tuple(name.lower() for name in (*document.tags, *document.aliases))
    return ((document.description if field else document.title).lower(),)


def _make_room(listed: list[V], slots: Iterable[int], unused: V) -> None:
    """Lengthen a list so that it has an item for each slot."""
    missing = max(slots, default=-1) + 1 - len(listed)
    listed.extend(repeat(unused, max(0, missing)))


def _slots_by_word(folded: Mapping[int, Sequence[str]]) -> dict[str, list[int]]:
    """Return the slots of each word of a field."""
    slots_by_word: defaultdict[str, list[int]] = defaultdict(list)
    for slot, texts in folded.items():
        for word in set(" ".join(texts).split(" ")):
            slots_by_word[word].append(slot)
    slots_by_word.pop("", None)
    return slots_by_word


def _add_slots(posting: Posting, slots: list[int]) -> Posting:
    if isinstance(posting, int):
        return posting | make_set(slots)
    listed = (*posting, *slots)
    return listed if len(listed) <= _MAX_LISTED_SLOTS else make_set(listed)


def _remove_slots(posting: Posting, slots: list[int]) -> Posting:
    if isinstance(posting, int):
        return posting & ~make_set(slots)
    return tuple(slot for slot in posting if slot not in slots)
