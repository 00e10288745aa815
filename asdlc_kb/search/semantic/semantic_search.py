"""Semantic search of one source: loads the model late, and keeps vectors up to date.

The libraries are imported with the first update, in its thread.
"""

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from asdlc_kb.search.semantic.model_files import require_model
from asdlc_kb.search.values import ReportProgress, report_nothing

if TYPE_CHECKING:
    from asdlc_kb.search.index.index_snapshot import IndexSnapshot
    from asdlc_kb.search.semantic.vector_index import EmbeddingModel, VectorIndex


def open_semantic_search(progress: ReportProgress) -> "SemanticSearch":
    """Return semantic search with the installed model, which is loaded when needed.

    Raises OperationalError if the extra is not installed.
    """
    files = require_model()

    def load() -> "EmbeddingModel":
        from asdlc_kb.search.semantic.static_model import StaticModel

        return StaticModel(files)

    return SemanticSearch(load, progress)


class SemanticSearch:
    """The vectors of one source, once they were computed."""

    def __init__(
        self,
        load_model: "Callable[[], EmbeddingModel]",
        progress: ReportProgress = report_nothing,
    ) -> None:
        """Load the model with the first update, in its thread."""
        self.vectors: VectorIndex | None = None
        """None until all sections have been embedded once."""
        self._load_model = load_model
        self._progress = progress
        self._lock = Lock()
        self._updated: VectorIndex | None = None
        self._is_closing = False

    def __len__(self) -> int:
        """Return the number of sections that are compared."""
        return 0 if self.vectors is None else len(self.vectors)

    def update(
        self,
        snapshot: "IndexSnapshot",
        folder: Path | None,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Follow a snapshot; return whether the vectors changed.

        Blocks; one thread at a time. Raises OperationalError without a usable model.
        """
        with self._lock:
            if self._is_closing:
                return False
            if self._updated is None:
                self._updated = self._open()
            vectors = self._updated
            is_changed = vectors.update(
                snapshot, folder, lambda: self._is_closing or is_cancelled()
            )
            if is_changed:
                self.vectors = vectors
            return is_changed

    def close(self) -> None:
        """Abort a running `update`; searches continue."""
        self._is_closing = True
        with self._lock:
            pass

    def _open(self) -> "VectorIndex":
        from asdlc_kb.search.semantic.vector_index import VectorIndex

        return VectorIndex(self._load_model(), self._progress)
