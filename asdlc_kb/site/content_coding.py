"""Compressed representations: gzip, and brotli if the extra `compression` is installed.

A representation is compressed once and cached with the plain one (D-205). Equal bytes
give equal results, so that each content coding has an ETag of its own.
"""

import gzip
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from typing import Final

from asdlc_kb.site.representation import SVG, Representation

BROTLI: Final = "br"
GZIP: Final = "gzip"

MIN_BYTES: Final = 1_024
"""Size from which a body is compressed; the packets of a smaller one are as many."""

_GZIP_LEVEL: Final = 6
_BROTLI_QUALITY: Final = 5
"""As fast as gzip, and 5 % smaller."""
_BEST_BROTLI_QUALITY: Final = 11
"""14 % smaller and 40 times as slow: for what browsers cache forever."""


@cache
def list_codings() -> Sequence[str]:
    """Return the available content codings, the smallest results first."""
    return (BROTLI, GZIP) if find_spec("brotli") else (GZIP,)


def can_compress(page: Representation) -> bool:
    """Whether a page is served in other codings, too: if it is text and large."""
    is_text = page.type == SVG or not page.type.startswith("image/")
    is_large = len(page.body) >= MIN_BYTES or bool(page.coding)
    return is_text and is_large and page.status == 200


def compress(page: Representation, coding: str) -> Representation:
    """Return a plain page in a content coding; the page itself if that saves nothing.

    Blocks: use it in a thread.
    """
    if not (coding and can_compress(page)):
        return page
    if coding == BROTLI:
        body = _compress_brotli(page.body, is_lasting=page.is_lasting)
    else:
        body = gzip.compress(page.body, _GZIP_LEVEL, mtime=0)
    if len(body) >= len(page.body):
        return page
    return replace(page, body=body, coding=coding, plain_tokens=page.tokens)


def _compress_brotli(body: bytes, *, is_lasting: bool) -> bytes:
    import brotli

    quality = _BEST_BROTLI_QUALITY if is_lasting else _BROTLI_QUALITY
    return bytes(brotli.compress(body, brotli.MODE_TEXT, quality))
