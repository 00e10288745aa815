"""Speller: corrections, completions and splits of unknown words.

The vocabulary is the index itself, limited to words of documents that the request may
see: removed words are never offered.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from asdlc_kb.search.index.index_snapshot import VisibleIndex
from asdlc_kb.search.policy import QUERY_POLICY, QueryPolicy

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz0123456789"


class Speller:
    """Spelling lookups for one request."""

    def __init__(self, view: VisibleIndex, policy: QueryPolicy = QUERY_POLICY) -> None:
        self.view = view
        self._policy = policy

    def correct(self, word: str) -> list[tuple[str, float]]:
        """Return the likeliest corrections, each with its weight."""
        policy = self._policy
        near = self._nearest(_edit(word), word)
        if near:
            return [(other, policy.near_weight) for other in near]
        if len(word) < policy.far_letters:
            return []
        far = self._nearest((other for other, _ in self.reach(word, 2)), word)
        return [(other, policy.far_weight) for other in far]

    def complete(self, word: str, limit: int) -> list[str]:
        """Return the most frequent longer words with this prefix."""
        words: list[str] = []
        for other, _ in self.view.snapshot.words(word):
            if len(words) == limit:
                break
            if other != word and self.view.has_term(other):
                words.append(other)
        return words

    def split(self, word: str) -> tuple[str, str] | None:
        """Split a word into two known words, the most frequent such pair."""
        best, pair = 0, None
        frequency = self.view.snapshot.pages.doc_freq
        for at in range(2, len(word) - 1):
            left, right = word[:at], word[at:]
            rarer = min(frequency("words", left), frequency("words", right))
            if rarer > best and self.view.has_term(left) and self.view.has_term(right):
                best, pair = rarer, (left, right)
        return pair

    def reach(self, word: str, distance: int) -> Iterator[tuple[str, int]]:
        """Yield words with the same first letter within a distance, and their edits.

        Scans all words with that letter.
        """
        mask = _mask(word)
        for other, _ in self.view.snapshot.words(word[0]):
            if abs(len(other) - len(word)) > distance:
                continue
            if (_mask(other) ^ mask).bit_count() > 2 * distance:
                continue
            edits = count_edits(word, other, distance)
            if edits <= distance:
                yield other, edits

    def _nearest(self, candidates: Iterator[str], word: str) -> list[str]:
        """Return the best corrections among candidates, known or not."""
        frequency = self.view.snapshot.pages.doc_freq
        ranked: list[tuple[float, str]] = []
        for other in candidates:
            count = frequency("words", other)
            if count:
                start = 1.0 if other[0] == word[0] else self._policy.other_start
                ranked.append((-(count**0.5) * start, other))
        words: list[str] = []
        for _, other in sorted(set(ranked)):
            if len(words) == self._policy.corrections:
                break
            if self.view.has_term(other):
                words.append(other)
        return words


def _edit(word: str) -> Iterator[str]:
    """Yield all strings one edit away: deletion, insertion, substitution, swap."""
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
    """Return the letters of a word as a bit mask."""
    mask = 0
    for character in word:
        mask |= 1 << (ord(character) & 63)
    return mask


def count_edits(source: str, target: str, max_edits: int) -> int:
    """Return the edit distance of two words; any larger number beyond `max_edits`.

    An edit is a deletion, insertion, substitution or transposition of adjacent letters.
    Bit-parallel: a row of the table is two bit vectors, of the positions where the
    distance grows or shrinks by one.
    """
    if not source:
        return len(target)
    positions = _letter_positions(source)
    whole = (1 << len(source)) - 1
    end = 1 << (len(source) - 1)
    more, less, level, before = whole, 0, 0, 0
    count, left = len(source), len(target)
    for letter in target:
        here = positions.get(letter, 0)
        swapped = ((~level & here) << 1) & before
        level = ((((here & more) + more) ^ more) | here | less | swapped) & whole
        up = (less | ~(level | more)) & whole
        down = level & more
        count += bool(up & end) - bool(down & end)
        left -= 1
        if count - left > max_edits:
            return max_edits + 1
        up = (up << 1) | 1
        more = ((down << 1) | ~(level | up)) & whole
        less = up & level
        before = here
    return count


@lru_cache(maxsize=64)
def _letter_positions(word: str) -> dict[str, int]:
    """Return the positions of each letter of a word as bits."""
    positions: dict[str, int] = {}
    for at, letter in enumerate(word):
        positions[letter] = positions.get(letter, 0) | 1 << at
    return positions
