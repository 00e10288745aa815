"""Index store: the indexes of a source and their current snapshot.

One thread at a time writes. A change commits quickly, by marking removed documents as
deleted. `purge` then rewrites their segments, so that none of their text stays in any
file.
"""

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from contextlib import contextmanager, suppress
from errno import ENOSPC
from itertools import chain, islice
from types import MappingProxyType
from typing import Final

from asdlc_kb.exceptions import IndexCorrupt
from asdlc_kb.search.index.directory import IndexDirectory
from asdlc_kb.search.index.index_pair import IndexPair, list_slots, read_documents
from asdlc_kb.search.index.index_schema import index_identity
from asdlc_kb.search.index.index_snapshot import Entries, IndexedDocument, IndexSnapshot
from asdlc_kb.search.index.manifest import Manifest, checksum_file
from asdlc_kb.search.index.read_only_directory import ReadOnlyDirectory
from asdlc_kb.search.index.saved_documents import SavedDocuments, read_entries
from asdlc_kb.search.index.segments import Segment, choose_rewritten, documents_per_part
from asdlc_kb.search.policy import IndexPolicy
from asdlc_kb.search.values import SearchDocument

_MAX_DEAD_SHARE: Final = 0.2
"""Share of deleted document versions at which they are purged, too."""

_MAX_ROUNDS: Final = 3
"""Rounds of a purge: urgent segments, the others, and new ones above the share."""

_MAX_RECORDED_SLOTS: Final = 1_000
"""Slots of a segment that are recorded; those of a larger one are listed."""

_IN_MEMORY: Final = frozenset({"memory"})
"""Stands for the only segment of an index in memory."""


@contextmanager
def convert_engine_errors() -> Iterator[None]:
    """Raise IndexCorrupt for any failure of the engine, including panics."""
    try:
        yield
    except (OSError, ValueError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        if f"(os error {ENOSPC})" in str(error):
            reason = os.strerror(ENOSPC)
        raise IndexCorrupt(f"the engine failed: {reason}") from error
    except BaseException as error:
        # A Rust panic is not an Exception in Python.
        if type(error).__name__ != "PanicException":
            raise
        raise IndexCorrupt("the engine panicked") from None


class IndexStore:
    """The indexes and their current snapshot."""

    def __init__(
        self,
        folder: IndexDirectory | None,
        policy: IndexPolicy,
        *,
        is_rebuild: bool = False,
        known: Mapping[str, bytes] = MappingProxyType({}),
    ) -> None:
        """Open the index in the folder if it is intact, else create an empty one.

        Keys and digests that are equal to those of `known` are the same objects.
        Raises IndexCorrupt if it is damaged, unless `is_rebuild`.
        """
        self._folder = folder
        self._policy = policy
        self._version = index_identity(policy)
        self._next_slot = 1
        self._dirty: frozenset[str] = frozenset()
        """Segments with text to purge."""
        self._urgent: frozenset[str] = frozenset()
        """Those of them with text that may not be visible any more."""
        self._files: Mapping[str, str] = {}
        """Checksums of the files."""
        self._written: dict[str, frozenset[int]] = {}
        """The slots of the pages in recent small segments, by the segment's name."""
        self._saved = SavedDocuments()
        self.was_opened = False
        """Whether an existing index was opened."""
        self.replaces = is_rebuild
        """Whether it replaces a damaged or outdated index."""
        self.is_read_only = False
        """Whether it is that of a folder that cannot be written."""
        manifest = folder.read() if folder and not is_rebuild else None
        with convert_engine_errors():
            if manifest and manifest.version == self._version:
                self._open(manifest, known)
            else:
                self.replaces = is_rebuild or manifest is not None
                self._create()

    @property
    def is_on_disk(self) -> bool:
        """Whether the index is persistent."""
        return self._folder is not None or self.is_read_only

    @property
    def needs_purge(self) -> bool:
        """Whether the files have removed text to purge."""
        return bool(self._dirty)

    @property
    def is_purge_urgent(self) -> bool:
        """Whether some of that text may not be visible any more: it cannot wait."""
        return bool(self._urgent)

    def open_read_only(
        self, folder: ReadOnlyDirectory, known: Mapping[str, bytes]
    ) -> None:
        """Serve the index of a folder until the first change, which is in memory.

        Raises IndexCorrupt if there is none, or if it is damaged or of another version.
        """
        manifest = folder.read()
        if manifest is None or manifest.version != self._version:
            raise IndexCorrupt("it has no index of this version")
        with convert_engine_errors():
            parts = folder.parts(manifest.number)
            pair = IndexPair(parts, manifest.number, is_read_only=True)
            entries = read_entries(folder.read_documents(manifest), known)
            self._serve(manifest, entries, pair)
        # It is read without a lock.
        folder.check()
        self.is_read_only = True

    def check(self) -> None:
        """Raise IndexCorrupt if another program changed the files of the index."""
        if self._folder:
            self._folder.check()

    def close(self) -> None:
        """Release the folder; the snapshot stays readable."""
        if self._folder:
            self._folder.close()

    def clear(self) -> None:
        """Empty the folder, as far as it is writable."""
        if self._folder:
            with suppress(OSError):
                self._folder.sweep(None)

    def change(
        self,
        removed: Collection[int],
        documents: Iterable[tuple[SearchDocument, bytes]],
        *,
        count: int,
        hidden: Collection[int] = (),
    ) -> None:
        """Remove the documents of some slots, add `count` others, swap the snapshot.

        `hidden` are those of the removed slots to be purged urgently.
        """
        with convert_engine_errors():
            if self.is_read_only:
                self._copy_to_memory()
            self._mark_urgent(hidden)
            size = _part_size(
                count,
                documents_per_part(len(self.snapshot.entries) - len(removed) + count),
            )
            merged = (
                choose_rewritten(self._segments[0], count) if self._segments else ()
            )
            rewritten = self._slots_in(0, merged) - set(removed)
            entries, slots = dict(self.snapshot.entries), dict(self.snapshot.slots)
            for slot in removed:
                del slots[entries.pop(slot).key]
            self._saved.record(self.snapshot.entries[slot].key for slot in removed)
            added = self._assign_slots(documents, entries, slots)
            first = chain(read_documents(self.snapshot, rewritten), islice(added, size))
            total = size + len(rewritten)
            self._commit([*removed, *rewritten], first, entries, slots, total)
            for _ in range(size, count, size):
                self._commit((), islice(added, size), entries, slots, size)

    def purge(self, check: Callable[[], None] = lambda: None) -> None:
        """Rewrite the segments with removed text, then swap the snapshot.

        Urgent segments come first. `check` is called before each document, and aborts
        the purge by raising.
        """
        with convert_engine_errors():
            if not self._segments:
                self._copy_to_memory(check)
                return
            for _ in range(_MAX_ROUNDS):
                self._rewrite(self._urgent or self._dirty, check)
                if not self._dirty:
                    return
            raise IndexCorrupt("its files still contain removed text")

    def _copy_to_memory(self, check: Callable[[], None] = lambda: None) -> None:
        """Write the documents to new indexes in memory, without removed ones."""
        pair, entries = IndexPair(None), self.snapshot.entries
        documents = _with_check(read_documents(self.snapshot, entries), check)
        pair.write((), documents, self._policy, count=len(entries))
        self.is_read_only = False
        self._dirty = self._urgent = frozenset()
        self._swap(pair, entries, self.snapshot.slots)

    def _rewrite(self, names: frozenset[str], check: Callable[[], None]) -> None:
        """Rewrite some segments, in parts of the usual size."""
        entries, slots = self.snapshot.entries, self.snapshot.slots
        chosen = sorted(self._slots_in(0, names) | self._slots_in(1, names))
        size = _part_size(len(chosen), documents_per_part(len(entries)))
        for start in range(0, len(chosen), size):
            part = chosen[start : start + size]
            documents = _with_check(read_documents(self.snapshot, part), check)
            self._commit(part, documents, entries, slots, len(part))

    def _open(self, manifest: Manifest, known: Mapping[str, bytes]) -> None:
        assert self._folder is not None
        number, self._files = manifest.number, manifest.files
        self._folder.sweep(number)
        entries = read_entries(self._folder.read_documents(manifest), known)
        self._serve(manifest, entries, IndexPair(self._folder.parts(number), number))
        if manifest.base:
            self._saved = SavedDocuments(manifest.base, manifest.documents)
        # It is unknown which of the segments had text to purge.
        self._dirty = self._urgent = self._segment_names(
            lambda segment: segment.dead > 0
        )

    def _serve(self, manifest: Manifest, entries: Entries, pair: IndexPair) -> None:
        """Publish the indexes of a manifest; raise IndexCorrupt if they differ."""
        self._next_slot = manifest.following
        self._swap(pair, entries)
        if self.snapshot.pages.num_docs != len(entries):
            raise IndexCorrupt("its documents do not match its manifest")
        self.was_opened = True

    def _create(self) -> None:
        if self._folder is None:
            self._swap(IndexPair(None), {})
            return
        self._folder.sweep(None)
        number = self._folder.free_number()
        self._swap(IndexPair(self._folder.make_parts(number), number), {})

    def _assign_slots(
        self,
        documents: Iterable[tuple[SearchDocument, bytes]],
        entries: dict[int, IndexedDocument],
        slots: dict[str, int],
    ) -> Iterator[tuple[int, SearchDocument]]:
        """Assign a slot to each document."""
        for document, digest in documents:
            slot = self._next_slot
            self._next_slot += 1
            entries[slot] = IndexedDocument(document.key, digest, document.language)
            slots[document.key] = slot
            self._saved.record((document.key,))
            yield slot, document

    def _slots_in(self, kind: int, names: Collection[str]) -> set[int]:
        """Return the slots of pages, or of sections, in some segments."""
        if not names:
            return set()
        segments = self._segments[kind]
        if kind == 0 and all(name in self._written for name in names):
            slots = set[int]().union(*(self._written[name] for name in names))
            if len(slots) == sum(each.live for each in segments if each.name in names):
                return slots
        searcher = (self.snapshot.pages, self.snapshot.sections)[kind]
        rows = list(list_slots(searcher))
        counts = Counter(at for _, at in rows)
        if any(counts[at] != segment.live for at, segment in enumerate(segments)):
            raise IndexCorrupt("its segments do not match its list of segments")
        return {slot for slot, at in rows if segments[at].name in names}

    def _mark_urgent(self, slots: Collection[int]) -> None:
        """Mark the segments of some slots for an urgent purge."""
        if not self._segments:
            self._add_urgent(_IN_MEMORY if slots else frozenset())
            return
        urgent_slots = set(slots)
        searchers = (self.snapshot.pages, self.snapshot.sections)
        for searcher, segments in zip(searchers, self._segments, strict=True):
            if urgent_slots:
                rows = list_slots(searcher)
                names = (segments[at].name for slot, at in rows if slot in urgent_slots)
                self._add_urgent(frozenset(names))

    def _add_urgent(self, names: frozenset[str]) -> None:
        self._urgent |= names
        self._dirty |= names

    def _commit(
        self,
        removed: Collection[int],
        documents: Iterable[tuple[int, SearchDocument]],
        entries: Entries,
        slots: Mapping[str, int],
        count: int,
    ) -> None:
        """Write to both indexes, then publish the entries as of then."""
        self.check()
        written: list[int] = []
        before = self._page_segments
        documents = _with_record(documents, written)
        try:
            self._pair.write(removed, documents, self._policy, count=count)
        except Exception:
            # A partial change was rolled back: update the manifest.
            with suppress(OSError, IndexCorrupt):
                self._save()
            raise
        self._swap(self._pair, dict(entries), dict(slots))
        self._record_slots(before, {*removed, *written}, written)
        self._save()

    @property
    def _page_segments(self) -> frozenset[str]:
        return frozenset(segment.name for segment in chain(*self._segments[:1]))

    def _record_slots(
        self, before: Set[str], touched: Set[int], written: Collection[int]
    ) -> None:
        """Record the slots of a new small segment, and none that left another one."""
        current = self._page_segments
        self._written = {
            name: slots - touched
            for name, slots in self._written.items()
            if name in current
        }
        added = current - before
        if len(added) == 1 and len(written) <= _MAX_RECORDED_SLOTS:
            self._written[next(iter(added))] = frozenset(written)

    def _swap(
        self,
        pair: IndexPair,
        entries: Entries,
        slots: Mapping[str, int] | None = None,
    ) -> None:
        self._pair = pair
        self.snapshot = IndexSnapshot(*pair.searchers(), entries, slots)
        if pair.is_read_only:
            # Nothing can be purged in its files.
            self._segments: tuple[tuple[Segment, ...], ...] = ()
            return
        self._segments = pair.segments
        exceeds_share = pair.dead > _MAX_DEAD_SHARE * len(entries)
        if not self._segments:
            self._dirty |= _IN_MEMORY if exceeds_share else frozenset()
            return
        self._dirty &= self._segment_names(lambda segment: True)
        self._urgent &= self._dirty
        if exceeds_share:
            self._dirty |= self._segment_names(lambda segment: segment.dead > 0)

    def _segment_names(self, matches: Callable[[Segment], bool]) -> frozenset[str]:
        """Return the names of the segments that match a predicate."""
        segments = chain.from_iterable(self._segments)
        return frozenset(segment.name for segment in segments if matches(segment))

    def _save(self) -> None:
        if self._folder is None:
            self._saved = SavedDocuments()
            return
        pages, _ = self._folder.parts(self._pair.number)
        rows = self._saved.write(pages, self.snapshot)
        self._files = checksum_file(self._folder.root, self._pair.folders, self._files)
        state = self._version, self._pair.number, self._files, rows, self._next_slot
        self._folder.write(Manifest(*state, self._saved.file))


def _part_size(count: int, size: int) -> int:
    """Return the size of equal parts of about this size; at least 1."""
    parts = max(1, round(count / size))
    return max(1, -(-count // parts))


def _with_record(
    documents: Iterable[tuple[int, SearchDocument]], slots: list[int]
) -> Iterator[tuple[int, SearchDocument]]:
    for slot, document in documents:
        slots.append(slot)
        yield slot, document


def _with_check(
    documents: Iterable[tuple[int, SearchDocument]], check: Callable[[], None]
) -> Iterator[tuple[int, SearchDocument]]:
    for document in documents:
        check()
        yield document
