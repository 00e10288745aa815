"""Syntax highlighting: source code as HTML with a class for each kind of token.

Lexers are regular expressions that backtrack, and a match cannot be interrupted. Those
of `markup.lexers` may run anywhere up to the size at which they were measured;
everything else only in a process that may be killed (`markup.worker`).
"""

from collections.abc import Callable
from functools import cache, lru_cache
from html import escape
from typing import Final, TypeAlias

from pygments import highlight as write
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class_by_name
from pygments.token import STANDARD_TYPES
from pygments.util import ClassNotFound

from asdlc_kb.markup.lexers import LINEAR_LEXERS, MAX_LINEAR_CHARACTERS

MAX_CHARACTERS: Final = 20_000
"""Characters of a piece of code; a longer one is not highlighted."""

CLASSES: Final = frozenset(filter(None, STANDARD_TYPES.values()))
"""The classes of the standard tokens; more specific tokens have further ones."""

MAX_LANGUAGES: Final = 256
"""Names of languages that are remembered."""

Highlighter: TypeAlias = Callable[[str, str], str]
"""Returns code in a language as HTML."""

_PLAIN: Final = frozenset({"", "text", "txt", "plain", "plaintext", "none"})


class CostlyCode(Exception):
    """Raised for code whose highlighting is not known to be cheap."""


def highlight(code: str, language: str) -> str:
    """Return code as HTML; not highlighted if the language is unknown or it is long.

    The time is not bounded: some lexers take exponential time.
    """
    lexer = _find_lexer(language.strip().lower())
    if lexer is None or len(code) > MAX_CHARACTERS:
        return escape_code(code, language)
    # Blank lines in front are part of the code.
    shown: str = write(code, lexer(stripnl=False), _formatter())
    return shown


def highlight_cheap(code: str, language: str) -> str:
    """Return the same; raise CostlyCode where the time is not known to be short."""
    if not is_cheap(len(code), language):
        raise CostlyCode
    return highlight(code, language)


def is_cheap(size: int, language: str) -> bool:
    """Whether so many characters of code are highlighted quickly, whatever they are."""
    lexer = _find_lexer(language.strip().lower())
    if lexer is None or size > MAX_CHARACTERS:
        return True
    return size <= MAX_LINEAR_CHARACTERS and lexer.__name__ in LINEAR_LEXERS


def escape_code(code: str, language: str) -> str:
    """Return code as HTML that is not highlighted."""
    return escape(code, quote=False)


@lru_cache(MAX_LANGUAGES)
def _find_lexer(name: str) -> type[Lexer] | None:
    """Return the lexer of a language; None for an unknown one and for plain text."""
    if name in _PLAIN:
        return None
    try:
        return find_lexer_class_by_name(name)
    except ClassNotFound:
        return None


@cache
def _formatter() -> HtmlFormatter[str]:
    return HtmlFormatter(nowrap=True)
