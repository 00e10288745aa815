"""Limit on the nesting depth of raw HTML.

HTML parsers search the open elements at many tags, so a text of opening tags only takes
quadratic time. Browsers limit the depth, too.
"""

import re
from collections import Counter
from typing import Final

MAX_OPEN: Final = 100
"""Tags open at once; further opening tags are escaped."""

_TAG: Final = re.compile(r"<!--|-->|<(/?)([A-Za-z][^\s/<>]*)")
_EMPTY: Final = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()
)
"""Void elements."""
_REPLACED: Final = frozenset(
    "a caption colgroup dd dt li nobr optgroup option p rp rt tbody td tfoot th thead "
    "tr".split()
)
"""Elements closed by the next of their kind, except in SVG and MathML."""
_FOREIGN: Final = frozenset({"math", "svg"})


class OpenTags:
    """Counts the open tags of one text, fragment by fragment."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()
        self._is_comment = False
        self._is_foreign = False

    def bound(self, html: str) -> str:
        """Return the next raw HTML of the text, with tags beyond the limit escaped."""
        return _TAG.sub(self._read, html)

    def _read(self, match: re.Match[str]) -> str:
        if match[2] is None:
            self._is_comment = match[0] == "<!--"
            return match[0]
        name = match[2].lower()
        if self._is_comment or name in _EMPTY:
            return match[0]
        if name in _REPLACED and not self._is_foreign:
            return match[0]
        if match[1]:
            self._open[name] -= self._open[name] > 0
            return match[0]
        if self._open.total() >= MAX_OPEN:
            return "&lt;" + match[0][1:]
        self._open[name] += 1
        self._is_foreign = self._is_foreign or name in _FOREIGN
        return match[0]
