"""Results of the project tools, each from one scan. All calls block."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from msgspec import UNSET, Struct

from asdlc_kb.exceptions import PathNotFound, ProjectNotFound
from asdlc_kb.markup.sections import split_sections
from asdlc_kb.mcp.protocol.errors import ToolFailure
from asdlc_kb.mcp.protocol.model import ToolResult
from asdlc_kb.mcp.protocol.tool_schema import check_arguments, given_arguments
from asdlc_kb.project.applicability import ApplicableRule, rules_for_path
from asdlc_kb.project.context import scan_artifacts, scan_project
from asdlc_kb.project.name_lookup import (
    Named,
    WrittenName,
    find_near,
    find_titled,
    read_written_name,
)
from asdlc_kb.project.registry import Project, Projects
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.providers.project import views
from asdlc_kb.providers.project.artifact_kinds import KINDS, ArtifactKind, NamedText
from asdlc_kb.providers.project.context import show_artifacts, show_context
from asdlc_kb.providers.project.tools import (
    GetArtifact,
    GetArtifacts,
    GetContext,
    GetSpec,
    ListArtifacts,
    ListProjects,
    RulesForPath,
)
from asdlc_kb.providers.shared.chunks import cut_chunk, describe_chunk
from asdlc_kb.providers.shared.cursors import cursor_fingerprint, read_cursor
from asdlc_kb.providers.shared.results import (
    fill_page,
    json_row,
    make_json_result,
    make_result,
)
from asdlc_kb.providers.shared.size_budget import DEFAULT_CHARS, SizeBudget
from asdlc_kb.unicode.near_names import NearNames, suggest_names

T = TypeVar("T", bound=Named)

MAX_CONTENT_CHARS: Final = 10_000
"""Characters of a rule's text in a list."""


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
            "rules_for_path": self._find_rules,
            "list_projects": self._list_projects,
        }

    def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Call a tool; map domain errors to ToolFailure."""
        try:
            if name in self._tools:
                return self._tools[name](arguments)
            verb, _, noun = name.partition("_")
            if verb == "list":
                return self._list(
                    KINDS[noun], check_arguments(arguments, ListArtifacts)
                )
            kind = KINDS[f"{noun}s"]
            if kind.parameter == "domain":
                return self._get(kind, check_arguments(arguments, GetSpec))
            return self._get(kind, check_arguments(arguments, GetArtifact))
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

    def _list(self, kind: ArtifactKind, arguments: ListArtifacts) -> ToolResult:
        scanner = self.open_scanner(given_arguments(arguments.project_path))
        artifacts = kind.scan(scanner)
        answer = kind.page(
            total=len(artifacts),
            problems=views.list_problems(scanner.sorted_problems),
            **{kind.plural: ()},
        )
        scope = (kind.plural, scanner.project.name)
        make_row = partial(views.make_row, kind.row)
        return _paginate(answer, kind.plural, artifacts, make_row, arguments, scope)

    def _get(self, kind: ArtifactKind, arguments: GetArtifact | GetSpec) -> ToolResult:
        written = read_written_name(arguments.name)
        wanted = given_arguments(arguments.project_path) or written.project
        scanner = self.open_scanner(wanted)
        artifact = _find(kind, scanner, written)
        if artifact is None:
            answer = kind.answer(**{kind.singular: None})
            hint = suggest_names(find_near(kind.scan(scanner), written.names[-1]))
            return make_json_result(answer, kind.singular, (hint,) if hint else ())
        text: str = artifact.content
        row = views.make_row(kind.row, artifact)
        budget = SizeBudget(arguments.max_chars).spend(row)
        sections = partial(split_sections, text)
        chunk = cut_chunk(text, arguments.cursor, sections, budget)
        view = views.make_row(kind.view, artifact, **views.chunk_fields(chunk))
        answer = kind.answer(**{kind.singular: view})
        return make_json_result(answer, kind.singular, describe_chunk(chunk))

    def _get_artifacts(self, arguments: Mapping[str, Any]) -> ToolResult:
        request = check_arguments(arguments, GetArtifacts)
        scanner = self.open_scanner(given_arguments(request.project_path))
        artifacts = scan_artifacts(scanner)
        return show_artifacts(
            artifacts,
            views.list_problems(scanner.sorted_problems),
            max_chars=request.max_chars,
            cursor=request.cursor,
        )

    def _get_context(self, arguments: Mapping[str, Any]) -> ToolResult:
        request = check_arguments(arguments, GetContext)
        project = self.resolve(given_arguments(request.project_path))
        path = str(project.root) if self._accepts_paths else project.name
        return show_context(scan_project(project, self._home), path)

    def _find_rules(self, arguments: Mapping[str, Any]) -> ToolResult:
        request = check_arguments(arguments, RulesForPath)
        scanner = self.open_scanner(given_arguments(request.project_path))
        path = scanner.project.locate(
            request.path, accepts_absolute=self._accepts_paths
        )
        rules = rules_for_path(scanner, path)
        answer = views.ApplyingRows(
            path=path,
            total=len(rules),
            problems=views.list_problems(scanner.sorted_problems),
            applying=(),
        )
        has_content = request.include_content
        scope = ("rules_for_path", scanner.project.name, path, str(has_content))
        make_row = partial(_view_applicable, has_content=has_content)
        return _paginate(answer, "applying", rules, make_row, request, scope)

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


def _find(
    kind: ArtifactKind, scanner: ProjectScanner, written: WrittenName
) -> NamedText | None:
    """Return the artifact that a name stands for; an exact name wins over a title."""
    for name in written.names:
        if (artifact := kind.find(scanner, name)) is not None:
            return artifact
    titled = find_titled(kind.scan(scanner), written.names[0])
    return None if titled is None else kind.find(scanner, titled.path)


def _paginate(
    answer: Struct,
    key: str,
    items: Sequence[T],
    make_row: Callable[[T], Struct],
    arguments: ListArtifacts | RulesForPath,
    scope: tuple[str, ...],
) -> ToolResult:
    """Return the requested rows, as many as fit the size budget.

    The next cursor contains a fingerprint of the list's scope and of the rows before
    it: it is invalid once the list changed.
    """

    def fingerprint(count: int) -> str:
        return cursor_fingerprint(*scope, *(item.path for item in items[:count]))

    start = read_cursor(arguments.cursor, fingerprint, len(items))
    page = fill_page(
        answer,
        key,
        (json_row(make_row(item)) for item in items[start : start + arguments.limit]),
        DEFAULT_CHARS,
        start,
        fingerprint,
    )
    return make_result(page.values, page.json_text, page.notes)


def _view_applicable(row: ApplicableRule, *, has_content: bool) -> views.ApplyingRow:
    """Return a row, with the beginning of its text if requested."""
    if not has_content:
        return views.make_row(views.ApplyingRow, row, content=UNSET)
    return views.make_row(
        views.ApplyingRow,
        row,
        content=row.content[:MAX_CONTENT_CHARS],
        is_cut=len(row.content) > MAX_CONTENT_CHARS or UNSET,
    )
