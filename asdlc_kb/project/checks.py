"""Checks of a project's artifacts.

The server parses artifacts leniently; other tools parse the same files strictly. Codes
(KB001, KB002, KB004, KB015 are of `files`; `articles.checks` has those of articles):

- KB012 a field has a value it cannot have
- KB040 strict YAML refuses the frontmatter, so strict tools lose it; or TOML the file
- KB041 a pattern that never matches
- KB042 a schema is not JSON
- KB043 a skill does not follow the Agent Skills format
- KB044 a file that a tool does not read, for its name, a field or another file
- KB045 a guide or rule that is empty, or repeats another one
- KB046 a rule that is attached to no file
- KB047 instructions beyond a limit
- KB048 a link that leads to nothing
- KB049 copies of a rule that differ
"""

from collections.abc import Iterator, Sequence
from typing import Final

from asdlc_kb.files.problem import Problem
from asdlc_kb.project.agent_guides import scan_guides
from asdlc_kb.project.agents import scan_agents
from asdlc_kb.project.attachment_checks import check_attachment
from asdlc_kb.project.commands import scan_commands
from asdlc_kb.project.context import scan_artifacts
from asdlc_kb.project.file_name_checks import find_misnamed
from asdlc_kb.project.frontmatter_checks import find_strict_fault
from asdlc_kb.project.glob_patterns import expand_braces
from asdlc_kb.project.guide_checks import (
    check_copies,
    check_empty,
    check_hidden,
    check_repeated,
)
from asdlc_kb.project.link_checks import check_links
from asdlc_kb.project.project_files import list_project_files
from asdlc_kb.project.real_files import merge_links
from asdlc_kb.project.registry import Project
from asdlc_kb.project.rules import RuleContent, scan_rules
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.served_skills import MAX_BYTES, MAX_FILES
from asdlc_kb.project.size_checks import check_sizes
from asdlc_kb.project.skill_files import find_invisible, skill_file_signatures
from asdlc_kb.project.skill_format import check_skill
from asdlc_kb.project.skills import SkillContent, scan_skills
from asdlc_kb.project.specs import scan_specs

CODES: Final = {
    "KB040": "frontmatter that is not valid YAML, or a file that is not valid TOML",
    "KB041": "a pattern that never matches",
    "KB042": "a schema is not JSON",
    "KB043": "a skill does not follow the Agent Skills format",
    "KB044": "a file that a tool does not read",
    "KB045": "a guide or rule without a text of its own",
    "KB046": "a rule that is attached to no file",
    "KB047": "instructions beyond a limit",
    "KB048": "a link that leads to nothing",
    "KB049": "copies of a rule that differ",
}
"""The codes specific to projects."""

ADVICE: Final = frozenset({"KB046", "KB047", "KB049"})
"""Codes of what works, though probably not as meant."""


_FIXTURES: Final = frozenset({"__fixtures__", "fixtures", "testdata"})
"""Folders of data for tests, in which instructions may be faulty on purpose."""


def check_project(project: Project) -> tuple[Problem, ...]:
    """Return every problem of a project, by path."""
    scanner = ProjectScanner(project)
    sources: list[tuple[str, str]] = []
    rules = merge_links(scan_rules(scanner))
    for rule in rules:
        sources.append((rule.path, rule.source))
        _check_patterns(scanner, rule)
    scanner.problems.extend(
        problem
        for problem in _check_instructions(scanner, rules)
        if _FIXTURES.isdisjoint(problem.path.split("/"))
    )
    for skill in scan_skills(scanner):
        sources.append((skill.path, skill.source))
        for message in (*check_skill(skill), *_check_size(scanner, skill)):
            scanner.report(skill.path, "KB043", message)
        # A separate scanner: this skill does not use up the limits of the others.
        scanner.problems.extend(find_invisible(ProjectScanner(project), skill))
    for scan in (scan_commands, scan_agents, scan_specs):
        sources.extend((item.path, item.source) for item in scan(scanner))
    scan_artifacts(scanner)
    for path, source in sources:
        fault = find_strict_fault(path, source)
        if fault is not None:
            scanner.problems.append(fault)
    return scanner.sorted_problems


def _check_instructions(
    scanner: ProjectScanner, rules: Sequence[RuleContent]
) -> Iterator[Problem]:
    """Yield what tools would misread or ignore."""
    files = list_project_files(scanner.project.root)
    for misnamed in find_misnamed(files.paths):
        yield Problem(misnamed.path, 1, 1, "KB044", misnamed.message)
    for agent in merge_links(scan_agents(scanner)):
        if agent.missing:
            fields = " and ".join(f"'{field}'" for field in agent.missing)
            message = f"Claude Code does not read an agent without {fields}: add it"
            yield Problem(agent.path, 1, 1, "KB044", message)
    guides = merge_links(scan_guides(scanner))
    yield from check_empty(guides, rules)
    yield from check_repeated(guides)
    yield from check_hidden(scanner, guides)
    yield from check_attachment(scanner, rules, files)
    yield from check_sizes(scanner, guides, rules)
    yield from check_links(scanner.project, guides, rules)
    yield from check_copies(rules)


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
