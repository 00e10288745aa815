"""Rules: instructions that say themselves to which files they apply.

`instruction_places` lists where they are, `rule_dialects` how each tool writes when a
rule is attached.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from asdlc_kb.frontmatter.lenient import read_lenient
from asdlc_kb.project.artifact_file import Artifact, Text
from asdlc_kb.project.glob_patterns import MAX_PATTERNS
from asdlc_kb.project.instruction_files import (
    InstructionFile,
    list_rules,
    list_tools,
)
from asdlc_kb.project.locations import Location, Platform
from asdlc_kb.project.name_lookup import find_named
from asdlc_kb.project.rule_dialects import DIALECTS, Activation, RuleType
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.user_instructions import list_user_instructions

_FOLDER_RULE = "RULE"
"""The stem of a rule file named after its folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleContent(Artifact):
    """A rule for all files, for some, or for the agent to choose."""

    type: RuleType
    globs: tuple[str, ...] | None = None
    """None for a rule without patterns."""
    activation: Activation
    location: Location = "workspace"
    tools: tuple[Platform, ...] = ()
    """The tools that read it."""
    bare_matches_anywhere: bool = False
    """Whether a pattern without a slash matches names at any depth."""
    is_gitignore: bool = False
    """Whether patterns match as those of a `.gitignore`."""
    excluded_agent: str = ""
    """The agent of the tool that it is not for."""


def scan_rules(scanner: ProjectScanner) -> tuple[RuleContent, ...]:
    """Return a project's rules: Cursor before Claude, upper folders before lower.

    Those of a home directory are not among them: see `scan_user_rules`.
    """
    return _read_all(scanner, list_rules(scanner))


def scan_user_rules(scanner: ProjectScanner) -> tuple[RuleContent, ...]:
    """Return the instructions of a home directory, if there is one, as rules."""
    return _read_all(scanner, list_user_instructions(scanner))


def get_rule(scanner: ProjectScanner, name: str) -> RuleContent | None:
    """Return the rule with a name or path, or None."""
    return find_named(scan_rules(scanner), name)


def _read_all(
    scanner: ProjectScanner, files: Iterable[InstructionFile]
) -> tuple[RuleContent, ...]:
    return tuple(
        _read(scanner, listed, text)
        for listed in files
        for _, text in scanner.texts((listed.file,))
    )


def _read(scanner: ProjectScanner, listed: InstructionFile, text: Text) -> RuleContent:
    file, place = listed.file, listed.places[0]
    dialect = DIALECTS[place.dialect]
    frontmatter = read_lenient("" if place.dialect == "plain" else text.text)
    header = dialect.read(frontmatter)
    if len(header.globs) > MAX_PATTERNS:
        message = f"more than {MAX_PATTERNS} patterns: the rest are ignored"
        scanner.report(file.shown, "KB012", message)
    return RuleContent(
        name=_name(listed),
        description=frontmatter.text("description") or "",
        type=header.type,
        path=file.shown,
        globs=header.globs or None,
        activation=header.activation,
        location=file.place.location,
        platform=place.tool,
        scope=listed.scope,
        tools=list_tools(scanner, listed),
        bare_matches_anywhere=dialect.bare_matches_anywhere,
        is_gitignore=dialect.is_gitignore,
        excluded_agent=frontmatter.text("excludeAgent") or "",
        content=text.text if place.dialect == "plain" else frontmatter.body,
        source=text.text,
        identity=text.identity,
    )


def _name(listed: InstructionFile) -> str:
    if not listed.places[0].is_folder:
        return listed.name.removeprefix(".")
    is_named_above = listed.name == _FOLDER_RULE and len(listed.file.below) > 1
    return listed.file.below[-2] if is_named_above else listed.name
