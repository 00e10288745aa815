"""Full-text search of one source: updated by one thread, searched by any.

The engine is imported when first needed, not at startup.
"""

import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final, TypeAlias

from asdlc_kb.exceptions import IndexCorrupt, OperationalError
from asdlc_kb.search.index.manifest import has_other_documents
from asdlc_kb.search.policy import INDEX_POLICY, QUERY_POLICY, IndexPolicy, QueryPolicy
from asdlc_kb.search.values import (
    DocumentSource,
    ReportProgress,
    SearchDocument,
    SearchRequest,
    SearchResults,
    report_nothing,
)

if TYPE_CHECKING:
    from asdlc_kb.search.index.index_snapshot import IndexSnapshot
    from asdlc_kb.search.index.index_store import IndexStore
    from asdlc_kb.search.query.explanation import Explanation
    from asdlc_kb.search.query.meaning import Meaning
    from asdlc_kb.search.semantic.semantic_search import SemanticSearch

    _RunSearch: TypeAlias = Callable[
        [IndexSnapshot, SearchRequest, QueryPolicy, Meaning | None],
        SearchResults | None,
    ]

logger = logging.getLogger(__name__)

MAX_SMALL_INDEX_DOCUMENTS: Final = 500
"""Documents up to which a query without results is faster than a thread."""

MAX_SHORT_QUERY_CHARS: Final = 100
"""Characters of a query up to which this is so."""


class _Aborted(Exception):
    """Raised to abort work that is not needed any more."""


class FullText:
    """The full-text index of one source."""

    def __init__(
        self,
        folder: Path | None,
        *,
        index_policy: IndexPolicy = INDEX_POLICY,
        query_policy: QueryPolicy = QUERY_POLICY,
        progress: ReportProgress = report_nothing,
        semantic: "SemanticSearch | None" = None,
    ) -> None:
        """Store the index in a folder, or in memory if None.

        `progress` is called with the number of documents read, and the total.
        """
        self.semantic = semantic
        """Compares what pages mean; None if only their words count."""
        self.generation = 0
        """Counts the states of the index: equal numbers give equal results."""
        self.refused: str | None = None
        """Why the folder is not used, or not any more; None if it is."""
        self._folder = folder
        self._index_policy = index_policy
        self._query_policy = query_policy
        self._progress = progress
        self._sync_lock = Lock()
        self._store: IndexStore | None = None
        self._snapshot: IndexSnapshot | None = None
        self._rebuilt: IndexSnapshot | None = None
        """The snapshot rebuilt after search failed on the previous one."""
        self._run_unmatched: _RunSearch | None = None
        self._synced: tuple[IndexSnapshot, DocumentSource] | None = None
        """The snapshot after the last sync, and the source of its documents."""
        self.is_damaged = False
        """Whether search failed: the next `sync` rebuilds the index."""
        self.needs_purge = False
        """Whether the files of the index still have text removed from the source."""
        self._is_closing = False
        self._is_rebuild = False

    @property
    def is_ready(self) -> bool:
        """Whether the index was ever in sync with a source."""
        return self._snapshot is not None

    def has_stale_documents(self, source: DocumentSource) -> bool:
        """Whether the folder has documents not in the source, or cannot be parsed.

        Blocks for a short while; does not need the engine.
        """
        folder = self._folder
        return folder is not None and has_other_documents(folder, source.digests())

    def has_lost_files(self) -> bool:
        """Whether another program changed the files: `sync` repairs them.

        Blocks for a short while. May be falsely true while `sync` runs.
        """
        store = self._store
        try:
            if store is not None:
                store.check()
        except IndexCorrupt:
            return True
        return False

    def purge(self, is_cancelled: Callable[[], bool] = lambda: False) -> bool:
        """Remove deleted text from the files.

        Blocks; searches continue. Stops and returns False once `is_cancelled`, unless
        the files have text that may not be visible any more.
        """

        def check() -> None:
            if self._is_closing or (
                is_cancelled() and not (store and store.is_purge_urgent)
            ):
                raise _Aborted

        with self._sync_lock:
            store = self._store
            if self._is_closing or store is None or not self.needs_purge:
                return not self.needs_purge
            started = time.perf_counter()
            try:
                store.purge(check)
            except _Aborted:
                self._publish(store)
                return False
            except IndexCorrupt:
                # The next `sync` rebuilds it.
                self.is_damaged = True
                return False
            self.needs_purge = store.needs_purge
            self._publish(store)
            self._log("index purged", store, started)
            return True

    def sync(self, source: DocumentSource) -> bool:
        """Sync the index with a source; return whether anything changed.

        Blocks; one thread at a time. Removed documents are not found any more; `purge`
        removes them from the files.
        """
        with self._sync_lock:
            try:
                return not self._is_closing and self._sync_or_rebuild(source)
            except _Aborted:
                return False

    def embed(self, is_cancelled: Callable[[], bool] = lambda: False) -> None:
        """Compute the vectors of sections that have none, if meaning counts.

        Blocks; searches continue. Stops once `is_cancelled`.
        """
        if self.semantic is None or self._snapshot is None:
            return
        if self.semantic.update(self._snapshot, self._folder, is_cancelled):
            self.generation += 1

    def _sync_or_rebuild(self, source: DocumentSource) -> bool:
        """Sync with a source; rebuild the index if it fails, then use memory."""
        was_damaged = self.is_damaged
        if was_damaged:
            self._discard("a search failed on it")
        try:
            is_changed = self._sync(source)
            self._rebuilt = self._snapshot if was_damaged else self._rebuilt
            return is_changed
        except IndexCorrupt as fault:
            self._discard(str(fault))
        try:
            return self._sync(source)
        except IndexCorrupt as fault:
            self._switch_to_memory(str(fault))
        return self._sync(source)

    def search(self, request: SearchRequest) -> SearchResults:
        """Return the results of a request; never raises because of its query."""
        if not self.is_ready:
            return SearchResults()
        from asdlc_kb.search.query.execution import run_search

        return self._run(run_search, request) or SearchResults()

    def search_unmatched(self, request: SearchRequest) -> SearchResults | None:
        """Return the results of a short query that matches nothing in a small index.

        None for any other. Takes less than a millisecond, and less than a thread does.
        """
        snapshot = self._snapshot
        if snapshot is None or len(snapshot.entries) > MAX_SMALL_INDEX_DOCUMENTS:
            return None
        if len(request.query) > MAX_SHORT_QUERY_CHARS or self.is_damaged:
            return None
        return self._run(self._run_unmatched, request)

    def explain(
        self, request: SearchRequest, results: SearchResults
    ) -> "Explanation | None":
        """Explain the results of a request; None without an index."""
        if self._snapshot is None:
            return None
        from asdlc_kb.search.query.explanation import explain_search

        return explain_search(self._snapshot, request, results, self._query_policy)

    def _run(
        self, run: "_RunSearch | None", request: SearchRequest
    ) -> SearchResults | None:
        snapshot = self._snapshot
        if snapshot is None or run is None:
            return None
        from asdlc_kb.search.index.index_store import convert_engine_errors

        try:
            with convert_engine_errors():
                meaning = None if self.semantic is None else self.semantic.vectors
                return run(snapshot, request, self._query_policy, meaning)
        except IndexCorrupt as fault:
            logger.error("search failed", extra={"reason": str(fault)})
            # A failure on a freshly rebuilt index is caused by the query.
            self.is_damaged = snapshot is not self._rebuilt
            return None

    def close(self) -> None:
        """Release the folder; abort a running `sync`; searches continue."""
        self._is_closing = True
        if self.semantic is not None:
            self.semantic.close()
        with self._sync_lock:
            if self._store:
                self._store.close()

    def _sync(self, source: DocumentSource) -> bool:
        started = time.perf_counter()
        was_open = self._store is not None
        digests = {} if was_open else source.digests()
        store = self._store or self._open(digests)
        store.check()
        snapshot = store.snapshot
        changes = self._find_changes(source, snapshot, digests)
        if not was_open and store.was_opened:
            self._log("index opened", store, started)
            started = time.perf_counter()
        if changes:
            if store.is_read_only:
                self._disable_folder("it is read-only, and pages changed")
            slots = {key: snapshot.slots.get(key) for key in changes}
            removed = [slot for slot in slots.values() if slot is not None]
            gone = (slots[key] for key, digest in changes.items() if digest is None)
            hidden = [slot for slot in gone if slot is not None]
            added = {k: digest for k, digest in changes.items() if digest is not None}
            documents = self._read(source, added)
            store.change(removed, documents, count=len(added), hidden=hidden)
        is_changed = self._publish(store)
        self._synced = store.snapshot, source
        self.needs_purge = store.needs_purge
        if changes:
            is_first = not snapshot.entries
            self._log(_change_message(store, is_first=is_first), store, started)
        return is_changed

    def _find_changes(
        self,
        source: DocumentSource,
        snapshot: "IndexSnapshot",
        digests: Mapping[str, bytes],
    ) -> Mapping[str, bytes | None]:
        """Return the digests of the documents that differ from the indexed ones.

        By key; None for a document that is removed. `digests` are those of the source,
        or empty.
        """
        if self._synced is not None and self._synced[0] is snapshot:
            changes = source.changes_since(self._synced[1])
            if changes is not None:
                return {
                    key: digest
                    for key, digest in changes.items()
                    if digest != snapshot.find_digest(key)
                }
        digests = digests or source.digests()
        known = {entry.key: entry.digest for entry in snapshot.entries.values()}
        return dict[str, bytes | None](dict.fromkeys(known.keys() - digests.keys())) | {
            key: digest for key, digest in digests.items() if known.get(key) != digest
        }

    def _read(
        self, source: DocumentSource, digests: Mapping[str, bytes]
    ) -> Iterator[tuple[SearchDocument, bytes]]:
        for done, (key, digest) in enumerate(digests.items(), 1):
            if self._is_closing:
                raise _Aborted
            document = source.document(key)
            self._progress(done, len(digests))
            yield document, digest

    def _publish(self, store: "IndexStore") -> bool:
        """Publish the current snapshot to searches; return whether it changed."""
        if self._snapshot is store.snapshot:
            return False
        # Imported here: the import would block the event loop.
        from asdlc_kb.search.query.execution import run_unmatched

        self._run_unmatched = run_unmatched
        self._snapshot = store.snapshot
        self.generation += 1
        return True

    def _open(self, known: Mapping[str, bytes]) -> "IndexStore":
        """Open or create the index; `known` are the digests of the source by key."""
        from asdlc_kb.search.index.directory import IndexDirectory, NotWritable
        from asdlc_kb.search.index.index_store import IndexStore

        folder = None
        if self._folder is not None:
            try:
                folder = IndexDirectory(self._folder)
            except NotWritable as error:
                if store := self._open_read_only(self._folder, str(error), known):
                    return store
            except OperationalError as error:
                self._disable_folder(str(error))
        try:
            self._store = IndexStore(
                folder, self._index_policy, is_rebuild=self._is_rebuild, known=known
            )
            self._is_rebuild = False
        except BaseException:
            if folder:
                folder.close()
            raise
        return self._store

    def _open_read_only(
        self, root: Path, reason: str, known: Mapping[str, bytes]
    ) -> "IndexStore | None":
        """Open an intact index in a folder that cannot be written, if there is one."""
        from asdlc_kb.search.index.index_store import IndexStore
        from asdlc_kb.search.index.read_only_directory import ReadOnlyDirectory

        if self._is_rebuild or not os.path.isdir(root):
            self._disable_folder(reason)
            return None
        store = IndexStore(None, self._index_policy)
        try:
            store.open_read_only(ReadOnlyDirectory(root), known)
        except (IndexCorrupt, OperationalError) as error:
            self._disable_folder("; ".join(dict.fromkeys((reason, str(error)))))
            return None
        logger.info("index is read-only", extra={"reason": reason})
        self._store = store
        return store

    def _discard(self, reason: str) -> None:
        """Discard a damaged index; its last snapshot is served meanwhile."""
        logger.warning("rebuilding the index", extra={"reason": reason})
        self.is_damaged = False
        self.needs_purge = False
        self._is_rebuild = True
        if self._store:
            self._store.close()
        self._store = None

    def _switch_to_memory(self, reason: str) -> None:
        self._disable_folder(reason)
        if self._store:
            self._store.clear()
            self._store.close()
        self._store = None

    def _disable_folder(self, reason: str) -> None:
        logger.warning("index kept in memory only", extra={"reason": reason})
        self.refused = reason
        self._folder = None

    def _log(self, event: str, store: "IndexStore", started: float) -> None:
        milliseconds = round((time.perf_counter() - started) * 1000)
        pages = len(store.snapshot.entries)
        extra = {"pages": pages, "ms": milliseconds, "on_disk": store.is_on_disk}
        logger.info(event, extra=extra)


def _change_message(store: "IndexStore", *, is_first: bool) -> str:
    """Return the log message of a change of the index."""
    if not is_first:
        return "index refreshed"
    return "index rebuilt" if store.replaces else "index built"
