"""Rules and guides that apply to a file, nearest first, with the reason.

- An always-attached rule applies to every file of its folder: the whole project, or the
  folder that contains `.cursor` or `.claude`. A rule with patterns applies to the
  matching files of its folder; patterns are relative to that folder or to the top of
  the project, since both are in use.
- An AGENTS.md or CLAUDE.md applies to its folder and all below.
- The nearest folder comes first; within a folder, matching rules, then guides, then
  always-attached rules; Cursor before Claude. A file with several paths is listed once.
- A rule that the agent chooses by its description comes last, as requested; one that
  is chosen by hand applies to no file.

Only the folders above the file are searched, at any depth.

The file need not exist yet.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from asdlc_kb.project.agent_guides import scan_guides
from asdlc_kb.project.artifact_file import FileIdentity
from asdlc_kb.project.glob_patterns import Matcher
from asdlc_kb.project.real_files import merge_links
from asdlc_kb.project.rules import RuleContent, scan_rules
from asdlc_kb.project.scanner import ProjectScanner

ApplyReason: TypeAlias = Literal["pattern", "folder", "always", "requested"]

_ORDER: Final[tuple[ApplyReason, ...]] = ("pattern", "folder", "always", "requested")

_REASONS: Final[Mapping[str, ApplyReason]] = {
    "always": "always",
    "agent-requested": "requested",
}
"""Reasons of rules without a matching pattern, by activation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicableRule:
    """A rule or guide that applies to a file, or may."""

    kind: Literal["rule", "agents-md", "claude-md"]
    name: str
    path: str
    scope: str
    """The folder it applies to; empty for the whole project."""
    reason: ApplyReason
    pattern: str | None = None
    """The first matching pattern."""
    description: str = ""
    content: str = ""
    identity: FileIdentity = field(compare=False)
    also_in: tuple[str, ...] = ()
    """Other paths of the same file."""

    @property
    def is_requested(self) -> bool:
        """Whether the agent decides by the description if the rule applies."""
        return self.reason == "requested"

    @property
    def why(self) -> str:
        """The reason as a phrase."""
        if self.is_requested:
            return "read it if its description fits the task"
        where = f"in {self.scope}/" if self.scope else "in the project"
        if self.reason == "pattern":
            return f"the path matches {self.pattern}"
        return f"{'always attached' if self.reason == 'always' else 'for all'} {where}"


def rules_for_path(scanner: ProjectScanner, path: str) -> tuple[ApplicableRule, ...]:
    """Return the rules and guides that apply to a file, nearest first.

    The path is one that `Project.locate` returned.
    """
    scanner.narrow(path)
    applicable = [*_find_rules(scanner, path), *_find_guides(scanner, path)]
    return merge_links(sorted(applicable, key=_distance))


def _distance(rule: ApplicableRule) -> tuple[bool, int, int]:
    depth = rule.scope.count("/") + 1 if rule.scope else 0
    return rule.is_requested, -depth, _ORDER.index(rule.reason)


def _find_rules(scanner: ProjectScanner, path: str) -> Iterator[ApplicableRule]:
    matcher = Matcher()
    for rule in scan_rules(scanner):
        below = _relate(path, rule.scope)
        if below is None:
            continue
        pattern = _match(matcher, rule, path, below)
        reason = "pattern" if pattern is not None else _REASONS.get(rule.activation)
        if reason is not None:
            yield ApplicableRule(
                kind="rule",
                name=rule.name,
                path=rule.path,
                scope=rule.scope,
                reason=reason,
                pattern=pattern,
                description=rule.description,
                content=rule.content,
                identity=rule.identity,
            )
    if matcher.is_exhausted:
        message = "its patterns take too long to match: simplify them"
        scanner.report(".", "KB041", message)


def _match(matcher: Matcher, rule: RuleContent, path: str, below: str) -> str | None:
    """Return the matching pattern, relative to the rule's folder or the top."""
    if rule.type != "glob" or not rule.globs:
        return None
    bare = rule.platform == "cursor"
    pattern = matcher.find(rule.globs, below, bare_matches_anywhere=bare)
    if pattern is None and rule.scope:
        pattern = matcher.find(rule.globs, path, bare_matches_anywhere=bare)
    return pattern


def _find_guides(scanner: ProjectScanner, path: str) -> Iterator[ApplicableRule]:
    for guide in scan_guides(scanner):
        if _relate(path, guide.scope) is not None:
            yield ApplicableRule(
                kind="agents-md" if guide.kind == "agents" else "claude-md",
                name=guide.name,
                path=guide.path,
                scope=guide.scope,
                reason="folder",
                content=guide.content,
                identity=guide.identity,
            )


def _relate(path: str, scope: str) -> str | None:
    """Return a path relative to a folder, or None if it is outside."""
    if not scope:
        return path
    return path[len(scope) + 1 :] if path.startswith(f"{scope}/") else None
