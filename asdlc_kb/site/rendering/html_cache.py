"""Cache of rendered Markdown: each version of a text is rendered once (D-150).

Cached are texts with placeholders for their links, which are resolved whenever a text
is shown: the target of a link may appear, move or disappear while the text stays.

Texts known to be cheap are rendered in the calling thread; all others in a process that
is killed if it exceeds its limits. Until that has answered, and if it was killed, a
text is shown as code.
"""

import re
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from itertools import islice
from operator import itemgetter
from threading import Lock
from typing import Final, NamedTuple

from cachetools import LRUCache

from asdlc_kb.exceptions import RendererUnavailable
from asdlc_kb.markup.anchors import is_anchor
from asdlc_kb.markup.diagrams import THEMES
from asdlc_kb.markup.html_renderer import Html, ResolveLink
from asdlc_kb.markup.outline import Heading
from asdlc_kb.markup.pictures import ResolvePicture, no_picture
from asdlc_kb.markup.render_process import (
    Rendered,
    RenderOutcome,
    RenderProcess,
    render_as_code,
    render_now,
)
from asdlc_kb.site import urls

MAX_CACHED_CHARACTERS: Final = 32 * 1024 * 1024
"""Characters of cached texts and their HTML."""

MAX_FITTED_PIXELS: Final = 1_400
"""Width up to which a diagram is fitted to the page; a wider one is scrolled."""

MAX_DRAW_SECONDS: Final = 10.0
"""Seconds that a request for a diagram waits for it and the texts before it."""

MAX_LISTED_HEADINGS: Final = 500
"""Headings of a table of contents."""

CacheEntryKey = tuple[bool, str]
"""Whether headings have anchors, and the text."""


class RenderedText(NamedTuple):
    """The HTML shown for a text."""

    html: Html
    awaited: Future[Rendered | None] | None = None
    """Done when the text was rendered; until then it is shown as code."""


class DrawnDiagram(NamedTuple):
    """A diagram as SVG."""

    svg: str | None
    """None if it cannot be drawn, or was not."""
    awaited: Future[RenderOutcome] | None = None
    """Set if it was not attempted, and may be drawn another time."""


class HtmlCache:
    """Renders texts and caches them. Thread-safe."""

    def __init__(
        self,
        max_chars: int = MAX_CACHED_CHARACTERS,
        *,
        is_blocking: bool = False,
        prefix: str = "",
    ) -> None:
        """Cache up to `max_chars`; if `is_blocking`, wait for each text.

        `prefix` is before the addresses of diagrams.
        """
        self._prefix = prefix
        self._is_patient = is_blocking
        self._cached: LRUCache[CacheEntryKey, tuple[Rendered, int]] = LRUCache(
            max_chars, itemgetter(1)
        )
        """Renderings, and the characters of their HTML and text."""
        self._pending: dict[CacheEntryKey, Future[Rendered | None]] = {}
        self._renderer: RenderProcess | None = None
        self._lock = Lock()

    @property
    def size(self) -> int:
        """Characters of cached texts and their HTML."""
        return int(self._cached.currsize)

    def render(
        self,
        text: str,
        resolve: ResolveLink,
        resolve_picture: ResolvePicture = no_picture,
        *,
        has_anchors: bool = True,
    ) -> RenderedText:
        """Return a text as HTML with its links and pictures resolved.

        If `is_blocking`, raises RendererUnavailable when the process cannot run.
        """
        cache_key = has_anchors, text
        with self._lock:
            if (cached := self._cached.get(cache_key)) is not None:
                return RenderedText(self._link(cached[0], resolve, resolve_picture))
            work = self._pending.get(cache_key)
            is_first = work is None
            if work is None:
                work = self._pending[cache_key] = Future()
                # One waiting caller cannot cancel it for the others.
                work.set_running_or_notify_cancel()
        if is_first:
            self._start(cache_key, work)
        result = work.result() if self._is_patient or work.done() else None
        if result is not None:
            return RenderedText(self._link(result, resolve, resolve_picture))
        if self._is_patient:
            raise RendererUnavailable("a text could not be rendered: see the log")
        return RenderedText(render_as_code(text).html, work)

    def draw(self, source: str, theme: str) -> DrawnDiagram:
        """Return a diagram as SVG; blocks, unless `is_blocking` for a limited time."""
        outcome = self._open_renderer().submit(source, diagram_theme=theme)
        try:
            drawn = outcome.result(None if self._is_patient else MAX_DRAW_SECONDS)
        except (RendererUnavailable, TimeoutError):
            outcome.cancel()
            return DrawnDiagram(None, outcome)
        return DrawnDiagram(None if drawn is None else drawn.html.text)

    def _link(
        self, rendered: Rendered, resolve: ResolveLink, resolve_picture: ResolvePicture
    ) -> Html:
        """Return the HTML of a rendering with links, pictures and diagrams."""
        html = rendered.link(resolve, resolve_picture)
        return replace(html, text=write_diagrams(html.text, self._prefix))

    def _start(self, cache_key: CacheEntryKey, work: Future[Rendered | None]) -> None:
        """Render now if that is cheap, or else submit it to the process."""
        has_anchors, text = cache_key
        try:
            rendered = render_now(text, has_anchors=has_anchors)
        except BaseException:
            self._finish(cache_key, work, None)
            raise
        if rendered is not None:
            self._finish(cache_key, work, rendered)
            return
        outcome = self._open_renderer().submit(text, has_anchors=has_anchors)
        outcome.add_done_callback(lambda done: self._complete(cache_key, work, done))

    def _complete(
        self,
        cache_key: CacheEntryKey,
        work: Future[Rendered | None],
        done: Future[RenderOutcome],
    ) -> None:
        """Store the result of the process."""
        rendered = None
        try:
            rendered = done.result() or render_as_code(cache_key[1])
        except RendererUnavailable:
            # The text was not attempted; the process has logged why.
            rendered = None
        finally:
            self._finish(cache_key, work, rendered)

    def _open_renderer(self) -> RenderProcess:
        with self._lock:
            if self._renderer is None:
                self._renderer = RenderProcess()
            return self._renderer

    def _finish(
        self,
        cache_key: CacheEntryKey,
        work: Future[Rendered | None],
        rendered: Rendered | None,
    ) -> None:
        """Store the result of a text; None if it is to be retried."""
        with self._lock:
            del self._pending[cache_key]
            size = len(cache_key[1]) + len(rendered.html.text) if rendered else 0
            if rendered is not None and size <= self._cached.maxsize:
                self._cached[cache_key] = rendered, size
        work.set_result(rendered)


def write_diagrams(html: str, prefix: str) -> str:
    """Return HTML with its diagrams as pictures, one for each theme."""
    if "data-diagram" not in html:
        return html
    return _DIAGRAM.sub(partial(_write_diagram, prefix), html)


def _write_diagram(prefix: str, match: re.Match[str]) -> str:
    """Return the pictures of a diagram, each a link to itself in full size.

    Browsers load only the one that is shown.
    """
    name, width, height = match.groups()
    wide = " wide" if int(width) > MAX_FITTED_PIXELS else ""
    shown = ""
    for theme in THEMES:
        path = f"{prefix}{urls.of_diagram(name, theme)}"
        size = f'width="{width}" height="{height}" loading="lazy"'
        picture = f'<img src="{path}" alt="Diagram" {size}>'
        shown += f'<a class="only-{theme}{wide}" href="{path}">{picture}</a>'
    return shown


_DIAGRAM: Final = re.compile(
    r'<span data-diagram="([0-9a-f]{24})-(\d{1,5})-(\d{1,5})"></span>'
)
"""The place of a diagram."""


def list_headings(html: Html) -> list[Heading]:
    """Return the headings for a table of contents: those with a linkable anchor."""
    listed = (
        heading
        for heading in html.headings
        if heading.level in (2, 3) and is_anchor(heading.anchor)
    )
    return list(islice(listed, MAX_LISTED_HEADINGS))
