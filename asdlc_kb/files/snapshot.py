"""Snapshots: what the files of a root said at one moment, and what changed since."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from asdlc_kb.files.problem import Problem
from asdlc_kb.files.signature import Signature

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ParseResult(Generic[T]):
    """What a domain makes of a file's text."""

    value: T | None
    problems: tuple[Problem, ...] = ()
    keeps_last_good: bool = False
    """Whether the value before, if there is one, is served instead of this one."""


@dataclass(frozen=True, slots=True)
class CachedFile(Generic[T]):
    """A file in a snapshot."""

    signature: Signature
    digest: bytes = b""
    value: T | None = None
    problems: tuple[Problem, ...] = ()
    is_racy: bool = False
    """Read so shortly after a change that it is to be read once more."""
    is_retried: bool = False
    """Not readable for a reason outside the file: tried again at each look."""


@dataclass(frozen=True, slots=True)
class Snapshot(Generic[T]):
    """Everything a root held at one moment."""

    generation: int = 0
    entries: Mapping[str, CachedFile[T]] = field(default_factory=dict)
    """By path relative to the root."""
    problems: tuple[Problem, ...] = ()
    """Of files and folders that have no entry, and of unfinished files."""
    folders: Mapping[str, Signature | None] = field(default_factory=dict)
    """Of each folder, what `stat` said before it was listed; None if it was changing
    just then."""
    was_seen: bool = False
    """Whether the root was ever there."""
    is_missing: bool = False
    """Whether the root is gone right now."""

    def all_problems(self) -> list[Problem]:
        """Return every problem, in path order."""
        of_entries = (p for entry in self.entries.values() for p in entry.problems)
        return sorted([*self.problems, *of_entries])


@dataclass(frozen=True, slots=True)
class ScanResult(Generic[T]):
    """What differs on disk from a snapshot."""

    base: Snapshot[T]
    changed: Mapping[str, CachedFile[T] | None] = field(default_factory=dict)
    """New entries by path; None where the file is gone."""
    problems: tuple[Problem, ...] = ()
    folders: Mapping[str, Signature | None] = field(default_factory=dict)
    is_missing: bool = False
    is_unsettled: bool = False
    """Whether a file is being written: look at it again soon."""
    is_partial: bool = False
    """Whether it was at some files, and says nothing of the rest."""
