"""The articles of one content root, as fresh as the disk."""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from asdlc_kb.articles.catalog import Catalog
from asdlc_kb.articles.schema import Content, keeps_last_good, read_article
from asdlc_kb.files.cache import MISSING_GRACE, ContentCache, Look, Snapshot
from asdlc_kb.files.paths import is_name
from asdlc_kb.files.signature import STILL_SECONDS

logger = logging.getLogger(__name__)

MOST_READS: Final = 5
"""How often a file is read for one question: a look that was published meanwhile, or
another save, asks for one more."""

LOAD_SECONDS: Final = 1.0
"""How long a start waits for files that are being written."""


Tell: TypeAlias = Callable[[], None]

Listener: TypeAlias = Callable[[Catalog, Catalog], Tell]
"""Is given the catalogs before and after a change, in the thread that found it. What it
returns is called on the event loop, once the later catalog is in force."""


@dataclass(frozen=True, slots=True)
class Update:
    """What a look found, worked out so that to publish it takes no time."""

    look: Look[Content]
    base: Snapshot[Content]
    snapshot: Snapshot[Content]
    before: Catalog
    catalog: Catalog
    tells: tuple[Tell, ...] = ()

    @property
    def is_unsettled(self) -> bool:
        """Whether a file is being written: look again soon."""
        return self.look.is_unsettled


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
    def kind(self) -> Literal["articles"]:
        """What is in it."""
        return "articles"

    @property
    def root(self) -> Path:
        """The content root."""
        return self._cache.root

    def listen(self, listener: Listener) -> None:
        """Have a listener told of each change from now on."""
        self._listeners.append(listener)

    def load(self) -> Catalog:
        """Look and publish: for the start, and for one-shot commands.

        Blocks up to `LOAD_SECONDS` while a file is being written.
        """
        deadline = time.monotonic() + LOAD_SECONDS
        while True:
            update = self._work_out(self._cache.look())
            self.publish(update)
            if not update.is_unsettled or time.monotonic() >= deadline:
                return self.catalog
            time.sleep(STILL_SECONDS / 2)

    def look(self) -> Update:
        """Find what changed on disk and work it out; blocks, any thread."""
        update = self._work_out(self._cache.look())
        update.catalog.warm()
        return update

    def publish(self, update: Update) -> None:
        """Make what a look found the current catalog; on the event loop."""
        is_late = self._cache.snapshot is not update.base
        if is_late or self.catalog is not update.before:
            # Somebody published in the meantime.
            update = self._work_out(update.look)
        self._cache.publish(update.snapshot)
        if update.catalog is update.before:
            return
        self.catalog = update.catalog
        for tell in update.tells:
            tell()
        _log(update.before, update.catalog)

    def _work_out(self, look: Look[Content]) -> Update:
        before, base = self.catalog, self._cache.snapshot
        snapshot = self._cache.merge(look)
        if snapshot.generation == before.generation:
            return Update(look, base, snapshot, before, before)
        after = before.follow(snapshot)
        tells = tuple(listener(before, after) for listener in self._listeners)
        return Update(look, base, snapshot, before, after, tells)

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
                update = await asyncio.to_thread(self._look_at, read)
                self.publish(update)
                if not update.look.changed:
                    break
        return self.catalog

    def is_current(self, name: str) -> bool:
        """Whether the file of a visible article is the one that was read last.

        Costs one `stat`; False for a name without one article.
        """
        article = self.catalog.pick(name)
        return article is not None and self._cache.is_current(f"{article.id}.md")

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
        return [f"{folder}/{slug}.md" for folder in sorted(self.catalog.folders)]

    def _look_at(self, read: Callable[[], Look[Content]]) -> Update:
        return self._work_out(read())


def _log(before: Catalog, after: Catalog) -> None:
    """Log a change, naming no file."""
    logger.info(
        "content changed",
        extra={
            "generation": after.generation,
            "articles": len(after.articles),
            "hidden": after.hidden_count,
        },
    )
    problems = len(after.snapshot.all_problems())
    if problems and problems != len(before.snapshot.all_problems()):
        logger.warning(
            "content has problems: run 'asdlc-kb check'",
            extra={"problems": problems},
        )
