"""Names similar to a name: candidates by shared trigrams, ranked by bigrams and words.

A request costs the same bounded work for every name, whatever the number of names.
Only the given names are ever returned.
"""

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

MAX_NEAR_NAMES: Final = 3
"""Names suggested for one."""

MAX_NAME_CHARS: Final = 80
"""Characters of a name that are compared."""

MAX_POSTINGS: Final = 8_000
"""Index entries visited for one name, of its rarest trigrams."""

MAX_CANDIDATES: Final = 40
"""Spellings ranked for one name."""

MIN_SIMILARITY: Final = 0.45
"""Similarity of a suggested name: 0 is nothing in common, 1 is equal but for case."""

MIN_OF_BEST: Final = 0.75
"""Similarity of a further name, relative to the best one's."""

_WORD = re.compile(r"[^\W_]+")


ListSpellings: TypeAlias = Callable[[str, str], Sequence[str]]
"""Returns the spellings of a name, of a pair of one of them and the name."""


def _list_spelling(spelling: str, name: str) -> Sequence[str]:
    return (spelling,)


class NearNames:
    """An index of names. Immutable; built once, blocks while it is."""

    def __init__(
        self,
        names: Iterable[tuple[str, str]],
        list_spellings: ListSpellings = _list_spelling,
    ) -> None:
        """Index pairs of a spelling and the name that is suggested for it.

        `list_spellings` returns the further spellings of such a pair as well. They are
        computed again for the names that are compared, and take no memory.
        """
        self._spellings: list[str] = []
        self._names: list[str] = []
        self._list_spellings = list_spellings
        self._postings: dict[str, array[int]] = {}
        for number, (spelling, name) in enumerate(names):
            self._spellings.append(spelling)
            self._names.append(name)
            for gram in _join_grams(map(_fold, list_spellings(spelling, name))):
                self._postings.setdefault(gram, array("I")).append(number)

    def find(self, wanted: str, limit: int = MAX_NEAR_NAMES) -> tuple[str, ...]:
        """Return the names most similar to `wanted`, best first; most often none."""
        folded = _fold(wanted)
        best: dict[str, float] = {}
        for number in self._find_candidates(folded):
            name = self._names[number]
            spellings = self._list_spellings(self._spellings[number], name)
            score = max(_similarity(folded, _fold(each)) for each in spellings)
            if score >= max(MIN_SIMILARITY, best.get(name, 0.0)):
                best[name] = score
        ranked = sorted(best, key=lambda name: (-best[name], len(name), name))
        floor = MIN_OF_BEST * max(best.values(), default=0.0)
        return tuple(name for name in ranked[:limit] if best[name] >= floor)

    def _find_candidates(self, folded: str) -> Sequence[int]:
        """Return the numbers of the names that share the most rare trigrams."""
        if len(self._spellings) <= MAX_CANDIDATES:
            return range(len(self._spellings))
        counts: Counter[int] = Counter()
        left = MAX_POSTINGS
        found = (self._postings.get(gram) for gram in sorted(_grams(folded, 3)))
        for postings in sorted((each for each in found if each), key=len):
            counts.update(postings[:left])
            left -= len(postings)
            if left <= 0:
                break
        limit = MAX_CANDIDATES // len(self._list_spellings("", ""))
        return [number for number, _ in counts.most_common(limit)]


def suggest_names(names: Sequence[str]) -> str | None:
    """Return the hint that suggests names; None without any."""
    return f"Did you mean: {', '.join(names)}?" if names else None


def _join_grams(spellings: Iterable[str]) -> set[str]:
    """Return the trigrams of folded spellings; most contain one another."""
    grams = set[str]()
    before = ""
    for folded in spellings:
        if f" {folded} " not in f" {before} ":
            grams |= _grams(folded, 3)
            before = folded
    return grams


def _fold(name: str) -> str:
    """Return the words of a name in one case, separated by blanks."""
    return " ".join(_WORD.findall(name[:MAX_NAME_CHARS].casefold()))


def _grams(folded: str, length: int) -> frozenset[str]:
    padded = f" {folded} "
    return frozenset(
        padded[at : at + length] for at in range(len(padded) - length + 1) if folded
    )


def _similarity(one: str, other: str) -> float:
    """Return the Dice coefficient of the bigrams, or more where words contain words."""
    ours, theirs = _grams(one, 2), _grams(other, 2)
    total = len(ours) + len(theirs)
    score = 2 * len(ours & theirs) / total if total else 0.0
    words, others = frozenset(one.split()), frozenset(other.split())
    fewer, more = sorted((words, others), key=len)
    if fewer and fewer <= more:
        score = max(score, (1 + len(fewer) / len(more)) / 2)
    return score
