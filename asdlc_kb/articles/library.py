"""The articles of one content root, as fresh as the disk."""

import asyncio
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

from asdlc_kb.articles.catalog import Catalog
from asdlc_kb.articles.schema import Content, keeps_last_good, read_article
from asdlc_kb.files.cache import MISSING_GRACE, ContentCache, Look
from asdlc_kb.files.paths import is_name
from asdlc_kb.files.signature import STILL_SECONDS

logger = logging.getLogger(__name__)

MOST_READS: Final = 5
"""How often a file is read for one question: a look that was published meanwhile, or
another save, asks for one more."""

LOAD_SECONDS: Final = 1.0
"""How long a start waits for files that are being written."""


Listener: TypeAlias = Callable[[Catalog, Catalog], None]


class Library:
    """Owns the content cache of a root and the catalog of its current snapshot."""

    def __init__(
        self,
        root: Path,
        *,
        missing_grace: float = MISSING_GRACE,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._cache: ContentCache[Content] = ContentCache(
            root,
            read_article,
            keeps_last_good=keeps_last_good,
            missing_grace=missing_grace,
            clock=clock,
        )
        self.catalog = Catalog(self._cache.snapshot)
        self._listeners: list[Listener] = []

    @property
    def root(self) -> Path:
        """The content root."""
        return self._cache.root

    def listen(self, listener: Listener) -> None:
        """Call with the catalogs before and after each change, from now on."""
        self._listeners.append(listener)

    def load(self) -> Catalog:
        """Look and publish: for the start, and for one-shot commands.

        Blocks up to `LOAD_SECONDS` while a file is being written.
        """
        deadline = time.monotonic() + LOAD_SECONDS
        while True:
            look = self.look()
            self.publish(look)
            if not look.is_unsettled or time.monotonic() >= deadline:
                return self.catalog
            time.sleep(STILL_SECONDS / 2)

    def look(self) -> Look[Content]:
        """Find what changed on disk; blocks, any thread."""
        return self._cache.look()

    def publish(self, look: Look[Content]) -> None:
        """Make what a look found the current catalog."""
        self._cache.publish(look)
        self._follow()

    async def fetch(self, name: str) -> Catalog:
        """Return a catalog in which the named article is as the disk has it now.

        Costs one `stat` for a visible article; one that was saved anew is read in a
        thread. A name without one costs the same whether the article is hidden or
        missing: one `stat` in each category.
        """
        for path in self._paths(name):
            for _ in range(MOST_READS):
                read = self._cache.notice(path)
                if read is None:
                    break
                look = await asyncio.to_thread(read)
                self.publish(look)
                if not look.changed:
                    break
        return self.catalog

    def fresh(self, name: str) -> Catalog:
        """Do what `fetch` does, in this thread."""
        for path in self._paths(name):
            self._cache.refresh(path)
        self._follow()
        return self.catalog

    def _paths(self, name: str) -> list[str]:
        """Return where the named article may be."""
        *category, slug = name.split("/")
        if len(category) > 1 or not all(map(is_name, (*category, slug))):
            return []
        if category:
            return [f"{name}.md"]
        visible = self.catalog.namesakes(slug)
        if len(visible) == 1:
            return [f"{visible[0].category}/{slug}.md"]
        folders = {path.split("/", 1)[0] for path in self._cache.snapshot.entries}
        return [f"{folder}/{slug}.md" for folder in sorted(folders)]

    def _follow(self) -> None:
        """Replace the catalog if the cache has gone on; log it, naming no file."""
        snapshot = self._cache.snapshot
        if snapshot.generation == self.catalog.generation:
            return
        before, self.catalog = self.catalog, Catalog(snapshot)
        for listener in self._listeners:
            listener(before, self.catalog)
        logger.info(
            "content changed",
            extra={
                "generation": snapshot.generation,
                "articles": len(self.catalog.articles),
                "hidden": self.catalog.hidden_count,
            },
        )
        problems = len(snapshot.all_problems())
        if problems and problems != len(before.snapshot.all_problems()):
            logger.warning(
                "content has problems: run 'asdlc-kb check'",
                extra={"problems": problems},
            )
