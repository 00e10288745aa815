"""From a text to the terms that the index has: its words, and their stems.

The words of a document are cut and stemmed here and not by the engine: it would do so
for each of the fields and both of the indexes that hold them.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import tantivy
from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

from asdlc_kb.search.tokens import normalize

MAX_WORD_BYTES: Final = 59
"""Bytes; a longer run of letters is no word."""


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
"""How the engine reads what was cut here."""

_ASCII: Final = "".join(
    chr(code).lower() if chr(code).isalnum() else " " for code in range(128)
)
"""For each character of ASCII, what the engine takes it for."""


def tokenize(text: str) -> list[str]:
    """Return the words of a text, in lower case and without accents."""
    return [word for word in tokenize_long(text) if len(word) <= MAX_WORD_BYTES]


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return a word as it is indexed."""
    return _stem(word)


class Stems(dict[str, str]):
    """The stems of words, filled as words are met; to be dropped after a change."""

    def __missing__(self, word: str) -> str:
        self[word] = found = _stem(word)
        return found

    def join(self, words: Iterable[str]) -> str:
        """Return the stems of words, with blanks between them."""
        return " ".join(map(self.__getitem__, words))


def tokenize_long(text: str) -> list[str]:
    """Return the words of a text, and what is too long for one: the index drops it."""
    if text.isascii():
        # The same, more quickly.
        return text.translate(_ASCII).split()
    return _WORDS.analyze(normalize(text))


def _stem(word: str) -> str:
    return next(iter(_STEMS.analyze(word)), word)
