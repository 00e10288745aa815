"""The website: every page, publication and asset, as `site` makes them."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from tornado.iostream import StreamClosedError
from tornado.web import HTTPError

from asdlc_kb.mcp.protocol.inbound import MAX_QUERY_CHARS
from asdlc_kb.site import urls
from asdlc_kb.site.layout import assets
from asdlc_kb.site.representation import HTML, MARKDOWN, Moved, Representation
from asdlc_kb.web.admission.rate_limit import RateLimitExceeded
from asdlc_kb.web.handler import NotFound
from asdlc_kb.web.request_metrics import count_search
from asdlc_kb.web.site.content_negotiation import prefers_markdown
from asdlc_kb.web.site.live_reload import LiveHandler

if TYPE_CHECKING:
    from asdlc_kb.site.page_cache import PageCache
    from asdlc_kb.site.pages.search_page import PageResults

POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Nothing runs or is fetched but what this server itself has."""

MAX_RESULTS: Final = 50
"""Results of one source, on one page of a search."""
MAX_INSTANT_RESULTS: Final = 8
"""Results of one source, while somebody types."""

_PART: Final = 64 * 1024
"""Bytes that are written at once."""

_LASTING: Final = "max-age=31536000, immutable"
_CHECKED: Final = "no-cache"
"""May be kept, but is asked for again: an answer of 304 costs little."""

_RENDERING_SECONDS: Final = 2
"""A browser asks again after so long for a page whose text is still being rendered."""

_TOO_OFTEN: Final = (
    "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n"
    "<title>Too many requests</title>\n"
    "<p>Too many requests came from your address. Try again in %d seconds.\n"
)


class PageHandler(NotFound):
    """Sends the page at an address; its text may be had as Markdown too."""

    route = "page"

    def meter(self) -> RateLimitExceeded | None:
        """Count a page, but not what it is made up with; a miss is a page too."""
        return None if self.is_for_asset() else super().meter()

    def is_for_asset(self) -> bool:
        """Whether a style sheet, script or picture is read that is there."""
        if self.door.site is None or self.verb not in ("GET", "HEAD"):
            return False
        return assets.find(urls.normalize(self.request.path)) is not None

    def refuse_excess(self, excess: RateLimitExceeded) -> None:
        """Answer a person in a sentence, a program in JSON."""
        if "text/html" not in self.request.headers.get("Accept", ""):
            super().refuse_excess(excess)
            return
        self.set_excess(excess)
        self.set_header("Content-Type", HTML)
        self.finish(_TOO_OFTEN % excess.seconds)

    async def get(self) -> None:
        """Send the page, or say that it is the one the reader has."""
        site = await self.open_site()
        path = urls.normalize(self.request.path)
        found = await site.find(path)
        if isinstance(found, Representation) and found.type == HTML and found.alternate:
            self.add_header("Vary", "Accept")
            if prefers_markdown(self.request.headers.get("Accept", "")):
                found = await site.find(found.alternate)
        if found is None:
            await self.miss(path)
        elif isinstance(found, Moved):
            self.move(site.link(found.path))
        else:
            if found.type == HTML and found.awaited is not None:
                self.set_header("Refresh", str(_RENDERING_SECONDS))
            if found.type in (HTML, MARKDOWN):
                self.set_header("X-Llms-Txt", site.link(urls.INDEX))
            if found.type == MARKDOWN:
                self.set_header("Content-Location", site.link(found.path))
                self.set_header("X-Markdown-Tokens", str(found.tokens))
            self.send(found)

    head = get

    async def open_site(self) -> "PageCache":
        """Return the website, or 404 where there is none."""
        if self.door.site is None:
            raise HTTPError(404)
        return await self.door.site.get()

    async def miss(self, path: str) -> None:
        """Say that nothing is there: as a page to a person, in a word to a program."""
        if "text/html" in self.request.headers.get("Accept", ""):
            page = await (await self.open_site()).miss(path)
            self.add_header("Vary", "Accept")
            self.send(page)
        else:
            self.add_header("Vary", "Accept")
            self.refuse(404, "Not Found")

    def move(self, where: str) -> None:
        """Say where it is instead."""
        self.set_status(301)
        self.set_header("Location", where)
        self.set_cache(_CHECKED)
        self.finish()

    def set_cache(self, directives: str) -> None:
        """Say how long an answer may be kept, and by whom."""
        if self.door.bearer is not None:
            directives = f"private, {directives}"
        elif directives == _LASTING:
            directives = f"public, {directives}"
        self.set_header("Cache-Control", directives)

    def send(self, page: Representation) -> None:
        """Send a page, or 304 if the reader has these bytes."""
        self.set_status(page.status)
        self.set_header("Content-Type", page.type)
        self.set_header("Content-Security-Policy", POLICY)
        self.set_cache(_LASTING if page.is_lasting else _CHECKED)
        if page.is_open:
            self.set_header("Access-Control-Allow-Origin", "*")
        if page.links:
            self.set_header("Link", ", ".join(page.links))
        if page.status == 200:
            self.set_header("ETag", page.etag)
            if self.check_etag_header():
                self.set_status(304)
                self.finish()
                return
        self.finish(page.body)


class SearchHandler(PageHandler):
    """Answers a search as a page; works without scripts."""

    route = "search"

    def meter(self) -> RateLimitExceeded | None:
        """Count a search as one over MCP."""
        return self.door.limits.take_call(self.address)

    async def get(self) -> None:
        """Send what was found."""
        try:
            query = self.get_query_argument("q", "")
        except HTTPError:
            # Tornado would say what it was.
            raise HTTPError(400) from None
        site = await self.open_site()
        answer = await self.find(site, query)
        if query.strip():
            self.log_fields["found"] = answer.total
            count_search(self.route, answer.total)
            if self.door.logs_queries:
                self.log_fields["query"] = query[:MAX_QUERY_CHARS]
        self.set_header("X-Robots-Tag", "noindex")
        self.send(await asyncio.to_thread(self.show, site, answer))

    head = get

    async def find(self, site: "PageCache", query: str) -> "PageResults":
        """Return the page of results that is asked for; the first, if it is none."""
        number = self.request.arguments.get("page", [b""])[-1]
        page = int(number) if number.isdigit() and len(number) < 10 else 1
        return await site.search_page(query, page, MAX_RESULTS)

    def show(self, site: "PageCache", answer: "PageResults") -> Representation:
        """Return what was found as a page."""
        return site.show_results(answer)


class ResultsHandler(SearchHandler):
    """Answers a search as JSON, for the script of the pages."""

    route = "results"

    async def find(self, site: "PageCache", query: str) -> "PageResults":
        """Return the best results."""
        return await site.search(query, MAX_INSTANT_RESULTS)

    def show(self, site: "PageCache", answer: "PageResults") -> Representation:
        """Return what was found as JSON."""
        return site.tell_results(answer)


class EverythingHandler(PageHandler):
    """Streams llms-full.txt, a page at a time."""

    route = "everything"

    async def get(self) -> None:
        """Send every page's text."""
        full = await (await self.open_site()).write_full()
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.set_cache(_CHECKED)
        self.set_header("ETag", full.etag)
        if self.check_etag_header():
            self.set_status(304)
        else:
            self.set_header("Content-Length", str(full.size))
            if self.request.method != "HEAD":
                await self.stream(full.pieces)
        self.finish()

    async def stream(self, pieces: Iterator[bytes]) -> None:
        """Send pieces as fast as they are taken; others get their turn in between."""
        with suppress(StreamClosedError):
            for part in _cut(pieces):
                self.write(part)
                await self.flush()
                await asyncio.sleep(0)

    head = get


def _cut(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the same bytes in parts."""
    for piece in pieces:
        for start in range(0, len(piece), _PART):
            yield piece[start : start + _PART]


PAGES: Final = (
    (urls.FULL, EverythingHandler, "everything"),
    (urls.SEARCH, SearchHandler, "search"),
    (urls.RESULTS, ResultsHandler, "results"),
    (urls.EVENTS, LiveHandler, "live"),
)
"""Addresses that are more than a page: path, handler, name."""
