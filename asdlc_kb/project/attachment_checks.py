"""Rules that no tool attaches: by their frontmatter, or by patterns without a file.

A rule that its frontmatter gives to people to choose by hand is meant so.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from asdlc_kb.files.folder_walk import relate_below
from asdlc_kb.files.problem import Problem
from asdlc_kb.frontmatter.lenient import LenientFrontmatter, read_lenient
from asdlc_kb.project.glob_patterns import Matcher, expand_braces, find_ending
from asdlc_kb.project.instruction_files import InstructionFile, list_rules
from asdlc_kb.project.project_files import ProjectFiles, read_ignored
from asdlc_kb.project.registry import Project
from asdlc_kb.project.rule_dialects import DIALECTS, RuleDialect
from asdlc_kb.project.rules import RuleContent
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.tool_names import TOOL_NAMES

MAX_STEPS: Final = 5_000_000
"""Steps of matching for one project; what is left then is not reported."""

_WILDCARDS: Final = re.compile(r"\*+|\?|\[[^\]/]*\]")
_FOLDER_ENDING: Final = re.compile(r"(?:/\*{0,2})+\Z")
_QUOTED_FLAG: Final = re.compile(r"^alwaysApply:[ \t]*[\"']", re.MULTILINE)

_HEADERS: Final = {
    "cursor": "add 'alwaysApply: true', globs or a description",
    "copilot": "add 'applyTo: \"**\"' or the pattern of its files",
    "windsurf": "add 'trigger: always_on' or another trigger",
}
"""What to add to a rule without any of the fields, by dialect."""


def check_attachment(
    scanner: ProjectScanner, rules: Sequence[RuleContent], files: ProjectFiles
) -> Iterator[Problem]:
    """Yield a problem for each rule that is never attached by a tool."""
    listed = {found.file.shown: found for found in list_rules(scanner)}
    finder = _PatternFinder(scanner.project, files)
    for rule in rules:
        found = listed.get(rule.path)
        message = None
        if found is not None and rule.tools:
            message = _check_header(rule, found) or finder.check(rule)
        if message is not None:
            yield Problem(rule.path, 1, 1, "KB046", message)


def _check_header(rule: RuleContent, listed: InstructionFile) -> str | None:
    """Return why frontmatter attaches a rule to nothing, and what to write instead."""
    place = listed.places[0]
    dialect, tool = DIALECTS[place.dialect], TOOL_NAMES[rule.platform]
    header = read_lenient("" if place.dialect == "plain" else rule.source)
    if dialect.mode:
        return _check_mode(dialect, header, tool)
    if place.dialect == "cline" and header.fields.get("paths") == ():
        return f"{tool} never attaches a rule with empty paths: remove the field"
    if dialect.is_gitignore and {*header.fields} & {"globs", "paths"} == {"globs"}:
        return f"{tool} reads no globs and attaches it to every file: write paths"
    if dialect.always and _QUOTED_FLAG.search(_cut_header(rule)):
        return f"{tool} reads alwaysApply in quotes as a text: remove the quotes"
    known = {*dialect.globs, dialect.always, "description"} - {""}
    is_silent = known.isdisjoint(header.fields)
    if place.dialect == "copilot" and rule.activation == "manual":
        is_silent = True
    if rule.activation == "manual" and is_silent and place.dialect in _HEADERS:
        return f"{tool} attaches it to no file: {_HEADERS[place.dialect]}"
    return None


def _check_mode(
    dialect: RuleDialect, header: LenientFrontmatter, tool: str
) -> str | None:
    """Return what is wrong with the field that names a rule's activation."""
    written = header.text(dialect.mode)
    if written is None:
        if dialect.otherwise != "manual":
            return None
        return f"{tool} attaches it to no file: {_HEADERS['windsurf']}"
    activation = dialect.modes.get(written.strip("\"'").lower())
    if activation is None:
        known = ", ".join(dialect.modes)
        return f"{tool} does not know the value of {dialect.mode}: use {known}"
    if activation == "auto-attached" and dialect.read(header).type == "manual":
        return f"{tool} attaches it to no file: add patterns in {dialect.globs[0]}"
    if activation == "agent-requested" and not header.text("description"):
        return f"{tool} offers it by its description: add one"
    return None


def _cut_header(rule: RuleContent) -> str:
    return rule.source.removesuffix(rule.content)


class _PatternFinder:
    """Finds files that patterns match, in one project."""

    def __init__(self, project: Project, files: ProjectFiles) -> None:
        self._files = files
        self._matcher = Matcher(MAX_STEPS)
        self._ignored = read_ignored(project)

    def check(self, rule: RuleContent) -> str | None:
        """Return a message if no file of the project matches a rule's patterns."""
        patterns = [p for p in rule.globs or () if not p.startswith("!")]
        if rule.type != "glob" or not patterns or not self._files.is_complete:
            return None
        if any(map(self._is_excused, patterns)):
            return None
        is_anywhere = rule.bare_matches_anywhere
        tool = TOOL_NAMES[rule.platform]
        message = f"{tool} attaches it to no file: none matches its patterns"
        if rule.is_gitignore:
            has_match = self._has_gitignore_match(rule.scope, rule.globs or ())
        else:
            has_match = self._has_match(rule.scope, patterns, is_anywhere)
            deeper = [f"**/{p}" for p in patterns if "/" not in p]
            if not has_match and self._has_match(rule.scope, deeper, is_anywhere):
                message += "; begin them with '**/' to match in folders"
        return None if has_match or self._matcher.is_exhausted else message

    def _has_gitignore_match(self, scope: str, patterns: Sequence[str]) -> bool:
        """Whether a file below a folder matches patterns as those of a `.gitignore`."""
        plain = (_FOLDER_ENDING.sub("", pattern) for pattern in patterns)
        endings = [f"{find_ending(pattern)}/".lower() for pattern in plain]
        for path in self._files.paths:
            below = relate_below(scope, path)
            if below is None:
                continue
            # What matches a folder matches all below it.
            if any(ending in f"{below}/".lower() for ending in endings):
                if self._matcher.find_as_gitignore(patterns, below) is not None:
                    return True
        return False

    def _has_match(
        self, scope: str, patterns: Sequence[str], is_anywhere: bool
    ) -> bool:
        """Whether a file below a folder matches, from there or from the top."""
        for pattern in patterns:
            ending = find_ending(pattern)
            for path in self._files.paths:
                below = relate_below(scope, path) if path.endswith(ending) else None
                if below is None:
                    continue
                if self._matcher.matches(pattern, below, is_anywhere):
                    return True
                if scope and self._matcher.matches(pattern, path, is_anywhere):
                    return True
        return False

    def _is_excused(self, pattern: str) -> bool:
        """Whether a pattern is wrong otherwise, or for files that Git ignores."""
        alternatives = expand_braces(pattern)
        if not alternatives:
            return True
        samples = (_WILDCARDS.sub("x", p.replace("**/", "")) for p in alternatives)
        return any(map(self._ignored.match_file, samples))
