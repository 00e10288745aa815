"""Edits of texts: what distinguishes catalogs that share everything else (D-188)."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from operator import indexOf
from typing import Final

from asdlc_kb.docs.pages.page import DocPage

MAX_EDITED: Final = 1_000
"""Paths that are recorded; beyond them, catalogs are compared page by page once."""

_MAX_LOOKED_UP: Final = 8
"""Pages that are looked up one by one in a sequence of pages."""


@dataclass(frozen=True, slots=True)
class TextEdits:
    """The paths of the pages that were edited since a catalog was built as a whole."""

    paths: frozenset[str] = frozenset()
    origin: object = field(default_factory=object)
    """That catalog: the same object for all that share its pages otherwise."""

    def add(self, paths: Iterable[str]) -> "TextEdits":
        """Return these edits and further ones."""
        edited = self.paths.union(paths)
        is_known = len(edited) <= MAX_EDITED
        return TextEdits(edited, self.origin) if is_known else TextEdits()

    def compare(self, other: "TextEdits") -> Set[str] | None:
        """Return the paths of the only pages that may differ; None if any may."""
        return self.paths | other.paths if self.origin is other.origin else None


def replace_pages(
    pages: tuple[DocPage, ...], edited: Mapping[str, tuple[DocPage, DocPage]]
) -> tuple[DocPage, ...]:
    """Return pages with others in the place of some, given by path with these before.

    A few pages are looked up by identity, in a tenth of the time of a comparison of all
    paths.
    """
    if len(edited) > _MAX_LOOKED_UP:
        return tuple(
            edited[page.path][1] if page.path in edited else page for page in pages
        )
    replaced = list(pages)
    for before, after in edited.values():
        try:
            place = indexOf(map(id, pages), id(before))
        except ValueError:
            continue  # It is not among them.
        replaced[place] = after
    return tuple(replaced)
