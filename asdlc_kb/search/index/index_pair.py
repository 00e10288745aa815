"""Index pair: the page index and the section index of a source, written together.

Files of indexes on disk are mapped only while they are written. Searchers read sealed
copies in memory, unless the indexes are too large for that.
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
    make_index,
    read_page,
    read_section,
    slot_query,
    slots_query,
)
from asdlc_kb.search.index.index_snapshot import IndexSnapshot
from asdlc_kb.search.index.sealed_files import copy_files, fits, link_files
from asdlc_kb.search.index.segments import Segment, delete_other_files, read_segments
from asdlc_kb.search.policy import IndexPolicy
from asdlc_kb.search.values import IndexedSection, SearchDocument

_BUFFER_BYTES: Final = 15_000_000
"""Bytes of a writer's document buffer, the engine's minimum."""

_LARGE_BUFFER_BYTES: Final = 100_000_000
"""The same for hundreds of documents, so that they form one segment; mostly unused."""

_SMALL_INDEX_DOCUMENTS: Final = 100

_Indexes: TypeAlias = tuple[tantivy.Index, tantivy.Index]
"""The page index and the section index."""


class IndexPair:
    """Two indexes, in memory or in folders."""

    def __init__(
        self,
        folders: tuple[Path, Path] | None,
        number: int = 0,
        *,
        is_read_only: bool = False,
    ) -> None:
        """Open the indexes in the folders, or create empty ones in memory."""
        self.folders = folders or ()
        self.is_read_only = is_read_only
        """Whether nothing may be written to the folders."""
        self._indexes = None
        """Indexes in memory."""
        if not folders:
            self._indexes = _open(None, None)
        elif not is_read_only:
            _open(*folders)
        self.number = number
        """Number of the folders."""
        self._deleted = 0

    @property
    def dead(self) -> int:
        """Number of deleted page versions that are still in the index."""
        if not self.folders:
            return self._deleted
        return sum(segment.dead for segment in self.segments[0])

    def write(
        self,
        removed: Collection[int],
        documents: Iterable[tuple[int, SearchDocument]],
        policy: IndexPolicy,
        *,
        count: int,
    ) -> None:
        """Remove slots and add about `count` documents.

        Returns when no thread works on the files. Nothing is written if `documents`
        raises. Segments without live documents are deleted; open readers can read on.
        """
        rows = Rows(policy)
        buffer_bytes = (
            _LARGE_BUFFER_BYTES if count > _SMALL_INDEX_DOCUMENTS else _BUFFER_BYTES
        )
        indexes = self._indexes or _open(*self.folders)
        pages, sections = (index.writer(buffer_bytes, 1) for index in indexes)
        for slot in removed:
            # By query: a term made from a number would be signed, and delete
            # nothing.
            pages.delete_documents_by_query(slot_query(PAGES, slot))
            sections.delete_documents_by_query(slot_query(SECTIONS, slot))
        try:
            for slot, document in documents:
                page, section_rows = rows.write(slot, document)
                pages.add_document(page)
                for row in section_rows:
                    sections.add_document(row)
            with ThreadPoolExecutor(1) as executor:
                sections_commit = executor.submit(sections.commit)
                pages.commit()
                sections_commit.result()
        finally:
            for writer in (pages, sections):
                writer.wait_merging_threads()
            for folder, segments in zip(self.folders, self.segments, strict=True):
                delete_other_files(folder, segments)
        self._deleted += len(removed)

    @property
    def segments(self) -> tuple[tuple[Segment, ...], ...]:
        """The segments of both indexes, if they are on disk."""
        return tuple(map(read_segments, self.folders))

    def searchers(self) -> tuple[tantivy.Searcher, tantivy.Searcher]:
        """Return searchers over the current state.

        Raises IndexCorrupt if it differs from its list of segments.
        """
        with ExitStack() as stack:
            folders: Iterable[Path] = self.folders
            if self.is_read_only:
                linked = link_files(self.folders, copies=fits(self.folders))
                folders = stack.enter_context(linked)
            elif self.folders and fits(self.folders):
                folders = [stack.enter_context(copy_files(f)) for f in self.folders]
            searchers = _reload_searchers(self._indexes or _open(*folders))
        for searcher, segments in zip(searchers, self.segments, strict=False):
            live = sum(segment.live for segment in segments)
            if (searcher.num_docs, searcher.num_segments) != (live, len(segments)):
                raise IndexCorrupt("its segments do not match its list of segments")
        return searchers


def _open(pages: Path | None, sections: Path | None) -> _Indexes:
    """Open or create the indexes in two folders, or create them in memory."""
    return (
        make_index(PAGES, str(pages) if pages else None),
        make_index(SECTIONS, str(sections) if sections else None),
    )


def _reload_searchers(indexes: _Indexes) -> tuple[tantivy.Searcher, tantivy.Searcher]:
    for index in indexes:
        index.reload()
    return indexes[0].searcher(), indexes[1].searcher()


def list_slots(searcher: tantivy.Searcher) -> Iterator[tuple[int, int]]:
    """Yield slot and segment number of all live rows."""
    for slot, address in _find_rows(searcher, tantivy.Query.all_query()):
        yield slot, address.segment_ord


def read_documents(
    snapshot: IndexSnapshot, slots: Collection[int]
) -> Iterator[tuple[int, SearchDocument]]:
    """Yield the documents of some slots as they were indexed."""
    sections: dict[int, list[tuple[int, IndexedSection]]] = {}
    for slot, address in _find_rows(snapshot.sections, slots_query(SECTIONS, slots)):
        row = read_section(snapshot.sections.doc(address))
        sections.setdefault(slot, []).append(row)
    for slot, address in _find_rows(snapshot.pages, slots_query(PAGES, slots)):
        page = read_page(snapshot.pages.doc(address))
        own_sections = sorted(sections.pop(slot, ()), key=lambda row: row[0])
        yield (
            slot,
            SearchDocument(
                page.key,
                snapshot.entries[slot].digest,
                page.title,
                page.description,
                page.tags,
                page.category,
                tuple(section for _, section in own_sections),
                page.language,
                page.folders,
            ),
        )


def _find_rows(
    searcher: tantivy.Searcher, query: tantivy.Query
) -> list[tuple[int, tantivy.DocAddress]]:
    """Return slot and address of the rows that match a query."""
    if not searcher.num_docs:
        return []
    hits = searcher.search(query, searcher.num_docs, count=False).hits
    addresses = [address for _, address in hits]
    slots = searcher.fast_field_values("slot", addresses)
    return [(int(slot or 0), a) for slot, a in zip(slots, addresses, strict=True)]
