"""Analyzer: tokenizes and stems texts into index terms.

Documents are tokenized and stemmed here, once, and not by the engine, which would
repeat it for each field of both indexes.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import tantivy
from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

from asdlc_kb.search.tokens import normalize

MAX_WORD_BYTES: Final = 59
"""Longer tokens are dropped."""


def _make_analyzer(*, stems: bool) -> tantivy.TextAnalyzer:
    builder = (
        TextAnalyzerBuilder(Tokenizer.simple())
        .filter(Filter.remove_long(MAX_WORD_BYTES + 1))
        .filter(Filter.lowercase())
        .filter(Filter.ascii_fold())
    )
    return (builder.filter(Filter.stemmer("english")) if stems else builder).build()


_WORDS: Final = _make_analyzer(stems=False)
_STEMS: Final = _make_analyzer(stems=True)

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


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return the stem of a word, cached."""
    return _stem(word)


class Stems(dict[str, str]):
    """Memo of stems; discard it after a change of the index."""

    def __missing__(self, word: str) -> str:
        self[word] = stemmed = _stem(word)
        return stemmed

    def join(self, words: Iterable[str]) -> str:
        """Return the stems of words, separated by blanks."""
        return " ".join(map(self.__getitem__, words))


def tokenize_long(text: str) -> list[str]:
    """Return the tokens of a text, including too long ones: the index drops those."""
    if text.isascii():
        # The same, but faster.
        return text.translate(_ASCII).split()
    return _WORDS.analyze(normalize(text))


def _stem(word: str) -> str:
    return next(iter(_STEMS.analyze(word)), word)
