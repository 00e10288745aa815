"""Vector index of one source: follows the snapshots of its full-text index.

One thread at a time updates; any thread searches the last complete state. The vectors
of a page are reused while the digest of its content is the same, after a restart too.
"""

import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Protocol

from asdlc_kb.exceptions import IndexCorrupt
from asdlc_kb.search.index.directory import VECTORS
from asdlc_kb.search.index.index_pair import read_documents
from asdlc_kb.search.index.index_snapshot import IndexSnapshot
from asdlc_kb.search.languages import ENGLISH
from asdlc_kb.search.semantic.section_vectors import (
    PageVectors,
    SectionVectors,
    Vector,
    encode_page,
)
from asdlc_kb.search.semantic.vector_file import (
    make_identity,
    read_vectors,
    write_vectors,
)
from asdlc_kb.search.values import (
    IndexedSection,
    ReportProgress,
    SearchDocument,
    SimilarPage,
    report_nothing,
)

logger = logging.getLogger(__name__)

MAX_SECTIONS: Final = 200_000
"""Sections of a source that have vectors, at about 270 bytes each; further pages are
found by their words only."""

_PAGES_AT_ONCE: Final = 32
"""Pages whose texts are read from the index at once."""

_REPORT_SECONDS: Final = 10.0
"""Interval in seconds between reports of the progress in the log."""


class EmbeddingModel(Protocol):
    """Computes vectors of texts."""

    @property
    def identity(self) -> str:
        """The model and its version."""

    @property
    def dimensions(self) -> int:
        """The number of components of a vector."""

    def embed(self, text: str) -> Vector:
        """Return the vector of a text, of length 1; of length 0 if it has no words."""

    def embed_section(self, name: str, text: str) -> Vector:
        """Return the vector of a section, with its page's title and its heading."""


class VectorIndex:
    """The vectors of all sections of one source."""

    def __init__(
        self,
        model: EmbeddingModel,
        progress: ReportProgress = report_nothing,
    ) -> None:
        """`progress` is called with the number of pages embedded, and the total."""
        self._model = model
        self._progress = progress
        self._identity = make_identity(model.identity)
        self._vectors = SectionVectors({}, model.dimensions)
        """Those of the last complete state."""
        self._pages: dict[int, PageVectors] = {}
        """By slot, as far as the last update came."""
        self._saved: frozenset[bytes] | None = None
        """The digests of the pages in the file; None before the first update."""

    def __len__(self) -> int:
        """Return the number of sections that have vectors."""
        return len(self._vectors)

    def find(
        self, text: str, includes: Callable[[int, bytes], bool], limit: int
    ) -> Sequence[SimilarPage]:
        """Return the pages most similar to a text, best first.

        `includes` is called with the slot of a page and the digest of its content.
        """
        return self._vectors.find(self._model.embed(text), includes, limit)

    def update(
        self,
        snapshot: IndexSnapshot,
        folder: Path | None,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Follow a snapshot; store the vectors in the folder of its index, if any.

        Blocks; searches continue. Returns whether the vectors changed. Once
        `is_cancelled` it stops, and the next update continues.
        """
        started = time.perf_counter()
        known = self._read(folder) if self._saved is None else {}
        known |= {page.digest: page for page in self._pages.values()}
        wanted = {
            slot: entry.digest
            for slot, entry in snapshot.entries.items()
            if entry.stemmer == ENGLISH
        }
        self._pages = {
            slot: known[digest] for slot, digest in wanted.items() if digest in known
        }
        # First, so that nothing of removed pages stays in the file meanwhile.
        self._save(folder)
        missing = sorted(wanted.keys() - self._pages.keys())
        if missing:
            if not self._embed(snapshot, missing, is_cancelled):
                return False
            self._save(folder)
            self._log("sections embedded", len(missing), started)
        published = self._vectors.pages
        if wanted == {slot: page.digest for slot, page in published.items()}:
            return False
        self._vectors = SectionVectors(self._pages, self._model.dimensions)
        self._pages = dict(self._vectors.pages)
        return True

    def _embed(
        self,
        snapshot: IndexSnapshot,
        slots: Sequence[int],
        is_cancelled: Callable[[], bool],
    ) -> bool:
        """Add the vectors of the pages of some slots; return False if cancelled."""
        count = sum(map(len, self._pages.values()))
        reported = time.perf_counter()
        for start in range(0, len(slots), _PAGES_AT_ONCE):
            part = slots[start : start + _PAGES_AT_ONCE]
            for slot, document in read_documents(snapshot, part):
                if is_cancelled():
                    return False
                page = self._embed_page(document, MAX_SECTIONS - count)
                self._pages[slot] = page
                count += len(page)
            done = start + len(part)
            self._progress(done, len(slots))
            if time.perf_counter() - reported > _REPORT_SECONDS:
                reported = time.perf_counter()
                extra = {"pages": done, "of_pages": len(slots)}
                logger.info("embedding sections", extra=extra)
        return True

    def _embed_page(self, document: SearchDocument, most: int) -> PageVectors:
        """Return the vectors of a page; none if it has more sections than `most`."""
        sections = document.sections if len(document.sections) <= most else ()
        vectors = [
            self._embed_section(document, number, section)
            for number, section in enumerate(sections)
        ]
        return encode_page(document.digest, vectors, self._model.dimensions)

    def _embed_section(
        self, document: SearchDocument, number: int, section: IndexedSection
    ) -> Vector:
        name = "\n".join(filter(None, (document.title, section.heading)))
        texts = (section.text,) if number else (document.description, section.text)
        return self._model.embed_section(name, "\n".join(filter(None, texts)))

    def _read(self, folder: Path | None) -> dict[bytes, PageVectors]:
        """Return the vectors of the file by the digest of their page."""
        if folder is None:
            return {}
        try:
            stored = read_vectors(folder, self._identity)
        except IndexCorrupt as fault:
            logger.warning("embedding all sections", extra={"reason": str(fault)})
            return {}
        self._saved = frozenset(stored)
        return stored

    def _save(self, folder: Path | None) -> None:
        """Replace the file if it has other pages."""
        pages = {page.digest: page for page in self._pages.values()}
        is_saved = self._saved == pages.keys()
        self._saved = frozenset(pages)
        if folder is None or (is_saved and (folder / VECTORS).exists()):
            return
        try:
            write_vectors(
                folder, self._identity, self._model.dimensions, list(pages.values())
            )
        except OSError as error:
            reason = error.strerror or type(error).__name__
            logger.warning("vectors kept in memory only", extra={"reason": reason})

    def _log(self, event: str, pages: int, started: float) -> None:
        milliseconds = round((time.perf_counter() - started) * 1000)
        sections = sum(map(len, self._pages.values()))
        extra = {"pages": pages, "sections": sections, "ms": milliseconds}
        logger.info(event, extra=extra)
