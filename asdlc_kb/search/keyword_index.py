"""Keyword search as seed 000 defines it, without looking at every document.

The whole query, as a case-insensitive substring: 3 points if the title has it, 2 if any
tag has it, 1 if the description has it, added up.

Each field keeps its vocabulary as one text, cut at blanks, and for each word the
documents that have it. A query without a blank is in a field exactly if it is in one of
its words; one with blanks is in few fields that have its words so, and is looked up in
those. What is in no word is known without a look, by three letters of it that follow
each other nowhere. Documents have slots, small numbers that last; a set of slots is a
bit set.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

_MAX_LISTED_SLOTS: Final = 64
"""Slots up to which a word's documents are listed one by one."""

_SPARSE: Final = 8
"""Of so many documents one at most is looked into rather than narrowed down."""

_FIELDS: Final = 3

_ONE: Final = ord("1")

_SEAM: Final = "\n"
"""Between the texts of a field, where they are kept as one."""

Posting: TypeAlias = "int | tuple[int, ...]"
"""The slots that have a word: few by number, many as a bit set."""


@dataclass(frozen=True, slots=True)
class Keywords:
    """The fields that keywords are looked up in."""

    title: str
    tags: tuple[str, ...]
    description: str

    def fold(self, field: int) -> tuple[str, ...]:
        """Return the texts of the field of this number, in lower case."""
        if field == 1:
            return tuple(tag.lower() for tag in self.tags)
        return ((self.description if field else self.title).lower(),)


class KeywordIndex:
    """Documents by slot, and where their words are. Immutable."""

    def __init__(self, documents: Mapping[int, Keywords]) -> None:
        self._documents: Mapping[int, Keywords] = {}
        self._fields = tuple(_Field({}, {}) for _ in range(_FIELDS))
        self._fill(documents)

    def follow(self, changes: Mapping[int, Keywords | None]) -> "KeywordIndex":
        """Return the index after some slots got another document, or none."""
        following = KeywordIndex.__new__(KeywordIndex)
        following._documents, following._fields = self._documents, self._fields
        following._fill(changes)
        return following

    def rank(self, query: str) -> Iterator[int]:
        """Yield disjoint bit sets of the slots that match, the best score first.

        An empty query is in every title: all match alike.
        """
        folded = query.lower()
        if not folded:
            yield make_set(self._documents)
            return
        t, g, d = (self._find(field, folded) for field in range(_FIELDS))
        yield t & g & d
        yield t & g & ~d
        yield t & d & ~g
        yield (t & ~g & ~d) | (g & d & ~t)
        yield g & ~t & ~d
        yield d & ~t & ~g

    def _fill(self, changes: Mapping[int, Keywords | None]) -> None:
        """Take changes into a new index, whose parts are those of another so far."""
        documents = dict(self._documents)
        gone = {slot: documents.pop(slot) for slot in changes if slot in documents}
        new = {slot: doc for slot, doc in changes.items() if doc is not None}
        documents.update(new)
        self._documents = documents
        self._fields = tuple(
            field.follow(_fold(gone, number), _fold(new, number))
            for number, field in enumerate(self._fields)
        )

    def _find(self, field: int, folded: str) -> int:
        """Return the slots whose field has the folded text in it."""
        first, *others = folded.split(" ")
        if not others:
            return self._fields[field].find(first)
        likely = self._fields[field].find_phrase(first, others[:-1], others[-1])
        slots = self._fields[field].search(folded, likely)
        if _SEAM in folded:
            documents = self._documents
            slots = [s for s in slots if _has(documents[s].fold(field), folded)]
        return make_set(slots)


class _Field:
    """The words of one field of all documents, and who has each."""

    def __init__(
        self,
        postings: Mapping[str, Posting],
        texts: Mapping[int, str],
        pieces: frozenset[str] = frozenset(),
    ) -> None:
        self._postings = postings
        self._text = f" {' '.join(postings)} "
        self._texts = texts
        self._pieces = pieces
        """What three letters follow each other in a word, and maybe some more."""

    def follow(
        self, gone: Mapping[int, Sequence[str]], new: Mapping[int, Sequence[str]]
    ) -> "_Field":
        postings, texts = dict(self._postings), dict(self._texts)
        for word, slots in _words(gone).items():
            left = _without(postings.pop(word), slots)
            if left:
                postings[word] = left
        for slot in gone:
            del texts[slot]
        found = _words(new)
        for word, slots in found.items():
            postings[word] = _with(postings.get(word, ()), slots)
        for slot, folded in new.items():
            texts[slot] = _SEAM.join(folded)
        return _Field(postings, texts, self._pieces | _cut(found))

    def search(self, phrase: str, likely: int | None) -> list[int]:
        """Return the slots that have a phrase, of the likely ones if that is known."""
        texts = self._texts
        if likely is None or likely.bit_count() > len(texts) // 2:
            return [slot for slot, text in texts.items() if phrase in text]
        return [slot for slot in list_slots(likely) if phrase in texts[slot]]

    def find(self, part: str) -> int:
        """Return the slots that have a word with `part` in it."""
        return _join(self._matching(part))

    def find_phrase(self, first: str, middle: list[str], last: str) -> int | None:
        """Return slots that have words to begin, go through and end a phrase.

        None where the phrase, being of blanks, does not say.
        """
        patterns = [f" {word} " for word in middle if word]
        if first:
            patterns.append(f"{first} ")
        if last:
            patterns.append(f" {last}")
        found: int | None = None
        # A long one says most; where few are left, to look there is the quickest.
        for pattern in sorted(patterns, key=len, reverse=True):
            slots = _join(self._matching(pattern))
            found = slots if found is None else found & slots
            if found.bit_count() <= len(self._texts) // _SPARSE:
                break
        return found

    def _matching(self, pattern: str) -> list[Posting]:
        """Return who has each word with a pattern; a blank in it is the word's edge."""
        text, postings = self._text, self._postings
        if not _cut((pattern.strip(" "),)) <= self._pieces:
            return []
        edge = pattern.startswith(" ")
        found: list[Posting] = []
        at = text.find(pattern)
        while at >= 0:
            end = text.find(" ", at + edge)
            found.append(postings[text[text.rfind(" ", 0, at + edge) + 1 : end]])
            at = text.find(pattern, end)
        return found


def _cut(words: Iterable[str]) -> set[str]:
    """Return each three letters that follow each other in a word."""
    return {word[at : at + 3] for word in words for at in range(len(word) - 2)}


def _join(postings: Iterable[Posting]) -> int:
    """Return the slots of all postings."""
    many, few = 0, list[int]()
    for posting in postings:
        if isinstance(posting, int):
            many |= posting
        else:
            few += posting
    return many | make_set(few) if few else many


def make_set(slots: Iterable[int]) -> int:
    """Return slots as a bit set."""
    listed = list(slots)
    digits = bytearray(b"0") * (max(listed, default=0) + 1)
    for slot in listed:
        digits[~slot] = _ONE
    return int(digits, 2)


def list_slots(bits: int) -> Iterator[int]:
    """Yield the slots of a bit set, in rising order."""
    digits = f"{bits:b}"[::-1]
    at = digits.find("1")
    while at >= 0:
        yield at
        at = digits.find("1", at + 1)


def highest_slots(bits: int, most: int) -> Iterator[int]:
    """Yield at most so many slots of a bit set, in falling order."""
    for _ in range(min(most, bits.bit_count())):
        slot = bits.bit_length() - 1
        yield slot
        bits ^= 1 << slot


def _fold(documents: Mapping[int, Keywords], field: int) -> Mapping[int, Sequence[str]]:
    """Return the texts of one field by slot, in lower case."""
    return {slot: document.fold(field) for slot, document in documents.items()}


def _has(texts: Sequence[str], part: str) -> bool:
    """Whether a part is in any of the texts."""
    return any(part in text for text in texts)


def _words(folded: Mapping[int, Sequence[str]]) -> dict[str, list[int]]:
    """Return the words of one field, each with the slots that have it."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for slot, texts in folded.items():
        for word in set(" ".join(texts).split(" ")):
            found[word].append(slot)
    found.pop("", None)
    return found


def _with(posting: Posting, slots: list[int]) -> Posting:
    if isinstance(posting, int):
        return posting | make_set(slots)
    listed = (*posting, *slots)
    return listed if len(listed) <= _MAX_LISTED_SLOTS else make_set(listed)


def _without(posting: Posting, slots: list[int]) -> Posting:
    if isinstance(posting, int):
        return posting & ~make_set(slots)
    return tuple(slot for slot in posting if slot not in slots)
