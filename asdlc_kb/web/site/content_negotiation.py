"""Content negotiation: HTML or Markdown by Accept, compression by Accept-Encoding."""

import re
from functools import lru_cache
from typing import Final

from asdlc_kb.site.content_coding import list_codings

MARKDOWN: Final = ("text/markdown", "text/plain")
"""Media types that select plain Markdown."""

_PAGE: Final = ("text/html", "application/xhtml+xml")
_ANY: Final = ("text/*", "*/*")
_QUALITY = re.compile(r"0(\.[0-9]*)?|1(\.0*)?")
_MAX_HEADER_CHARS: Final = 1_000
"""Maximum number of characters of the header that are parsed."""


@lru_cache(maxsize=64)
def prefers_markdown(accept: str) -> bool:
    """Whether Accept names Markdown with at least the quality of HTML.

    If it names neither, HTML wins. Of two with equal quality the first one wins
    (RFC 9110 leaves it open; agents name Markdown first), and a named type wins over
    a wildcard.
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


@lru_cache(maxsize=64)
def choose_coding(accept_encoding: str) -> str:
    """Return the content coding that Accept-Encoding prefers; empty for a plain body.

    Of codings with equal quality, that with the smallest result. `*` stands for codings
    that are not named (RFC 9110, 12.5.3).
    """
    accepted = _read(accept_encoding[:_MAX_HEADER_CHARS])
    anything = accepted.get("*", (0.0, 0))
    quality = {name: accepted.get(name, anything)[0] for name in list_codings()}
    best = max(quality, key=lambda name: quality[name])
    plain = accepted.get("identity", (0.0, 0))
    return best if quality[best] > 0 and quality[best] >= plain[0] else ""


def _read(accept: str) -> dict[str, tuple[float, int]]:
    """Return quality and rank of each element; the first has the highest rank."""
    ranges: dict[str, tuple[float, int]] = {}
    for number, part in enumerate(accept.split(",")):
        name, *parameters = (piece.strip().lower() for piece in part.split(";"))
        quality = 1.0
        for parameter in parameters:
            if parameter.startswith("q="):
                quality = _number(parameter[2:])
        ranges.setdefault(name, (quality, -number))
    return ranges


def _number(text: str) -> float:
    return float(text) if _QUALITY.fullmatch(text) else 0.0
