"""HTML of Markdown, made once for each version of a text however many ask for it.

What is known to be cheap is rendered in the thread that asks; everything else in a
process that is killed where it takes too much. Until that has answered, a text is shown
as code; one that exceeds the limits stays so.
"""

from collections import OrderedDict
from concurrent.futures import Future
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

from asdlc_kb.exceptions import RendererUnavailable

if TYPE_CHECKING:
    from asdlc_kb.markup.html_renderer import Html, ResolveLink
    from asdlc_kb.markup.outline import Heading
    from asdlc_kb.markup.render_process import RenderOutcome, RenderProcess

MAX_KEPT_CHARACTERS: Final = 32 * 1024 * 1024
"""Characters of texts and of their HTML that are kept."""

MAX_LISTED_HEADINGS: Final = 500
"""Headings of a table of contents."""

CacheEntryKey = tuple[str, str]
"""A key and a text."""


class RenderedText(NamedTuple):
    """What is shown of a text."""

    html: "Html"
    awaited: "Future[Html | None] | None" = None
    """Done when the text can be rendered; until then it is shown as code."""


class HtmlCache:
    """Renders, and remembers by what the text is and where its links lead.

    Any thread may ask.
    """

    def __init__(
        self, most: int = MAX_KEPT_CHARACTERS, *, is_patient: bool = False
    ) -> None:
        """Keep so many characters; whoever `is_patient` waits for each text."""
        self._most = most
        self._is_patient = is_patient
        self._kept: OrderedDict[CacheEntryKey, Html] = OrderedDict()
        self.size = 0
        """Characters that are kept: of texts and of their HTML."""
        self._under_way: dict[CacheEntryKey, Future[Html | None]] = {}
        self._renderer: RenderProcess | None = None
        self._lock = Lock()

    def render(
        self, key: str, text: str, follow: "ResolveLink", *, has_anchors: bool = True
    ) -> RenderedText:
        """Return a text as HTML; `key` stands for everything else that is given.

        A patient one raises RendererUnavailable where the process cannot run.
        """
        # Its import would be a tenth of a start that nobody opens a page of.
        from asdlc_kb.markup.html_renderer import render_plain

        place = key, text
        with self._lock:
            if (html := self._kept.get(place)) is not None:
                self._kept.move_to_end(place)
                return RenderedText(html)
            work = self._under_way.get(place)
            is_first = work is None
            if work is None:
                work = self._under_way[place] = Future()
                # Whoever waits for it cannot cancel it for the others.
                work.set_running_or_notify_cancel()
        if is_first:
            self._start(place, work, follow, has_anchors=has_anchors)
        found = work.result() if self._is_patient or work.done() else None
        if found is not None:
            return RenderedText(found)
        if self._is_patient:
            raise RendererUnavailable("a text could not be rendered: the log says why")
        return RenderedText(render_plain(text), work)

    def _start(
        self,
        place: CacheEntryKey,
        work: "Future[Html | None]",
        follow: "ResolveLink",
        *,
        has_anchors: bool,
    ) -> None:
        """Render here and now if that is cheap, or else have it done."""
        from asdlc_kb.markup.html_renderer import render_cheap

        html = None
        try:
            html = render_cheap(place[1], follow, has_anchors=has_anchors)
        except BaseException:
            self._finish(place, work, None)
            raise
        if html is not None:
            self._finish(place, work, html)
            return
        outcome = self._open_renderer().submit(place[1], has_anchors=has_anchors)
        outcome.add_done_callback(
            lambda done: self._complete(place, work, done, follow)
        )

    def _complete(
        self,
        place: CacheEntryKey,
        work: "Future[Html | None]",
        done: "Future[RenderOutcome]",
        follow: "ResolveLink",
    ) -> None:
        """Take over what the process answered."""
        html = None
        try:
            html = _link(done, place[1], follow)
        finally:
            self._finish(place, work, html)

    def _open_renderer(self) -> "RenderProcess":
        from asdlc_kb.markup.render_process import RenderProcess

        with self._lock:
            if self._renderer is None:
                self._renderer = RenderProcess()
            return self._renderer

    def _finish(
        self, place: CacheEntryKey, work: "Future[Html | None]", html: "Html | None"
    ) -> None:
        """Remember what became of a text; None if it is to be tried again."""
        with self._lock:
            del self._under_way[place]
            if html is not None:
                self._kept[place] = html
                self.size += _measure(place, html)
            while self.size > self._most:
                dropped, shown = self._kept.popitem(last=False)
                self.size -= _measure(dropped, shown)
        work.set_result(html)


def list_headings(html: "Html") -> "list[Heading]":
    """Return the headings for a table of contents: those that links can lead to."""
    from asdlc_kb.markup.html_renderer import is_anchor

    listed = (
        heading
        for heading in html.headings
        if heading.level in (2, 3) and is_anchor(heading.anchor)
    )
    return list(islice(listed, MAX_LISTED_HEADINGS))


def _link(
    done: "Future[RenderOutcome]", text: str, follow: "ResolveLink"
) -> "Html | None":
    """Return a text whose rendering ended; None if it was not tried."""
    from asdlc_kb.markup.html_renderer import render_plain

    try:
        outcome = done.result()
    except RendererUnavailable:
        return None
    return render_plain(text) if outcome is None else outcome.link(follow)


def _measure(place: CacheEntryKey, html: "Html") -> int:
    return len(place[1]) + len(html.text)
