"""Identifiers in a query: names of code, paths and addresses."""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from asdlc_kb.search.analyzer import tokenize
from asdlc_kb.search.tokens import normalize

_IDENTIFIER: Final = re.compile(r"(?<![^\W_])[^\W_]++(?:(?:[_./:-]|->)++[^\W_]++)++")
_HYPHENATED: Final = re.compile(r"[^_./:>]*")

_NAME: Final = re.compile(r"(?<!\w)\w++(?:(?:[.:]|::|->)\w++)*+")
_IS_CODE: Final = re.compile(
    r"[^\W_]_++[^\W_]|^[a-z]++[A-Z]|[^\W\d_](?:[.:]|::|->)[^\W\d_]"
)


def find_identifiers(text: str) -> Iterator[str]:
    """Yield words that are joined by marks, as in `a_b`, `a/b`, `a::b` and `a-b`."""
    return (match[0] for match in _IDENTIFIER.finditer(normalize(text)))


def find_parts(text: str) -> frozenset[str]:
    """Return the words of a text that are parts of identifiers or paths."""
    if _HYPHENATED.fullmatch(text):
        # Most queries: faster than a search for identifiers.
        return frozenset()
    names = (name for name in find_identifiers(text) if not _HYPHENATED.fullmatch(name))
    return frozenset(chain.from_iterable(map(tokenize, names)))


def find_code_names(text: str) -> Iterator[str]:
    """Yield names that are written as only code is: `a_b`, `aB`, `a.b`, `a:b`.

    Hyphens and slashes also join words of prose.
    """
    for match in _NAME.finditer(normalize(text)):
        if _IS_CODE.search(match[0]):
            yield match[0]
