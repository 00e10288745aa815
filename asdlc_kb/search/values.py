"""What is indexed, what is asked and what is found: plain values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class IndexedSection:
    """What stands under one heading, as plain words."""

    heading: str
    """Empty for what stands before the first heading."""
    anchor: str
    level: int
    line: int
    """The line of the file in which it begins, counted from 1."""
    text: str


@dataclass(frozen=True, slots=True)
class SearchDocument:
    """A page or an article, as search sees it."""

    key: str
    digest: bytes
    """Of its content: a hit is stale if the document has another one now."""
    title: str
    description: str
    tags: tuple[str, ...]
    category: str
    sections: tuple[IndexedSection, ...]


class DocumentSource(Protocol):
    """What a domain gives to be indexed; all of it from one immutable snapshot."""

    def digests(self) -> Mapping[str, bytes]:
        """Return the digest of every visible document by its key."""
        ...

    def document(self, key: str) -> SearchDocument:
        """Return one of them; called in the thread that indexes."""
        ...


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A document that was found, and the place in it that fits best."""

    key: str
    score: float
    heading: str
    anchor: str
    line: int
    snippet: str
    """Plain words of that place, with matches marked `**so**`."""


@dataclass(frozen=True, slots=True)
class SearchResults:
    """The answer to a query."""

    hits: tuple[SearchHit, ...] = ()
    total: int = 0
    corrected: tuple[tuple[str, str], ...] = ()
    """As typed and as searched instead, for each word that was stretched."""
    suggestion: str | None = None
    """Another query to ask, if nothing fits this one."""
