"""A bound on the tags of raw HTML that are open at once.

What reads HTML goes through the open elements at many tags, so a text of nothing but
opening tags costs the square of its length. Browsers bound the depth, too.
"""

import re
from collections import Counter
from typing import Final

MAX_OPEN: Final = 100
"""Tags open at once; the opening tags beyond them are shown as they are written."""

_TAG: Final = re.compile(r"<!--|-->|<(/?)([A-Za-z][^\s/<>]*)")
_EMPTY: Final = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()
)
"""Elements that have no content."""
_REPLACED: Final = frozenset(
    "a caption colgroup dd dt li nobr optgroup option p rp rt tbody td tfoot th thead "
    "tr".split()
)
"""Elements that end where the next of their kind begins, except in SVG and MathML."""
_FOREIGN: Final = frozenset({"math", "svg"})


class OpenTags:
    """Counts the open tags of one text, piece by piece."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()
        self._is_comment = False
        self._is_foreign = False

    def bound(self, html: str) -> str:
        """Return the next raw HTML of the text, without tags beyond the bound."""
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
