"""Text normalization, case folding, CJK detection and stop words."""

import re
import unicodedata
from functools import cache
from typing import Final

STOP_WORDS: Final = frozenset(
    """
    a about after all also am an and any are as at be because been before being below
    between both but by can could d did do does doing don during each etc few for from
    further had has have having he her here hers him his how i if in into is it its
    itself just ll m me more most my no nor not now of off on once only or other our
    ours out over own please re s same she should so some such t than that the their
    theirs them then there these they this those through to too under until up us ve
    very was we were what when where which while who whom why will with would you your
    yours
    """.split()
)
"""English words too common to discriminate documents."""

WORD: Final = re.compile(r"[^\W_]+")
"""A word of any script, in any case."""

_CJK: Final = (
    "([\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31a0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff])"
)
"""A character of a script without blanks between words."""


def normalize(text: str) -> str:
    """Normalize a text for indexing and queries: NFKC, CJK characters apart."""
    if text.isascii():
        return text
    return _find_cjk().sub(r" \1 ", normalize_form(text))


def normalize_form(text: str) -> str:
    """Normalize the characters of a text: NFKC, and no dotted capital I."""
    if text.isascii():
        return text
    # The engine's lower case of a dotted capital I has two characters.
    return unicodedata.normalize("NFKC", text).replace("\u0130", "I")


def is_cjk(word: str) -> bool:
    """Whether a word is a character of a script without blanks."""
    return not word.isascii() and _find_cjk().match(word) is not None


def find_cjk_words(text: str) -> list[str]:
    """Return the distinct words of scripts without blanks, as far as they show.

    A word ends at a blank, and between ideographs, katakana and hangul. One of a single
    character is none, nor is one in hiragana: these are mostly endings.
    """
    if text.isascii():
        return []
    return list(dict.fromkeys(_find_cjk_words().findall(normalize_form(text))))


@cache
def _find_cjk_words() -> re.Pattern[str]:
    return re.compile(
        "[\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff]{2,}|[\uac00-\ud7af]{2,}"
        "|[\u3005\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]{2,}"
    )


@cache
def _find_cjk() -> re.Pattern[str]:
    # Compiled on demand: it takes 2 ms, which small indexes need not spend.
    return re.compile(_CJK)


class _Fold(dict[int, str]):
    """Maps characters one-to-one to lower case without accents."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        base = unicodedata.normalize("NFKD", character)[0].lower()
        self[code] = base if len(base) == 1 else character
        return self[code]


_FOLD: Final = _Fold()
"""Filled on demand; concurrent threads store equal values."""


def fold(text: str) -> str:
    """Return a text of the same length, in lower case and without accents."""
    if text.isascii():
        return text.lower()
    return text.translate(_FOLD)
