"""Snapshots of the content of a root, and the results of scans against them."""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, Generic, TypeVar

import msgspec

from asdlc_kb.files.dependencies import Dependency
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.seen_entries import SeenEntries
from asdlc_kb.files.signature import Signature

T = TypeVar("T")

MAX_LISTED_CHANGES: Final = 10_000
"""Changed paths that a snapshot lists; of more the entries are compared."""


@dataclass(frozen=True, slots=True)
class ParseResult(Generic[T]):
    """The result of parsing a file."""

    value: T | None
    problems: tuple[Problem, ...] = ()
    keeps_last_good: bool = False
    """Whether the previous value, if any, is served instead."""
    dependencies: tuple[Dependency, ...] = ()
    """Other files that were read for it."""
    is_storable: bool = True
    """Whether the value follows from these files, and not from the time as well."""


class CachedFile(msgspec.Struct, Generic[T], frozen=True, array_like=True, gc=False):
    """A file in a snapshot."""

    signature: Signature
    digest: bytes = b""
    value: T | None = None
    problems: tuple[Problem, ...] = ()
    is_racy: bool = False
    """Read too soon after a change: it is read once more."""
    dependencies: tuple[Dependency, ...] = ()
    """Other files that it was made from."""
    revision: int = 0
    """Of the rules by which it was parsed; see `Listing.revision`."""
    is_retried: bool = False
    """Unreadable for a reason outside the file: retried at each scan."""
    is_storable: bool = True
    """Whether the value follows from the files alone, as they are now."""
    is_unread: bool = False
    """Whether it could never be read, so that its status is unknown."""

    @property
    def is_sure(self) -> bool:
        """Whether an equal signature of the file proves that it is up to date."""
        return not (self.is_racy or self.is_retried or self.dependencies)


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
    revision: int = 0
    """See `Listing.revision`."""
    seen: SeenEntries = field(default_factory=SeenEntries)
    """See `Listing.seen`."""
    unsure: frozenset[str] = frozenset()
    """Paths of the entries that are checked however their folder is."""
    faulty: frozenset[str] = frozenset()
    """Paths of the entries with problems."""
    problem_count: int = 0
    """Number of all problems."""
    was_seen: bool = False
    """Whether the root has ever existed."""
    is_missing: bool = False
    """Whether the root is missing now."""
    state: object = field(default_factory=object, compare=False)
    """The same for all snapshots of one root and generation."""
    former_state: object = field(default=None, compare=False)
    """That of the generation before; None if `edited` would be long."""
    edited: frozenset[str] = field(default=frozenset(), compare=False)
    """Paths of the entries that were replaced since the generation before began."""
    touched: frozenset[str] = field(default=frozenset(), compare=False)
    """Paths of the entries that were replaced since this one began: by equal ones,
    except for signature and digest."""

    def all_problems(self) -> list[Problem]:
        """Return every problem, in path order."""
        return sorted(self.iterate_problems())

    def iterate_problems(self) -> Iterator[Problem]:
        """Yield every problem, in any order."""
        yield from self.problems
        for path in self.faulty:
            yield from self.entries[path].problems

    def is_unread(self, problem: Problem) -> bool:
        """Whether the system never let the file or folder of a problem be read."""
        entry = self.entries.get(problem.path)
        return bool(problem.denial) and (entry is None or entry.is_unread)


def find_changed_paths(before: Snapshot[T], after: Snapshot[T]) -> Set[str]:
    """Return the paths of all entries that differ in two snapshots, and maybe others.

    It costs nothing for a generation and the one before: `before` is the first snapshot
    of its own.
    """
    if after.former_state is before.state:
        return after.edited | after.touched
    old, new = before.entries, after.entries
    changed = {path for path, entry in new.items() if old.get(path) is not entry}
    return changed | (old.keys() - new.keys())


@dataclass(frozen=True, slots=True)
class ScanResult(Generic[T]):
    """Differences between the disk and a snapshot."""

    base: Snapshot[T]
    changed: Mapping[str, CachedFile[T] | None] = field(default_factory=dict)
    """New entries by path; None for deleted files."""
    problems: tuple[Problem, ...] = ()
    folders: Mapping[str, Signature | None] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    revision: int = 0
    seen: SeenEntries = field(default_factory=SeenEntries)
    is_missing: bool = False
    is_unlisted: bool = False
    """Whether some folder or file could not be listed."""
    is_unsettled: bool = False
    """Whether a file is being written, so that another scan is due soon."""
    is_partial: bool = False
    """Whether only some files were scanned."""

    @property
    def is_incomplete(self) -> bool:
        """Whether something could not be read for a reason outside of it."""
        known = {path: self.base.entries[path] for path in self.base.unsure}
        is_unread = any(
            entry is not None and entry.is_retried
            for entry in {**known, **self.changed}.values()
        )
        return self.is_missing or self.is_unlisted or is_unread


def merge_scan(current: Snapshot[T], scan: ScanResult[T]) -> Snapshot[T]:
    """Return the snapshot that results from a scan.

    The generation counts changes of content, not of signatures.
    """
    changed = {
        path: entry
        for path, entry in scan.changed.items()
        # Otherwise a newer version was published since: left to the next scan.
        if current.entries.get(path) is scan.base.entries.get(path)
    }
    merged = current
    if changed:
        unsure = {
            path for path, entry in changed.items() if entry and not entry.is_sure
        }
        faulty = {path for path, entry in changed.items() if entry and entry.problems}
        merged = replace(
            current,
            entries=_update_entries(current.entries, changed),
            unsure=(current.unsure - changed.keys()) | unsure,
            faulty=(current.faulty - changed.keys()) | faulty,
            touched=current.touched | changed.keys(),
        )
    if not scan.is_partial:
        merged = replace(
            merged,
            problems=scan.problems,
            folders=current.folders if scan.is_missing else scan.folders,
            links=current.links if scan.is_missing else scan.links,
            revision=current.revision if scan.is_missing else scan.revision,
            seen=current.seen if scan.is_missing else scan.seen,
            was_seen=current.was_seen or not scan.is_missing,
            is_missing=scan.is_missing,
        )
    elif scan.folders and current.seen is scan.base.seen:
        merged = replace(merged, folders={**current.folders, **scan.folders})
    if merged is not current:
        merged = replace(
            merged, problem_count=_count_problems(current, merged, changed)
        )
    has_new_content = any(
        _content_of(current.entries.get(path)) != _content_of(entry)
        for path, entry in changed.items()
    )
    if has_new_content or _root_state(merged) != _root_state(current):
        merged = next_generation(merged)
    return merged


def next_generation(snapshot: Snapshot[T]) -> Snapshot[T]:
    """Return a snapshot as the first of the next generation."""
    is_listed = len(snapshot.touched) <= MAX_LISTED_CHANGES
    return replace(
        snapshot,
        generation=snapshot.generation + 1,
        state=object(),
        former_state=snapshot.state if is_listed else None,
        edited=snapshot.touched if is_listed else frozenset(),
        touched=frozenset(),
    )


def _update_entries(
    entries: Mapping[str, CachedFile[T]], changed: Mapping[str, CachedFile[T] | None]
) -> Mapping[str, CachedFile[T]]:
    # A proxy copies its dictionary at once; `dict` would read a proxy item by item.
    updated = MappingProxyType(entries).copy()
    for path, entry in changed.items():
        if entry is None:
            updated.pop(path, None)
        else:
            updated[path] = entry
    return MappingProxyType(updated)


def _count_problems(
    current: Snapshot[T],
    merged: Snapshot[T],
    changed: Mapping[str, CachedFile[T] | None],
) -> int:
    """Return the number of problems of a merged snapshot."""
    added = sum(len(entry.problems) for entry in changed.values() if entry)
    known = current.entries
    replaced = sum(len(known[path].problems) for path in changed if path in known)
    of_root = len(merged.problems) - len(current.problems)
    return current.problem_count + added - replaced + of_root


def _root_state(snapshot: Snapshot[T]) -> tuple[object, ...]:
    """Return the state of the root in a snapshot."""
    seen = snapshot.was_seen, snapshot.is_missing
    return snapshot.problems, snapshot.links, snapshot.revision, seen


def _content_of(
    entry: CachedFile[T] | None,
) -> tuple[T | None, tuple[Problem, ...]] | None:
    """Return the content of an entry, without its signature."""
    return None if entry is None else (entry.value, entry.problems)
