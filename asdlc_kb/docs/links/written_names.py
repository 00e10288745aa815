"""Lookup of pages by names as models write them, and suggestion of near names.

Accepted: what `DocCatalog.get_or_none` accepts, the resource URI, the address of the
page on the website, and the title in any case.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import Final
from urllib.parse import quote, unquote

from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.unicode.near_names import MAX_NEAR_NAMES, NearNames
from asdlc_kb.unicode.written_paths import fold_title, read_paths

URI_PREFIX: Final = "kb://doc/"
"""Prefix of a page's resource URI; its path follows."""

_SITE: Final = "/docs/"
"""The part of an address on the website above a page's path."""

_SCORE: Final = re.compile(r" \(score: [^()]{1,20}\)\Z")
_NUMBER: Final = re.compile(r"\A\d{1,4}\. ")
_LINE: Final = re.compile(r":\d{1,9}\Z")
"""What stands before and behind a path in a list of results."""

_MARKDOWN = re.compile(r"\.md\Z", re.IGNORECASE)
"""The suffix of an address of Markdown, whatever that of the file is."""


def page_uri(path: str) -> str:
    """Return the resource URI of a page."""
    return URI_PREFIX + quote(path, safe="/", errors="surrogatepass")


def list_page_names(written: str) -> Iterator[str]:
    """Yield the page names that a name can stand for, the name first."""
    yield written
    for path in read_paths(written, URI_PREFIX):
        below = f"/{path.lstrip('/')}".partition(_SITE)[2]
        for name in (path, path.rstrip("/"), below, below.rstrip("/")):
            yield from (each for each in (name, _MARKDOWN.sub("", name)) if each)
    if (path := _cut_surroundings(written)) not in (written, ""):
        yield path


def _cut_surroundings(written: str) -> str:
    """Return the path in a line that was copied from a list of results."""
    path = _NUMBER.sub("", _SCORE.sub("", written.strip())).strip("`\"'")
    return _LINE.sub("", path)


def list_spellings(name: str) -> Iterator[str]:
    """Yield a name as given, percent-decoded, and without an anchor."""
    yield name
    if "%" in name:
        yield unquote(name)
    if "#" in name:
        yield name.partition("#")[0]


class PageNames:
    """The titles and near names of a catalog's pages, built on first use."""

    def __init__(self, pages: Iterable[DocPage]) -> None:
        self._pages = [
            (page.path, page.title, page.edition.is_default) for page in pages
        ]

    def find(self, written: str) -> tuple[str, ...]:
        """Return the paths of the pages with a title, in any case."""
        return self._by_title.get(fold_title(written), ())

    def find_near(self, written: str) -> tuple[str, ...]:
        """Return the paths most similar to a name that was not found; blocks.

        Those of default editions come first.
        """
        *_, name = list_page_names(written)
        near = (path for index in self._near for path in index.find(name))
        return tuple(islice(near, MAX_NEAR_NAMES))

    @cached_property
    def _by_title(self) -> dict[str, tuple[str, ...]]:
        by_title: dict[str, tuple[str, ...]] = {}
        for path, written, _ in self._pages:
            if title := fold_title(written):
                by_title[title] = (*by_title.get(title, ()), path)
        return by_title

    @cached_property
    def _near(self) -> tuple[NearNames, NearNames]:
        """The near names of the pages of default editions, and of the others."""
        default = (page[:2] for page in self._pages if page[2])
        others = (page[:2] for page in self._pages if not page[2])
        return _index_names(default), _index_names(others)


def _index_names(pages: Iterable[tuple[str, str]]) -> NearNames:
    return NearNames(
        (spelling, path)
        for path, title in pages
        for spelling in (
            path,
            path.rpartition(".")[0],
            path.rpartition("/")[2].rpartition(".")[0],
            title,
        )
    )
