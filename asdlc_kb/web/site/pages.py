"""Handlers of the website: pages, publications and assets made by `site`."""

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from tornado.iostream import StreamClosedError
from tornado.web import HTTPError

from asdlc_kb.exceptions import AttachmentGone
from asdlc_kb.mcp.protocol.inbound import MAX_LOGGED_CHARS
from asdlc_kb.site import urls
from asdlc_kb.site.content_coding import compress
from asdlc_kb.site.layout import assets
from asdlc_kb.site.representation import (
    HTML,
    Moved,
    Representation,
    ServedFile,
)
from asdlc_kb.web.admission.rate_limit import RateLimitExceeded
from asdlc_kb.web.handler import NotFound
from asdlc_kb.web.handler_context import HandlerContext
from asdlc_kb.web.site.attachments import send_attachment
from asdlc_kb.web.site.content_negotiation import choose_coding, prefers_markdown
from asdlc_kb.web.site.live_reload import LiveHandler
from asdlc_kb.web.site.page_headers import (
    REVALIDATED,
    Header,
    cache_control,
    is_negotiable,
    list_found_headers,
    list_headers,
)

if TYPE_CHECKING:
    from asdlc_kb.site.page_cache import PageCache
    from asdlc_kb.site.pages.search_page import PageResults

MAX_RESULTS: Final = 50
"""Maximum results on one page of a search."""
MAX_INSTANT_RESULTS: Final = 8
"""Maximum results while the user types."""

_WRITE_BYTES: Final = 64 * 1024
"""Bytes per write."""

_RATE_LIMITED_PAGE: Final = (
    "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n"
    "<title>Too many requests</title>\n"
    "<p>Too many requests came from your address. Try again in %d seconds.\n"
)


def is_asset(site: "PageCache | None", path: str) -> bool:
    """Whether there is a style sheet, script or picture at an address.

    Requests for them are not counted: a page can have many.
    """
    return assets.find(path) is not None if site is None else site.has_asset(path)


class PageHandler(NotFound):
    """Sends the page of a path, as HTML or as Markdown."""

    route = "page"

    def check_rate_limit(self) -> RateLimitExceeded | None:
        """Count a page, or a 404, but not an asset."""
        return None if self.is_for_asset() else super().check_rate_limit()

    def is_for_asset(self) -> bool:
        """Whether an existing style sheet, script or picture is requested."""
        if self.context.site is None or self.verb not in ("GET", "HEAD"):
            return False
        path = urls.normalize(self.request.path)
        return is_asset(self._find_open_site(), path)

    def _find_open_site(self) -> "PageCache | None":
        """Return the website of the request's token, if both are known already.

        The token is checked only after the request was counted.
        """
        context: HandlerContext | None = self.context
        bearer, views = self.context.bearer, self.context.views
        if bearer is not None and bearer.tokens.may_limit_sources:
            principal = bearer.lookup_cached(self.request.headers.get("Authorization"))
            sources = None if principal is None else principal.sources
            if principal is None:
                context = None
            elif sources is not None and views is not None:
                context = views.find(self.context, sources)
        site = None if context is None else context.site
        return None if site is None else site.made

    def send_rate_limited(self, exceeded: RateLimitExceeded) -> None:
        """Send 429 as HTML to a browser, as JSON to other clients."""
        if "text/html" not in self.request.headers.get("Accept", ""):
            super().send_rate_limited(exceeded)
            return
        self.set_rate_limited(exceeded)
        self.set_header("Content-Type", HTML)
        self.finish(_RATE_LIMITED_PAGE % exceeded.seconds)

    async def get(self) -> None:
        """Send the page, or 304 if the client has it."""
        site = await self.open_site()
        path = urls.normalize(self.request.path)
        page = await site.find(path)
        is_negotiated = False
        if isinstance(page, Representation) and is_negotiable(page):
            is_negotiated = True
            if prefers_markdown(self.request.headers.get("Accept", "")):
                path = page.alternate
                page = await site.find(path)
        if page is None:
            await self.send_not_found(path)
        elif isinstance(page, Moved):
            self.send_moved(site.link(page.path))
        elif isinstance(page, ServedFile):
            await self.send_file(path, page)
        else:
            page = await site.encode(path, page, self.coding)
            headers = list_found_headers(
                page,
                site.link,
                is_negotiated=is_negotiated,
                is_private=self.is_private,
            )
            self.send(page, headers)

    head = get

    async def send_file(self, path: str, file: ServedFile) -> None:
        """Send an attachment; 404 if it disappeared since it was found."""
        self.set_revalidated()
        try:
            await send_attachment(self, file.attachment)
        except AttachmentGone:
            await self.send_not_found(path)

    async def open_site(self) -> "PageCache":
        """Return the website; raise 404 if there is none."""
        if self.context.site is None:
            raise HTTPError(404)
        return await self.context.site.get()

    async def send_not_found(self, path: str) -> None:
        """Send 404: as a page to a browser, as JSON to other clients."""
        if "text/html" in self.request.headers.get("Accept", ""):
            page = await (await self.open_site()).not_found(path)
            self.add_header("Vary", "Accept")
            self.send(page)
        else:
            self.add_header("Vary", "Accept")
            self.reject(404, "Not Found")

    def read_queries(self, *names: str, strip: bool = True) -> Sequence[str]:
        """Return arguments of the address by name; send 400 if one is not UTF-8."""
        try:
            return [self.get_query_argument(name, "", strip) for name in names]
        except HTTPError:
            # Tornado's error would repeat it.
            raise HTTPError(400) from None

    def send_moved(self, location: str) -> None:
        """Send a permanent redirect."""
        self.set_status(301)
        self.set_header("Location", location)
        self.set_revalidated()
        self.finish()

    @property
    def is_private(self) -> bool:
        """Whether responses are for one principal: tokens are required."""
        return self.context.bearer is not None

    @property
    def coding(self) -> str:
        """The content coding of a page in the response; empty for a plain one."""
        return choose_coding(self.request.headers.get("Accept-Encoding", ""))

    def set_revalidated(self) -> None:
        """Set the Cache-Control of stored but revalidated responses."""
        value = cache_control(REVALIDATED, is_private=self.is_private)
        self.set_header("Cache-Control", value)

    def send(
        self, page: Representation, headers: Iterable[Header] | None = None
    ) -> None:
        """Send a page, or 304 if the client has these bytes."""
        self.set_status(page.status)
        if page.document:
            self.log_fields["document"] = page.document
        if headers is None:
            headers = list_headers(page, is_private=self.is_private)
        for name, value in headers:
            # The response may depend on Origin too.
            (self.add_header if name == "Vary" else self.set_header)(name, value)
        if page.status == 200 and self.check_etag_header():
            self.set_status(304)
            self.finish()
        else:
            self.finish(page.body)


class SearchHandler(PageHandler):
    """Answers a search as a page; works without scripts."""

    route = "search"

    def check_rate_limit(self) -> RateLimitExceeded | None:
        """Count a search of a person: typing takes no calls from an agent."""
        return self.context.limits.consume_search(self.address)

    async def get(self) -> None:
        """Send the results."""
        query, source, read = self.read_queries("q", "source", "read")
        site = await self.open_site()
        results = await self.find(site, query, source, read)
        if query.strip():
            self.log_fields["found"] = results.total
            self.context.requests.count_search(self.route, results.total)
            if self.context.logs_queries:
                self.log_fields["query"] = query[:MAX_LOGGED_CHARS]
        self.set_header("X-Robots-Tag", "noindex")
        coding = self.coding
        self.send(
            await asyncio.to_thread(
                lambda: compress(self.represent(site, results), coding)
            )
        )

    head = get

    async def find(
        self, site: "PageCache", query: str, source: str, read: str
    ) -> "PageResults":
        """Return the requested page of results; the first for an invalid number."""
        number = self.request.arguments.get("page", [b""])[-1]
        page = int(number) if number.isdigit() and len(number) < 10 else 1
        return await site.search_page(query, page, MAX_RESULTS, source, read)

    def represent(self, site: "PageCache", results: "PageResults") -> Representation:
        """Return the results as a page."""
        return site.results_page(results)


class ResultsHandler(SearchHandler):
    """Answers a search as JSON, for the pages' script."""

    route = "results"

    async def get(self) -> None:
        """Send the results.

        The script marks the last query of a person, which the others were parts of.
        """
        if "submitted" in self.request.arguments:
            self.log_fields["submitted"] = True
        await super().get()

    head = get

    async def find(
        self, site: "PageCache", query: str, source: str, read: str
    ) -> "PageResults":
        """Return the best results."""
        return await site.search(query, MAX_INSTANT_RESULTS, source, read)

    def represent(self, site: "PageCache", results: "PageResults") -> Representation:
        """Return the results as JSON."""
        return site.results_json(results)


class EverythingHandler(PageHandler):
    """Streams llms-full.txt or a part of it, a page at a time."""

    route = "everything"

    async def get(self) -> None:
        """Send the texts of pages."""
        path = urls.normalize(self.request.path)
        full = await (await self.open_site()).write_full(path)
        if full is None:
            await super().get()
            return
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.set_revalidated()
        self.set_header("ETag", full.etag)
        if self.check_etag_header():
            self.set_status(304)
        else:
            self.set_header("Content-Length", str(full.size))
            if self.request.method != "HEAD":
                await self.stream(full.pieces)
        self.finish()

    async def stream(self, pieces: Iterator[bytes]) -> None:
        """Send pieces as fast as the peer reads; other requests run in between."""
        with suppress(StreamClosedError):
            for part in _split(pieces):
                self.write(part)
                await self.flush()
                await asyncio.sleep(0)

    head = get


def _split(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the same bytes in bounded parts."""
    for piece in pieces:
        for start in range(0, len(piece), _WRITE_BYTES):
            yield piece[start : start + _WRITE_BYTES]


PAGES: Final = (
    (re.escape(urls.FULL), EverythingHandler, "everything"),
    (r"/llms-full-[0-9]+\.txt", EverythingHandler, "part"),
    (re.escape(urls.SEARCH), SearchHandler, "search"),
    (re.escape(urls.RESULTS), ResultsHandler, "results"),
    (re.escape(urls.EVENTS), LiveHandler, "live"),
)
"""Paths with their own handler: pattern, handler, name."""
