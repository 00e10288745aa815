"""Skills of projects over MCP: as resources, and by the skills extension (SEP-2640).

Every result reflects the files on disk. Hidden files, and targets of links that lead
out, are treated as absent.
"""

import asyncio
import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from asdlc_kb.mcp.dispatch.provider import CallContext, Contents, RawResult
from asdlc_kb.mcp.protocol.errors import InvalidParams, ResourceNotFound, clip
from asdlc_kb.mcp.protocol.model import (
    BlobContents,
    Resource,
    ResourceTemplate,
    Skill,
    SkillResource,
    TextContents,
)
from asdlc_kb.mcp.protocol.pagination import Listed
from asdlc_kb.project.artifact_file import MAX_ASSET_BYTES
from asdlc_kb.project.registry import Project, Projects
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.served_skills import ServedSkill, find_served, list_served_files
from asdlc_kb.project.skill_files import read_skill_file, skill_file_signatures
from asdlc_kb.project.skills import SKILL_FILE, scan_skills
from asdlc_kb.providers.project.skill_uris import SkillUri, read_uri
from asdlc_kb.providers.shared.listings import TemplateProvider
from asdlc_kb.providers.shared.media_types import BYTES, FOLDER, TEXT, find_media_type
from asdlc_kb.providers.shared.uncached import LatestValue, UncachedProvider

TEMPLATE: Final = "skill://{name}/{+path}"


class SkillProvider(UncachedProvider, TemplateProvider):
    """Serves the skills of projects; those of a home directory with the first's."""

    has_skills = True
    template = ResourceTemplate(
        uri_template=TEMPLATE,
        name="skill-file",
        title="File of a skill",
        description="A file of a skill, by its path in the skill's folder",
    )

    def __init__(self, projects: Projects, home: Path | None = None) -> None:
        self._projects = tuple(projects)
        self._home = home
        self._listed: LatestValue[Sequence[Listed[Resource]]] = LatestValue(())

    async def refresh(self, method: str) -> None:
        """List the skills again."""
        if method == "resources/list":
            await self._listed.update(self._list_resources)

    def resources(self) -> Sequence[Listed[Resource]]:
        """Return the main file of each skill."""
        return self._listed.value

    async def exists(self, uri: str) -> bool:
        """Whether the file exists now."""
        return await asyncio.to_thread(self._has, uri)

    def canonical_uri(self, uri: str) -> str:
        """Return the canonical form of a URI."""
        return str(read_uri(uri) or uri)

    async def read(
        self, uri: str, context: CallContext
    ) -> Sequence[Contents] | RawResult:
        """Return a file: text as text, anything else as bytes."""
        return (await asyncio.to_thread(self._read, uri),)

    async def skills(self) -> Sequence[Listed[str]]:
        """Return the skills by project and name."""
        return await asyncio.to_thread(self._list_uris)

    async def find_skills(self, uris: Sequence[str]) -> Sequence[Skill]:
        """Return skills with all their files and digests."""
        return await asyncio.to_thread(lambda: tuple(self._describe_all(uris)))

    async def list_directory(self, uri: str) -> Sequence[Listed[Resource]] | None:
        """Return the direct children of a skill's folder or subfolder."""
        return await asyncio.to_thread(self._list_folder, uri)

    def _scanner(self, project: Project) -> ProjectScanner:
        is_first = project is self._projects[0]
        return ProjectScanner(project, self._home if is_first else None)

    def _name(self, project: Project) -> str | None:
        """Return a project's name in URIs; None for the first."""
        return None if project is self._projects[0] else project.name

    def _find_project(self, uri: SkillUri) -> Project | None:
        for project in self._projects:
            if self._name(project) == uri.project:
                return project
        return None

    def _find(self, text: str) -> "_Found | None":
        """Return the skill of a URI, or None if there is none."""
        uri = read_uri(text)
        project = None if uri is None else self._find_project(uri)
        if uri is None or project is None:
            return None
        scanner = self._scanner(project)
        served = find_served(scan_skills(scanner)).get(uri.skill)
        return None if served is None else _Found(uri, scanner, served)

    def _list_mains(self) -> Iterator[tuple[str, SkillUri, ServedSkill]]:
        """Yield sort key, URI of the main file, and skill."""
        for order, project in enumerate(self._projects):
            served = find_served(scan_skills(self._scanner(project)))
            for name in sorted(n for n, s in served.items() if s.is_offered):
                uri = SkillUri(self._name(project), name, SKILL_FILE)
                yield f"{order:03}{name}", uri, served[name]

    def _list_resources(self) -> Sequence[Listed[Resource]]:
        return [
            Listed(key, show_main(uri, skill)) for key, uri, skill in self._list_mains()
        ]

    def _list_uris(self) -> Sequence[Listed[str]]:
        return [Listed(key, str(uri)) for key, uri, _ in self._list_mains()]

    def _has(self, text: str) -> bool:
        found = self._find(text)
        return found is not None and found.uri.path in found.list_files()

    def _read(self, text: str) -> Contents:
        found = self._find(text)
        if found is None or not found.uri.path:
            raise ResourceNotFound(data={"uri": clip(text)})
        path, scanner = found.uri.path, found.scanner
        content = read_skill_file(scanner, found.served.skill, path)
        if content is None and scanner.too_large:
            message = f"The file is larger than {MAX_ASSET_BYTES:,} bytes"
            raise InvalidParams(message, {"uri": clip(text)})
        if content is None:
            raise ResourceNotFound(data={"uri": clip(text)})
        media_type = find_media_type(path)
        if isinstance(content, str):
            return TextContents(uri=text, text=content, mime_type=media_type or TEXT)
        blob = base64.b64encode(content).decode("ascii")
        return BlobContents(uri=text, blob=blob, mime_type=media_type or BYTES)

    def _describe_all(self, uris: Sequence[str]) -> Iterator[Skill]:
        scans: dict[Project, tuple[ProjectScanner, Mapping[str, ServedSkill]]] = {}
        for uri in filter(None, map(read_uri, uris)):
            project = self._find_project(uri)
            if project is None or uri.path != SKILL_FILE:
                continue
            if project not in scans:
                scanner = self._scanner(project)
                scans[project] = scanner, find_served(scan_skills(scanner))
            scanner, skills = scans[project]
            if uri.skill in skills:
                yield from _describe(scanner, uri, skills[uri.skill])

    def _list_folder(self, text: str) -> Sequence[Listed[Resource]] | None:
        found = self._find(text)
        if found is None:
            return None
        uri = found.uri
        folder = f"{uri.path}/" if uri.path else ""
        children: dict[str, Resource] = {}
        for path in found.list_files():
            if path.startswith(folder):
                name, _, rest = path.removeprefix(folder).partition("/")
                child = SkillUri(uri.project, uri.skill, folder + name)
                children.setdefault(name, _show_child(child, found.served, bool(rest)))
        if not children:
            return None
        return [Listed(name, children[name]) for name in sorted(children)]


class _Found(NamedTuple):
    """A skill, the URI that identifies it, and the scanner that read it."""

    uri: SkillUri
    scanner: ProjectScanner
    served: ServedSkill

    def list_files(self) -> Iterable[str]:
        """Return the paths of the skill's files."""
        return skill_file_signatures(self.scanner, self.served.skill)


def _describe(
    scanner: ProjectScanner, uri: SkillUri, served: ServedSkill
) -> Iterator[Skill]:
    """Yield the entry of a skill, unless hosts may reject it."""
    files = list_served_files(scanner, served)
    if files is None:
        return
    resources = (
        SkillResource(
            uri=str(SkillUri(uri.project, uri.skill, file.path)),
            digest=file.digest,
            size=file.size,
        )
        for file in files
    )
    yield Skill(
        uri=str(uri), frontmatter=served.frontmatter, resources=tuple(resources)
    )


def show_main(uri: SkillUri, served: ServedSkill) -> Resource:
    """Return the list entry of a skill's main file."""
    return Resource(
        uri=str(uri),
        name=served.name,
        description=" ".join(served.description.split()),
        mime_type=find_media_type(SKILL_FILE),
    )


def _show_child(uri: SkillUri, served: ServedSkill, is_folder: bool) -> Resource:
    if uri.path == SKILL_FILE:
        return show_main(uri, served)
    name = uri.path.rpartition("/")[2]
    media_type = FOLDER if is_folder else find_media_type(name)
    return Resource(uri=str(uri), name=name, mime_type=media_type)
