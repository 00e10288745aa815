"""Lookup of pages by names as models write them, and suggestion of near names.

Accepted: what `DocCatalog.get_or_none` accepts, the resource URI, the address of the
page on the website, and the title in any case.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final

from asdlc_kb.docs.page import DocPage
from asdlc_kb.unicode.near_names import NearNames
from asdlc_kb.unicode.written_paths import fold_title, read_paths

URI_PREFIX: Final = "kb://doc/"
"""Prefix of a page's resource URI; its path follows."""

_SITE: Final = "/docs/"
"""The part of an address on the website above a page's path."""

_MARKDOWN = re.compile(r"\.md\Z", re.IGNORECASE)
"""The suffix of an address of Markdown, whatever that of the file is."""


def list_page_names(written: str) -> Iterator[str]:
    """Yield the page names that a name can stand for, the name first."""
    yield written
    for path in read_paths(written, URI_PREFIX):
        below = f"/{path.lstrip('/')}".partition(_SITE)[2]
        for name in (path, path.rstrip("/"), below, below.rstrip("/")):
            yield from (each for each in (name, _MARKDOWN.sub("", name)) if each)


class PageNames:
    """The titles and near names of a catalog's pages, built on first use."""

    def __init__(self, pages: Iterable[DocPage]) -> None:
        self._pages = tuple(pages)

    def find(self, written: str) -> tuple[DocPage, ...]:
        """Return the pages with a title, in any case."""
        return self._by_title.get(fold_title(written), ())

    def find_near(self, written: str) -> tuple[str, ...]:
        """Return the paths most similar to a name that was not found; blocks."""
        *_, name = list_page_names(written)
        return self._near.find(name)

    @cached_property
    def _by_title(self) -> dict[str, tuple[DocPage, ...]]:
        by_title: dict[str, tuple[DocPage, ...]] = {}
        for page in self._pages:
            if title := fold_title(page.title):
                by_title[title] = (*by_title.get(title, ()), page)
        return by_title

    @cached_property
    def _near(self) -> NearNames:
        return NearNames(
            (spelling, page.path)
            for page in self._pages
            for spelling in (
                page.path,
                page.path.rpartition(".")[0],
                page.path.rpartition("/")[2].rpartition(".")[0],
                page.title,
            )
        )
