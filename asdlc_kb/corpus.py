"""All configured sources together, for health, the command line and the website.

Providers do not use it: each serves its own domain.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeAlias
from weakref import WeakKeyDictionary

from asdlc_kb.files.problem import Problem
from asdlc_kb.files.snapshot import Snapshot

SourceKind: TypeAlias = Literal["articles", "docs"]

ROOT: Final = "."
"""The path of problems of the root itself."""


class SourceCatalog(Protocol):
    """The content of a source at one moment. Immutable."""

    @property
    def snapshot(self) -> Snapshot[Any]:
        """The entries that were read, and their problems."""

    @property
    def hidden_count(self) -> int:
        """Number of hidden entries."""

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
    def recognized_by(self) -> str:
        """The file by which the kind of the folder was recognized; empty for none."""

    @property
    def catalog(self) -> SourceCatalog:
        """Its current content."""

    def exposes(self, problem: Problem) -> bool:
        """Whether a problem of the current content is of something that is served."""

    def load(self) -> SourceCatalog:
        """Scan the root and publish the result; blocks."""


class WatchedRoot(Protocol):
    """A folder with files that are read for each request."""

    @property
    def was_seen(self) -> bool:
        """Whether it existed at some time."""

    @property
    def is_missing(self) -> bool:
        """Whether it did not exist at the last check."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The sources, in the order in which they are listed."""

    sources: tuple[CorpusSource, ...]
    projects: tuple[WatchedRoot, ...] = ()
    _exposed_counts: WeakKeyDictionary[SourceCatalog, int] = field(
        default_factory=WeakKeyDictionary, init=False, repr=False, compare=False
    )

    def __iter__(self) -> Iterator[CorpusSource]:
        return iter(self.sources)

    @property
    def was_seen(self) -> bool:
        """Whether every root existed at some time."""
        were_read = (source.catalog.snapshot.was_seen for source in self.sources)
        return all(were_read) and all(root.was_seen for root in self.projects)

    def count(self) -> Mapping[str, int]:
        """Return the number of visible entries by kind."""
        total: Counter[str] = Counter()
        for source in self.sources:
            total.update(source.catalog.count())
        del total["hidden"]
        return dict(total)

    def problems(self) -> Sequence[tuple[CorpusSource, Problem]]:
        """Return the problems of all files, each with its source."""
        return [
            (source, problem)
            for source in self.sources
            for problem in source.catalog.snapshot.all_problems()
        ]

    def count_missing_projects(self) -> int:
        """Return the number of projects without a folder."""
        return sum(root.is_missing for root in self.projects)

    def count_exposed_problems(self) -> int:
        """Return the number of problems of what is served, and of what cannot be read.

        Counted once for each catalog: probes ask for it every few seconds.
        """
        total, known = self.count_missing_projects(), self._exposed_counts
        for source in self.sources:
            catalog = source.catalog
            if catalog not in known:
                snapshot = catalog.snapshot
                known[catalog] = sum(
                    problem.path == ROOT
                    or snapshot.is_unread(problem)
                    or source.exposes(problem)
                    for problem in snapshot.iterate_problems()
                )
            total += known[catalog]
        return total
