"""Snapshots of the content of a root, and the results of scans against them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from asdlc_kb.files.problem import Problem
from asdlc_kb.files.signature import Signature

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ParseResult(Generic[T]):
    """The result of parsing a file."""

    value: T | None
    problems: tuple[Problem, ...] = ()
    keeps_last_good: bool = False
    """Whether the previous value, if any, is served instead."""


@dataclass(frozen=True, slots=True)
class CachedFile(Generic[T]):
    """A file in a snapshot."""

    signature: Signature
    digest: bytes = b""
    value: T | None = None
    problems: tuple[Problem, ...] = ()
    is_racy: bool = False
    """Read too soon after a change: it is read once more."""
    is_retried: bool = False
    """Unreadable for a reason outside the file: retried at each scan."""


@dataclass(frozen=True, slots=True)
class Snapshot(Generic[T]):
    """The content of a root at one moment."""

    generation: int = 0
    entries: Mapping[str, CachedFile[T]] = field(default_factory=dict)
    """By path relative to the root."""
    problems: tuple[Problem, ...] = ()
    """Problems of files and folders without an entry, and of unfinished files."""
    folders: Mapping[str, Signature | None] = field(default_factory=dict)
    """Signature of each folder, taken before it was listed; None if it was changing
    then."""
    links: Mapping[str, str] = field(default_factory=dict)
    """Paths of entries and folders by the paths of links to them."""
    was_seen: bool = False
    """Whether the root has ever existed."""
    is_missing: bool = False
    """Whether the root is missing now."""

    def all_problems(self) -> list[Problem]:
        """Return every problem, in path order."""
        of_entries = (p for entry in self.entries.values() for p in entry.problems)
        return sorted([*self.problems, *of_entries])


@dataclass(frozen=True, slots=True)
class ScanResult(Generic[T]):
    """Differences between the disk and a snapshot."""

    base: Snapshot[T]
    changed: Mapping[str, CachedFile[T] | None] = field(default_factory=dict)
    """New entries by path; None for deleted files."""
    problems: tuple[Problem, ...] = ()
    folders: Mapping[str, Signature | None] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    is_missing: bool = False
    is_unsettled: bool = False
    """Whether a file is being written, so that another scan is due soon."""
    is_partial: bool = False
    """Whether only some files were scanned."""
