"""Keyword search in the names and descriptions of artifacts.

Lists are small and read from disk at each request, so there is no index. Words match
regardless of case, accents and common endings; rare words and words of a name count
more. Results far below the best are omitted.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Final, Generic, TypeVar

from asdlc_kb.project.name_lookup import Named
from asdlc_kb.search.tokens import STOP_WORDS, fold, normalize

N = TypeVar("N", bound=Named)

MAX_WORDS: Final = 30
"""Words of a query that count."""

_DESCRIBED: Final = ("title", "description")
"""Attributes that are searched with the name, where an artifact has them."""

_NAME_WEIGHT: Final = 3
"""Weight of a word in a name; in a description it is 1."""

_MIN_SCORE: Final = 0.3
"""Minimum score, as a share of the best one."""

_MIN_STEM_CHARS: Final = 4
"""Characters from which a word matches with other endings."""

_WORD: Final = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class _Entry(Generic[N]):
    """An artifact with its words."""

    artifact: N
    name: frozenset[str]
    described: frozenset[str]


def search_artifacts(artifacts: Sequence[N], query: str) -> tuple[N, ...]:
    """Return the artifacts that match a query, best first; equal ones in their order.

    A query without words matches all.
    """
    words = _list_words(query)
    if not words:
        return tuple(artifacts)
    entries = [_read(artifact) for artifact in artifacts]
    terms = frozenset[str]().union(*(entry.name | entry.described for entry in entries))
    matches = {word: _find_terms(word, terms) for word in words}
    weights = {word: _weigh(found, entries) for word, found in matches.items()}
    scored = [(_score(entry, matches, weights), entry.artifact) for entry in entries]
    best = max((score for score, _ in scored), default=0.0)
    found = [pair for pair in scored if pair[0] > 0 and pair[0] >= _MIN_SCORE * best]
    ranked = sorted(found, key=lambda pair: -pair[0])
    return tuple(artifact for _, artifact in ranked)


def _list_words(query: str) -> Sequence[str]:
    words = list(dict.fromkeys(_split(query)))[:MAX_WORDS]
    return [word for word in words if word not in STOP_WORDS] or words


def _split(text: str) -> Iterable[str]:
    return _WORD.findall(fold(normalize(text)))


def _read(artifact: N) -> _Entry[N]:
    described = (getattr(artifact, name, None) or "" for name in _DESCRIBED)
    return _Entry(
        artifact,
        frozenset(_split(artifact.name)),
        frozenset(_split(" ".join(described))),
    )


def _find_terms(word: str, terms: Iterable[str]) -> frozenset[str]:
    return frozenset(term for term in terms if _is_match(word, term))


def _is_match(word: str, term: str) -> bool:
    """Whether two words are equal but for an ending, as `create` and `creating`."""
    if word == term:
        return True
    short, long = sorted((word, term), key=len)
    if len(short) < _MIN_STEM_CHARS:
        return False
    stem = short if len(short) == _MIN_STEM_CHARS else short[:-1]
    return long.startswith(stem)


def _weigh(found: frozenset[str], entries: Sequence[_Entry[N]]) -> float:
    """Return the weight of a word: higher for one in fewer artifacts."""
    count = sum(
        not found.isdisjoint(entry.name) or not found.isdisjoint(entry.described)
        for entry in entries
    )
    return log((len(entries) + 1) / count) if count else 0.0


def _score(
    entry: _Entry[N],
    matches: Mapping[str, frozenset[str]],
    weights: Mapping[str, float],
) -> float:
    score = 0.0
    for word, found in matches.items():
        if not found.isdisjoint(entry.name):
            score += _NAME_WEIGHT * weights[word]
        elif not found.isdisjoint(entry.described):
            score += weights[word]
    return score
