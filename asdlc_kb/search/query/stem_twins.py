"""Stem twins: words of another meaning with the same stem, as `option` and `optional`.

The index has stems, so that inflected forms are found. A page with a twin alone must
not come before one with the word that was typed.
"""

import re
from typing import Final

from asdlc_kb.search.analyzer import make_stem
from asdlc_kb.search.index.index_snapshot import VisibleIndex
from asdlc_kb.search.languages import ENGLISH

_MIN_PREFIX: Final = 3
"""Letters that all words with a stem have in common, at least."""

_INFLECTION: Final = re.compile(r"(?<=\w{3})(?:ies|ied|y|ing|ed|es|e|s)\Z")
_DOUBLED: Final = re.compile(r"([bdfgklmnprtz])\1\Z")


def find_forms(view: VisibleIndex, word: str) -> tuple[str, ...]:
    """Return the inflected forms of an English word if it has twins, else nothing.

    The word is one of them. Forms and twins are words of the index.
    """
    if view.stemmers != (ENGLISH,) or not view.has_term(word):
        return ()
    stem, base = make_stem(ENGLISH), _find_base(word)
    prefix = word[: max(_MIN_PREFIX, min(len(stem(word)), len(base)) - 1)]
    related = [
        other
        for other, _ in view.snapshot.words(prefix)
        if stem(other) == stem(word) and view.has_term(other)
    ]
    forms = tuple(other for other in related if _find_base(other) == base)
    return forms if len(forms) < len(related) else ()


def _find_base(word: str) -> str:
    """Return a word without an inflectional ending."""
    return _DOUBLED.sub(r"\1", _INFLECTION.sub("", word))
