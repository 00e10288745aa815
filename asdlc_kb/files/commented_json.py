"""JSON with comments and trailing commas, as settings of editors and agents have it.

Both are replaced by blanks, so offsets and line numbers stay.
"""

import re
from typing import Final

BYTE_ORDER_MARK: Final = "\ufeff"

_STRING: Final = r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)'
# An unclosed string or comment extends to the end: matched once, in linear time.
_COMMENT: Final = re.compile(rf"({_STRING})|//[^\r\n]*|/\*.*?\*/|(/\*.*\Z)", re.DOTALL)
_TRAILING: Final = re.compile(
    rf"({_STRING}|[{{\[][ \t\r\n]*,)|,(?=[ \t\r\n]*[}}\]])", re.DOTALL
)
_NO_BREAK: Final = re.compile(r"[^\r\n]")


def blank_comments(text: str) -> str:
    """Return a text with blanks instead of a byte order mark and comments."""
    if text.startswith(BYTE_ORDER_MARK):
        text = " " + text[len(BYTE_ORDER_MARK) :]
    return _COMMENT.sub(
        lambda match: match[1] or match[2] or _NO_BREAK.sub(" ", match[0]), text
    )


def blank_trailing_commas(text: str) -> str:
    """Return a text without comments with blanks instead of trailing commas."""
    return _TRAILING.sub(lambda match: match[1] or " ", text)
