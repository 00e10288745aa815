"""Rules and guides that apply to a file, nearest first, with the reason.

- An always-attached rule applies to every file of its folder: the whole project, or the
  folder that contains `.cursor` or `.claude`. A rule with patterns applies to the
  matching files of its folder; patterns are relative to that folder or to the top of
  the project, since both are in use.
- An AGENTS.md or CLAUDE.md applies to its folder and all below. An alias of a guide
  that is listed itself is omitted.
- The nearest folder comes first; within a folder, matching rules, then guides, then
  always-attached rules; Cursor before Claude.
- A rule that is chosen by the agent or by hand applies to no file.

The file need not exist yet.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from asdlc_kb.project.agent_guides import AgentGuide, scan_guides
from asdlc_kb.project.glob_patterns import Matcher
from asdlc_kb.project.rules import RuleContent, scan_rules
from asdlc_kb.project.scanner import ProjectScanner

ApplyReason: TypeAlias = Literal["pattern", "folder", "always"]

_ORDER: tuple[ApplyReason, ...] = ("pattern", "folder", "always")


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicableRule:
    """A rule or guide that applies to a file."""

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

    @property
    def why(self) -> str:
        """The reason as a phrase."""
        where = f"in {self.scope}/" if self.scope else "in the project"
        if self.reason == "pattern":
            return f"the path matches {self.pattern}"
        return f"{'always attached' if self.reason == 'always' else 'for all'} {where}"


def rules_for_path(scanner: ProjectScanner, path: str) -> tuple[ApplicableRule, ...]:
    """Return the rules and guides that apply to a file, nearest first.

    The path is one that `Project.locate` returned.
    """
    applicable = [*_find_rules(scanner, path), *_find_guides(scanner, path)]
    return tuple(sorted(applicable, key=_distance))


def _distance(rule: ApplicableRule) -> tuple[int, int]:
    depth = rule.scope.count("/") + 1 if rule.scope else 0
    return -depth, _ORDER.index(rule.reason)


def _find_rules(scanner: ProjectScanner, path: str) -> Iterator[ApplicableRule]:
    matcher = Matcher()
    for rule in scan_rules(scanner):
        below = _relate(path, rule.scope)
        if below is None:
            continue
        pattern = _match(matcher, rule, path, below)
        if pattern is not None or rule.type == "always":
            yield ApplicableRule(
                kind="rule",
                name=rule.name,
                path=rule.path,
                scope=rule.scope,
                reason="always" if rule.type == "always" else "pattern",
                pattern=pattern,
                description=rule.description,
                content=rule.content,
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
    guides = [g for g in scan_guides(scanner) if _relate(path, g.scope) is not None]
    listed = {guide.path for guide in guides}
    for guide in guides:
        if not _repeats(guide, listed):
            yield ApplicableRule(
                kind="agents-md" if guide.kind == "agents" else "claude-md",
                name=guide.name,
                path=guide.path,
                scope=guide.scope,
                reason="folder",
                content=guide.content,
            )


def _repeats(guide: AgentGuide, listed: set[str]) -> bool:
    """Whether a guide is an alias of a listed one."""
    return guide.same_as in listed and guide.same_as != guide.path


def _relate(path: str, scope: str) -> str | None:
    """Return a path relative to a folder, or None if it is outside."""
    if not scope:
        return path
    return path[len(scope) + 1 :] if path.startswith(f"{scope}/") else None
