"""What a reader would rather have: page or Markdown, by the Accept header."""

import re
from functools import lru_cache
from typing import Final

MARKDOWN: Final = ("text/markdown", "text/plain")
"""What plain Markdown is asked for by."""

_PAGE: Final = ("text/html", "application/xhtml+xml")
_ANY: Final = ("text/*", "*/*")
_QUALITY = re.compile(r"0(\.[0-9]*)?|1(\.0*)?")
_MAX_HEADER_CHARS: Final = 1_000
"""Characters of a header that are read."""


@lru_cache(maxsize=64)
def prefers_markdown(accept: str) -> bool:
    """Whether Markdown is named and wanted at least as much as a page.

    Who names neither gets a page. Of two that are wanted alike, the one that is named
    first wins (RFC 9110 leaves it open; agents name Markdown first), and one that is
    named wins over one that is only not refused.
    """
    ranges = _read(accept[:_MAX_HEADER_CHARS])
    markdown = max((ranges[name] for name in MARKDOWN if name in ranges), default=None)
    page = max((ranges[name] for name in _PAGE if name in ranges), default=None)
    if markdown is None or markdown[0] <= 0:
        return False
    if page is not None:
        return markdown > page
    anything = max((ranges[name] for name in _ANY if name in ranges), default=None)
    return anything is None or markdown[0] >= anything[0]


def _read(accept: str) -> dict[str, tuple[float, int]]:
    """Return quality and place of each media range; the earlier, the higher."""
    found: dict[str, tuple[float, int]] = {}
    for number, part in enumerate(accept.split(",")):
        name, *parameters = (piece.strip().lower() for piece in part.split(";"))
        quality = 1.0
        for parameter in parameters:
            if parameter.startswith("q="):
                quality = _number(parameter[2:])
        found.setdefault(name, (quality, -number))
    return found


def _number(text: str) -> float:
    return float(text) if _QUALITY.fullmatch(text) else 0.0
