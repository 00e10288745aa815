"""Speller: corrections, completions and splits of unknown words.

The vocabulary is the index itself, limited to words of documents that the request may
see: removed words are never offered.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from asdlc_kb.search.index.index_snapshot import VisibleIndex
from asdlc_kb.search.policy import QUERY_POLICY, QueryPolicy
from asdlc_kb.search.tokens import STOP_WORDS, is_cjk

_NEVER_MEANT: Final = STOP_WORDS | frozenset(
    """
    across again against almost along already although always among another anyone
    anything around away became become both cannot either else ever every everything
    few first further get gets got however instead less let like likely many may maybe
    might more most much must near neither never next none nothing often one otherwise
    per perhaps quite rather really several shall since something sometimes soon still
    though thus together toward unless upon use used uses using usually via want way
    well whether while whose within without yet
    """.split()
)
"""Words that nobody searches for: no word is taken for one of them."""

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"

_MIN_REST_LETTERS: Final = 4
"""Minimum letters next to a stop word of a split: `json` is not "js on"."""

_MAX_SUGGESTION_EDITS: Final = 3
"""Edits between a word and its suggestion; at least half of its letters remain."""


class Speller:
    """Spelling lookups for one request."""

    def __init__(self, view: VisibleIndex, policy: QueryPolicy = QUERY_POLICY) -> None:
        self.view = view
        self._policy = policy
        self._reached: dict[str, tuple[int, list[tuple[str, int]]]] = {}
        """Maximum number of edits, and the words within it, by word."""

    def correct(self, word: str) -> list[tuple[str, float]]:
        """Return the likeliest corrections with the same first letter, with weights."""
        policy = self._policy
        near = self._nearest(self._one_edit(word))
        if near:
            return [(other, policy.near_weight) for other in near]
        if len(word) < policy.far_letters:
            return []
        far = self._nearest(other for other, _ in self.reach(word, 2))
        return [(other, policy.far_weight) for other in far]

    def correct_start(self, word: str) -> list[tuple[str, float]]:
        """Return the likeliest corrections of the first letter, with their weight."""
        near = self._nearest(_edit_start(word))
        return [(other, self._policy.other_start) for other in near]

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
            others = [part for part in (left, right) if part not in STOP_WORDS]
            if len(others) < 2 and len("".join(others)) < _MIN_REST_LETTERS:
                continue
            rarer = min(frequency("words", left), frequency("words", right))
            if rarer > best and self.view.has_term(left) and self.view.has_term(right):
                best, pair = rarer, (left, right)
        return pair

    def suggest(self, word: str, *, is_part: bool) -> str:
        """Return a word, its nearest known word, or an empty string.

        An unknown part of an identifier is left out, and so is a number or code:
        another one is another thing.
        """
        view = self.view
        if view.has_term(word) or is_cjk(word):
            return word
        max_edits = min(_MAX_SUGGESTION_EDITS, (len(word) - 1) // 2)
        if is_part or has_digit(word) or max_edits < 1:
            return ""
        reached = self.reach(word, max_edits)
        for limit in range(1, max_edits + 1):
            near = [o for o, edits in reached if edits <= limit and view.has_term(o)]
            if near:
                count = view.snapshot.pages.doc_freq
                return max(near, key=lambda other: (count("words", other), other))
        return ""

    def reach(self, word: str, max_edits: int) -> list[tuple[str, int]]:
        """Return words with the same first letter within some edits, with these."""
        known_edits, reached = self._reached.get(word, (-1, []))
        if known_edits < max_edits:
            vocabulary = self.view.snapshot.vocabulary
            reached = list(vocabulary.find_near(word, max_edits))
            self._reached[word] = max_edits, reached
        return [(other, edits) for other, edits in reached if edits <= max_edits]

    def _one_edit(self, word: str) -> Iterator[str]:
        """Yield words one edit away.

        A letter that is typed for another one is of the same script.
        """
        is_ascii = word.isascii()
        for other, _ in self.reach(word, 1):
            if other.isascii() or not is_ascii:
                yield other

    def _nearest(self, candidates: Iterable[str]) -> list[str]:
        """Return the most frequent words among candidates, known or not."""
        frequency = self.view.snapshot.pages.doc_freq
        ranked: list[tuple[int, str]] = []
        for other in candidates:
            count = frequency("words", other)
            if count and other not in _NEVER_MEANT and not has_digit(other):
                ranked.append((-count, other))
        words: list[str] = []
        for _, other in sorted(set(ranked)):
            if len(words) == self._policy.corrections:
                break
            if self.view.has_term(other):
                words.append(other)
        return words


def _edit_start(word: str) -> Iterator[str]:
    """Yield the strings that differ from a word by one edit of its first letter."""
    first, others = word[:1], word[1:]
    yield others
    yield others[:1] + first + others[1:]
    for letter in _LETTERS:
        yield letter + word
        yield letter + others


def has_digit(word: str) -> bool:
    """Whether a word is a number or code, which no other one stands for."""
    return any(map(str.isdigit, word))
