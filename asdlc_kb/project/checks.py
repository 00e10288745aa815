"""Checks of a project's artifacts.

The server parses artifacts leniently; other tools parse the same files strictly. Codes
(KB001, KB002, KB004, KB015 are of `files`; `articles.checks` has those of articles):

- KB012 a field has a value it cannot have
- KB040 strict YAML refuses the frontmatter, so strict tools lose it; or TOML the file
- KB041 a pattern that never matches
- KB042 a schema is not JSON
- KB043 a skill does not follow the Agent Skills format
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.files.problem import Problem
from asdlc_kb.frontmatter.parser import parse, split
from asdlc_kb.project.agents import scan_agents
from asdlc_kb.project.commands import scan_commands
from asdlc_kb.project.context import scan_artifacts
from asdlc_kb.project.glob_patterns import expand_braces
from asdlc_kb.project.registry import Project
from asdlc_kb.project.rules import RuleContent, scan_rules
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.served_skills import MAX_BYTES, MAX_FILES
from asdlc_kb.project.skill_files import find_invisible, skill_file_signatures
from asdlc_kb.project.skill_format import check_skill
from asdlc_kb.project.skills import SkillContent, scan_skills
from asdlc_kb.project.specs import scan_specs

CODES: Final = {
    "KB040": "frontmatter that is not valid YAML, or a file that is not valid TOML",
    "KB041": "a pattern that never matches",
    "KB042": "a schema is not JSON",
    "KB043": "a skill does not follow the Agent Skills format",
}
"""The codes specific to projects."""


def check_project(project: Project, home: Path | None = None) -> tuple[Problem, ...]:
    """Return every problem of a project, by path."""
    scanner = ProjectScanner(project, home)
    sources: list[tuple[str, str]] = []
    for rule in scan_rules(scanner):
        sources.append((rule.path, rule.source))
        _check_patterns(scanner, rule)
    for skill in scan_skills(scanner):
        sources.append((skill.path, skill.source))
        for message in (*check_skill(skill), *_check_size(scanner, skill)):
            scanner.report(skill.path, "KB043", message)
        # A separate scanner: this skill does not use up the limits of the others.
        scanner.problems.extend(find_invisible(ProjectScanner(project, home), skill))
    for scan in (scan_commands, scan_agents, scan_specs):
        sources.extend((item.path, item.source) for item in scan(scanner))
    scan_artifacts(scanner)
    for path, source in sources:
        fault = find_strict_fault(path, source)
        if fault is not None:
            scanner.problems.append(fault)
    return scanner.sorted_problems


def find_strict_fault(path: str, source: str) -> Problem | None:
    """Return why strict YAML rejects a file's frontmatter; None if it is accepted."""
    try:
        frontmatter = split(source).frontmatter
        if frontmatter is not None:
            parse(frontmatter)
    except FrontmatterError as error:
        return Problem(path, error.line, error.column, "KB040", error.message)
    return None


def _check_patterns(scanner: ProjectScanner, rule: RuleContent) -> None:
    for pattern in rule.globs or ():
        if not expand_braces(pattern.removeprefix("!")):
            message = "a pattern has too many alternatives: split it"
            scanner.report(rule.path, "KB041", message)


def _check_size(scanner: ProjectScanner, skill: SkillContent) -> Iterator[str]:
    """Yield sizes beyond those every host of the skills extension accepts."""
    files = skill_file_signatures(scanner, skill).values()
    if len(files) > MAX_FILES or sum(file.size for file in files) > MAX_BYTES:
        megabytes = MAX_BYTES // 2**20
        yield f"it has more than {MAX_FILES} files or {megabytes} MiB: make it smaller"
