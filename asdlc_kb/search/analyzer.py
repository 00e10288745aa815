"""Analyzer: tokenizes and stems texts into index terms.

Documents are tokenized and stemmed here, once, and not by the engine, which would
repeat it for each field of both indexes. A word is stemmed without its accents: both
spellings have one stem.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple, TypeAlias

import tantivy
from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

from asdlc_kb.search.languages import ENGLISH, restore_ending
from asdlc_kb.search.tokens import normalize

MAX_WORD_BYTES: Final = 59
"""Longer tokens are dropped."""

Stem: TypeAlias = Callable[[str], str]
"""Returns the stem of a word."""


def _make_analyzer(*filters: Filter) -> tantivy.TextAnalyzer:
    builder = (
        TextAnalyzerBuilder(Tokenizer.simple())
        .filter(Filter.remove_long(MAX_WORD_BYTES + 1))
        .filter(Filter.lowercase())
    )
    for one in filters:
        builder = builder.filter(one)
    return builder.build()


_WORDS: Final = _make_analyzer(Filter.ascii_fold())

BLANKS: Final = (
    TextAnalyzerBuilder(Tokenizer.whitespace())
    .filter(Filter.remove_long(MAX_WORD_BYTES + 1))
    .build()
)
"""The analyzer of the engine for text tokenized here."""

_ASCII: Final = "".join(
    chr(code).lower() if chr(code).isalnum() else " " for code in range(128)
)
"""Maps ASCII characters as the engine's tokenizer does."""


def tokenize(text: str) -> list[str]:
    """Return the tokens of a text, in lower case and without accents."""
    return [word for word in tokenize_long(text) if len(word) <= MAX_WORD_BYTES]


def tokenize_long(text: str) -> list[str]:
    """Return the tokens of a text, including too long ones: the index drops those."""
    if text.isascii():
        # The same, but faster.
        return text.translate(_ASCII).split()
    return _WORDS.analyze(normalize(text))


@cache
def make_stem(stemmer: str) -> Stem:
    """Return the function of a stemmer, cached by word."""
    return lru_cache(maxsize=20_000)(_make_uncached_stem(stemmer))


@cache
def _make_uncached_stem(stemmer: str) -> Stem:
    if stemmer == ENGLISH:
        # Its rules have no accents: one pass is faster.
        analyzer = _make_analyzer(Filter.ascii_fold(), Filter.stemmer(stemmer))
        return lambda word: next(iter(analyzer.analyze(word)), word)
    # A restored ending may be left in the stem.
    stems = _make_analyzer(Filter.stemmer(stemmer), Filter.ascii_fold())

    def stem(word: str) -> str:
        plain = next(iter(_WORDS.analyze(word)), word)
        return next(iter(stems.analyze(restore_ending(plain, stemmer))), plain)

    return stem


class Stems(dict[str, str]):
    """Memo of the stems of one language; discard it after a change of the index."""

    def __init__(self, stemmer: str = ENGLISH) -> None:
        super().__init__()
        self._stem = _make_uncached_stem(stemmer)

    def __missing__(self, word: str) -> str:
        self[word] = stemmed = self._stem(word)
        return stemmed

    def join(self, words: Iterable[str]) -> str:
        """Return the stems of words, separated by blanks."""
        return " ".join(map(self.__getitem__, words))


class StemmedWords(NamedTuple):
    """Words as some stemmers stem them."""

    stems: tuple[str, ...]
    stemmers: tuple[str, ...] = ()
    """Those whose documents have these stems; empty if all do."""


def stem_words(words: Sequence[str], stemmers: Sequence[str]) -> list[StemmedWords]:
    """Return the distinct stems of adjacent words in the languages of documents."""
    if len(stemmers) == 1:
        return [StemmedWords(tuple(map(make_stem(stemmers[0]), words)))]
    found: dict[tuple[str, ...], list[str]] = {}
    for stemmer in stemmers:
        stems = tuple(map(make_stem(stemmer), words))
        found.setdefault(stems, []).append(stemmer)
    if len(found) == 1:
        return [StemmedWords(stems) for stems in found]
    return [StemmedWords(stems, tuple(which)) for stems, which in found.items()]
