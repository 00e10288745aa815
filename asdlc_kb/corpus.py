"""All configured sources together, for health, the command line and the website.

Providers do not use it: each serves its own domain.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

from asdlc_kb.files.problem import Problem
from asdlc_kb.files.snapshot import Snapshot

SourceKind: TypeAlias = Literal["articles", "docs"]


class SourceCatalog(Protocol):
    """The content of a source at one moment."""

    @property
    def snapshot(self) -> Snapshot[Any]:
        """The entries that were read, and their problems."""

    def count(self) -> Mapping[str, int]:
        """Return the number of visible entries by kind, and of `hidden` ones."""

    @property
    def statuses(self) -> Mapping[str, int]:
        """Number of visible entries by status; "" where entries have none."""


class CorpusSource(Protocol):
    """Files of one kind below one root."""

    @property
    def kind(self) -> SourceKind:
        """The kind of its entries."""

    @property
    def root(self) -> Path:
        """The folder."""

    @property
    def catalog(self) -> SourceCatalog:
        """Its current content."""

    def load(self) -> SourceCatalog:
        """Scan the root and publish the result; blocks."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The sources, in the order in which they are listed."""

    sources: tuple[CorpusSource, ...]

    def __iter__(self) -> Iterator[CorpusSource]:
        return iter(self.sources)

    @property
    def was_seen(self) -> bool:
        """Whether every root existed at some time."""
        return all(source.catalog.snapshot.was_seen for source in self.sources)

    def count(self) -> Mapping[str, int]:
        """Return the number of visible entries by kind."""
        return {
            kind: number
            for source in self.sources
            for kind, number in source.catalog.count().items()
            if kind != "hidden"
        }

    def problems(self) -> Sequence[tuple[CorpusSource, Problem]]:
        """Return the problems of all files, each with its source."""
        return [
            (source, problem)
            for source in self.sources
            for problem in source.catalog.snapshot.all_problems()
        ]
