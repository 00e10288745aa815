"""Conversion of rules to the files of another tool.

- What the tool reads itself is not written again (D-234).
- A rule of a folder is written below that folder if the tool looks there, else with
  patterns.
- In a guide, a rule with patterns is in the guide of the innermost folder that has
  every match, behind a sentence with its patterns.
- Where a tool has no rules that the agent chooses by a description, it gets a list of
  them with the descriptions, and reads the file that it needs.
- Where a tool has no rules that are chosen by hand, those are left out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from asdlc_kb.files.folder_walk import join_below
from asdlc_kb.project.rule_dialects import DIALECTS, DialectName
from asdlc_kb.project.sync.headers import WITHOUT_BRACES, RuleFields, write_header
from asdlc_kb.project.sync.marks import has_block_lines, mark_block, mark_file
from asdlc_kb.project.sync.patterns import (
    convert_gitignore,
    convert_patterns,
    covers_folder,
    find_common_folder,
    write_gitignore,
)
from asdlc_kb.project.sync.sources import SourceRule
from asdlc_kb.project.sync.targets import SyncTool

INDEX: Final = "rules-by-description"
"""Name of the file that lists the rules chosen by their description."""

_REQUEST: Final = "Read each of these files when its description fits the task:"
_BETWEEN: Final = "\n\n---\n\n"
_EXCLUDING: Final = frozenset({"continue"})
"""Tools with patterns that exclude files."""


class ConversionNote(NamedTuple):
    """What a tool does not get of a rule, or gets in another way."""

    path: str
    text: str
    tool: str


@dataclass(slots=True)
class Conversion:
    """The files and blocks of one tool, by path."""

    files: dict[str, str] = field(default_factory=dict)
    blocks: dict[str, str] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    """The path of each file's source."""
    notes: list[ConversionNote] = field(default_factory=list)
    clashes: list[tuple[str, str]] = field(default_factory=list)
    """Paths to which two rules would be written, with the reason."""


def convert_rules(
    rules: Sequence[SourceRule],
    source: SyncTool,
    target: SyncTool,
    is_folder: Callable[[str], bool],
) -> Conversion:
    """Return what a tool gets from the rules of another.

    `is_folder` says whether the project has a folder that may get a guide.
    """
    return _Converter(source, target, is_folder).convert(rules)


class _Converter:
    """One conversion."""

    def __init__(
        self, source: SyncTool, target: SyncTool, is_folder: Callable[[str], bool]
    ) -> None:
        self._source = source
        self._target = target
        self._is_folder = is_folder
        self._found = Conversion()
        self._sections: dict[str, list[str]] = {}
        """Texts of each guide's block."""
        self._requestable: dict[str, list[SourceRule]] = {}
        """Rules that the agent chooses by their description, by guide."""

    def convert(self, rules: Sequence[SourceRule]) -> Conversion:
        """Return what is to be written."""
        for rule in rules:
            reason = self._refuse(rule)
            if reason is not None:
                self._note(rule, reason)
                continue
            if rule.has_imports:
                self._note(rule, "imports are copied as they are written")
            if rule.excluded_agent:
                self._note(rule, f"applies to {rule.excluded_agent} too")
            self._add(self._anchor(rule))
        self._list_requestable()
        for path, sections in self._sections.items():
            body = _BETWEEN.join(sections) + "\n"
            self._found.blocks[path] = mark_block(body, self._source.name)
        return self._found

    def _refuse(self, rule: SourceRule) -> str | None:
        """Return why a rule is not written; None if it is."""
        target = self._target
        if target.name in rule.tools:
            return "read as it is"
        if target.guide and rule.same_as.rpartition("/")[2] == target.guide:
            return f"the same as {rule.same_as}"
        if not rule.body.strip():
            return "left out, since it has no text"
        if has_block_lines(rule.body):
            return "left out, since it has a line like those of generated blocks"
        if rule.activation == "manual" and "manual" not in target.activations:
            return "left out, since no rules are chosen by hand there"
        if rule.activation == "auto-attached" and not any(
            not pattern.startswith("!") for pattern in rule.globs
        ):
            return "left out, since its patterns match nothing"
        return None

    def _anchor(self, rule: SourceRule) -> SourceRule:
        """Return a rule with patterns that its target reads in the same way."""
        place, excludes = self._target.rules, self._target.name in _EXCLUDING
        if not excludes and any(glob.startswith("!") for glob in rule.globs):
            self._note(rule, "patterns that exclude files are left out")
        keeps_folder = place is not None and place.is_nested
        dialect: DialectName = place.dialect if place else "plain"
        folder = "" if keeps_folder else rule.scope
        expands = dialect in WITHOUT_BRACES
        if rule.is_gitignore:
            globs = convert_gitignore(
                rule.globs, folder, expands=expands, excludes=excludes
            )
        else:
            globs = convert_patterns(
                rule.globs,
                folder,
                bare_matches_anywhere=rule.bare_matches_anywhere,
                expands=expands,
                excludes=excludes,
            )
        if DIALECTS[dialect].is_gitignore:
            globs = tuple(map(write_gitignore, globs))
        if DIALECTS[dialect].bare_matches_anywhere and any(
            "/" not in pattern for pattern in globs
        ):
            self._note(rule, "patterns without a slash may match in any folder")
        return replace(rule, globs=globs)

    def _add(self, rule: SourceRule) -> None:
        """Add a rule to the files or to a guide."""
        place = self._target.rules
        if place is None:
            self._add_to_guide(rule)
        elif rule.activation == "agent-requested" and (
            "agent-requested" not in self._target.activations
        ):
            self._requestable.setdefault("", []).append(rule)
        elif rule.scope and not place.is_nested:
            self._add_with_patterns(rule)
        elif rule.activation not in self._target.activations:
            self._add_to_guide(rule)
        else:
            self._write_file(rule.scope, rule, rule.body, rule.path)

    def _add_with_patterns(self, rule: SourceRule) -> None:
        """Add a rule of a folder for a tool that has rules at the top only."""
        name = f"{rule.scope.replace('/', '-')}-{rule.name}"
        rule = replace(rule, name=name)
        if rule.activation == "always":
            everything = (join_below(rule.scope, "**"),)
            rule = replace(rule, activation="auto-attached", globs=everything)
        self._write_file("", rule, rule.body, rule.path)

    def _write_file(
        self, folder: str, fields: RuleFields, body: str, origin: str
    ) -> None:
        place = self._target.rules
        assert place is not None
        path = join_below(folder, f"{place.path}{fields.name}{place.suffixes[0]}")
        if path in self._found.files:
            other = self._found.origins[path]
            reason = f"both {other} and {origin} would be written there: rename one"
            self._found.clashes.append((path, reason))
            return
        header = write_header(place.dialect, fields)
        text = mark_file(header, f"{body}\n", self._source.name, origin)
        self._found.files[path] = text
        self._found.origins[path] = origin

    def _add_to_guide(self, rule: SourceRule) -> None:
        target = self._target
        folder = ""
        if target.has_nested_guides:
            folder = rule.scope if self._is_folder(rule.scope) else ""
            if rule.activation == "auto-attached":
                folder = find_common_folder(rule.globs, self._is_folder)
        guide = join_below(folder, target.guide)
        if rule.activation == "agent-requested":
            self._requestable.setdefault(guide, []).append(rule)
            return
        globs = rule.globs
        if rule.activation == "always":
            globs = (join_below(rule.scope, "**"),)
        body = rule.body
        if not covers_folder(globs, folder):
            body = f"For files that match {_write_patterns(globs)}:\n\n{body}"
        self._sections.setdefault(guide, []).append(body)

    def _list_requestable(self) -> None:
        """Add the lists of rules that the agent chooses by their description."""
        for guide, rules in self._requestable.items():
            lines = "\n".join(f"- `{rule.path}`: {rule.description}" for rule in rules)
            body = f"{_REQUEST}\n\n{lines}"
            if guide:
                self._sections.setdefault(guide, []).append(body)
            else:
                fields = RuleFields(name=INDEX, activation="always")
                self._write_file("", fields, body, rules[0].path)
            for rule in rules:
                self._note(rule, "listed by its description")

    def _note(self, rule: SourceRule, text: str) -> None:
        note = ConversionNote(rule.path, text, self._target.name)
        self._found.notes.append(note)


def _write_patterns(globs: Sequence[str]) -> str:
    return " or ".join(f"`{pattern}`" for pattern in globs)
