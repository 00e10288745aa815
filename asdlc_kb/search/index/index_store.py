"""The indexes of a source and their present state. One thread at a time changes them.

A change is committed quickly, by marking what is gone as deleted. `purge` then writes
anew what was written together with it, so that nothing of it stays in any file.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import chain, islice
from typing import Final

from asdlc_kb.exceptions import IndexCorrupt
from asdlc_kb.search.index.directory import IndexDirectory
from asdlc_kb.search.index.index_pair import IndexPair, list_slots, read_documents
from asdlc_kb.search.index.index_schema import index_identity
from asdlc_kb.search.index.index_snapshot import IndexedDocument, IndexSnapshot
from asdlc_kb.search.index.manifest import Manifest, checksum_file
from asdlc_kb.search.index.segments import Segment, choose_rewritten, documents_per_part
from asdlc_kb.search.policy import SearchPolicy
from asdlc_kb.search.values import SearchDocument

_MAX_DEAD_SHARE: Final = 0.2
"""Share of replaced states of documents at which those leave the files, too."""

_MAX_ROUNDS: Final = 3
"""Of a purge: what cannot wait, the rest, and what became worn meanwhile."""

_MEMORY: Final = frozenset({"memory"})
"""What is tainted where there are no files: all of it."""


@contextmanager
def guard() -> Iterator[None]:
    """Raise IndexCorrupt for everything by which the engine fails, panics included."""
    try:
        yield
    except (OSError, ValueError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise IndexCorrupt(f"the engine failed: {reason}") from error
    except BaseException as error:
        # What Rust calls a panic is no Exception in Python.
        if type(error).__name__ != "PanicException":
            raise
        raise IndexCorrupt("the engine panicked") from None


class IndexStore:
    """The indexes and their present state."""

    def __init__(
        self,
        folder: IndexDirectory | None,
        policy: SearchPolicy,
        *,
        begins_anew: bool = False,
    ) -> None:
        """Open what is in the folder if it is true, else begin with nothing.

        Raises IndexCorrupt if there is something that is not true, unless it
        `begins_anew`.
        """
        self._folder = folder
        self._policy = policy
        self._version = index_identity(policy)
        self._following = 1
        self._tainted: frozenset[str] = frozenset()
        """Segments with text that has to leave the files."""
        self._urgent: frozenset[str] = frozenset()
        """Those among them with text that nobody may see any more."""
        self._files: Mapping[str, str] = {}
        """Checksums of the files."""
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

    @property
    def wants_purge(self) -> bool:
        """Whether text that is gone has to leave the files."""
        return bool(self._tainted)

    @property
    def hides(self) -> bool:
        """Whether some of that text may not be seen any more: it cannot wait."""
        return bool(self._urgent)

    def check(self) -> None:
        """Raise IndexCorrupt if another program changed the files of the index."""
        if self._folder:
            self._folder.check()

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
        self,
        gone: Collection[int],
        documents: Iterable[tuple[SearchDocument, bytes]],
        *,
        count: int,
        hidden: Collection[int] = (),
    ) -> None:
        """Take the documents of some slots out and so many others in; swap the shelf.

        Those of `hidden` slots, which are among the former, are to be purged.
        """
        with guard():
            self._taint(hidden)
            size = _divide(
                count, documents_per_part(len(self.shelf.entries) - len(gone) + count)
            )
            folded = (
                choose_rewritten(self._segments[0], count) if self._segments else ()
            )
            again = self._find(0, folded) - set(gone)
            entries = dict(self.shelf.entries)
            for slot in gone:
                del entries[slot]
            added = self._number(documents, entries)
            first = chain(read_documents(self.shelf, again), islice(added, size))
            self._commit([*gone, *again], first, entries, size + len(again))
            for _ in range(size, count, size):
                self._commit((), islice(added, size), entries, size)

    def purge(self, check: Callable[[], None] = lambda: None) -> None:
        """Write anew what was written together with what is gone; swap the shelf.

        What may not be seen any more comes first. `check` is called before each
        document, and ends it all by raising.
        """
        with guard():
            if not self._segments:
                self._purge_memory(check)
                return
            for _ in range(_MAX_ROUNDS):
                self._rewrite(self._urgent or self._tainted, check)
                if not self._tainted:
                    return
            raise IndexCorrupt("what is gone is in its files yet")

    def _purge_memory(self, check: Callable[[], None]) -> None:
        pair, entries = IndexPair(None), self.shelf.entries
        documents = _checked(read_documents(self.shelf, entries), check)
        pair.write((), documents, self._policy, count=len(entries))
        self._tainted = self._urgent = frozenset()
        self._swap(pair, entries)

    def _rewrite(self, names: frozenset[str], check: Callable[[], None]) -> None:
        """Write some segments anew, in parts of the usual size."""
        entries = self.shelf.entries
        slots = sorted(self._find(0, names) | self._find(1, names))
        size = _divide(len(slots), documents_per_part(len(entries)))
        for start in range(0, len(slots), size):
            part = slots[start : start + size]
            documents = _checked(read_documents(self.shelf, part), check)
            self._commit(part, documents, entries, len(part))

    def _open(self, manifest: Manifest) -> None:
        assert self._folder is not None
        number = manifest.number
        entries = {
            slot: IndexedDocument(key, bytes.fromhex(digest))
            for key, (slot, digest) in manifest.documents.items()
        }
        self._following, self._files = manifest.following, manifest.files
        self._folder.sweep(number)
        self._swap(IndexPair(self._folder.parts(number), number), entries)
        if self.shelf.pages.num_docs != len(entries):
            raise IndexCorrupt("its documents are not those of its manifest")
        # Which of them hold what had to go is not known any more.
        self._tainted = self._urgent = self._name(lambda segment: segment.dead > 0)
        self.was_opened = True

    def _begin(self) -> None:
        if self._folder is None:
            self._swap(IndexPair(None), {})
            return
        self._folder.sweep(None)
        number = self._folder.free_number()
        self._swap(IndexPair(self._folder.make_parts(number), number), {})

    def _number(
        self,
        documents: Iterable[tuple[SearchDocument, bytes]],
        entries: dict[int, IndexedDocument],
    ) -> Iterator[tuple[int, SearchDocument]]:
        """Give each document a slot."""
        for document, digest in documents:
            slot = self._following
            self._following += 1
            entries[slot] = IndexedDocument(document.key, digest)
            yield slot, document

    def _find(self, kind: int, names: Collection[str]) -> set[int]:
        """Return the slots of pages, or of sections, that are in some segments."""
        if not names:
            return set()
        segments = self._segments[kind]
        searcher = (self.shelf.pages, self.shelf.sections)[kind]
        found = list(list_slots(searcher))
        counts = Counter(at for _, at in found)
        if any(counts[at] != one.live for at, one in enumerate(segments)):
            raise IndexCorrupt("its segments are not those of its list")
        return {slot for slot, at in found if segments[at].name in names}

    def _taint(self, slots: Collection[int]) -> None:
        """Note that the text of slots that are there yet has to leave the files."""
        if not self._segments:
            self._add_urgent(_MEMORY if slots else frozenset())
            return
        wanted = set(slots)
        searchers = (self.shelf.pages, self.shelf.sections)
        for searcher, segments in zip(searchers, self._segments, strict=True):
            if wanted:
                rows = list_slots(searcher)
                names = (segments[at].name for slot, at in rows if slot in wanted)
                self._add_urgent(frozenset(names))

    def _add_urgent(self, names: frozenset[str]) -> None:
        self._urgent |= names
        self._tainted |= names

    def _commit(
        self,
        gone: Collection[int],
        documents: Iterable[tuple[int, SearchDocument]],
        entries: Mapping[int, IndexedDocument],
        count: int,
    ) -> None:
        """Write to both indexes, then publish what the entries are by then."""
        self.check()
        try:
            self._pair.write(gone, documents, self._policy, count=count)
        except Exception:
            # What was begun is swept away; the manifest has to know.
            with suppress(OSError, IndexCorrupt):
                self._save()
            raise
        self._swap(self._pair, dict(entries))
        self._save()

    def _swap(self, pair: IndexPair, entries: Mapping[int, IndexedDocument]) -> None:
        self._pair = pair
        self.shelf = IndexSnapshot(*pair.searchers(), entries)
        self._segments = pair.segments
        is_worn = pair.dead > _MAX_DEAD_SHARE * len(entries)
        if not self._segments:
            self._tainted |= _MEMORY if is_worn else frozenset()
            return
        self._tainted &= self._name(lambda segment: True)
        self._urgent &= self._tainted
        if is_worn:
            self._tainted |= self._name(lambda segment: segment.dead > 0)

    def _name(self, is_meant: Callable[[Segment], bool]) -> frozenset[str]:
        """Return the names of those segments that are meant."""
        every = chain.from_iterable(self._segments)
        return frozenset(segment.name for segment in every if is_meant(segment))

    def _save(self) -> None:
        if self._folder is None:
            return
        self._files = checksum_file(self._folder.root, self._pair.folders, self._files)
        manifest = Manifest(
            self._version,
            self._pair.number,
            self._files,
            {e.key: (slot, e.digest.hex()) for slot, e in self.shelf.entries.items()},
            self._following,
        )
        self._folder.write(manifest)


def _divide(count: int, size: int) -> int:
    """Return the size of equal parts that are about so large; at least 1."""
    parts = max(1, round(count / size))
    return max(1, -(-count // parts))


def _checked(
    documents: Iterable[tuple[int, SearchDocument]], check: Callable[[], None]
) -> Iterator[tuple[int, SearchDocument]]:
    for document in documents:
        check()
        yield document
