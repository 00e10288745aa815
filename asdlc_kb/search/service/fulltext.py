"""Full-text search over one source: followed by one thread, asked by any.

The engine is loaded when it is first needed, not when the server starts.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from asdlc_kb.exceptions import IndexCorrupt, OperationalError
from asdlc_kb.search.index.manifest import parse_manifest, read_manifest
from asdlc_kb.search.policy import POLICY, SearchPolicy
from asdlc_kb.search.values import DocumentSource, SearchDocument, SearchResults

if TYPE_CHECKING:
    from asdlc_kb.search.index.index_snapshot import IndexSnapshot
    from asdlc_kb.search.index.index_store import IndexStore

logger = logging.getLogger(__name__)


class _Ended(Exception):
    """Raised to leave work that nobody waits for any more."""


class FullText:
    """The index of one source."""

    def __init__(
        self,
        folder: Path | None,
        *,
        snippet_length: int = 200,
        policy: SearchPolicy = POLICY,
        progress: Callable[[int, int], None] = lambda done, all_of: None,
    ) -> None:
        """Keep the index in a folder, or without one in memory only.

        `progress` is told how many of how many documents were read.
        """
        self.generation = 0
        """Counts the states of the index: equal numbers give equal answers."""
        self.refused: str | None = None
        """Why the folder is not used, if it is not."""
        self._folder = folder
        self._snippet_length = snippet_length
        self._policy = policy
        self._progress = progress
        self._following = Lock()
        self._store: IndexStore | None = None
        self._shelf: IndexSnapshot | None = None
        self._mended: IndexSnapshot | None = None
        """The state that was made because a search failed on the one before."""
        self.is_damaged = False
        """Whether a search failed: to follow the source again mends it."""
        self.wants_purge = False
        """Whether what is gone from the source is in the files of the index yet."""
        self._is_ending = False
        self._begins_anew = False

    @property
    def is_ready(self) -> bool:
        """Whether the index was once that of a source."""
        return self._shelf is not None

    def holds_strangers(self, source: DocumentSource) -> bool:
        """Whether the folder has what the source does not, or cannot be understood.

        Blocks for a short while; the engine is not needed.
        """
        if self._folder is None:
            return False
        digests = {key: digest.hex() for key, digest in source.digests().items()}
        try:
            data = read_manifest(self._folder)
            known = parse_manifest(data).documents.items() if data is not None else ()
        except IndexCorrupt:
            return True
        return any(digests.get(key) != digest for key, (_, digest) in known)

    def has_lost_files(self) -> bool:
        """Whether another program changed the files: to follow the source mends it.

        Blocks for a short while. May say so wrongly while the source is followed.
        """
        store = self._store
        try:
            if store is not None:
                store.check()
        except IndexCorrupt:
            return True
        return False

    def purge(self, is_over: Callable[[], bool] = lambda: False) -> bool:
        """Take what is gone out of the files, if it is in them.

        Blocks; searches go on. Gives up once it `is_over`, and returns False, unless
        there is text in them that nobody may see any more.
        """

        def check() -> None:
            if self._is_ending or (is_over() and not (store and store.hides)):
                raise _Ended

        with self._following:
            store = self._store
            if self._is_ending or store is None or not self.wants_purge:
                return not self.wants_purge
            started = time.perf_counter()
            try:
                store.purge(check)
            except _Ended:
                self._show(store)
                return False
            except IndexCorrupt:
                # To follow the source again makes it anew.
                self.is_damaged = True
                return False
            self.wants_purge = store.wants_purge
            self._show(store)
            self._log("index purged", store, started)
            return True

    def follow(self, source: DocumentSource) -> bool:
        """Make the index that of a source; return whether anything changed.

        Blocks; one thread at a time gets in. What is gone is found no more; `purge`
        takes it out of the files.
        """
        with self._following:
            try:
                return not self._is_ending and self._follow_anew(source)
            except _Ended:
                return False

    def _follow_anew(self, source: DocumentSource) -> bool:
        """Follow a source, by another index if this one fails."""
        is_mended = self.is_damaged
        if is_mended:
            self._begin_again("an answer failed")
        try:
            is_changed = self._follow(source)
            self._mended = self._shelf if is_mended else self._mended
            return is_changed
        except IndexCorrupt as fault:
            self._begin_again(str(fault))
        try:
            return self._follow(source)
        except IndexCorrupt as fault:
            self._live_in_memory(str(fault))
        return self._follow(source)

    def search(
        self,
        query: str,
        limit: int,
        *,
        offset: int = 0,
        accepts: Callable[[str, bytes], bool],
        category: str | None = None,
    ) -> SearchResults:
        """Return what fits a query, whatever is in it; never raises for one.

        `accepts` tells whether a key still has the content of a digest, and always the
        same: what it said is remembered for the next search. What it refuses is nowhere
        in the answer.
        """
        shelf = self._shelf
        if shelf is None:
            return SearchResults()
        from asdlc_kb.search.index.index_store import guard
        from asdlc_kb.search.query.execution import SearchRequest, run_search

        asked = SearchRequest(
            query, limit, offset, category, self._snippet_length, self._policy
        )
        try:
            with guard():
                return run_search(shelf, asked, accepts)
        except IndexCorrupt as fault:
            logger.error("a search failed", extra={"reason": str(fault)})
            # What fails on an index that was just made is the query's fault.
            self.is_damaged = shelf is not self._mended
            return SearchResults()

    def close(self) -> None:
        """Let the folder go; what is being followed is left; searches go on."""
        self._is_ending = True
        with self._following:
            if self._store:
                self._store.close()

    def _follow(self, source: DocumentSource) -> bool:
        started = time.perf_counter()
        was_open = self._store is not None
        store = self._store or self._open()
        store.check()
        digests = source.digests()
        known = {entry.key: entry.digest for entry in store.shelf.entries.values()}
        gone = [
            slot
            for slot, entry in store.shelf.entries.items()
            if digests.get(entry.key) != entry.digest
        ]
        new = [key for key, digest in digests.items() if known.get(key) != digest]
        if not was_open and store.was_opened:
            self._log("index opened", store, started)
            started = time.perf_counter()
        if gone or new:
            hidden = [s for s in gone if store.shelf.entries[s].key not in digests]
            documents = self._read(source, new, digests)
            store.change(gone, documents, count=len(new), hidden=hidden)
        is_changed = self._show(store)
        self.wants_purge = store.wants_purge
        if gone or new:
            self._log(_name(store, is_first=not known), store, started)
        return is_changed

    def _read(
        self, source: DocumentSource, keys: list[str], digests: Mapping[str, bytes]
    ) -> Iterator[tuple[SearchDocument, bytes]]:
        for done, key in enumerate(keys, 1):
            if self._is_ending:
                raise _Ended
            document = source.document(key)
            self._progress(done, len(keys))
            yield document, digests[key]

    def _show(self, store: "IndexStore") -> bool:
        """Let searches see the present state; return whether it is another one."""
        if self._shelf is store.shelf:
            return False
        self._shelf = store.shelf
        self.generation += 1
        return True

    def _open(self) -> "IndexStore":
        """Open or begin the index, in the folder if it can be had."""
        from asdlc_kb.search.index.directory import IndexDirectory
        from asdlc_kb.search.index.index_store import IndexStore

        folder = None
        if self._folder is not None:
            try:
                folder = IndexDirectory(self._folder)
            except OperationalError as error:
                self._say_memory(str(error))
        try:
            self._store = IndexStore(
                folder, self._policy, begins_anew=self._begins_anew
            )
            self._begins_anew = False
        except BaseException:
            if folder:
                folder.close()
            raise
        return self._store

    def _begin_again(self, reason: str) -> None:
        """Drop an index that is not true; what it last said is served meanwhile."""
        logger.warning("the index is made anew", extra={"reason": reason})
        self.is_damaged = False
        self.wants_purge = False
        self._begins_anew = True
        if self._store:
            self._store.close()
        self._store = None

    def _live_in_memory(self, reason: str) -> None:
        self._say_memory(reason)
        if self._store:
            self._store.clear()
            self._store.close()
        self._store = None

    def _say_memory(self, reason: str) -> None:
        logger.warning("the index is kept in memory only", extra={"reason": reason})
        self.refused = reason
        self._folder = None

    def _log(self, event: str, store: "IndexStore", started: float) -> None:
        milliseconds = round((time.perf_counter() - started) * 1000)
        pages = len(store.shelf.entries)
        extra = {"pages": pages, "ms": milliseconds, "on_disk": store.is_on_disk}
        logger.info(event, extra=extra)


def _name(store: "IndexStore", *, is_first: bool) -> str:
    """Return what a change of the index is called in the log."""
    if not is_first:
        return "index refreshed"
    return "index rebuilt" if store.replaces else "index built"
