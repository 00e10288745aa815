"""Keyword search as seed 000 defines it, without looking at every document.

The whole query, as a case-insensitive substring: 3 points if the title has it, 2 if any
tag has it, 1 if the description has it, added up.

Each field keeps its vocabulary as one text, cut at blanks, and for each word the
documents that have it. A query without a blank is in a field exactly if it is in one of
its words; one with blanks is in few fields that have its words so, and is looked up in
those. Documents have slots, small numbers that last; a set of slots is a bit set.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

_FEW: Final = 64
"""Slots up to which a word's documents are listed one by one."""

_FIELDS: Final = 3

Posting: TypeAlias = "int | tuple[int, ...]"
"""The slots that have a word: few by number, many as a bit set."""


@dataclass(frozen=True, slots=True)
class Document:
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

    def __init__(self, documents: Mapping[int, Document]) -> None:
        self._documents: Mapping[int, Document] = {}
        self._fields = tuple(_Field({}) for _ in range(_FIELDS))
        self._fill(documents)

    def follow(self, changes: Mapping[int, Document | None]) -> "KeywordIndex":
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

    def _fill(self, changes: Mapping[int, Document | None]) -> None:
        """Take changes into a new index, whose parts are those of another so far."""
        documents = dict(self._documents)
        gone = {slot: documents.pop(slot) for slot in changes if slot in documents}
        new = {slot: doc for slot, doc in changes.items() if doc is not None}
        documents.update(new)
        self._documents = documents
        self._fields = tuple(
            field.follow(_words(gone, number), _words(new, number))
            for number, field in enumerate(self._fields)
        )

    def _find(self, field: int, folded: str) -> int:
        """Return the slots whose field has the folded text in it."""
        first, *others = folded.split(" ")
        if not others:
            return self._fields[field].find(first)
        likely = self._fields[field].find_phrase(first, others[:-1], others[-1])
        slots = self._documents if likely is None else list_slots(likely)
        return make_set(
            slot
            for slot in slots
            if any(folded in text for text in self._documents[slot].fold(field))
        )


class _Field:
    """The words of one field of all documents, and who has each."""

    def __init__(self, postings: Mapping[str, Posting]) -> None:
        self._postings = postings
        self._text = f" {' '.join(postings)} "

    def follow(
        self, gone: Mapping[str, list[int]], new: Mapping[str, list[int]]
    ) -> "_Field":
        postings = dict(self._postings)
        for word, slots in gone.items():
            left = _without(postings.pop(word), slots)
            if left:
                postings[word] = left
        for word, slots in new.items():
            postings[word] = _with(postings.get(word, ()), slots)
        return _Field(postings)

    def find(self, part: str) -> int:
        """Return the slots that have a word with `part` in it."""
        return _join(self._matching(part))

    def find_phrase(self, first: str, middle: list[str], last: str) -> int | None:
        """Return slots that have words to begin, go through and end a phrase.

        None where the phrase, being of blanks, does not say.
        """
        found: int | None = None
        ends = [f"{first} "] if first else []
        begins = [f" {last}"] if last else []
        for postings in (
            *(self._matching(pattern) for pattern in ends + begins),
            *([self._postings.get(word, ())] for word in middle if word),
        ):
            slots = _join(postings)
            found = slots if found is None else found & slots
            if not found:
                break
        return found

    def _matching(self, pattern: str) -> list[Posting]:
        """Return who has each word with a pattern; a blank in it is the word's edge."""
        text, postings = self._text, self._postings
        edge = pattern.startswith(" ")
        found: list[Posting] = []
        at = text.find(pattern)
        while at >= 0:
            end = text.find(" ", at + edge)
            found.append(postings[text[text.rfind(" ", 0, at + edge) + 1 : end]])
            at = text.find(pattern, end)
        return found


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
    few = bytearray(max(listed, default=0) // 8 + 1)
    for slot in listed:
        few[slot >> 3] |= 1 << (slot & 7)
    return int.from_bytes(few, "little")


def list_slots(bits: int) -> Iterator[int]:
    """Yield the slots of a bit set, in rising order."""
    digits = f"{bits:b}"[::-1]
    at = digits.find("1")
    while at >= 0:
        yield at
        at = digits.find("1", at + 1)


def highest(bits: int, most: int) -> Iterator[int]:
    """Yield at most so many slots of a bit set, in falling order."""
    for _ in range(min(most, bits.bit_count())):
        slot = bits.bit_length() - 1
        yield slot
        bits ^= 1 << slot


def _words(documents: Mapping[int, Document], field: int) -> dict[str, list[int]]:
    """Return the words of one field, each with the slots that have it."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for slot, document in documents.items():
        for word in set(" ".join(document.fold(field)).split(" ")):
            found[word].append(slot)
    found.pop("", None)
    return found


def _with(posting: Posting, slots: list[int]) -> Posting:
    if isinstance(posting, int):
        return posting | make_set(slots)
    listed = (*posting, *slots)
    return listed if len(listed) <= _FEW else make_set(listed)


def _without(posting: Posting, slots: list[int]) -> Posting:
    if isinstance(posting, int):
        return posting & ~make_set(slots)
    return tuple(slot for slot in posting if slot not in slots)
