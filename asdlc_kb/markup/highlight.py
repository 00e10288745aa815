"""Syntax highlighting: source code as HTML with a class for each token type.

Lexers are backtracking regular expressions, and a match cannot be interrupted. Those of
`markup.lexers` may run in any process up to the size at which they were measured; all
others only in a process that can be killed (`markup.render_worker`).
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
"""Characters of a code block; a longer one is not highlighted."""

CLASSES: Final = frozenset(filter(None, STANDARD_TYPES.values()))
"""The CSS classes of the standard tokens; more specific tokens have further ones."""

MAX_LANGUAGES: Final = 256
"""Cached language names."""

MAX_NAME_CHARACTERS: Final = 40
"""Characters that are shown of the name of an unknown language."""

Highlighter: TypeAlias = Callable[[str, str], str]
"""Return code in a language as HTML."""

_PLAIN: Final = frozenset({"", "text", "txt", "plain", "plaintext", "none"})


class CostlyCode(Exception):
    """Raised for code that is not known to be cheap to highlight."""


def highlight(code: str, language: str) -> str:
    """Return code as HTML; not highlighted if it is long or the language unknown.

    The time is not bounded: some lexers take exponential time.
    """
    lexer = _find_lexer(language.strip().lower())
    if lexer is None or len(code) > MAX_CHARACTERS:
        return escape_code(code, language)
    # Leading blank lines are part of the code.
    shown: str = write(code, lexer(stripnl=False), _formatter())
    return shown


def highlight_cheap(code: str, language: str) -> str:
    """Like `highlight`; raise CostlyCode if the time is not known to be short."""
    if not is_cheap(len(code), language):
        raise CostlyCode
    return highlight(code, language)


def is_cheap(size: int, language: str) -> bool:
    """Whether any code of this size is highlighted quickly."""
    lexer = _find_lexer(language.strip().lower())
    if lexer is None or size > MAX_CHARACTERS:
        return True
    return size <= MAX_LINEAR_CHARACTERS and lexer.__name__ in LINEAR_LEXERS


def name_language(language: str) -> str:
    """Return the name of a language for people; empty for plain text."""
    word = language.strip().lower()
    lexer = _find_lexer(word)
    if lexer is not None:
        return str(lexer.name)
    return "" if word in _PLAIN else language[:MAX_NAME_CHARACTERS]


def escape_code(code: str, language: str) -> str:
    """Return code as HTML without highlighting."""
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
