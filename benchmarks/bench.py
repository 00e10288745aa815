"""Environment of the rows: cores, time limits, and a folder to write to."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from benchmarks import corpus, servers
from benchmarks.cache import CACHE
from benchmarks.servers import Cores, Running, Server

QUICK_MOST: Final = 300
"""Articles of the largest corpus in a quick run."""


@dataclass(frozen=True)
class Bench:
    """One run of the benchmarks."""

    cores: Cores
    folder: Path
    rounds: int
    seconds: float
    is_quick: bool = False
    articles: Sequence[int] = ()
    """The requested sizes; empty means the default of each row."""

    def sizes(self, *usual: int) -> list[int]:
        """Return the sizes of corpora that a row is measured with."""
        if self.articles:
            return sorted(self.articles)
        return [size for size in usual if not self.is_quick or size <= QUICK_MOST]

    def unpinned(self) -> "Bench":
        """Return a copy whose servers have all cores."""
        cores = replace(self.cores, server=self.cores.server | self.cores.load)
        return replace(self, cores=cores)

    def corpus(self, count: int) -> Path:
        """Return a folder of so many articles; treat it as read-only."""
        return corpus.prepare(count, CACHE)

    def start(
        self, server: Server, root: Path
    ) -> AbstractContextManager[tuple[Running, float]]:
        """Run a server; yield it with the seconds to its first answer."""
        return servers.start(server, root, self.cores, self.folder)

    @contextmanager
    def serving(self, server: Server, root: Path) -> Iterator[Running]:
        """Run a server."""
        with self.start(server, root) as (running, _):
            yield running

    def report(self, text: str) -> None:
        """Report progress."""
        print(text, file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Section:
    """One table of the report."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


@dataclass
class Outcome:
    """Result of a row: tables for the report, and facts for the goals."""

    sections: list[Section] = field(default_factory=list)
    facts: dict[str, float] = field(default_factory=dict)

    def add(self, other: "Outcome") -> None:
        """Add the result of another row."""
        self.sections += other.sections
        self.facts |= other.facts
