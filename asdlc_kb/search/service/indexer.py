"""Indexer: keeps a full-text index in sync with its source, in a thread.

Changes in quick succession are batched, and only the latest state is indexed.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from asdlc_kb.search.service.fulltext import FullText
from asdlc_kb.search.values import DocumentSource, SearchRequest, SearchResults

logger = logging.getLogger(__name__)

_DELAY: Final = 0.05
"""Seconds for which further changes are batched."""

_CHECK_SECONDS: Final = 5.0
"""Interval in seconds between checks of the index files while nothing changes."""

_PURGE_DELAY_SECONDS: Final = 10.0
"""Seconds for which changes take precedence over the purge of replaced text; text that
may not be visible any more is purged at once."""


class Indexer:
    """Background task that indexes a source when an update is requested."""

    def __init__(
        self,
        index: FullText,
        get_source: Callable[[], DocumentSource],
        *,
        is_lazy: bool = False,
        release_memory: Callable[[], None] = lambda: None,
        delay: float = _DELAY,
        check_seconds: float = _CHECK_SECONDS,
    ) -> None:
        """Index the current state of the source, which `get_source` returns.

        A lazy indexer waits for the first search, unless an existing index has
        documents that the source does not. `release_memory` is called in a thread after
        each update, which leaves much memory unused.
        """
        self.is_lazy = is_lazy
        """Whether it waits for the first search."""
        self.index = index
        self._get_source = get_source
        self._release_memory = release_memory
        self._delay = delay
        self._check_seconds = check_seconds
        self._update_requested = asyncio.Event()
        self._ready_lock = asyncio.Lock()
        self._purge_since: float | None = None
        self._is_stopped = False

    def request_update(self) -> None:
        """Request an update because the source changed; on the event loop."""
        self._update_requested.set()

    async def run(self) -> None:
        """Index now, and after each `request_update`, until cancelled."""
        self.request_update()
        while True:
            try:
                await self._wait_for_change()
                await self._update()
            except Exception as error:
                # Such as a full disk during a purge, which is due until it succeeds.
                self._report(error)
                await asyncio.sleep(self._check_seconds)
                self.request_update()

    def stop(self) -> None:
        """Abort running work in threads soon."""
        self._is_stopped = True
        self.index.close()

    async def ready(self) -> None:
        """Return once the index was in sync with the source; index it if needed.

        An index that failed in a search is rebuilt.
        """
        async with self._ready_lock:
            if not self.index.is_ready or self.index.is_damaged:
                await self._sync()
                # `run` releases the memory, for which no search should wait.
                self.request_update()

    async def wait(self, seconds: float) -> None:
        """Return once the index exists: before, results would be incomplete.

        Raises TimeoutError if there is none when the timeout in seconds is over, or if
        it was stopped before: an empty result would claim that nothing matches.
        """
        async with asyncio.timeout(seconds):
            await self.ready()
        if self._is_stopped and not self.index.is_ready:
            raise TimeoutError

    async def search(self, request: SearchRequest, seconds: float) -> SearchResults:
        """Return the results of a request.

        If the index fails it is rebuilt, and the search repeated once. Raises
        TimeoutError if there is no index after the timeout in seconds.
        """
        await self.wait(seconds)
        unmatched = self.index.search_unmatched(request)
        if unmatched is not None:
            return unmatched
        results = await asyncio.to_thread(self.index.search, request)
        if not self.index.is_damaged:
            return results
        await self.wait(seconds)
        return await asyncio.to_thread(self.index.search, request)

    async def _wait_for_change(self) -> None:
        """Return once the source changed, or another program changed the files."""
        while not self._update_requested.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(self._check_seconds):
                    await self._update_requested.wait()
                    return
            if await asyncio.to_thread(self.index.has_lost_files):
                return

    async def _update(self) -> None:
        """Follow the source, unless the index is not needed yet."""
        if self.index.is_ready:
            # Clients may be waiting for the first state, so that is not delayed.
            await asyncio.sleep(self._delay)
        self._update_requested.clear()
        if self.index.is_ready or await asyncio.to_thread(self._must_index):
            await self._sync()
            await self._purge()
            await self._embed()
            await asyncio.to_thread(self._release_memory)

    async def _purge(self) -> None:
        """Purge removed text from the files; for a while, changes take precedence."""
        if not self.index.needs_purge:
            return
        now = asyncio.get_running_loop().time()
        if self._purge_since is None:
            self._purge_since = now
        is_late = now - self._purge_since >= _PURGE_DELAY_SECONDS
        is_cancelled = (lambda: False) if is_late else self._update_requested.is_set
        if await asyncio.to_thread(self.index.purge, is_cancelled):
            self._purge_since = None
        if self.index.is_damaged:
            self.request_update()

    async def _embed(self) -> None:
        """Compute missing vectors; changes take precedence, and it goes on after."""
        if self.index.semantic is None:
            return
        try:
            await asyncio.to_thread(self.index.embed, self._update_requested.is_set)
        except Exception as error:
            # Searches go on by words, or by the vectors before the change.
            logger.error("embedding failed", extra={"error": str(error)})

    def _must_index(self) -> bool:
        return not self.is_lazy or self.index.has_stale_documents(self._get_source())

    async def _sync(self) -> None:
        try:
            await asyncio.to_thread(self.index.sync, self._get_source())
        except Exception as error:
            # The next change tries again; the state before it is served meanwhile.
            self._report(error)

    def _report(self, error: Exception) -> None:
        logger.error("indexing failed", extra={"error": type(error).__name__})
