"""Rules: `.cursor/rules` and `.claude/rules`, in any folder, and `.cursorrules`.

A Cursor rule is attached always, to files that match its globs, when the agent chooses
it by its description, or by hand. A Claude rule is attached always, or to files that
match its `paths`; without `paths`, `globs` is read, as that tool does.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from asdlc_kb.frontmatter.lenient import LenientFrontmatter, read_lenient
from asdlc_kb.project.artifact_file import Artifact, ArtifactFile, Text
from asdlc_kb.project.glob_patterns import MAX_PATTERNS
from asdlc_kb.project.locations import ArtifactFolder, Location, Platform
from asdlc_kb.project.name_lookup import find_named
from asdlc_kb.project.scanner import ProjectScanner

LEGACY: Final = ".cursorrules"
"""The single rules file that preceded rule folders."""

_FOLDER_RULE: Final = "RULE"
"""The stem of a rule file named after its folder."""

_PLATFORMS: Final[dict[str, Platform]] = {".cursor": "cursor", ".claude": "claude"}

RuleType: TypeAlias = Literal["always", "glob", "manual"]
Activation: TypeAlias = Literal["always", "auto-attached", "agent-requested", "manual"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleContent(Artifact):
    """A rule for all files, for some, or for the agent to choose."""

    type: RuleType
    globs: tuple[str, ...] | None = None
    """None for a rule without patterns."""
    activation: Activation
    location: Location = "workspace"
    scope: str = ""
    """The folder it applies to; empty for the whole project."""


def scan_rules(scanner: ProjectScanner) -> tuple[RuleContent, ...]:
    """Return a project's rules: Cursor before Claude, upper folders before lower.

    A home directory is not scanned for rules.
    """
    return tuple(
        _read(scanner, file, text, scope)
        for listed, scope in list_rule_files(scanner)
        for file, text in scanner.texts((listed,))
    )


def get_rule(scanner: ProjectScanner, name: str) -> RuleContent | None:
    """Return the rule with a name or path, or None."""
    return find_named(scan_rules(scanner), name)


def list_rule_files(scanner: ProjectScanner) -> Iterator[tuple[ArtifactFile, str]]:
    """Yield the files of the rules with their scopes; `.cursorrules` need not exist."""
    for top, platform in _PLATFORMS.items():
        for holder in scanner.nested.holders:
            scope, _, name = holder.rpartition("/")
            if name != top:
                continue
            place = ArtifactFolder(scanner.project.root, f"{holder}/rules", platform)
            endings = (".mdc", ".md") if platform == "cursor" else (".md",)
            for file in scanner.files(place, endings):
                yield file, scope
        if platform == "cursor":
            yield scanner.top(LEGACY, "cursor"), ""


def _read_legacy(file: ArtifactFile, text: Text) -> RuleContent:
    return RuleContent(
        name=LEGACY.removeprefix("."),
        description="",
        type="always",
        path=file.shown,
        activation="always",
        platform="cursor",
        content=text.text,
        source=text.text,
        identity=text.identity,
    )


def _read(
    scanner: ProjectScanner, file: ArtifactFile, text: Text, scope: str
) -> RuleContent:
    if file.path == LEGACY:
        return _read_legacy(file, text)
    header = read_lenient(text.text)
    platform = file.place.platform
    globs = header.patterns("globs")
    if platform == "claude":
        globs = header.patterns("paths") or globs
    if len(globs) > MAX_PATTERNS:
        message = f"more than {MAX_PATTERNS} patterns: the rest are ignored"
        scanner.report(file.shown, "KB012", message)
    kind, activation = _classify(header, globs, platform)
    return RuleContent(
        name=_name(file),
        description=header.text("description") or "",
        type=kind,
        path=file.shown,
        globs=globs or None,
        activation=activation,
        platform=platform,
        scope=scope,
        content=header.body,
        source=text.text,
        identity=text.identity,
    )


def _name(file: ArtifactFile) -> str:
    is_named_above = file.stem == _FOLDER_RULE and len(file.below) > 1
    return file.below[-2] if is_named_above else file.stem


def _classify(
    header: LenientFrontmatter, globs: tuple[str, ...], platform: Platform
) -> tuple[RuleType, Activation]:
    if platform == "claude":
        return ("glob", "auto-attached") if globs else ("always", "always")
    if header.flag("alwaysApply"):
        return "always", "always"
    if globs:
        return "glob", "auto-attached"
    if header.text("description"):
        return "manual", "agent-requested"
    return "manual", "manual"
