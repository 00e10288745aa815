"""The site for the event loop: fresh, remembered, and made in threads."""

import asyncio
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from asdlc_kb.articles.library import Library as ArticleLibrary
from asdlc_kb.docs.library import Library as DocLibrary
from asdlc_kb.site.finder import Finder
from asdlc_kb.site.live import PROBLEMS, Live
from asdlc_kb.site.page import Page
from asdlc_kb.site.search import Answer, show, tell
from asdlc_kb.site.site import Moved, Shelves, Site

MOST_BYTES: Final = 16 * 1024 * 1024
"""Bytes of pages that are kept ready."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """A page, and what it was made from."""

    shelves: Shelves
    page: Page


class Website:
    """Answers what a browser asks."""

    def __init__(
        self,
        site: Site,
        finder: Finder,
        articles: ArticleLibrary | None = None,
        docs: DocLibrary | None = None,
        live: Live | None = None,
    ) -> None:
        """Answer from a site; a live one has something to tell its pages."""
        self.live = live
        self._site = site
        self._finder = finder
        self._articles = articles
        self._docs = docs
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._size = 0

    def link(self, path: str) -> str:
        """Return where a browser finds an address of the site."""
        return self._site.identity.link(path)

    async def find(self, path: str) -> Page | Moved:
        """Return the page at an address as its file is now, or where it is instead.

        Costs one `stat` for a page that is ready.
        """
        if path == PROBLEMS and self.live is not None:
            return await asyncio.to_thread(self._show_problems, self.live)
        kept = self._kept.get(path)
        if kept is not None:
            await self._refresh(kept.shelves, path)
            if self._site.is_current(kept.shelves):
                self._kept.move_to_end(path)
                return kept.page
        shelves, found = await asyncio.to_thread(self._make, path)
        if kept is None and await self._refresh(shelves, path):
            shelves, found = await asyncio.to_thread(self._make, path)
        if isinstance(found, Page) and found.status == 200:
            self._keep(path, _Kept(shelves, found))
        return found

    async def search(self, query: str, most: int) -> Answer:
        """Return what fits a query, at most so many of each source."""
        return await self._finder.find(query, most)

    def show_results(self, answer: Answer) -> Page:
        """Return an answer as a page; blocks."""
        navigation = self._site.shelves.navigation
        return show(self._site.frame, answer, navigation)

    def tell_results(self, answer: Answer) -> Page:
        """Return an answer as JSON."""
        return tell(self._site.frame, answer)

    async def write_full(self) -> tuple[str, Iterator[bytes]]:
        """Return the tag of llms-full.txt and its pieces."""
        return await asyncio.to_thread(self._write_full)

    def _write_full(self) -> tuple[str, Iterator[bytes]]:
        shelves = self._site.shelves
        digest = blake2b(digest_size=16)
        for piece in self._site.write_full(shelves):
            digest.update(piece)
        return f'"{digest.hexdigest()}"', self._site.write_full(shelves)

    def _show_problems(self, live: Live) -> Page:
        return live.show(self._site.frame, self._site.shelves.navigation)

    def _make(self, path: str) -> tuple[Shelves, Page | Moved]:
        shelves = self._site.shelves
        return shelves, self._site.find(shelves, path)

    async def _refresh(self, shelves: Shelves, path: str) -> bool:
        """Read the file of a page anew if it was saved; return whether it was."""
        bare = path.removesuffix(".html").removesuffix(".md")
        if self._articles is not None and shelves.articles is not None:
            article = shelves.articles.by_address.get(bare)
            if article is not None:
                await self._articles.fetch(article.id)
        if self._docs is not None and shelves.docs is not None:
            page = shelves.docs.by_address.get(path) or shelves.docs.by_address.get(
                bare
            )
            if page is not None:
                await self._docs.fetch(page.path)
        return not self._site.is_current(shelves)

    def _keep(self, path: str, kept: _Kept) -> None:
        self._drop(path)
        self._kept[path] = kept
        self._size += len(kept.page.body)
        while self._size > MOST_BYTES:
            self._drop(next(iter(self._kept)))

    def _drop(self, path: str) -> None:
        if (known := self._kept.pop(path, None)) is not None:
            self._size -= len(known.page.body)
