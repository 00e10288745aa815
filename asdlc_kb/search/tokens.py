"""Words before any engine: what is one, what is too common, what counts as equal."""

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
"""Words that say nothing of what is looked for."""

_CJK: Final = (
    "([\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31a0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff])"
)
"""A character of a script that sets no blanks between words."""


def normalize(text: str) -> str:
    """Return a text as it is indexed and asked: one form of each character."""
    if text.isascii():
        return text
    return _find_cjk().sub(r" \1 ", unicodedata.normalize("NFKC", text))


def is_cjk(word: str) -> bool:
    """Whether a word is a character of a script without blanks."""
    return not word.isascii() and _find_cjk().match(word) is not None


@cache
def _find_cjk() -> re.Pattern[str]:
    # It takes 2 ms, which an index of a small folder need not spend.
    return re.compile(_CJK)


class _Fold(dict[int, str]):
    """Characters without accents and in lower case, always one for one."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        base = unicodedata.normalize("NFKD", character)[0].lower()
        self[code] = base if len(base) == 1 else character
        return self[code]


_FOLD: Final = _Fold()
"""Filled as characters are met; two threads that meet one agree on it."""


def fold(text: str) -> str:
    """Return a text of the same length, in lower case and without accents."""
    if text.isascii():
        return text.lower()
    return text.translate(_FOLD)
