"""Words near a word that no document has: corrections, completions, splits, joins.

The vocabulary is the index itself, so what leaves the index is never offered again, and
only what a document has that the request may see.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from asdlc_kb.search.index.index_snapshot import VisibleIndex
from asdlc_kb.search.policy import POLICY, SearchPolicy

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz0123456789"


class Speller:
    """Looks words up for one request."""

    def __init__(self, view: VisibleIndex, policy: SearchPolicy = POLICY) -> None:
        self._view = view
        self._policy = policy

    def correct(self, word: str) -> list[tuple[str, float]]:
        """Return the likeliest words that were meant, each with its weight."""
        policy = self._policy
        near = self._nearest(_edit(word), word)
        if near:
            return [(other, policy.near_weight) for other in near]
        if len(word) < policy.far_letters:
            return []
        far = self._nearest((other for other, _ in self.reach(word, 2)), word)
        return [(other, policy.far_weight) for other in far]

    def complete(self, word: str, most: int) -> list[str]:
        """Return the commonest words that begin so and go on."""
        found: list[str] = []
        for other, _ in self._view.shelf.words(word):
            if len(found) == most:
                break
            if other != word and self._view.knows(other):
                found.append(other)
        return found

    def split(self, word: str) -> tuple[str, str] | None:
        """Return the two known words that were typed as one, the commonest such."""
        best, pair = 0, None
        frequency = self._view.shelf.pages.doc_freq
        for at in range(2, len(word) - 1):
            one, other = word[:at], word[at:]
            rarer = min(frequency("words", one), frequency("words", other))
            if rarer > best and self._view.knows(one) and self._view.knows(other):
                best, pair = rarer, (one, other)
        return pair

    def reach(self, word: str, distance: int) -> Iterator[tuple[str, int]]:
        """Yield the words with the same first letter within so many edits, and these.

        All words with that letter are looked at.
        """
        mask = _mask(word)
        for other, _ in self._view.shelf.words(word[0]):
            if abs(len(other) - len(word)) > distance:
                continue
            if (_mask(other) ^ mask).bit_count() > 2 * distance:
                continue
            edits = count_edits(word, other, distance)
            if edits <= distance:
                yield other, edits

    def _nearest(self, candidates: Iterator[str], word: str) -> list[str]:
        """Return the best corrections among words that may not exist."""
        frequency = self._view.shelf.pages.doc_freq
        ranked: list[tuple[float, str]] = []
        for other in candidates:
            count = frequency("words", other)
            if count:
                start = 1.0 if other[0] == word[0] else self._policy.other_start
                ranked.append((-(count**0.5) * start, other))
        found: list[str] = []
        for _, other in sorted(set(ranked)):
            if len(found) == self._policy.corrections:
                break
            if self._view.knows(other):
                found.append(other)
        return found


def _edit(word: str) -> Iterator[str]:
    """Yield everything one edit away: a letter less, more, another, two swapped."""
    for at in range(len(word) + 1):
        before, after = word[:at], word[at:]
        if after:
            yield before + after[1:]
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
        for letter in _LETTERS:
            yield before + letter + after
            if after:
                yield before + letter + after[1:]


def _mask(word: str) -> int:
    """Return which letters a word has, as bits."""
    mask = 0
    for character in word:
        mask |= 1 << (ord(character) & 63)
    return mask


def count_edits(one: str, other: str, most: int) -> int:
    """Return how many edits lead from one word to another; beyond `most`, any more.

    A letter less, more or another one, or two neighbours swapped, is one edit. The
    table of edits between beginnings is worked out a row at once, as bits: where a
    count is one more than that of a letter less, and where it is one less.
    """
    if not one:
        return len(other)
    places = _find_places(one)
    whole = (1 << len(one)) - 1
    end = 1 << (len(one) - 1)
    more, less, level, before = whole, 0, 0, 0
    count, left = len(one), len(other)
    for letter in other:
        here = places.get(letter, 0)
        swapped = ((~level & here) << 1) & before
        level = ((((here & more) + more) ^ more) | here | less | swapped) & whole
        up = (less | ~(level | more)) & whole
        down = level & more
        count += bool(up & end) - bool(down & end)
        left -= 1
        if count - left > most:
            return most + 1
        up = (up << 1) | 1
        more = ((down << 1) | ~(level | up)) & whole
        less = up & level
        before = here
    return count


@lru_cache(maxsize=64)
def _find_places(word: str) -> dict[str, int]:
    """Return where each letter of a word stands, as bits."""
    places: dict[str, int] = {}
    for at, letter in enumerate(word):
        places[letter] = places.get(letter, 0) | 1 << at
    return places
