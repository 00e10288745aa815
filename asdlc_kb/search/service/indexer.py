"""Keeps a full-text index in step with its source, in a thread, while the loop serves.

Changes that come together are taken together, and only the latest state counts.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final

from asdlc_kb.ops.process.allocator import trim_malloc
from asdlc_kb.search.service.fulltext import FullText
from asdlc_kb.search.values import DocumentSource, SearchResults

logger = logging.getLogger(__name__)

_DELAY: Final = 0.05
"""Seconds in which further changes are waited for."""

_CHECK_SECONDS: Final = 5.0
"""Seconds after which the files of the index are checked while nothing changes."""

_PURGE_DELAY_SECONDS: Final = 10.0
"""Seconds for which changes come before taking replaced text out of the files; what may
not be seen any more leaves them at once."""


class Indexer:
    """Follows a source whenever it is poked."""

    def __init__(
        self,
        index: FullText,
        take: Callable[[], DocumentSource],
        *,
        is_lazy: bool = False,
        delay: float = _DELAY,
        check_seconds: float = _CHECK_SECONDS,
    ) -> None:
        """Follow what `take` returns: the present state of the source.

        A lazy one waits until somebody asks, unless there is an index already that
        holds what the source does not.
        """
        self.is_lazy = is_lazy
        """Whether it waits until somebody asks."""
        self.index = index
        self._take = take
        self._delay = delay
        self._check_seconds = check_seconds
        self._poked = asyncio.Event()
        self._beginning = asyncio.Lock()
        self._purge_since: float | None = None

    def poke(self) -> None:
        """Note that the source is another one now; called on the event loop."""
        self._poked.set()

    async def run(self) -> None:
        """Index now, and after each poke, until cancelled."""
        self.poke()
        while True:
            await self._wait_for_change()
            if self.index.is_ready:
                # The first state is waited for already.
                await asyncio.sleep(self._delay)
            self._poked.clear()
            if self.index.is_ready or await asyncio.to_thread(self._is_due):
                await self._follow()
                await self._purge()
                await asyncio.to_thread(trim_malloc)

    def stop(self) -> None:
        """Have whatever is under way in a thread end soon."""
        self.index.close()

    async def ready(self) -> None:
        """Return once the index was that of the source; index it if need be.

        One that failed in a search is made anew.
        """
        async with self._beginning:
            if not self.index.is_ready or self.index.is_damaged:
                await self._follow()

    async def wait(self, seconds: float) -> None:
        """Return once the index is there: before, nothing can be said to be absent.

        Raises TimeoutError if it is not within so many seconds.
        """
        async with asyncio.timeout(seconds):
            await self.ready()

    async def ask(
        self,
        query: str,
        limit: int,
        *,
        accepts: Callable[[str, bytes], bool],
        seconds: float,
        offset: int = 0,
        category: str | None = None,
    ) -> SearchResults:
        """Return what fits a query, of the documents that `accepts` lets through.

        An index that fails is made anew, and asked once more. Raises TimeoutError if
        there is none within so many seconds.
        """
        search = partial(
            self.index.search,
            query,
            limit,
            offset=offset,
            accepts=accepts,
            category=category,
        )
        await self.wait(seconds)
        results = await asyncio.to_thread(search)
        if not self.index.is_damaged:
            return results
        await self.wait(seconds)
        return await asyncio.to_thread(search)

    async def _wait_for_change(self) -> None:
        """Return once the source changed, or another program the files."""
        while not self._poked.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(self._check_seconds):
                    await self._poked.wait()
                    return
            if await asyncio.to_thread(self.index.has_lost_files):
                return

    async def _purge(self) -> None:
        """Take what is gone out of the files; for a while, give way to changes."""
        if not self.index.wants_purge:
            return
        now = asyncio.get_running_loop().time()
        if self._purge_since is None:
            self._purge_since = now
        is_late = now - self._purge_since >= _PURGE_DELAY_SECONDS
        is_over = (lambda: False) if is_late else self._poked.is_set
        if await asyncio.to_thread(self.index.purge, is_over):
            self._purge_since = None
        if self.index.is_damaged:
            self.poke()

    def _is_due(self) -> bool:
        return not self.is_lazy or self.index.holds_strangers(self._take())

    async def _follow(self) -> None:
        try:
            await asyncio.to_thread(self.index.follow, self._take())
        except Exception as error:
            # The next change tries again; the state before it is served meanwhile.
            logger.error("indexing failed", extra={"error": type(error).__name__})
