"""Plan of a conversion: which files are written, and which are not, with the reason.

Nothing is written over a file of a person, through a link, or outside the project.
Files and blocks that were generated and have no source any more are removed; those that
were edited are kept.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.paths import is_free_name
from asdlc_kb.files.tree_names import INSTALLED
from asdlc_kb.files.writer import Original, create, delete, read_original, replace
from asdlc_kb.project.agent_guides import scan_guides
from asdlc_kb.project.instruction_files import InstructionFile, list_tools
from asdlc_kb.project.instruction_places import PLACES_BY_PATH
from asdlc_kb.project.locations import Platform
from asdlc_kb.project.rules import scan_rules
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.sync.conversion import (
    Conversion,
    ConversionNote,
    convert_rules,
)
from asdlc_kb.project.sync.marks import (
    find_block,
    find_mark,
    is_same_text,
    replace_block,
)
from asdlc_kb.project.sync.sources import list_sources, list_unread
from asdlc_kb.project.sync.targets import SyncTool
from asdlc_kb.project.tree_scan import MAX_DEPTH

SyncAction: TypeAlias = Literal["create", "update", "remove", "keep", "conflict"]
"""`keep` is for what was edited; with a `conflict`, nothing is written."""


@dataclass(frozen=True, slots=True)
class SyncChange:
    """A file that differs from what its sources say."""

    path: str
    action: SyncAction
    reason: str = ""
    text: str = ""
    """Of the whole file; empty to delete it."""
    original: Original | None = None


@dataclass(slots=True)
class SyncPlan:
    """The changes by path, and what the user should know."""

    changes: list[SyncChange] = field(default_factory=list)
    notes: list[ConversionNote] = field(default_factory=list)
    has_sources: bool = False
    """Whether the project has instructions to convert."""

    @property
    def has_conflicts(self) -> bool:
        """Whether nothing can be written."""
        return any(change.action == "conflict" for change in self.changes)

    @property
    def is_complete(self) -> bool:
        """Whether every file will be as its sources say."""
        return all(one.action not in ("keep", "conflict") for one in self.changes)


def plan_sync(
    scanner: ProjectScanner, source: SyncTool, targets: Sequence[SyncTool]
) -> SyncPlan:
    """Return what is to be written, so that the targets have the source's rules."""
    return _Planner(scanner, source, targets).plan()


def apply_plan(plan: SyncPlan) -> None:
    """Write the files of a plan without conflicts, one by one.

    Raises UnreadableFile if a file changed since it was planned, or cannot be written.
    """
    for change in plan.changes:
        if change.original is None or change.action in ("keep", "conflict"):
            continue
        if change.action == "create":
            create(change.original.path, change.text)
        elif change.action == "update":
            replace(change.original, change.text, has_backup=False)
        else:
            delete(change.original)


class _Planner:
    """The planning of one conversion."""

    def __init__(
        self, scanner: ProjectScanner, source: SyncTool, targets: Sequence[SyncTool]
    ) -> None:
        self._scanner = scanner
        self._root = Path(os.path.realpath(scanner.project.root))
        self._source = source
        self._given = targets
        # Codex reads AGENTS.md, which is written once.
        places = {(one.rules, one.guide): one for one in reversed(targets)}
        self._targets = tuple(reversed(places.values()))
        self._names = {one.name for one in (source, *targets)}
        self._plan = SyncPlan()
        self._files: dict[str, str] = {}
        self._blocks: dict[str, str] = {}

    def plan(self) -> SyncPlan:
        """Return the plan."""
        rules = [*list_sources(self._scanner, self._source)]
        self._plan.has_sources = bool(rules)
        for problem in list_unread(self._scanner, self._source):
            # What it generated before must not be removed.
            change = SyncChange(problem.path, "conflict", problem.message)
            self._plan.changes.append(change)
        for target in self._targets:
            found = convert_rules(rules, self._source, target, self._is_folder)
            self._take(found)
        for path, text in {**self._find_former_files(), **self._files}.items():
            self._add(path, text, is_block=False)
        for path, text in {**self._find_former_blocks(), **self._blocks}.items():
            self._add(path, text, is_block=True)
        self._plan.changes.sort(key=lambda change: change.path)
        self._plan.notes += self._find_second_readers()
        self._plan.notes = list(dict.fromkeys(self._plan.notes))
        return self._plan

    def _take(self, found: Conversion) -> None:
        self._files |= found.files
        self._blocks |= found.blocks
        self._plan.notes += found.notes
        for path, reason in found.clashes:
            self._plan.changes.append(SyncChange(path, "conflict", reason))

    def _find_former_files(self) -> dict[str, str]:
        """Return the paths of files generated from this source, each without a text."""
        names = {target.name for target in self._targets if target.rules}
        former: dict[str, str] = {}
        for rule in scan_rules(self._scanner):
            mark = find_mark(rule.source) if rule.platform in names else None
            if mark is not None and mark.source == self._source.name:
                former[rule.path] = ""
        return former

    def _find_former_blocks(self) -> dict[str, str]:
        """Return the paths of guides that may have a block, each without a text."""
        names = {target.guide for target in self._targets if target.guide}
        found = [guide.path for guide in scan_guides(self._scanner)]
        return {
            path: ""
            for path in (*found, *names)
            if path in names or path.rpartition("/")[2] in names
        }

    def _add(self, path: str, text: str, *, is_block: bool) -> None:
        """Add the change of a file, if any."""
        try:
            original = self._read(path)
            if is_block:
                change = self._compare_block(path, original, text)
            else:
                change = self._compare_file(path, original, text)
        except UnreadableFile as error:
            # Without a text nothing is known to be ours.
            change = SyncChange(path, "conflict", str(error)) if text else None
        if change is not None:
            self._plan.changes.append(change)

    def _compare_file(
        self, path: str, original: Original, text: str
    ) -> SyncChange | None:
        if original.data is None:
            return SyncChange(path, "create", "", text, original) if text else None
        if is_same_text(original.text, text):
            return None
        mark = find_mark(original.text)
        if mark is None or mark.source != self._source.name:
            by = f"generated from {mark.source}" if mark else "not generated"
            reason = f"the file is there, {by}: rename or remove it"
            return SyncChange(path, "conflict", reason)
        if mark.is_edited:
            reason = "it was edited: move the change to its source, then delete it"
            return SyncChange(path, "keep", reason)
        action: SyncAction = "update" if text else "remove"
        return SyncChange(path, action, "", text, original)

    def _compare_block(
        self, path: str, original: Original, block_text: str
    ) -> SyncChange | None:
        text = original.text
        block = find_block(text, self._source.name)
        if block is None and not block_text:
            return None
        if block is not None:
            if is_same_text(text[block.begin : block.end], block_text):
                return None
            if block.is_edited:
                reason = "its block was edited: move the change to the sources, then "
                return SyncChange(path, "keep", f"{reason}delete the block")
        new = replace_block(text, block, block_text)
        if original.data is None:
            return SyncChange(path, "create", "", new, original)
        return SyncChange(path, "update" if new else "remove", "", new, original)

    def _read(self, path: str) -> Original:
        """Read a file of the project; raise UnreadableFile for a link on the way."""
        at = self._root
        for folder in path.split("/")[:-1]:
            at /= folder
            status = _find_status(at)
            if status is None:
                break
            if stat.S_ISLNK(status.st_mode):
                reason = f"{at.relative_to(self._root)} is a link"
                raise UnreadableFile(reason, "replace it by a folder")
            if not stat.S_ISDIR(status.st_mode):
                reason = f"{at.relative_to(self._root)} is a file"
                raise UnreadableFile(reason, "rename it, a folder is needed there")
        status = _find_status(self._root / path)
        if status is not None and stat.S_ISLNK(status.st_mode):
            raise UnreadableFile("it is a link", "replace it by a file")
        return read_original(self._root / path)

    def _is_folder(self, path: str) -> bool:
        """Whether the project has a folder that may get a guide."""
        names = path.split("/") if path else []
        if len(names) >= MAX_DEPTH or not all(map(is_free_name, names)):
            return False
        at = self._root
        for name in names:
            at /= name
            status = _find_status(at)
            if status is None or not stat.S_ISDIR(status.st_mode):
                return False
        return INSTALLED.isdisjoint(names)

    def _find_second_readers(self) -> Iterator[ConversionNote]:
        """Yield a note for each tool that reads the files of another too."""
        writers: dict[str, set[Platform]] = {}
        for target in self._given:
            writers.setdefault(target.guide, set()).add(target.name)
        text = "read there too, so the rules are read twice"
        for target in self._targets:
            place = target.rules
            if place is None or not any(place.path in path for path in self._files):
                continue
            for other in PLACES_BY_PATH[place.path]:
                if other.tool != target.name and other.tool in self._names:
                    yield ConversionNote(other.path, text, other.tool)
        for path in self._blocks:
            is_top = path in PLACES_BY_PATH
            scope, name = ("", path) if is_top else _split(path)
            places = PLACES_BY_PATH[name]
            listed = InstructionFile(self._scanner.top(path), scope, places)
            readers = list_tools(self._scanner, listed)
            for tool in readers:
                if tool in self._names - writers[name]:
                    yield ConversionNote(name, text, tool)


def _find_status(path: Path) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except OSError:
        return None


def _split(path: str) -> tuple[str, str]:
    scope, _, name = path.rpartition("/")
    return scope, name
