"""A page index and a section index that belong together: written, listed, read back.

Of indexes in folders, the files are mapped only while they are written. Searchers read
sealed copies in memory, unless the indexes are too large for that.
"""

from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Final, TypeAlias

import tantivy

from asdlc_kb.exceptions import IndexCorrupt
from asdlc_kb.search.index.index_schema import (
    PAGES,
    SECTIONS,
    Rows,
    at_slot,
    at_slots,
    make_index,
    read_page,
    read_section,
)
from asdlc_kb.search.index.index_snapshot import IndexSnapshot
from asdlc_kb.search.index.sealed_files import copy_files, fits
from asdlc_kb.search.index.segments import Segment, delete_other_files, read_segments
from asdlc_kb.search.policy import SearchPolicy
from asdlc_kb.search.values import IndexedSection, SearchDocument

_HEAP: Final = 15_000_000
"""Bytes in which a writer collects documents; the engine takes no less."""

_HEAP_OF_MANY: Final = 100_000_000
"""The same for some hundred documents, of which most is never used: they are to be one
segment, not several."""

_SMALL_INDEX_DOCUMENTS: Final = 100

_Indexes: TypeAlias = tuple[tantivy.Index, tantivy.Index]
"""Of pages and of sections."""


class IndexPair:
    """Two indexes, in memory or in folders."""

    def __init__(self, folders: tuple[Path, Path] | None, number: int = 0) -> None:
        """Open what is in the folders, or begin with nothing."""
        self.folders = folders or ()
        indexes = _open(*(folders or (None, None)))
        self._indexes = None if folders else indexes
        """Those in memory."""
        self.number = number
        """Of the folders."""
        self._deleted = 0

    @property
    def dead(self) -> int:
        """How many states of pages are deleted, yet in the index."""
        if not self.folders:
            return self._deleted
        return sum(segment.dead for segment in self.segments[0])

    def write(
        self,
        gone: Collection[int],
        documents: Iterable[tuple[int, SearchDocument]],
        policy: SearchPolicy,
        *,
        count: int,
    ) -> None:
        """Take slots out and about so many others in.

        Returns when no thread works on the files. Nothing is written if `documents`
        fail; segments that are gone as a whole are deleted, and who reads them reads
        on.
        """
        rows = Rows(policy)
        heap = _HEAP_OF_MANY if count > _SMALL_INDEX_DOCUMENTS else _HEAP
        indexes = self._indexes or _open(*self.folders)
        pages, sections = (index.writer(heap, 1) for index in indexes)
        for slot in gone:
            # By query: a term made of a number would be a signed one, and delete
            # nothing.
            pages.delete_documents_by_query(at_slot(PAGES, slot))
            sections.delete_documents_by_query(at_slot(SECTIONS, slot))
        try:
            for slot, document in documents:
                page, below = rows.write(slot, document)
                pages.add_document(page)
                for row in below:
                    sections.add_document(row)
            with ThreadPoolExecutor(1) as beside:
                other = beside.submit(sections.commit)
                pages.commit()
                other.result()
        finally:
            for writer in (pages, sections):
                writer.wait_merging_threads()
            for folder, segments in zip(self.folders, self.segments, strict=True):
                delete_other_files(folder, segments)
        self._deleted += len(gone)

    @property
    def segments(self) -> tuple[tuple[Segment, ...], ...]:
        """The segments of both, if they are in folders."""
        return tuple(map(read_segments, self.folders))

    def searchers(self) -> tuple[tantivy.Searcher, tantivy.Searcher]:
        """Return searchers over the present state.

        Raises IndexCorrupt if its list tells of another one.
        """
        with ExitStack() as stack:
            folders: Iterable[Path] = self.folders
            if self.folders and fits(self.folders):
                folders = [stack.enter_context(copy_files(f)) for f in self.folders]
            found = _search(self._indexes or _open(*folders))
        for searcher, segments in zip(found, self.segments, strict=False):
            live = sum(segment.live for segment in segments)
            if (searcher.num_docs, searcher.num_segments) != (live, len(segments)):
                raise IndexCorrupt("its segments are not those of its list")
        return found


def _open(pages: Path | None, sections: Path | None) -> _Indexes:
    """Return the indexes in two folders, made where there are none, or in memory."""
    return (
        make_index(PAGES, str(pages) if pages else None),
        make_index(SECTIONS, str(sections) if sections else None),
    )


def _search(indexes: _Indexes) -> tuple[tantivy.Searcher, tantivy.Searcher]:
    for index in indexes:
        index.reload()
    return indexes[0].searcher(), indexes[1].searcher()


def list_slots(searcher: tantivy.Searcher) -> Iterator[tuple[int, int]]:
    """Yield the slot and the segment of everything that is not deleted."""
    for slot, address in _list(searcher, tantivy.Query.all_query()):
        yield slot, address.segment_ord


def read_documents(
    shelf: IndexSnapshot, slots: Collection[int]
) -> Iterator[tuple[int, SearchDocument]]:
    """Yield the documents of some slots as they were given."""
    sections: dict[int, list[tuple[int, IndexedSection]]] = {}
    for slot, address in _list(shelf.sections, at_slots(SECTIONS, slots)):
        row = read_section(shelf.sections.doc(address))
        sections.setdefault(slot, []).append(row)
    for slot, address in _list(shelf.pages, at_slots(PAGES, slots)):
        page = read_page(shelf.pages.doc(address))
        mine = sorted(sections.pop(slot, ()), key=lambda row: row[0])
        yield (
            slot,
            SearchDocument(
                page.key,
                shelf.entries[slot].digest,
                page.title,
                page.description,
                page.tags,
                page.category,
                tuple(section for _, section in mine),
            ),
        )


def _list(
    searcher: tantivy.Searcher, query: tantivy.Query
) -> list[tuple[int, tantivy.DocAddress]]:
    """Return slot and address of what a query finds."""
    if not searcher.num_docs:
        return []
    hits = searcher.search(query, searcher.num_docs, count=False).hits
    addresses = [address for _, address in hits]
    slots = searcher.fast_field_values("slot", addresses)
    return [(int(slot or 0), a) for slot, a in zip(slots, addresses, strict=True)]
