"""Pages of projects: what coding tools read there, and which of it applies to a file.

Read from disk for each request, as the tools of agents are. Personal files are not
shown: readers are not the projects' users.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple
from urllib.parse import quote, unquote, urlencode

from asdlc_kb.exceptions import PathNotFound, ProjectNotFound
from asdlc_kb.project.applicability import ApplicableRule, rules_for_path
from asdlc_kb.project.context import ProjectContext, scan_project
from asdlc_kb.project.instruction_places import TOOLS
from asdlc_kb.project.locations import Platform
from asdlc_kb.project.name_lookup import Named, describe
from asdlc_kb.project.readable_files import find_readable
from asdlc_kb.project.registry import MAX_PATH_CHARS, Project, Projects
from asdlc_kb.project.rule_conflicts import RuleConflict, find_conflicts
from asdlc_kb.project.rules import RuleContent
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import Link, PageLayout
from asdlc_kb.site.layout.languages import ENGLISH
from asdlc_kb.site.representation import Representation
from asdlc_kb.unicode.truncation import truncate

MAX_FILE_CHARS: Final = 200_000
"""Characters of a file on a page; the rest is left out, and the page says so."""

_MAX_LINE_CHARS: Final = 240
"""Characters of a description in a list."""

_MAX_GLOBS: Final = 5
"""Patterns of a rule in a list."""


class ArtifactRow(NamedTuple):
    """An artifact in a list."""

    name: str
    path: str
    description: str
    note: str
    """When it applies, or what it is part of."""


class ArtifactList(NamedTuple):
    """The artifacts of one kind."""

    id: str
    title: str
    rows: Sequence[ArtifactRow]


class Answer(NamedTuple):
    """Which instructions apply to a file."""

    path: str
    """As asked."""
    applying: Sequence[ApplicableRule]
    requested: Sequence[ApplicableRule]
    """Those that an agent chooses by their description."""
    conflicts: Sequence[RuleConflict]
    is_outside: bool = False
    """Whether the path is not one of the project."""


class ShownFile(NamedTuple):
    """The text of a file of the project."""

    path: str
    text: str
    is_cut: bool


class ProjectPages:
    """Renders the pages of the configured projects. Blocks: use it in a thread."""

    def __init__(self, frame: PageLayout, projects: Projects) -> None:
        self._frame = frame
        self._projects = projects

    def find(
        self,
        address: str,
        navigation: Sequence[Link],
        *,
        path: str = "",
        tool: str = "",
        file: str = "",
    ) -> Representation | None:
        """Return the list of projects, the page of one, or that of a file in it.

        `path` is a file to be changed, which need not exist, `tool` the tool that reads
        the instructions, all if it is not known, and `file` a file to show. None for a
        project or a file that there is not.
        """
        name = read_name(address)
        if not name:
            return self._list(navigation)
        try:
            project = self._projects.resolve(name, accepts_paths=False)
        except ProjectNotFound:
            return None
        if file:
            return self._show_file(project, file, navigation)
        return self._show(project, path, tool, navigation)

    def _list(self, navigation: Sequence[Link]) -> Representation:
        links = [Link(address_of(each.name), each.name) for each in self._projects]
        return self._frame.make(
            "projects.html",
            urls.PROJECTS,
            title="Projects",
            language=ENGLISH,
            description="Projects whose instructions agents read here",
            navigation=navigation,
            projects=links,
        )

    def _show(
        self, project: Project, path: str, wanted: str, navigation: Sequence[Link]
    ) -> Representation:
        context = scan_project(project)
        tool = next((each for each in TOOLS if each == wanted), None)
        where = address_of(project.name)
        return self._frame.make(
            "project.html",
            where,
            title=project.name,
            language=ENGLISH,
            description=f"Instructions of coding tools in {project.name}",
            navigation=navigation,
            answer=_find_applicable(project, path, tool),
            file_address=lambda path: f"{where}?{urlencode({'file': path})}",
            lists=[each for each in _list_artifacts(context) if each.rows],
            max_path_chars=MAX_PATH_CHARS,
            problems=context.problems,
            project=project.name,
            tool=tool,
            tools=TOOLS,
        )

    def _show_file(
        self, project: Project, path: str, navigation: Sequence[Link]
    ) -> Representation | None:
        file = _read(project, path)
        if file is None:
            return None
        return self._frame.make(
            "project_file.html",
            address_of(project.name),
            title=file.path,
            language=ENGLISH,
            description=f"{file.path} in {project.name}",
            navigation=navigation,
            file=file,
            project=Link(address_of(project.name), project.name),
        )


def address_of(name: str) -> str:
    """Return the address of a project's page."""
    return f"{urls.PROJECTS}{quote(name, safe='')}/"


def read_name(path: str) -> str:
    """Return the name in the address of a project's page; empty in that of the list.

    It never begins with a slash, so no project is found by its folder.
    """
    return unquote(path.removeprefix(urls.PROJECTS.rstrip("/")).strip("/"))


def _find_applicable(
    project: Project, path: str, tool: Platform | None
) -> Answer | None:
    """Return which instructions apply to a file; None if no file is asked for."""
    if not path.strip():
        return None
    try:
        located = project.locate(path.strip())
    except PathNotFound:
        return Answer(path, (), (), (), is_outside=True)
    found = rules_for_path(ProjectScanner(project), located, tool)
    applying = [rule for rule in found if not rule.is_requested]
    requested = [rule for rule in found if rule.is_requested]
    return Answer(path, applying, requested, find_conflicts(applying))


def _read(project: Project, path: str) -> ShownFile | None:
    """Return the text of a listed file; None for any other path, and for bytes."""
    try:
        project.locate(path)
    except PathNotFound:
        return None
    scanner = ProjectScanner(project)
    readable = find_readable(scanner, path)
    text = None if readable is None else readable.read(scanner)
    if not isinstance(text, str):
        return None
    return ShownFile(path, text[:MAX_FILE_CHARS], len(text) > MAX_FILE_CHARS)


def _list_artifacts(context: ProjectContext) -> Iterator[ArtifactList]:
    """Yield the artifacts by kind, the instructions first."""
    artifacts = context.asdlc_artifacts
    guides = [
        ArtifactRow(
            guide.path,
            guide.content_path,
            ", ".join(guide.tools),
            f"for {guide.scope}/" if guide.scope else "for the whole project",
        )
        for guide in artifacts.guides
    ]
    rules = [_make_row(rule, _describe_rule(rule)) for rule in context.rules]
    yield ArtifactList("guides", "Guides", guides)
    yield ArtifactList("rules", "Rules", rules)
    for name, found in (
        ("Skills", context.skills),
        ("Commands", context.commands),
        ("Agents", context.agents),
        ("Specifications", artifacts.specs.specs),
        ("Schemas", artifacts.schemas.schemas),
    ):
        rows = [_make_row(each, _describe_scope(each)) for each in found]
        yield ArtifactList(name.lower(), name, rows)


def _make_row(artifact: Named, note: str) -> ArtifactRow:
    line = truncate(describe(artifact), _MAX_LINE_CHARS)
    return ArtifactRow(artifact.name, artifact.path, line, note)


def _describe_rule(rule: RuleContent) -> str:
    """Return when a rule applies, as a phrase."""
    where = f"in {rule.scope}/" if rule.scope else "in the project"
    if rule.globs:
        more = len(rule.globs) - _MAX_GLOBS
        shown = ", ".join(rule.globs[:_MAX_GLOBS])
        return f"for {shown}" + (f" and {more} more patterns" if more > 0 else "")
    match rule.activation:
        case "always":
            return f"always attached {where}"
        case "agent-requested":
            return "read if its description fits the task"
    return "attached by hand"


def _describe_scope(artifact: Named) -> str:
    scope, plugin = getattr(artifact, "scope", ""), getattr(artifact, "plugin", "")
    if plugin:
        return f"of the plugin {plugin}"
    return f"in {scope}/" if scope else ""
