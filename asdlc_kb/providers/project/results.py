"""Results of the project tools, each from one scan. All calls block."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET, Struct

from asdlc_kb.exceptions import PathNotFound, ProjectNotFound
from asdlc_kb.markup.sections import split_sections
from asdlc_kb.mcp.protocol.errors import ToolFailure, clip
from asdlc_kb.mcp.protocol.model import ToolResult
from asdlc_kb.mcp.protocol.tool_schema import check_arguments, given_arguments
from asdlc_kb.project.applicability import ApplicableRule, rules_for_path
from asdlc_kb.project.artifact_file import list_offered
from asdlc_kb.project.artifact_search import search_artifacts
from asdlc_kb.project.context import scan_artifacts, scan_project
from asdlc_kb.project.instruction_places import TOOLS
from asdlc_kb.project.locations import Platform
from asdlc_kb.project.name_lookup import Named, read_written_name
from asdlc_kb.project.real_files import merge_artifacts
from asdlc_kb.project.registry import Project, Projects
from asdlc_kb.project.rule_conflicts import find_conflicts
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.skill_files import measure_files
from asdlc_kb.project.skills import SkillContent, scan_nested_skills
from asdlc_kb.providers.project import views
from asdlc_kb.providers.project.artifact_kinds import KINDS, ArtifactKind
from asdlc_kb.providers.project.asdlc_artifacts import show_artifacts
from asdlc_kb.providers.project.context import show_context
from asdlc_kb.providers.project.file_result import show_file
from asdlc_kb.providers.project.suggestions import (
    find_artifact,
    suggest_artifact,
    suggest_paths,
)
from asdlc_kb.providers.project.tools import (
    GetArtifact,
    GetArtifacts,
    GetContext,
    GetNamed,
    GetSpec,
    ListArtifacts,
    ListProjects,
    RulesForPath,
)
from asdlc_kb.providers.shared.chunks import cut_chunk, describe_chunk
from asdlc_kb.providers.shared.cursors import cursor_fingerprint, read_cursor
from asdlc_kb.providers.shared.results import (
    ResultPage,
    fill_page,
    json_row,
    make_json_result,
    make_result,
)
from asdlc_kb.providers.shared.size_budget import DEFAULT_CHARS, SizeBudget
from asdlc_kb.unicode.near_names import NearNames, suggest_names

T = TypeVar("T", bound=Named)

_POSITION: Final = re.compile(r"(?:#[^#/]*|:\d+(?:-\d+)?)$")
"""An anchor or lines at the end of a path."""

_WORD: Final = re.compile("[a-z]+")

MAX_CONTENT_CHARS: Final = 8_000
"""Characters of a rule's text in a list."""

MAX_REQUESTED: Final = 20
"""Rules for a path that an agent may request."""

MAX_NAMED_SKILLS: Final = 10
"""Skills named with the rules for a path."""

MAX_SKILL_FILES: Final = 50
"""Files listed with a skill."""


class ProjectResults:
    """Results of the tools, for peers with the same permissions."""

    def __init__(
        self, projects: Projects, *, accepts_paths: bool, home: Path | None
    ) -> None:
        self._projects = projects
        self._accepts_paths = accepts_paths
        self._home = home
        self._tools: dict[str, Callable[[Mapping[str, Any]], ToolResult]] = {
            "get_asdlc_artifacts": self._get_artifacts,
            "get_project_context": self._get_context,
            "get_artifact": self._read_file,
            "rules_for_path": self._find_rules,
            "list_projects": self._list_projects,
            "list_rules": partial(self._list, KINDS["rules"]),
            "get_rule": partial(self._get, KINDS["rules"], GetNamed),
            "list_commands": partial(self._list, KINDS["commands"]),
            "get_command": partial(self._get, KINDS["commands"], GetNamed),
            "list_skills": partial(self._list, KINDS["skills"]),
            "get_skill": partial(self._get, KINDS["skills"], GetNamed),
            "list_specs": partial(self._list, KINDS["specs"]),
            "get_spec": partial(self._get, KINDS["specs"], GetSpec),
        }

    def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Call a tool; map domain errors to ToolFailure."""
        try:
            return self._tools[name](arguments)
        except ProjectNotFound as error:
            names = ((project.name, project.name) for project in self._projects)
            hint = suggest_names(NearNames(names).find(error.project))
            data = {"projectPath": error.project}
            raise ToolFailure(str(error), data, hint=hint) from None
        except PathNotFound as error:
            raise ToolFailure(str(error), {"path": error.path}) from None

    def resolve(self, wanted: str | None) -> Project:
        """Return a project, by default the first, or raise ProjectNotFound."""
        return self._projects.resolve(wanted, accepts_paths=self._accepts_paths)

    def open_scanner(self, wanted: str | None) -> ProjectScanner:
        """Return a scanner of the requested project, or raise ProjectNotFound."""
        return ProjectScanner(self.resolve(wanted), self._home)

    def _list(self, kind: ArtifactKind, arguments: Mapping[str, Any]) -> ToolResult:
        request = check_arguments(arguments, ListArtifacts)
        scanner = self.open_scanner(given_arguments(request.project_path))
        present = merge_artifacts(kind.scan(scanner))
        artifacts = list_offered(present)
        found = search_artifacts(artifacts, request.query)
        problems = scanner.sorted_problems
        answer = kind.page(
            total=len(found),
            problems=views.list_problems(problems),
            **{kind.plural: ()},
        )
        notes = (
            *views.describe_withheld({kind.plural: present}),
            *views.describe_problems(problems),
        )
        if len(found) < len(artifacts):
            matching = f"{len(found):,} of {len(artifacts):,} {kind.plural} match"
            notes = (f'{matching} "{clip(request.query)}".', *notes)
        scope = (kind.plural, scanner.project.name, request.query)
        make_row = partial(views.make_listed_row, kind.row)
        page = _paginate(answer, kind.plural, found, make_row, request, scope)
        return make_result(page.values, page.json_text, (*page.notes, *notes))

    def _get(
        self,
        kind: ArtifactKind,
        schema: type[GetNamed | GetSpec],
        arguments: Mapping[str, Any],
    ) -> ToolResult:
        request = check_arguments(arguments, schema)
        written = read_written_name(request.name)
        wanted = given_arguments(request.project_path) or written.project
        scanner = self.open_scanner(wanted)
        artifact = find_artifact(kind, scanner, written)
        if artifact is None:
            answer = kind.answer(**{kind.singular: None})
            hint = suggest_artifact(kind, scanner, written)
            return make_json_result(answer, kind.singular, (hint,) if hint else ())
        text: str = artifact.content
        notes: tuple[str, ...] = ()
        fields: dict[str, Any] = {}
        if isinstance(artifact, SkillContent) and not request.cursor:
            fields, notes = _list_files(scanner, artifact)
        row = views.make_listed_row(kind.view, artifact, content="", **fields)
        budget = SizeBudget(request.max_chars).spend(row)
        sections = partial(split_sections, text)
        chunk = cut_chunk(text, request.cursor, sections, budget)
        view = msgspec.structs.replace(row, **views.chunk_fields(chunk))
        answer = kind.answer(**{kind.singular: view})
        notes = (*describe_chunk(chunk), *notes)
        return make_json_result(answer, kind.singular, notes)

    def _read_file(self, arguments: Mapping[str, Any]) -> ToolResult:
        request = check_arguments(arguments, GetArtifact)
        scanner = self.open_scanner(given_arguments(request.project_path))
        is_first = scanner.project == next(iter(self._projects))
        name = None if is_first else scanner.project.name
        written = _POSITION.sub("", request.path.removeprefix("@"))
        for path in dict.fromkeys((request.path, written)):
            located = scanner.project.locate(
                path or request.path, accepts_absolute=self._accepts_paths
            )
            with suppress(PathNotFound):
                return show_file(
                    scanner, located, name, request.max_chars, request.cursor
                )
        hint = suggest_paths(scanner, located)
        error = PathNotFound(request.path)
        raise ToolFailure(str(error), {"path": request.path}, hint=hint)

    def _get_artifacts(self, arguments: Mapping[str, Any]) -> ToolResult:
        request = check_arguments(arguments, GetArtifacts)
        scanner = self.open_scanner(given_arguments(request.project_path))
        artifacts = scan_artifacts(scanner)
        return show_artifacts(
            artifacts,
            scanner.sorted_problems,
            max_chars=request.max_chars,
            cursor=request.cursor,
        )

    def _get_context(self, arguments: Mapping[str, Any]) -> ToolResult:
        request = check_arguments(arguments, GetContext)
        project = self.resolve(given_arguments(request.project_path))
        path = str(project.root) if self._accepts_paths else project.name
        context = scan_project(project, self._home)
        return show_context(context, path, request.max_chars)

    def _find_rules(self, arguments: Mapping[str, Any]) -> ToolResult:
        request = check_arguments(arguments, RulesForPath)
        scanner = self.open_scanner(given_arguments(request.project_path))
        path = scanner.project.locate(
            request.path, accepts_absolute=self._accepts_paths
        )
        applicable = rules_for_path(scanner, path, _find_tool(request.tool))
        rules, notes = _limit_requested(applicable)
        problems = scanner.sorted_problems
        conflicts = find_conflicts([r for r in applicable if not r.is_requested])
        answer = views.ApplyingRows(
            path=path,
            total=len(rules),
            problems=views.list_problems(problems),
            applying=(),
            conflicts=views.make_rows(views.ConflictRow, conflicts) or UNSET,
        )
        has_content = request.include_content
        scope = (
            *("rules_for_path", scanner.project.name, path),
            *(request.tool, str(has_content)),
        )
        make_row = partial(_view_applicable, has_content=has_content)
        page = _paginate(answer, "applying", rules, make_row, request, scope)
        page = replace(page, noun="rules")
        cut = [row.values["path"] for row in page.rows if row.values.get("truncated")]
        if cut:
            rest = f"Cut at {MAX_CONTENT_CHARS:,} characters: {', '.join(cut)}."
            notes = (f"{rest} The whole text: get_artifact.", *notes)
        skills = _describe_nested(list_offered(scan_nested_skills(scanner)))
        notes = (
            *(*page.notes, *views.describe_conflicts(conflicts)),
            *(*notes, *skills, *views.describe_problems(problems)),
        )
        return make_result(page.values, page.json_text, notes)

    def _list_projects(self, arguments: Mapping[str, Any]) -> ToolResult:
        check_arguments(arguments, ListProjects)
        rows = tuple(
            views.ProjectRow(
                name=project.name,
                is_default=not number,
                path=str(project.root) if self._accepts_paths else UNSET,
            )
            for number, project in enumerate(self._projects)
        )
        return make_json_result(views.ProjectRows(rows), "projects")


def _find_tool(written: str) -> Platform | None:
    """Return the tool whose name is one of the words; None for no words.

    `Claude Code`, `codex-cli` and `GitHub Copilot` are names of clients.
    """
    if not written.strip():
        return None
    words = set(_WORD.findall(written.lower()))
    if len(named := [tool for tool in TOOLS if tool in words]) == 1:
        return named[0]
    known = ", ".join(sorted(TOOLS))
    message = f"No tool '{clip(written)}': use one of {known}"
    raise ToolFailure(message, {"tool": clip(written)})


def _paginate(
    answer: Struct,
    key: str,
    items: Sequence[T],
    make_row: Callable[[T], Struct],
    arguments: ListArtifacts | RulesForPath,
    scope: tuple[str, ...],
) -> ResultPage:
    """Return the requested rows, as many as fit the size budget.

    The next cursor contains a fingerprint of the list's scope and of the rows before
    it: it is invalid once the list changed.
    """

    def fingerprint(count: int) -> str:
        return cursor_fingerprint(*scope, *(item.path for item in items[:count]))

    start = read_cursor(arguments.cursor, fingerprint, len(items))
    rows = (json_row(make_row(item)) for item in items[start : start + arguments.limit])
    return fill_page(answer, key, rows, DEFAULT_CHARS, start, fingerprint)


def _list_files(
    scanner: ProjectScanner, skill: SkillContent
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the field with a skill's other files, and a sentence on omitted ones."""
    files = tuple(views.FileRow(*file) for file in measure_files(scanner, skill))
    notes: tuple[str, ...] = ()
    if len(files) > MAX_SKILL_FILES:
        notes = (f"{MAX_SKILL_FILES} of {len(files):,} other files shown.",)
    return {"files": files[:MAX_SKILL_FILES] or UNSET}, notes


def _describe_nested(skills: Sequence[SkillContent]) -> tuple[str, ...]:
    """Return a sentence on the skills for the folders above a file, if any."""
    if not skills:
        return ()
    names = [f"{skill.name} ({skill.scope}/)" for skill in merge_artifacts(skills)]
    shown = ", ".join(names[:MAX_NAMED_SKILLS])
    rest = "" if len(names) <= MAX_NAMED_SKILLS else f" and {len(names):,} in all"
    return (f"Skills for this folder: {shown}{rest}. get_skill reads one.",)


def _limit_requested(
    rules: Sequence[ApplicableRule],
) -> tuple[Sequence[ApplicableRule], tuple[str, ...]]:
    """Return rules with the first requested ones, and a sentence on omitted ones."""
    total = sum(rule.is_requested for rule in rules)
    left_out = max(total - MAX_REQUESTED, 0)
    if not left_out:
        return rules, ()
    note = f"{MAX_REQUESTED} of {total:,} requested rules shown: list_rules has all."
    return rules[: len(rules) - left_out], (note,)


def _view_applicable(row: ApplicableRule, *, has_content: bool) -> views.ApplyingRow:
    """Return a row, with the beginning of its text if asked for and applicable."""
    if not has_content or row.is_requested:
        return views.make_row(views.ApplyingRow, row, content=UNSET)
    return views.make_row(
        views.ApplyingRow,
        row,
        content=row.content[:MAX_CONTENT_CHARS],
        is_cut=len(row.content) > MAX_CONTENT_CHARS or UNSET,
    )
