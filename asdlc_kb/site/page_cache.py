"""The site for the event loop: fresh, remembered, and made in threads."""

import asyncio
from collections import OrderedDict
from collections.abc import Iterator
from hashlib import blake2b
from time import monotonic
from typing import Final, NamedTuple
from weakref import ref

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
"""Seconds without a miss before one is taken for a person's."""

MAX_RENDER_SECONDS: Final = 0.7
"""An answer waits so long for a text to be rendered; then the text is shown as code."""

MAX_BYTES: Final = 16 * 1024 * 1024
"""Bytes of pages that are kept ready."""


class LlmsFull(NamedTuple):
    """llms-full.txt, not written yet."""

    etag: str
    size: int
    pieces: Iterator[bytes]


class PageCache:
    """Answers what a browser asks."""

    def __init__(
        self,
        site: PageRenderer,
        finder: SiteSearch,
        articles: ArticleLibrary | None = None,
        docs: DocLibrary | None = None,
        live: LiveReload | None = None,
        *,
        most: int = MAX_BYTES,
    ) -> None:
        """Answer from a site; a live one has something to tell its pages."""
        self.live = live
        self._site = site
        self._most = most
        self._finder = finder
        self._missed = -PAUSE
        self._articles = articles
        self._docs = docs
        self._kept: OrderedDict[str, Representation] = OrderedDict()
        self._kept_of: SiteSnapshot | None = None
        """What the kept pages were made from: nothing older is held on to."""
        self.size = 0
        """Bytes of the pages that are kept."""
        self._measured: tuple[ref[SiteSnapshot], str, int] | None = None
        """What llms-full.txt was made from, its tag and its size."""

    def link(self, path: str) -> str:
        """Return where a browser finds an address of the site."""
        return self._site.identity.link(path)

    async def find(self, path: str) -> Representation | Moved | None:
        """Return the page at an address as its file is now, or where it is instead.

        Costs one `stat` for a page that is ready. None for what is not there, hidden
        or not: that costs the same.
        """
        if path == PROBLEMS and self.live is not None:
            return await asyncio.to_thread(self._show_problems, self.live)
        page, kept_of = self._kept.get(path), self._kept_of
        if page is not None and kept_of is not None:
            await self._refresh(kept_of, path)
            if self._site.is_current(kept_of):
                # Another answer may have cleared the memory meanwhile.
                if path in self._kept:
                    self._kept.move_to_end(path)
                return page
        shelves, found = await self._make(path)
        if page is None and await self._refresh(shelves, path):
            shelves, found = await self._make(path)
        if isinstance(found, Representation) and found.awaited is None:
            self._keep(path, shelves, found)
        return found

    async def miss(self, path: str) -> Representation:
        """Return the page for what is not there, with what may have been meant.

        Where misses follow each other quickly nobody reads them, and nothing is looked
        for: that would take as long as a hundred answers.
        """
        now = monotonic()
        wanted, self._missed = path if now >= self._missed + PAUSE else "", now
        return await asyncio.to_thread(
            lambda: self._site.missing(self._site.shelves, wanted)
        )

    async def search(self, query: str, most: int) -> PageResults:
        """Return what fits a query, at most so many of each source."""
        return await self._finder.find(query, most)

    async def search_page(self, query: str, page: int, most: int) -> PageResults:
        """Return a page of what fits, at most so many of each source on it."""
        page = max(1, min(page, MAX_PAGES))
        # One more says whether there is a next page.
        answer = await self._finder.find(query, page * most + 1)
        return paginate_results(answer, page, most)

    def show_results(self, answer: PageResults) -> Representation:
        """Return an answer as a page; blocks."""
        navigation = self._site.shelves.navigation
        return results_page(self._site.frame, answer, navigation)

    def tell_results(self, answer: PageResults) -> Representation:
        """Return an answer as JSON."""
        return results_json(self._site.frame, answer)

    async def write_full(self) -> LlmsFull:
        """Return llms-full.txt."""
        return await asyncio.to_thread(self._write_full)

    def _write_full(self) -> LlmsFull:
        shelves, known = self._site.shelves, self._measured
        if known is None or known[0]() is not shelves:
            known = self._measured = self._measure(shelves)
        _, etag, size = known
        return LlmsFull(etag, size, self._site.write_full(shelves))

    def _measure(self, shelves: SiteSnapshot) -> tuple[ref[SiteSnapshot], str, int]:
        digest, size = blake2b(digest_size=16), 0
        for piece in self._site.write_full(shelves):
            digest.update(piece)
            size += len(piece)
        return ref(shelves), f'"{digest.hexdigest()}"', size

    def _show_problems(self, live: LiveReload) -> Representation:
        return live.show(self._site.frame, self._site.shelves.navigation)

    async def _make(
        self, path: str
    ) -> tuple[SiteSnapshot, Representation | Moved | None]:
        """Make a page, its texts rendered if that does not take too long."""
        now = asyncio.get_running_loop().time
        deadline = now() + MAX_RENDER_SECONDS
        while True:
            shelves, found = await asyncio.to_thread(self._make_now, path)
            work = found.awaited if isinstance(found, Representation) else None
            seconds = deadline - now()
            if work is None or work.done() or seconds <= 0:
                return shelves, found
            await asyncio.wait((asyncio.wrap_future(work),), timeout=seconds)

    def _make_now(
        self, path: str
    ) -> tuple[SiteSnapshot, Representation | Moved | None]:
        shelves = self._site.shelves
        return shelves, self._site.find(shelves, path)

    async def _refresh(self, shelves: SiteSnapshot, path: str) -> bool:
        """Read the file of a page anew if it was saved; return whether it was."""
        article, page = self._site.find_sources(shelves, path)
        if article and self._articles is not None:
            await self._articles.fetch(article)
        if page and self._docs is not None:
            await self._docs.fetch(page)
        return not self._site.is_current(shelves)

    def _keep(self, path: str, shelves: SiteSnapshot, page: Representation) -> None:
        if shelves is not self._kept_of:
            self._kept.clear()
            self._kept_of, self.size = shelves, 0
        if (known := self._kept.pop(path, None)) is not None:
            self.size -= len(known.body)
        self._kept[path] = page
        self.size += len(page.body)
        while self.size > self._most:
            self.size -= len(self._kept.popitem(last=False)[1].body)
