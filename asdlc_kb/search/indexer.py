"""Keeps a full-text index in step with its source, in a thread, while the loop serves.

Changes that come together are taken together, and only the latest state counts.
"""

import asyncio
import logging
from typing import Final

from asdlc_kb.search.document import Source
from asdlc_kb.search.fulltext import FullText

logger = logging.getLogger(__name__)

_DELAY: Final = 0.05
"""Seconds in which further changes are waited for."""


class Indexer:
    """Follows a source whenever it is poked."""

    def __init__(self, fulltext: FullText, *, delay: float = _DELAY) -> None:
        self._fulltext = fulltext
        self._delay = delay
        self._latest: Source | None = None
        self._poked = asyncio.Event()
        self._ready = asyncio.Event()

    def poke(self, source: Source) -> None:
        """Note that this is the source from now on; called on the event loop."""
        self._latest = source
        self._poked.set()

    async def run(self) -> None:
        """Index until cancelled."""
        while True:
            await self._poked.wait()
            if self._ready.is_set():
                # The first state is waited for already.
                await asyncio.sleep(self._delay)
            self._poked.clear()
            source = self._latest
            if source is not None:
                await self._follow(source)

    async def ready(self) -> None:
        """Wait until the index was once that of a source."""
        await self._ready.wait()

    async def _follow(self, source: Source) -> None:
        try:
            await asyncio.to_thread(self._fulltext.follow, source)
        except Exception as error:
            # The next change tries again; the state before it is served meanwhile.
            logger.error("indexing failed", extra={"error": type(error).__name__})
        else:
            self._ready.set()
