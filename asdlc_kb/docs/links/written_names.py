"""Lookup of pages by names as models write them, and suggestion of near names.

Accepted: what `DocCatalog.get_or_none` accepts, the resource URI, the address of the
page on the website, and the title in any case.
"""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final
from urllib.parse import quote, unquote

from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.unicode.near_names import MAX_CANDIDATES, MAX_NEAR_NAMES, NearNames
from asdlc_kb.unicode.written_paths import (
    Titles,
    find_titled,
    index_titles,
    read_paths,
)

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
        # Not the pages, whose texts may be withdrawn: an edit leaves this as it is.
        by_path = {page.path: page for page in pages}
        self._paths = tuple(by_path)
        self._titles = tuple(page.title for page in by_path.values())
        self._secondary = {
            path: page.edition
            for path, page in by_path.items()
            if not page.edition.is_default
        }

    def find(self, written: str) -> tuple[str, ...]:
        """Return the paths of the pages with a title, in any case."""
        return find_titled(self._by_title, written)

    def find_near(self, written: str) -> tuple[str, ...]:
        """Return the paths most similar to a name that was not found; blocks.

        They are of an edition whose version or language is a folder in the name, else
        of default editions, else of any: the same page of several is one page.
        """
        *_, name = list_page_names(written)
        default, others = self._near
        found = others.find(name, MAX_CANDIDATES)
        folders = frozenset(name.casefold().split("/")[:-1])
        named = tuple(path for path in found if self._is_named(path, folders))
        return (named or default.find(name) or found)[:MAX_NEAR_NAMES]

    def _is_named(self, path: str, folders: Container[str]) -> bool:
        edition = self._secondary[path]
        return any(
            name.casefold() in folders
            for name, is_default in (
                (edition.version, edition.is_default_version),
                (edition.language, edition.is_default_language),
            )
            if not is_default
        )

    @cached_property
    def _by_title(self) -> Titles:
        return index_titles(zip(self._titles, self._paths, strict=True))

    @cached_property
    def _near(self) -> tuple[NearNames, NearNames]:
        """The near names of the pages of default editions, and of the others."""
        pairs = list(zip(self._titles, self._paths, strict=True))
        default = (pair for pair in pairs if pair[1] not in self._secondary)
        others = (pair for pair in pairs if pair[1] in self._secondary)
        return (
            NearNames(default, _list_spellings),
            NearNames(others, _list_spellings),
        )


def _list_spellings(title: str, path: str) -> Sequence[str]:
    """Return a page's path, whole and without suffix, its file's name and its title."""
    bare = path.rpartition(".")[0]
    return path, bare, bare.rpartition("/")[2], title
