"""Cache of rendered Markdown: each version of a text is rendered once.

Texts known to be cheap are rendered in the calling thread; all others in a process that
is killed if it exceeds its limits. Until that has answered, and if it was killed, a
text is shown as code.
"""

from concurrent.futures import Future
from itertools import islice
from operator import itemgetter
from threading import Lock
from typing import Final, NamedTuple

from cachetools import LRUCache

from asdlc_kb.exceptions import RendererUnavailable
from asdlc_kb.markup.html_renderer import (
    Html,
    ResolveLink,
    is_anchor,
    render_cheap,
    render_plain,
)
from asdlc_kb.markup.outline import Heading
from asdlc_kb.markup.render_process import RenderOutcome, RenderProcess

MAX_CACHED_CHARACTERS: Final = 32 * 1024 * 1024
"""Characters of cached texts and their HTML."""

MAX_LISTED_HEADINGS: Final = 500
"""Headings of a table of contents."""

CacheEntryKey = tuple[str, str]
"""Key and text."""


class RenderedText(NamedTuple):
    """The HTML shown for a text."""

    html: Html
    awaited: Future[Html | None] | None = None
    """Done when the text was rendered; until then it is shown as code."""


class HtmlCache:
    """Renders texts; caches HTML by text and by the context of its links.

    Thread-safe.
    """

    def __init__(
        self, max_chars: int = MAX_CACHED_CHARACTERS, *, is_blocking: bool = False
    ) -> None:
        """Cache up to `max_chars`; if `is_blocking`, wait for each text."""
        self._is_patient = is_blocking
        self._cached: LRUCache[CacheEntryKey, tuple[Html, int]] = LRUCache(
            max_chars, itemgetter(1)
        )
        """HTML, and the characters of it and its text."""
        self._pending: dict[CacheEntryKey, Future[Html | None]] = {}
        self._renderer: RenderProcess | None = None
        self._lock = Lock()

    @property
    def size(self) -> int:
        """Characters of cached texts and their HTML."""
        return int(self._cached.currsize)

    def render(
        self, key: str, text: str, resolve: ResolveLink, *, has_anchors: bool = True
    ) -> RenderedText:
        """Return a text as HTML; `key` identifies the other arguments.

        If `is_blocking`, raises RendererUnavailable when the process cannot run.
        """
        cache_key = key, text
        with self._lock:
            if (cached := self._cached.get(cache_key)) is not None:
                return RenderedText(cached[0])
            work = self._pending.get(cache_key)
            is_first = work is None
            if work is None:
                work = self._pending[cache_key] = Future()
                # One waiting caller cannot cancel it for the others.
                work.set_running_or_notify_cancel()
        if is_first:
            self._start(cache_key, work, resolve, has_anchors=has_anchors)
        result = work.result() if self._is_patient or work.done() else None
        if result is not None:
            return RenderedText(result)
        if self._is_patient:
            raise RendererUnavailable("a text could not be rendered: see the log")
        return RenderedText(render_plain(text), work)

    def _start(
        self,
        cache_key: CacheEntryKey,
        work: Future[Html | None],
        resolve: ResolveLink,
        *,
        has_anchors: bool,
    ) -> None:
        """Render now if that is cheap, or else submit it to the process."""
        html = None
        try:
            html = render_cheap(cache_key[1], resolve, has_anchors=has_anchors)
        except BaseException:
            self._finish(cache_key, work, None)
            raise
        if html is not None:
            self._finish(cache_key, work, html)
            return
        outcome = self._open_renderer().submit(cache_key[1], has_anchors=has_anchors)
        outcome.add_done_callback(
            lambda done: self._complete(cache_key, work, done, resolve)
        )

    def _complete(
        self,
        cache_key: CacheEntryKey,
        work: Future[Html | None],
        done: Future[RenderOutcome],
        resolve: ResolveLink,
    ) -> None:
        """Store the result of the process."""
        html = None
        try:
            html = _link(done, cache_key[1], resolve)
        finally:
            self._finish(cache_key, work, html)

    def _open_renderer(self) -> RenderProcess:
        with self._lock:
            if self._renderer is None:
                self._renderer = RenderProcess()
            return self._renderer

    def _finish(
        self, cache_key: CacheEntryKey, work: Future[Html | None], html: Html | None
    ) -> None:
        """Store the result of a text; None if it is to be retried."""
        with self._lock:
            del self._pending[cache_key]
            size = len(cache_key[1]) + len(html.text) if html is not None else 0
            if html is not None and size <= self._cached.maxsize:
                self._cached[cache_key] = html, size
        work.set_result(html)


def list_headings(html: Html) -> list[Heading]:
    """Return the headings for a table of contents: those with a linkable anchor."""
    listed = (
        heading
        for heading in html.headings
        if heading.level in (2, 3) and is_anchor(heading.anchor)
    )
    return list(islice(listed, MAX_LISTED_HEADINGS))


def _link(done: Future[RenderOutcome], text: str, resolve: ResolveLink) -> Html | None:
    """Return the HTML of a finished rendering; None if it was not attempted."""
    try:
        outcome = done.result()
    except RendererUnavailable:
        return None
    return render_plain(text) if outcome is None else outcome.link(resolve)
