"""Keyword search as seed 000 defines it.

The whole query, as a case-insensitive substring: 3 points if the title has it, 2 if any
tag has it, 1 if the description has it, added up.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

TITLE: Final = 3
TAG: Final = 2
DESCRIPTION: Final = 1


@dataclass(frozen=True, slots=True)
class Document:
    """The fields that keywords are looked up in."""

    title: str
    tags: tuple[str, ...]
    description: str


class KeywordIndex:
    """A fixed sequence of documents, ranked by score and then by their order."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._folded = [
            (
                document.title.lower(),
                tuple(tag.lower() for tag in document.tags),
                document.description.lower(),
            )
            for document in documents
        ]

    def search(self, query: str) -> list[int]:
        """Return the positions of the documents that match, best first.

        An empty query is in every title: all match alike, in their order.
        """
        folded = query.lower()
        hits: list[tuple[int, int]] = []
        for position, (title, tags, description) in enumerate(self._folded):
            score = (
                TITLE * (folded in title)
                + TAG * any(folded in tag for tag in tags)
                + DESCRIPTION * (folded in description)
            )
            if score and folded:
                hits.append((-score, position))
            elif not folded:
                hits.append((0, position))
        return [position for _, position in sorted(hits)]
