"""Page cache for the event loop: revalidated on each request, rendered in threads."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias
from weakref import ref

from cachetools import LRUCache

from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.docs.collection import DocCollection
from asdlc_kb.site import urls
from asdlc_kb.site.content_coding import can_compress, compress, list_codings
from asdlc_kb.site.finder import SiteSearch
from asdlc_kb.site.live_reload import PROBLEMS, LiveReload
from asdlc_kb.site.page_renderer import PageRenderer
from asdlc_kb.site.pages.insights_page import InsightsData
from asdlc_kb.site.pages.search_page import (
    MAX_PAGES,
    PageResults,
    paginate_results,
    results_json,
    results_page,
)
from asdlc_kb.site.representation import Moved, Representation, ServedFile
from asdlc_kb.site.site_snapshot import SiteSnapshot

if TYPE_CHECKING:
    from asdlc_kb.site.pages.project_pages import ProjectPages

PAUSE: Final = 0.2
"""Seconds without a 404 after which the next one gets suggestions."""

MAX_RENDER_SECONDS: Final = 3.0
"""Seconds that a response waits for a text; then the text is shown as code.

The first text waits for the start of the rendering process too, which takes a second on
a busy machine, and a program that reads a page does not come again for the HTML.
"""

MAX_BYTES: Final = 16 * 1024 * 1024
"""Bytes of cached pages."""

_OVERHEAD_BYTES: Final = 4 * 1024
"""Bytes of a page's header blocks and checks, estimated."""


MAX_REFERRERS: Final = 5
"""Pages that may be hidden during one request for an attachment that they refer to."""

FoundPage: TypeAlias = Representation | ServedFile | Moved | None
"""What is at an address."""


class LlmsFull(NamedTuple):
    """llms-full.txt, or a part of it, written lazily."""

    etag: str
    size: int
    pieces: Iterator[bytes]


class _CachedPage(NamedTuple):
    """A page, and what shows that it is in sync with its files."""

    page: Representation
    checks: tuple[Callable[[], bool], ...]


class _Measured(NamedTuple):
    """The ETags and sizes of texts of one snapshot."""

    snapshot: "ref[SiteSnapshot]"
    by_address: dict[str, tuple[str, int]]


class PageCache:
    """Returns pages for requests, from the cache where they are current."""

    def __init__(
        self,
        site: PageRenderer,
        finder: SiteSearch,
        articles: ArticleLibrary | None = None,
        docs: DocCollection | None = None,
        live: LiveReload | None = None,
        projects: "ProjectPages | None" = None,
        *,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        """Serve pages of a site; `live` notifies them of changes."""
        self.live = live
        self._site = site
        self._finder = finder
        self._last_miss = -PAUSE
        self._projects = projects
        self._articles = articles
        self._docs = docs
        self._cached = LRUCache[tuple[str, str], _CachedPage](
            max_bytes, lambda cached: len(cached.page.body) + _OVERHEAD_BYTES
        )
        """Pages by address and content coding, which is empty for a plain body."""
        self._cached_snapshot: SiteSnapshot | None = None
        """The snapshot of the cached pages; older pages are dropped."""
        self._measured: _Measured | None = None
        """Of llms-full.txt and its parts; replaced by threads, as a whole."""

    @property
    def size(self) -> int:
        """Bytes of the cached pages."""
        return int(self._cached.currsize)

    def link(self, path: str) -> str:
        """Return an address of the site with the public path prefix."""
        return self._site.identity.link(path)

    def has_asset(self, path: str) -> bool:
        """Whether an address is that of a style sheet, script or picture on a page.

        Never blocks.
        """
        return self._site.has_asset(path)

    async def find(self, path: str) -> FoundPage:
        """Return the page at an address, in sync with its files, or a redirect.

        Costs one `stat` for a cached page, and one for each of its attachments. None
        for what is missing or hidden, at the same cost.
        """
        if path == PROBLEMS and self.live is not None:
            return await asyncio.to_thread(self._show_problems, self.live)
        if (page := self.find_ready(path)) is not None:
            return page
        is_cached = (path, "") in self._cached
        cached_snapshot = self._cached_snapshot if is_cached else None
        if cached_snapshot is not None:
            await self._refresh(cached_snapshot, path)
            if (page := self.find_ready(path)) is not None:
                return page
        snapshot, found = await self._make(path)
        if cached_snapshot is None and await self._refresh(snapshot, path):
            snapshot, found = await self._make(path)
        if isinstance(found, ServedFile) and not await self._is_visible(snapshot, path):
            return None
        if isinstance(found, Representation) and found.awaited is None:
            self._store(path, snapshot, found)
        return found

    def find_ready(self, path: str, coding: str = "") -> Representation | None:
        """Return the page at an address if it is cached, in sync with its files.

        In the content coding, unless it is too small. None if `find` and `encode` are
        to be asked. Costs the `stat`s of `find`; never blocks.
        """
        cached = self._cached.get((path, coding))
        if cached is None and coding:
            cached = self._cached.get((path, ""))
            if cached is not None and can_compress(cached.page):
                return None
        snapshot = self._cached_snapshot
        if cached is None or snapshot is None or not self._site.is_current(snapshot):
            return None
        return cached.page if all(check() for check in cached.checks) else None

    async def encode(
        self, path: str, page: Representation, coding: str
    ) -> Representation:
        """Return the page that was found at an address in a content coding.

        Compressed in a thread, once for a cached page. A page without its text is left
        as it is.
        """
        if not coding or page.awaited is not None or not can_compress(page):
            return page
        cached = self._cached.get((path, coding))
        if cached is None or not self._has_cached(path, page):
            encoded = await asyncio.to_thread(compress, page, coding)
            if self._has_cached(path, page):
                checks = self._cached[path, ""].checks
                self._cached[path, coding] = _CachedPage(encoded, checks)
            return encoded
        return cached.page

    def _has_cached(self, path: str, page: Representation) -> bool:
        """Whether this very page is the cached one."""
        cached = self._cached.get((path, ""))
        return cached is not None and cached.page is page

    def _make_checks(
        self, snapshot: SiteSnapshot, path: str, page: Representation
    ) -> Iterator[Callable[[], bool]]:
        """Yield what shows that a page of the current snapshot is in sync."""
        article, doc = self._site.find_sources(snapshot, path)
        if article and self._articles is not None:
            yield self._articles.make_check(article)
        if doc and self._docs is not None:
            yield self._docs.make_check(doc)
        if page.files is not None:
            yield page.files.is_current

    async def _is_visible(self, snapshot: SiteSnapshot, path: str) -> bool:
        """Whether a visible page, in sync with its file, refers to an attachment."""
        for _ in range(MAX_REFERRERS):
            if not await self._refresh(snapshot, path):
                return True
            snapshot, found = await self._make(path)
            if not isinstance(found, ServedFile):
                return False
        return False

    async def not_found(self, path: str) -> Representation:
        """Return the 404 page, with suggestions.

        Misses in quick succession come from programs and get no suggestions: those
        would cost as much as a hundred pages.
        """
        now = monotonic()
        wanted, self._last_miss = path if now >= self._last_miss + PAUSE else "", now
        return await asyncio.to_thread(
            lambda: self._site.not_found(self._site.snapshot, wanted)
        )

    def insights(self, data: InsightsData, days: int) -> Representation:
        """Return usage statistics as a page; blocks."""
        return self._site.insights(data, days)

    async def show_project(
        self, address: str, *, path: str, tool: str, file: str
    ) -> Representation | None:
        """Return a page of the projects, read from disk; None if there is none.

        The arguments are those of `ProjectPages.find`.
        """
        projects = self._projects
        if projects is None:
            return None
        return await asyncio.to_thread(
            lambda: projects.find(
                address, self._site.snapshot.navigation, path=path, tool=tool, file=file
            )
        )

    async def search(
        self, query: str, limit: int, source: str = "", read: str = ""
    ) -> PageResults:
        """Return the best results of a query, of all sources or of one.

        `read` is the address of the page that the reader is on.
        """
        return await self._finder.find(query, limit, source, read)

    async def search_page(
        self, query: str, page: int, limit: int, source: str = "", read: str = ""
    ) -> PageResults:
        """Return one page of results, with at most `limit`."""
        page = max(1, min(page, MAX_PAGES))
        # One more shows whether there is a next page.
        answer = await self._finder.find(query, page * limit + 1, source, read)
        return paginate_results(answer, page, limit)

    def results_page(self, answer: PageResults) -> Representation:
        """Return results as an HTML page; blocks."""
        navigation = self._site.snapshot.navigation
        return results_page(self._site.frame, answer, navigation)

    def results_json(self, answer: PageResults) -> Representation:
        """Return results as JSON."""
        return results_json(self._site.frame, answer)

    async def write_full(self, path: str = urls.FULL) -> LlmsFull | None:
        """Return llms-full.txt or the part of it at an address; None if missing."""
        return await asyncio.to_thread(self._write_full, path)

    def _write_full(self, path: str) -> LlmsFull | None:
        snapshot = self._site.snapshot
        text = self._site.full_text(snapshot)
        pieces = text.write(path)
        if pieces is None:
            return None
        measured = self._measured
        if measured is None or measured.snapshot() is not snapshot:
            self._measured = measured = _Measured(ref(snapshot), {})
        by_address = measured.by_address
        if path not in by_address:
            by_address[path] = _measure(text.write(path) or ())
        return LlmsFull(*by_address[path], pieces)

    def _show_problems(self, live: LiveReload) -> Representation:
        return live.show(self._site.frame, self._site.snapshot.navigation)

    async def _make(self, path: str) -> tuple[SiteSnapshot, FoundPage]:
        """Render a page; wait for its text up to `MAX_RENDER_SECONDS`."""
        now = asyncio.get_running_loop().time
        deadline = now() + MAX_RENDER_SECONDS
        while True:
            snapshot, found = await asyncio.to_thread(self._make_now, path)
            work = found.awaited if isinstance(found, Representation) else None
            seconds = deadline - now()
            if work is None or work.done() or seconds <= 0:
                return snapshot, found
            await asyncio.wait((asyncio.wrap_future(work),), timeout=seconds)

    def _make_now(self, path: str) -> tuple[SiteSnapshot, FoundPage]:
        snapshot = self._site.snapshot
        return snapshot, self._site.find(snapshot, path)

    async def _refresh(self, snapshot: SiteSnapshot, path: str) -> bool:
        """Reread the file of a page if it changed; return whether it did."""
        article, page = self._site.find_sources(snapshot, path)
        if article and self._articles is not None:
            await self._articles.fetch(article)
        if page and self._docs is not None:
            await self._docs.fetch(page)
        return not self._site.is_current(snapshot)

    def _store(self, path: str, snapshot: SiteSnapshot, page: Representation) -> None:
        if snapshot is not self._cached_snapshot:
            self._cached.clear()
            self._cached_snapshot = snapshot
        for coding in list_codings():
            self._cached.pop((path, coding), None)
        if len(page.body) + _OVERHEAD_BYTES <= self._cached.maxsize:
            checks = tuple(self._make_checks(snapshot, path, page))
            self._cached[path, ""] = _CachedPage(page, checks)


def _measure(pieces: Iterable[bytes]) -> tuple[str, int]:
    """Return the ETag and the size of a text."""
    digest, size = blake2b(digest_size=16), 0
    for piece in pieces:
        digest.update(piece)
        size += len(piece)
    return f'"{digest.hexdigest()}"', size
