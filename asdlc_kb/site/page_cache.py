"""Page cache for the event loop: revalidated on each request, rendered in threads."""

import asyncio
from collections.abc import Iterator
from hashlib import blake2b
from time import monotonic
from typing import Final, NamedTuple
from weakref import ref

from cachetools import LRUCache

from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.site.finder import SiteSearch
from asdlc_kb.site.live_reload import PROBLEMS, LiveReload
from asdlc_kb.site.page_renderer import PageRenderer
from asdlc_kb.site.pages.search_page import (
    MAX_PAGES,
    PageResults,
    paginate_results,
    results_json,
    results_page,
)
from asdlc_kb.site.representation import Moved, Representation
from asdlc_kb.site.site_snapshot import SiteSnapshot

PAUSE: Final = 0.2
"""Seconds without a 404 after which the next one gets suggestions."""

MAX_RENDER_SECONDS: Final = 0.7
"""Seconds that a response waits for a text; then the text is shown as code."""

MAX_BYTES: Final = 16 * 1024 * 1024
"""Bytes of cached pages."""


class LlmsFull(NamedTuple):
    """llms-full.txt, written lazily."""

    etag: str
    size: int
    pieces: Iterator[bytes]


class PageCache:
    """Returns pages for requests, from the cache where they are current."""

    def __init__(
        self,
        site: PageRenderer,
        finder: SiteSearch,
        articles: ArticleLibrary | None = None,
        docs: DocLibrary | None = None,
        live: LiveReload | None = None,
        *,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        """Serve pages of a site; `live` notifies them of changes."""
        self.live = live
        self._site = site
        self._finder = finder
        self._last_miss = -PAUSE
        self._articles = articles
        self._docs = docs
        self._cached = LRUCache[str, Representation](
            max_bytes, lambda page: len(page.body)
        )
        self._cached_snapshot: SiteSnapshot | None = None
        """The snapshot of the cached pages; older pages are dropped."""
        self._measured: tuple[ref[SiteSnapshot], str, int] | None = None
        """Snapshot, ETag and size of llms-full.txt."""

    @property
    def size(self) -> int:
        """Bytes of the cached pages."""
        return int(self._cached.currsize)

    def link(self, path: str) -> str:
        """Return an address of the site with the public path prefix."""
        return self._site.identity.link(path)

    async def find(self, path: str) -> Representation | Moved | None:
        """Return the page at an address, in sync with its file, or a redirect.

        Costs one `stat` for a cached page. None for what is missing or hidden, at the
        same cost.
        """
        if path == PROBLEMS and self.live is not None:
            return await asyncio.to_thread(self._show_problems, self.live)
        page, cached_snapshot = self._cached.get(path), self._cached_snapshot
        if page is not None and cached_snapshot is not None:
            await self._refresh(cached_snapshot, path)
            if self._site.is_current(cached_snapshot):
                return page
        snapshot, found = await self._make(path)
        if page is None and await self._refresh(snapshot, path):
            snapshot, found = await self._make(path)
        if isinstance(found, Representation) and found.awaited is None:
            self._store(path, snapshot, found)
        return found

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

    async def search(self, query: str, limit: int) -> PageResults:
        """Return the results of a query, at most `limit` of each source."""
        return await self._finder.find(query, limit)

    async def search_page(self, query: str, page: int, limit: int) -> PageResults:
        """Return one page of results, with at most `limit` of each source."""
        page = max(1, min(page, MAX_PAGES))
        # One more shows whether there is a next page.
        answer = await self._finder.find(query, page * limit + 1)
        return paginate_results(answer, page, limit)

    def results_page(self, answer: PageResults) -> Representation:
        """Return results as an HTML page; blocks."""
        navigation = self._site.snapshot.navigation
        return results_page(self._site.frame, answer, navigation)

    def results_json(self, answer: PageResults) -> Representation:
        """Return results as JSON."""
        return results_json(self._site.frame, answer)

    async def write_full(self) -> LlmsFull:
        """Return llms-full.txt."""
        return await asyncio.to_thread(self._write_full)

    def _write_full(self) -> LlmsFull:
        snapshot, known = self._site.snapshot, self._measured
        if known is None or known[0]() is not snapshot:
            known = self._measured = self._measure(snapshot)
        _, etag, size = known
        return LlmsFull(etag, size, self._site.write_full(snapshot))

    def _measure(self, snapshot: SiteSnapshot) -> tuple[ref[SiteSnapshot], str, int]:
        digest, size = blake2b(digest_size=16), 0
        for piece in self._site.write_full(snapshot):
            digest.update(piece)
            size += len(piece)
        return ref(snapshot), f'"{digest.hexdigest()}"', size

    def _show_problems(self, live: LiveReload) -> Representation:
        return live.show(self._site.frame, self._site.snapshot.navigation)

    async def _make(
        self, path: str
    ) -> tuple[SiteSnapshot, Representation | Moved | None]:
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

    def _make_now(
        self, path: str
    ) -> tuple[SiteSnapshot, Representation | Moved | None]:
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
        if len(page.body) <= self._cached.maxsize:
            self._cached[path] = page
