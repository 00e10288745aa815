"""A browser user: opened pages, and errors that must not occur meanwhile."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    Route,
    ViewportSize,
)
from support.canary import Scanner

PAGES: Final = {
    "home": "/",
    "category": "/practices/",
    "article": "/concepts/sampler",
    "short article": "/patterns/fence",
    "hostile article": "/concepts/hostile",
    "tags": "/tags/",
    "tag": "/tags/looks",
    "map": "/map",
    "connect": "/connect",
    "docs": "/docs/",
    "docs page": "/docs/guide/first-steps",
    "docs page with all constructs": "/docs/guide/constructs",
    "pictures": "/docs/pictures",
    "search": "/search",
    "results": "/search?q=habit",
    "no results": "/search?q=xylophone",
}
"""One address of each kind of page."""

MISSING: Final = "/concepts/samplr"
"""An address without a page; one title is similar."""

WIDE: Final[ViewportSize] = {"width": 1280, "height": 800}
TABLET: Final[ViewportSize] = {"width": 768, "height": 900}
PHONE: Final[ViewportSize] = {"width": 320, "height": 640}
BROAD_PHONE: Final[ViewportSize] = {"width": 390, "height": 800}


STILL: Final = """
{
  const later = window.setTimeout;
  window.setTimeout = (what, wait, ...given) =>
    wait >= 1000 ? 0 : later(what, wait, ...given);
}
"""
"""Keeps short-lived messages visible, for a busy machine."""


@dataclass
class Reader:
    """Opens pages of one site in a browser context of its own."""

    site: str
    context: BrowserContext
    scanner: Scanner
    complaints: list[str] = field(default_factory=list)
    """Errors and warnings of pages, and requests to other origins."""

    def open(self, path: str = "/") -> Page:
        """Return a new page at an address of the site."""
        page = self.context.new_page()
        page.goto(f"{self.site}{path}")
        self.scanner.scan(page.content().encode(), path)
        return page

    def guard(self) -> None:
        """Keep short-lived messages, block requests to other origins, record errors."""
        self.context.add_init_script(STILL)
        self.context.route("**/*", self._admit)
        self.context.on("console", self._on_console)
        self.context.on("requestfailed", self._miss)
        self.context.on(
            "weberror", lambda error: self.complaints.append(f"thrown: {error.error}")
        )

    def excuse(self, pattern: str) -> None:
        """Drop the complaints of a kind; fail if there is none."""
        kept = [text for text in self.complaints if not re.search(pattern, text)]
        assert kept != self.complaints, f"{pattern!r} is not in {self.complaints}"
        self.complaints[:] = kept

    def _admit(self, route: Route) -> None:
        if route.request.url.startswith(f"{self.site}/"):
            route.continue_()
        else:
            self.complaints.append(f"off the origin: {route.request.url}")
            route.abort()

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text}")

    def _miss(self, request: Request) -> None:
        # Leaving a page cancels its unfinished requests.
        if request.failure != "net::ERR_ABORTED":
            self.complaints.append(f"failed: {request.url}: {request.failure}")


@contextmanager
def reading(
    browser: Browser, site: str, scanner: Scanner, **options: Any
) -> Iterator[Reader]:
    """Open a context; at its end there must be no complaints."""
    options.setdefault("viewport", WIDE)
    context = browser.new_context(**options)
    try:
        reader = Reader(site, context, scanner)
        reader.guard()
        yield reader
    finally:
        context.close()
    assert not reader.complaints, reader.complaints


def measure_overflow(page: Page) -> int:
    """Return by how many pixels a page is wider than its window."""
    # The width of the layout, not of the window: a phone zooms out of a wide page.
    return int(
        page.evaluate(
            "() => document.documentElement.scrollWidth"
            " - document.documentElement.clientWidth"
        )
    )


def stop_timers(page: Page) -> None:
    """Keep messages that would disappear after a moment."""
    page.clock.install()
    page.clock.pause_at(datetime.now() + timedelta(days=1))
