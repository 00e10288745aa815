"""Anchors of a page: its headings, its footnotes, and what raw HTML names."""

import re
from threading import Lock
from typing import Final
from urllib.parse import unquote

from cachetools import LRUCache, cached

from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.markup.anchor_index import AnchorIndex
from asdlc_kb.markup.footnotes import find_anchors
from asdlc_kb.markup.sections import list_anchors

MAX_CACHED_PAGES: Final = 1_000
"""Pages whose anchors are cached."""

MAX_READ_CHARS: Final = 2_000_000
"""Characters of the pages that are read for the anchors in one text; further anchors
stay as they are written."""

_NAMED = re.compile(
    r"<[A-Za-z][^<>]{0,500}?\s(?:id|name)\s*=\s*[\"']([^\"'\s<>]{1,200})[\"']"
)


@cached(LRUCache(MAX_CACHED_PAGES), lambda page: (page.path, page.body), lock=Lock())
def read_anchors(page: DocPage) -> AnchorIndex:
    """Return the anchors of a page; takes about 1 ms the first time."""
    text = page.html_text
    notes = {form: anchor for form, (anchor, _) in find_anchors(text).items()}
    return AnchorIndex((*list_anchors(text), *_NAMED.findall(text)), notes)


class AnchorFinder:
    """Finds the anchors that the links of one text mean."""

    def __init__(self) -> None:
        self._read: set[str] = set()
        self._left = MAX_READ_CHARS

    def find(self, page: DocPage, written: str) -> str:
        """Return the anchor on a page that a link means, or as written without one."""
        anchor = read_fragment(written)
        if not anchor or not self._may_read(page):
            return anchor
        return read_anchors(page).find(anchor) or anchor

    def _may_read(self, page: DocPage) -> bool:
        """Whether the pages read so far leave room for a page, cached or not."""
        if page.path not in self._read:
            self._read.add(page.path)
            self._left -= len(page.body)
        return self._left >= 0


def read_fragment(written: str) -> str:
    """Return the anchor in the fragment of an address, without a text directive."""
    return unquote(written).partition(":~:")[0]
