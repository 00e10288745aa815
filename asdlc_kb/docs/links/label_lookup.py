"""Lookup of places by the labels that pages of MyST give them.

Labels of visible pages only: a label of a hidden page does not exist (D-309).
"""

from collections.abc import Iterable
from typing import Final
from urllib.parse import quote, unquote

from asdlc_kb.docs.links.link_resolution import LinkRules, PageTarget, resolve_file
from asdlc_kb.docs.links.path_lookup import PathLookup
from asdlc_kb.docs.pages.page import DocPage

_SAFE: Final = "/:"
"""Signs of a label that are not percent-encoded in an address."""


class LabelLookup:
    """The labels of a tree's visible pages. Immutable."""

    def __init__(
        self, pages: Iterable[DocPage], lookup: PathLookup, rules: LinkRules
    ) -> None:
        self._paths: dict[str, str | None] = {}
        """Paths by label; None where several pages have a label."""
        for page in pages:
            for label in page.labels:
                known = self._paths.setdefault(label, page.path)
                self._paths[label] = page.path if known == page.path else None
        self._lookup = lookup
        self._rules = rules

    def find(self, href: str, page: DocPage) -> PageTarget | None:
        """Return the place that a link in a page names by a label, or None.

        A path of a page wins; behind `#`, so do the anchors of the page itself. A label
        that several pages have names no place.
        """
        name = unquote(href.removeprefix("#")).lower()
        path = self._paths.get(name)
        if path is None:
            return None
        if href.startswith("#"):
            # Imported with the first link to a label: it loads the grammar.
            from asdlc_kb.docs.pages.page_anchors import read_anchors

            if path == page.path or read_anchors(page).find(name) == name:
                return None
        else:
            written = resolve_file(href, page.path, self._rules)
            if any(map(self._lookup.find_exact, written)):
                return None
        return PageTarget(path, quote(name, safe=_SAFE))
