"""A tiny embedding model, and full-text search with it: no extra is needed."""

from pathlib import Path

import numpy as np

from asdlc_kb.search.semantic.section_vectors import Vector
from asdlc_kb.search.semantic.semantic_search import SemanticSearch
from asdlc_kb.search.service.fulltext import FullText
from asdlc_kb.search.values import ReportProgress, report_nothing

TOPICS = (
    {"cat", "feline", "kitten", "purr"},
    {"engine", "motor", "piston", "vehicle"},
    {"bread", "oven", "flour", "bake"},
)
"""Words with one meaning each; others have none."""


class TopicModel:
    """The vector of a text counts the words of each topic."""

    def __init__(self, identity: str = "topics 1") -> None:
        self.identity = identity
        self.dimensions = len(TOPICS)
        self.embedded: list[str] = []

    def embed(self, text: str) -> Vector:
        """Return the vector of a text, and record it."""
        self.embedded.append(text)
        words = [word.strip(".,?!") for word in text.lower().split()]
        counts = [sum(word in topic for word in words) for topic in TOPICS]
        vector = np.array(counts, np.float32)
        length = float(np.linalg.norm(vector))
        return vector / np.float32(length) if length else vector

    def embed_section(self, name: str, text: str) -> Vector:
        """Return the vector of both."""
        return self.embed(f"{name}\n{text}")


def open_with_model(
    folder: Path | None = None,
    model: TopicModel | None = None,
    progress: ReportProgress = report_nothing,
) -> tuple[FullText, TopicModel]:
    """Return an index that compares meaning, and its model."""
    used = model or TopicModel()
    return FullText(folder, semantic=SemanticSearch(lambda: used, progress)), used
