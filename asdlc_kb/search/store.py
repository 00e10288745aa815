"""The two indexes, in memory or in a folder. One thread at a time changes them.

A change is committed quickly, by marking what is gone as deleted. `rewrite` then makes
the indexes anew of what is left, so that nothing of it stays in any file.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

import tantivy

from asdlc_kb.exceptions import IndexFault
from asdlc_kb.search.document import Document, Section
from asdlc_kb.search.folder import Folder
from asdlc_kb.search.manifest import Manifest, checksum
from asdlc_kb.search.policy import Policy
from asdlc_kb.search.schema import (
    PAGES,
    SECTIONS,
    at_slot,
    identify,
    make_index,
    read_page,
    read_section,
    write_page,
    write_section,
)
from asdlc_kb.search.shelf import Entry, Shelf

_HEAP: Final = 64_000_000
"""Bytes in which a writer collects before it writes a segment."""


@contextmanager
def guard() -> Iterator[None]:
    """Raise IndexFault for everything by which the engine fails, panics included."""
    try:
        yield
    except (OSError, ValueError, RuntimeError) as error:
        raise IndexFault(f"the engine failed: {type(error).__name__}") from error
    except BaseException as error:
        # What Rust calls a panic is no Exception in Python.
        if type(error).__name__ != "PanicException":
            raise
        raise IndexFault("the engine panicked") from None


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two indexes that belong together."""

    pages: tantivy.Index
    sections: tantivy.Index
    number: int


class Store:
    """The indexes and their present state."""

    def __init__(
        self, folder: Folder | None, policy: Policy, *, begins_anew: bool = False
    ) -> None:
        """Open what is in the folder if it is true, else begin with nothing.

        Raises IndexFault if there is something that is not true, unless it
        `begins_anew`.
        """
        self._folder = folder
        self._policy = policy
        self._version = identify(policy)
        self._following = 1
        self.dead = 0
        """How many states of documents are deleted, yet in the indexes."""
        self.was_opened = False
        """Whether it was there before."""
        self.replaces = begins_anew
        """Whether it takes the place of one that was not true."""
        manifest = folder.read() if folder and not begins_anew else None
        with guard():
            if manifest and manifest.version == self._version:
                self._open(manifest)
            else:
                self.replaces = begins_anew or manifest is not None
                self._begin()

    @property
    def is_on_disk(self) -> bool:
        """Whether it lasts."""
        return self._folder is not None

    def close(self) -> None:
        """Let the folder go; the shelf can be read on."""
        if self._folder:
            self._folder.close()

    def clear(self) -> None:
        """Leave nothing in the folder, as far as it can be written."""
        if self._folder:
            with suppress(OSError):
                self._folder.sweep(None)

    def change(
        self, gone: Iterable[int], documents: Iterable[tuple[Document, bytes]]
    ) -> None:
        """Take the documents of some slots out and others in, and swap the shelf."""
        with guard():
            entries = dict(self.shelf.entries)
            slots = list(gone)
            for slot in slots:
                del entries[slot]
            added = self._number(documents, entries)
            _write(self._pair, slots, added, self._policy)
            self.dead += len(slots)
            self._publish(self._pair, entries)

    def rewrite(self) -> None:
        """Make both indexes anew of what is left, and swap the shelf."""
        with guard():
            pair = self._make_pair()
            _write(pair, (), self._read_all(), self._policy)
            self.dead = 0
            self._publish(pair, dict(self.shelf.entries))

    def _open(self, manifest: Manifest) -> None:
        assert self._folder is not None
        pages, sections = map(str, self._folder.parts(manifest.number))
        pair = _Pair(
            make_index(PAGES, pages), make_index(SECTIONS, sections), manifest.number
        )
        entries = {
            slot: Entry(key, bytes.fromhex(digest))
            for key, (slot, digest) in manifest.documents.items()
        }
        self._following, self.dead = manifest.following, manifest.dead
        self._folder.sweep(manifest.number)
        self._swap(pair, entries)
        if self.shelf.pages.num_docs != len(entries):
            raise IndexFault("its documents are not those of its manifest")
        self.was_opened = True

    def _begin(self) -> None:
        if self._folder:
            self._folder.sweep(None)
        self._swap(self._make_pair(), {})

    def _make_pair(self) -> _Pair:
        if self._folder is None:
            return _Pair(make_index(PAGES, None), make_index(SECTIONS, None), 0)
        number = self._folder.free_number()
        pages, sections = map(str, self._folder.make_parts(number))
        return _Pair(make_index(PAGES, pages), make_index(SECTIONS, sections), number)

    def _number(
        self, documents: Iterable[tuple[Document, bytes]], entries: dict[int, Entry]
    ) -> Iterator[tuple[int, Document]]:
        """Give each document a slot."""
        for document, digest in documents:
            slot = self._following
            self._following += 1
            entries[slot] = Entry(document.key, digest)
            yield slot, document

    def _read_all(self) -> Iterator[tuple[int, Document]]:
        """Yield the documents of the shelf as they were given."""
        shelf = self.shelf
        sections: dict[int, list[tuple[int, Section]]] = {}
        for slot, address in _list(shelf.sections):
            row = read_section(shelf.sections.doc(address))
            sections.setdefault(slot, []).append(row)
        for slot, address in _list(shelf.pages):
            page = read_page(shelf.pages.doc(address))
            mine = sorted(sections.pop(slot, ()), key=lambda row: row[0])
            yield (
                slot,
                Document(
                    page.key,
                    shelf.entries[slot].digest,
                    page.title,
                    page.description,
                    page.tags,
                    page.category,
                    tuple(section for _, section in mine),
                ),
            )

    def _publish(self, pair: _Pair, entries: dict[int, Entry]) -> None:
        self._swap(pair, entries)
        if self._folder is None:
            return
        manifest = Manifest(
            self._version,
            pair.number,
            checksum(self._folder.root, self._folder.parts(pair.number)),
            {e.key: (slot, e.digest.hex()) for slot, e in entries.items()},
            self._following,
            self.dead,
        )
        self._folder.write(manifest)

    def _swap(self, pair: _Pair, entries: dict[int, Entry]) -> None:
        for index in (pair.pages, pair.sections):
            index.reload()
        self._pair = pair
        self.shelf = Shelf(pair.pages.searcher(), pair.sections.searcher(), entries)


def _list(searcher: tantivy.Searcher) -> list[tuple[int, tantivy.DocAddress]]:
    """Return slot and address of everything that is not deleted."""
    count = searcher.num_docs
    if not count:
        return []
    hits = searcher.search(tantivy.Query.all_query(), count, count=False).hits
    addresses = [address for _, address in hits]
    slots = searcher.fast_field_values("slot", addresses)
    return [(int(slot or 0), a) for slot, a in zip(slots, addresses, strict=True)]


def _write(
    pair: _Pair,
    gone: Iterable[int],
    documents: Iterable[tuple[int, Document]],
    policy: Policy,
) -> None:
    """Commit to both indexes; returns when no thread works on the files."""
    pages, sections = (index.writer(_HEAP, 1) for index in (pair.pages, pair.sections))
    for slot in gone:
        # By query: a term made of a number would be a signed one, and delete nothing.
        pages.delete_documents_by_query(at_slot(PAGES, slot))
        sections.delete_documents_by_query(at_slot(SECTIONS, slot))
    for slot, document in documents:
        pages.add_document(write_page(slot, document, policy))
        for number in range(len(document.sections)):
            sections.add_document(write_section(slot, document, number, policy))
    for writer in (pages, sections):
        writer.commit()
    for writer in (pages, sections):
        writer.wait_merging_threads()
