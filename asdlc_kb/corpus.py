"""All configured sources as one: for health, the command line and the website.

Providers do not use it: each knows its own domain.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

from asdlc_kb.files.problem import Problem
from asdlc_kb.files.snapshot import Snapshot

SourceKind: TypeAlias = Literal["articles", "docs"]


class SourceCatalog(Protocol):
    """What a source holds at one moment."""

    @property
    def snapshot(self) -> Snapshot[Any]:
        """What was read, and what is wrong with it."""

    def count(self) -> Mapping[str, int]:
        """Return how many entries can be seen, by what they are, and are `hidden`."""

    @property
    def statuses(self) -> Mapping[str, int]:
        """How many entries can be seen, by status; "" where entries have none."""


class CorpusSource(Protocol):
    """Files of one kind below one root."""

    @property
    def kind(self) -> SourceKind:
        """What its entries are called."""

    @property
    def root(self) -> Path:
        """The folder."""

    @property
    def catalog(self) -> SourceCatalog:
        """What it holds now."""

    def load(self) -> SourceCatalog:
        """Look and publish; blocks."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The sources, in the order in which they are offered."""

    sources: tuple[CorpusSource, ...]

    def __iter__(self) -> Iterator[CorpusSource]:
        return iter(self.sources)

    @property
    def was_seen(self) -> bool:
        """Whether every root was there once."""
        return all(source.catalog.snapshot.was_seen for source in self.sources)

    def count(self) -> Mapping[str, int]:
        """Return how many entries can be seen, by what they are."""
        return {
            what: number
            for source in self.sources
            for what, number in source.catalog.count().items()
            if what != "hidden"
        }

    def problems(self) -> Sequence[tuple[CorpusSource, Problem]]:
        """Return what is wrong with files, each with its source."""
        return [
            (source, problem)
            for source in self.sources
            for problem in source.catalog.snapshot.all_problems()
        ]
