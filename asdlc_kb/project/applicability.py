"""Rules and guides that apply to a file, nearest first, with the reason.

- An always-attached rule applies to every file of its folder: the whole project, or the
  folder that contains the tool's folder. A rule with patterns applies to the matching
  files of its folder; patterns are relative to that folder or to the top of the
  project, since both are in use. Those of Claude Code are relative to the folder alone.
- A guide applies to its folder and all below, and so do the files it imports.
- The nearest folder comes first; within a folder, matching rules, then guides with
  their imports, then always-attached rules; then in the order of the places. A file
  with several paths is listed once, and so is a text that several tools get as copies.
- What a tool reads in a home directory comes after the project's own, of the same
  reason.
- A rule that the agent chooses by its description comes last, as requested; one that is
  chosen by hand applies to no file.

Only the folders above the file are searched, at any depth.

The file need not exist yet.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from asdlc_kb.files.folder_walk import count_names, relate_below
from asdlc_kb.project.agent_guides import AgentGuide, GuideKind, scan_guides
from asdlc_kb.project.artifact_file import FileIdentity
from asdlc_kb.project.glob_patterns import Matcher
from asdlc_kb.project.guide_imports import read_configured, read_imports
from asdlc_kb.project.locations import Location, Platform
from asdlc_kb.project.real_files import merge_copies
from asdlc_kb.project.rules import RuleContent, scan_rules, scan_user_rules
from asdlc_kb.project.scanner import ProjectScanner

ApplyReason: TypeAlias = Literal["pattern", "folder", "import", "always", "requested"]

ApplyKind: TypeAlias = Literal["rule", "agents-md", "claude-md", "gemini-md", "import"]

_ORDER: Final[Mapping[ApplyReason, int]] = {
    "pattern": 0,
    "folder": 1,
    "import": 1,
    "always": 2,
    "requested": 3,
}
"""Ranks of the reasons in a folder."""

_KINDS: Final[Mapping[GuideKind, ApplyKind]] = {
    "agents": "agents-md",
    "claude": "claude-md",
    "gemini": "gemini-md",
}

HOPS: Final[Mapping[Platform, int]] = {"claude": 4, "gemini": 5}
"""The tools that read imports of guides, and how many hops they follow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicableRule:
    """A rule or guide that applies to a file, or may."""

    kind: ApplyKind
    name: str
    path: str
    scope: str
    """The folder it applies to; empty for the whole project."""
    location: Location = "workspace"
    tools: tuple[Platform, ...] = ()
    """The tools that read it for the file."""
    reason: ApplyReason
    pattern: str | None = None
    """The first matching pattern."""
    importer: str = ""
    """The path of the file that imports it."""
    excluded_agent: str = ""
    """The agent of the tool that it is not for."""
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
        if self.excluded_agent:
            return f"{self._reason_phrase}, but not for {self.excluded_agent}"
        return self._reason_phrase

    @property
    def _reason_phrase(self) -> str:
        where = f"in {self.scope}/" if self.scope else "in the project"
        if self.location == "global":
            where = "in every project"
        match self.reason:
            case "requested":
                return "read it if its description fits the task"
            case "pattern":
                return f"the path matches {self.pattern}"
            case "import":
                return f"imported by {self.importer}"
            case "always":
                return f"always attached {where}"
        return f"for all {where}"


def rules_for_path(
    scanner: ProjectScanner, path: str, tool: Platform | None = None
) -> tuple[ApplicableRule, ...]:
    """Return the rules and guides that apply to a file, nearest first.

    With a tool, only those that it reads. The path is one that `Project.locate`
    returned.
    """
    scanner.narrow(path)
    found = [
        *_find_rules(scanner, path, scan_rules(scanner)),
        *_find_guides(scanner, path),
        *_find_configured(scanner),
        *_find_rules(scanner, path, scan_user_rules(scanner)),
    ]
    applicable = (rule for rule in found if tool is None or tool in rule.tools)
    return merge_copies(sorted(applicable, key=_distance), _meaning)


def _meaning(rule: ApplicableRule) -> tuple[str, ...]:
    """Return what equal texts for several tools have in common."""
    chosen_by = rule.description if rule.is_requested else ""
    return rule.scope, rule.location, rule.reason, rule.excluded_agent, chosen_by


def _distance(rule: ApplicableRule) -> tuple[bool, int, int]:
    return rule.is_requested, -count_names(rule.scope), _ORDER[rule.reason]


def _find_rules(
    scanner: ProjectScanner, path: str, rules: Iterable[RuleContent]
) -> Iterator[ApplicableRule]:
    matcher = Matcher()
    for rule in rules:
        below = relate_below(rule.scope, path)
        if below is None:
            continue
        pattern = _match(matcher, rule, path, below)
        reason = _find_reason(rule, pattern)
        if reason is not None and rule.tools:
            yield ApplicableRule(
                kind="rule",
                name=rule.name,
                path=rule.path,
                scope=rule.scope,
                location=rule.location,
                tools=rule.tools,
                reason=reason,
                pattern=pattern,
                excluded_agent=rule.excluded_agent,
                description=rule.description,
                content=rule.content,
                identity=rule.identity,
            )
    if matcher.is_exhausted:
        message = "its patterns take too long to match: simplify them"
        scanner.report(".", "KB041", message)


def _find_reason(rule: RuleContent, pattern: str | None) -> ApplyReason | None:
    """Return why a rule applies; None if it does not."""
    if pattern is not None:
        return "pattern"
    if rule.activation == "agent-requested":
        return "requested"
    return "always" if rule.activation == "always" else None


def _match(matcher: Matcher, rule: RuleContent, path: str, below: str) -> str | None:
    """Return the matching pattern, relative to the rule's folder or the top."""
    if rule.type != "glob" or not rule.globs:
        return None
    if rule.is_gitignore:
        return matcher.find_as_gitignore(rule.globs, below)
    bare = rule.bare_matches_anywhere
    pattern = matcher.find(rule.globs, below, bare_matches_anywhere=bare)
    if pattern is None and rule.scope:
        pattern = matcher.find(rule.globs, path, bare_matches_anywhere=bare)
    return pattern


def _find_guides(scanner: ProjectScanner, path: str) -> Iterator[ApplicableRule]:
    for guide in scan_guides(scanner):
        if guide.tools and relate_below(guide.scope, path) is not None:
            yield ApplicableRule(
                kind=_KINDS[guide.kind],
                name=guide.name,
                path=guide.path,
                scope=guide.scope,
                tools=guide.tools,
                reason="folder",
                content=guide.content,
                identity=guide.identity,
            )
            yield from _find_imports(scanner, guide)


def _find_imports(
    scanner: ProjectScanner, guide: AgentGuide
) -> Iterator[ApplicableRule]:
    """Yield the files that tools of a guide read with it."""
    for tool in guide.tools:
        for imported in read_imports(
            scanner, guide.origin, guide.imports, max_hops=HOPS.get(tool, 0)
        ):
            yield ApplicableRule(
                kind="import",
                name=imported.path.rpartition("/")[2],
                path=imported.path,
                scope=guide.scope,
                tools=(tool,),
                reason="import",
                importer=imported.importer,
                content=imported.text.text,
                identity=imported.text.identity,
            )


def _find_configured(scanner: ProjectScanner) -> Iterator[ApplicableRule]:
    """Yield the files that a tool's settings name as instructions."""
    for path, text in read_configured(scanner):
        yield ApplicableRule(
            kind="rule",
            name=path.rpartition("/")[2].removesuffix(".md"),
            path=path,
            scope="",
            tools=("opencode",),
            reason="always",
            content=text.text,
            identity=text.identity,
        )
