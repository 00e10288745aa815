"""HTML of Markdown, made once for each version of a text."""

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from asdlc_kb.markup.html import Follow, Html
    from asdlc_kb.markup.outline import Heading

MOST_BYTES: Final = 32 * 1024 * 1024
"""Characters of HTML that are kept."""


class Rendering:
    """Renders, and remembers by what the text is and where its links lead.

    Any thread may ask; a text that two ask for at once is rendered twice.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[str, str], Html] = OrderedDict()
        self.size = 0
        """Characters that are kept: of texts and of their HTML."""
        self._lock = Lock()

    def render(
        self, key: str, text: str, follow: "Follow", *, has_anchors: bool = True
    ) -> "Html":
        """Return a text as HTML; `key` stands for everything else that is given."""
        place = key, text
        with self._lock:
            if (html := self._kept.get(place)) is not None:
                self._kept.move_to_end(place)
                return html
        # Its import would be a tenth of a start that nobody opens a page of.
        from asdlc_kb.markup.html import render

        html = render(text, follow, has_anchors=has_anchors)
        with self._lock:
            if place not in self._kept:
                self._kept[place] = html
                self.size += _measure(place, html)
            while self.size > self._most:
                dropped, shown = self._kept.popitem(last=False)
                self.size -= _measure(dropped, shown)
        return html


def list_headings(html: "Html") -> "list[Heading]":
    """Return the headings for a table of contents: those that can be led to."""
    from asdlc_kb.markup.html import is_anchor

    return [
        heading
        for heading in html.headings
        if heading.level in (2, 3) and is_anchor(heading.anchor)
    ]


def _measure(place: tuple[str, str], html: "Html") -> int:
    return len(place[1]) + len(html.text)
