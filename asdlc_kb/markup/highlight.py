"""Source code as HTML, with a class for each kind of word."""

from functools import cache
from html import escape
from typing import Final

from pygments import highlight as write
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.token import STANDARD_TYPES
from pygments.util import ClassNotFound

LONGEST: Final = 20_000
"""Characters of a piece of code; a longer one is shown as it is."""

CLASSES: Final = frozenset(filter(None, STANDARD_TYPES.values()))
"""The classes of the usual kinds; words of a finer kind have some of their own too."""

_UNKNOWN: Final = frozenset({"", "text", "txt", "plain", "plaintext", "none"})


def highlight(code: str, language: str) -> str:
    """Return code as HTML; as plain text if the language is unknown or it is long."""
    name = language.strip().lower()
    if name in _UNKNOWN or len(code) > LONGEST:
        return escape(code, quote=False)
    try:
        # Blank lines in front are part of the code.
        lexer = get_lexer_by_name(name, stripnl=False)
    except ClassNotFound:
        return escape(code, quote=False)
    shown: str = write(code, lexer, _formatter())
    return shown


@cache
def _formatter() -> HtmlFormatter[str]:
    return HtmlFormatter(nowrap=True)
