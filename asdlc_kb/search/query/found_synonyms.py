"""Synonyms of the words of a query, limited to what visible documents have.

Phrases are compared by their stems, so `pull requests` is `pull request`.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from asdlc_kb.search.analyzer import make_stem, tokenize
from asdlc_kb.search.index.index_snapshot import VisibleIndex
from asdlc_kb.search.policy import QueryPolicy
from asdlc_kb.search.synonyms import Synonyms

Words: TypeAlias = tuple[str, ...]


class FoundSynonyms(NamedTuple):
    """A phrase of a query, and its synonyms."""

    begin: int
    end: int
    """Positions among the words of the query."""
    synonyms: tuple[Words, ...]
    """The words of each, all of them in visible documents."""


class _PhraseIndex(NamedTuple):
    """Phrases with synonyms, by their stems in one language."""

    stemmer: str
    phrases: Mapping[Words, Sequence[str]]
    lengths: Mapping[str, Sequence[int]]
    """Numbers of words of phrases by their first stem, the highest first."""


def find_synonyms(
    words: Sequence[str | None], view: VisibleIndex, policy: QueryPolicy
) -> list[FoundSynonyms]:
    """Return the phrases of a query that have synonyms, the longest at each word.

    `words` has None for a word that is not expanded.
    """
    candidates: dict[int, list[tuple[int, Sequence[Words]]]] = {}
    for stemmer in view.stemmers:
        index = _index_phrases(policy.synonyms, stemmer)
        for begin, length, synonyms in _match(words, index, policy.synonyms):
            candidates.setdefault(begin, []).append((begin + length, synonyms))
    found: list[FoundSynonyms] = []
    last = 0
    for begin in sorted(candidates):
        if begin < last or len(found) == policy.max_synonyms:
            continue
        for end, synonyms in candidates[begin]:
            visible = [one for one in synonyms if all(map(view.has_word, one))]
            if visible:
                last = end
                chosen = tuple(visible[: policy.max_synonyms])
                found.append(FoundSynonyms(begin, end, chosen))
                break
    return found


def _match(
    words: Sequence[str | None], index: _PhraseIndex, synonyms: Synonyms
) -> Iterator[tuple[int, int, Sequence[Words]]]:
    """Yield the position, the length and the synonyms of each phrase of an index.

    The longest at a position comes first.
    """
    stem = make_stem(index.stemmer)
    stems = [None if word is None else stem(word) for word in words]
    for begin, first in enumerate(stems):
        for length in index.lengths.get(first, ()) if first else ():
            key = tuple(filter(None, stems[begin : begin + length]))
            if len(key) < length:
                continue
            others = (
                tuple(tokenize(other))
                for phrase in index.phrases.get(key, ())
                for other in synonyms.find(phrase)
            )
            distinct = (other for other in others if tuple(map(stem, other)) != key)
            if known := list(filter(None, dict.fromkeys(distinct))):
                yield begin, length, known


@lru_cache(maxsize=32)
def _index_phrases(synonyms: Synonyms, stemmer: str) -> _PhraseIndex:
    stem = make_stem(stemmer)
    phrases: dict[Words, list[str]] = {}
    lengths: dict[str, set[int]] = {}
    for phrase in synonyms.phrases:
        if key := tuple(map(stem, tokenize(phrase))):
            phrases.setdefault(key, []).append(phrase)
            lengths.setdefault(key[0], set()).add(len(key))
    descending = {first: sorted(found)[::-1] for first, found in lengths.items()}
    return _PhraseIndex(stemmer, phrases, descending)
