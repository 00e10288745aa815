"""Which rules and guides are about a file, nearest first, and why.

Decided:

- What is always attached is about every file of its folder: the whole project, or the
  one in which `.cursor` or `.claude` lies. A rule with patterns is about the files of
  its folder that match, counted from that folder or from the top of the project, since
  people write either.
- An AGENTS.md or CLAUDE.md is about its folder and all below. One that is a link to
  another, or names it, is left out where that one is listed.
- The nearest folder comes first, and in a folder: what matches, then guides, then what
  is always attached; Cursor before Claude.
- A rule that an agent or a person must choose is about no file.

The file need not exist: who is about to write it asks the same.
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
    """A rule or guide that is about a file."""

    kind: Literal["rule", "agents-md", "claude-md"]
    name: str
    path: str
    scope: str
    """The folder that it is about; empty for the whole project."""
    reason: ApplyReason
    pattern: str | None = None
    """The first pattern that the file matches."""
    description: str = ""
    content: str = ""

    @property
    def why(self) -> str:
        """The reason in words."""
        where = f"in {self.scope}/" if self.scope else "in the project"
        if self.reason == "pattern":
            return f"the path matches {self.pattern}"
        return f"{'always attached' if self.reason == 'always' else 'for all'} {where}"


def rules_for_path(survey: ProjectScanner, path: str) -> tuple[ApplicableRule, ...]:
    """Return what is about a file, nearest first.

    The path is one that `Project.locate` returned.
    """
    found = [*_find_rules(survey, path), *_find_guides(survey, path)]
    return tuple(sorted(found, key=_distance))


def _distance(applying: ApplicableRule) -> tuple[int, int]:
    depth = applying.scope.count("/") + 1 if applying.scope else 0
    return -depth, _ORDER.index(applying.reason)


def _find_rules(survey: ProjectScanner, path: str) -> Iterator[ApplicableRule]:
    matcher = Matcher()
    for rule in scan_rules(survey):
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
        message = "its patterns take too long to compare: make them simpler"
        survey.report(".", "KB041", message)


def _match(matcher: Matcher, rule: RuleContent, path: str, below: str) -> str | None:
    """Return the pattern that a file matches, from the rule's folder or the top."""
    if rule.type != "glob" or not rule.globs:
        return None
    bare = rule.platform == "cursor"
    found = matcher.find(rule.globs, below, bare_matches_anywhere=bare)
    if found is None and rule.scope:
        found = matcher.find(rule.globs, path, bare_matches_anywhere=bare)
    return found


def _find_guides(survey: ProjectScanner, path: str) -> Iterator[ApplicableRule]:
    guides = [g for g in scan_guides(survey) if _relate(path, g.scope) is not None]
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
    """Whether a guide only stands for another one that is listed."""
    return guide.same_as in listed and guide.same_as != guide.path


def _relate(path: str, scope: str) -> str | None:
    """Return a path relative to a folder, or None if it is not below it."""
    if not scope:
        return path
    return path[len(scope) + 1 :] if path.startswith(f"{scope}/") else None
