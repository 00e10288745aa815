"""Description and picture of a page, from its HTML, for search engines and previews.

Works on the output of `markup.html_renderer`, in which `<` begins a tag everywhere.
"""

import re
from collections.abc import Sequence
from html import unescape
from itertools import takewhile
from typing import Final

from asdlc_kb.markup.outline import Heading
from asdlc_kb.unicode.truncation import truncate

MAX_SUMMARY_CHARS: Final = 160
"""Characters of a description that is made of the text: search engines show as many."""

_MIN_CHARS: Final = 20
"""Characters of a paragraph that describes a page."""
_MAX_PARAGRAPHS: Final = 20
"""Paragraphs that are considered."""

_PARAGRAPH: Final = re.compile(r"<p>(.*?)</p>", re.DOTALL)
_NOTE: Final = re.compile(r"<sup class=\"footnote-ref\">.*?</sup>", re.DOTALL)
_TAG: Final = re.compile(r"<[^>]*>")
_SENTENCE_END: Final = re.compile(r"[.!?](?=\s)|[\u3002\uff01\uff1f]")
_PICTURE: Final = re.compile(
    r'<img src="(/[^"]+\.(?:png|jpe?g|webp|gif))"', re.IGNORECASE
)


def summarize(html: str, headings: Sequence[Heading] = ()) -> str:
    """Return the first sentences of a text, else its headings; empty without both."""
    paragraphs = _PARAGRAPH.finditer(html)
    for _, match in zip(range(_MAX_PARAGRAPHS), paragraphs, strict=False):
        bare = _TAG.sub("", _NOTE.sub("", match[1]))
        text = " ".join(unescape(bare).split())
        if len(text) >= _MIN_CHARS:
            return _cut(text)
    listed = ", ".join(heading.text for heading in headings)
    return truncate(listed, MAX_SUMMARY_CHARS)


def find_picture(html: str) -> str:
    """Return the address of the first picture that previews can show, or ""."""
    match = _PICTURE.search(html)
    return unescape(match[1]) if match else ""


def _cut(text: str) -> str:
    """Return the whole sentences that fit, or else the beginning."""
    if len(text) <= MAX_SUMMARY_CHARS:
        return text
    ends = (match.end() for match in _SENTENCE_END.finditer(text))
    end = max(takewhile(lambda end: end <= MAX_SUMMARY_CHARS, ends), default=0)
    return text[:end] if end >= _MIN_CHARS else truncate(text, MAX_SUMMARY_CHARS)
