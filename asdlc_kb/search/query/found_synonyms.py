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
    max_words: int


def find_synonyms(
    words: Sequence[str | None], view: VisibleIndex, policy: QueryPolicy
) -> list[FoundSynonyms]:
    """Return the phrases of a query that have synonyms, the longest at each word.

    `words` has None for a word that is not expanded.
    """
    indexes = [_index_phrases(policy.synonyms, stemmer) for stemmer in view.stemmers]
    found: list[FoundSynonyms] = []
    end = 0
    for begin in range(len(words)):
        if begin < end or len(found) == policy.max_synonyms:
            continue
        for length, synonyms in _match(words, begin, indexes, policy.synonyms):
            visible = [one for one in synonyms if all(map(view.has_word, one))]
            if visible:
                end = begin + length
                chosen = tuple(visible[: policy.max_synonyms])
                found.append(FoundSynonyms(begin, end, chosen))
                break
    return found


def _match(
    words: Sequence[str | None],
    begin: int,
    indexes: Sequence[_PhraseIndex],
    synonyms: Synonyms,
) -> Iterator[tuple[int, Sequence[Words]]]:
    """Yield the length of each phrase that begins at a word, and its synonyms.

    The longest comes first.
    """
    for index in indexes:
        stem = make_stem(index.stemmer)
        stems: list[str] = []
        for word in words[begin : begin + index.max_words]:
            if word is None:
                break
            stems.append(stem(word))
        for length in range(len(stems), 0, -1):
            key = tuple(stems[:length])
            others = (
                tuple(tokenize(other))
                for phrase in index.phrases.get(key, ())
                for other in synonyms.find(phrase)
            )
            distinct = (other for other in others if tuple(map(stem, other)) != key)
            if known := list(filter(None, dict.fromkeys(distinct))):
                yield length, known


@lru_cache(maxsize=32)
def _index_phrases(synonyms: Synonyms, stemmer: str) -> _PhraseIndex:
    stem = make_stem(stemmer)
    phrases: dict[Words, list[str]] = {}
    for phrase in synonyms.phrases:
        phrases.setdefault(tuple(map(stem, tokenize(phrase))), []).append(phrase)
    return _PhraseIndex(stemmer, phrases, max(map(len, phrases), default=0))
