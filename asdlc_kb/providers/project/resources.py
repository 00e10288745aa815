"""The `ace://` resources of projects: URIs, contents and completion.

`ace://rules` is a list, `ace://rules/{name}` the file of one rule. They belong to the
first project; `?project=NAME` selects another. Of two artifacts that share a name the
URI identifies the one that takes precedence; the other has its path in place of the
name.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import quote, unquote

import msgspec

from asdlc_kb.exceptions import ProjectNotFound
from asdlc_kb.mcp.protocol.errors import ResourceNotFound, clip
from asdlc_kb.mcp.protocol.model import Resource, ResourceTemplate, TextContents
from asdlc_kb.mcp.protocol.pagination import Listed, number_items
from asdlc_kb.project.agent_guides import read_agents_md
from asdlc_kb.project.artifact_file import list_offered
from asdlc_kb.project.name_lookup import Named
from asdlc_kb.project.real_files import Linkable, merge_artifacts
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.providers.project import views
from asdlc_kb.providers.project.artifact_kinds import (
    KINDS,
    ArtifactKind,
    index_by_name,
)
from asdlc_kb.providers.project.results import ProjectResults
from asdlc_kb.providers.shared.listings import MAX_LISTED_CHARS, invalid_uri
from asdlc_kb.providers.shared.media_types import JSON, MARKDOWN
from asdlc_kb.providers.shared.size_budget import write_json
from asdlc_kb.unicode.truncation import truncate

PREFIX: Final = "ace://"
AGENTS_MD: Final = "agents-md"

_PROJECT: Final = "project"
_QUERY: Final = f"{_PROJECT}="
_MAX_URI_CHARS: Final = 3 * 2_000
"""Characters of a URI without its prefix: a percent-encoded name."""

_MAX_CURSOR_NAME_CHARS: Final = 200
"""Characters of a name in a cursor."""


@dataclass(frozen=True, slots=True)
class ResourceAddress:
    """A parsed URI of this scheme, whether the resource exists or not."""

    collection: str
    """A kind of artifact, or `agents-md`."""
    name: str | None = None
    """None for the list."""
    project: str | None = None
    """None for the first one."""

    def __str__(self) -> str:
        """The canonical URI."""
        uri = PREFIX + self.collection
        if self.name is not None:
            uri += f"/{quote(self.name, safe='/', errors='surrogatepass')}"
        if self.project is not None:
            uri += f"?{_QUERY}{quote(self.project, safe='')}"
        return uri


def read_address(uri: str) -> ResourceAddress | None:
    """Parse a URI; return None for an invalid one."""
    rest = uri.removeprefix(PREFIX)
    path, question_mark, query = rest.partition("?")
    collection, slash, name = path.partition("/")
    is_known = collection in KINDS or (collection == AGENTS_MD and not slash)
    if (
        not is_known
        or len(rest) > _MAX_URI_CHARS
        or bool(question_mark) != query.startswith(_QUERY)
    ):
        return None
    try:
        name = unquote(name, errors="strict")
        project = unquote(query.removeprefix(_QUERY), errors="strict")
    except UnicodeDecodeError:
        return None
    if bool(slash) != bool(name) or bool(question_mark) != bool(project):
        return None
    return ResourceAddress(collection, name or None, project or None)


class ProjectResources:
    """Reads and lists the resources. All but `canonical_uri` and `templates` blocks."""

    def __init__(self, results: ProjectResults, names: Sequence[str]) -> None:
        self._results = results
        self._names = names
        """Names of the projects, the default one first."""

    def canonical_uri(self, uri: str) -> str:
        """Return the canonical form of a URI."""
        address = self._read_address(uri)
        return uri if address is None else str(address)

    def read(self, uri: str) -> TextContents:
        """Return a list or an artifact, or raise ResourceNotFound."""
        address = self._read_address(uri)
        if address is None:
            known = " or ".join(template.uri_template for template in self._templates())
            raise invalid_uri(uri, known)
        try:
            scanner = self._open(address)
        except ProjectNotFound as error:
            raise ResourceNotFound(str(error), {"uri": uri}) from None
        if address.collection == AGENTS_MD:
            guide = read_agents_md(scanner)
            if guide is None:
                raise ResourceNotFound("AGENTS.md not found", {"uri": uri})
            return _show(uri, guide.content, MARKDOWN)
        kind = KINDS[address.collection]
        if address.name is None:
            return _show(uri, write_list(kind, kind.scan(scanner)), JSON)
        artifact = kind.find(scanner, address.name)
        if artifact is None:
            message = f"{kind.noun.capitalize()} '{clip(address.name)}' not found"
            raise ResourceNotFound(message, {"uri": uri})
        return _show(uri, getattr(artifact, kind.text), kind.mime_type)

    def exists(self, uri: str) -> bool:
        """Whether the resource exists now."""
        try:
            self.read(uri)
        except ResourceNotFound:
            return False
        return True

    def list_all(self) -> tuple[Listed[Resource], ...]:
        """Return the lists of the first project, its AGENTS.md, and each artifact."""
        scanner = self._results.open_scanner(None)
        return tuple(list_resources(scanner, lambda kind: kind.scan(scanner)))

    def templates(self) -> Sequence[Listed[ResourceTemplate]]:
        """Return the URI templates."""
        return number_items(self._templates())

    def complete(
        self, template: str, argument: str, value: str, project: str | None
    ) -> list[str]:
        """Return completions of an argument, prefix matches first."""
        if argument == _PROJECT:
            return _match(self._names, value)
        address = read_address(template.partition("{")[0].rstrip("/"))
        kind = KINDS.get(address.collection) if address else None
        if kind is None or argument != kind.parameter:
            return []
        try:
            address = ResourceAddress(kind.plural, None, project)
            artifacts = kind.scan(self._open(address))
        except ProjectNotFound:
            return []
        return _match([artifact.name for artifact in artifacts], value)

    def _read_address(self, uri: str) -> ResourceAddress | None:
        address = read_address(uri)
        is_default = address is not None and address.project == self._names[0]
        return replace(address, project=None) if address and is_default else address

    def _open(self, address: ResourceAddress) -> ProjectScanner:
        """Return a scanner of a project by name only, over every transport."""
        if address.project is not None and address.project not in self._names:
            raise ProjectNotFound(clip(address.project))
        return self._results.open_scanner(address.project)

    def _templates(self) -> Sequence[ResourceTemplate]:
        """Return those of the first project, then those with a project variable."""
        of_first = [_template(kind) for kind in KINDS.values()]
        if len(self._names) < 2:
            return of_first
        lists = [
            ResourceTemplate(
                uri_template=f"{ResourceAddress(collection)}{{?{_PROJECT}}}",
                name=collection,
                title=f"{title} of a project",
                description=f"{title} of any project, by its name",
                mime_type=MARKDOWN if collection == AGENTS_MD else JSON,
            )
            for collection, title in (
                *((kind.plural, kind.title) for kind in KINDS.values()),
                (AGENTS_MD, "AGENTS.md"),
            )
        ]
        items = [
            msgspec.structs.replace(
                template,
                uri_template=f"{template.uri_template}{{?{_PROJECT}}}",
                name=f"{template.name}-of-project",
                title=f"{template.title} of a project",
            )
            for template in of_first
        ]
        return [*of_first, *lists, *items]


def list_resources(
    scanner: ProjectScanner, scan: Callable[[ArtifactKind], Sequence[Named]]
) -> Iterator[Listed[Resource]]:
    """Yield the lists of a project, its AGENTS.md, and each artifact of each kind."""
    yield from number_items(_list_tops(scanner))
    for rank, kind in enumerate(KINDS.values(), 1):
        for index, resource in enumerate(_list_items(kind, scan(kind))):
            yield Listed(f"{rank}:{_sort_key(resource.name, index)}", resource)


def _sort_key(name: str, index: int) -> str:
    """Return a key that sorts like the name and fits in a cursor."""
    if len(name) <= _MAX_CURSOR_NAME_CHARS:
        return name
    return f"{name[:_MAX_CURSOR_NAME_CHARS]}\0{index:06}"


def write_list(kind: ArtifactKind, artifacts: Sequence[Linkable]) -> str:
    """Return the JSON of a list resource: one entry per file."""
    offered = list_offered(merge_artifacts(artifacts))
    return write_json(views.make_rows(kind.row, offered))


def _list_tops(scanner: ProjectScanner) -> Iterator[Resource]:
    for kind in KINDS.values():
        yield Resource(
            uri=str(ResourceAddress(kind.plural)),
            name=kind.plural,
            title=kind.title,
            description=f"The list of all {kind.plural} of the project",
            mime_type=JSON,
        )
    if read_agents_md(scanner) is not None:
        yield Resource(
            uri=str(ResourceAddress(AGENTS_MD)),
            name="AGENTS.md",
            title="AGENTS.md",
            description="How agents are to work in the project",
            mime_type=MARKDOWN,
        )


def _template(kind: ArtifactKind) -> ResourceTemplate:
    return ResourceTemplate(
        uri_template=f"{ResourceAddress(kind.plural)}/{{{kind.parameter}}}",
        name=kind.singular,
        title=kind.noun.capitalize(),
        description=f"A {kind.noun} of the project by its {kind.parameter}",
        mime_type=kind.mime_type,
    )


def _list_items(kind: ArtifactKind, artifacts: Sequence[Named]) -> Iterator[Resource]:
    """Yield the offered artifacts by name; of those that share one, the first."""
    for name, artifact in sorted(index_by_name(list_offered(artifacts)).items()):
        described = getattr(artifact, "description", "")
        title = getattr(artifact, "title", None) or ""
        yield Resource(
            uri=str(ResourceAddress(kind.plural, name)),
            name=name,
            title=truncate(title, MAX_LISTED_CHARS) or None,
            description=truncate(described, MAX_LISTED_CHARS) or None,
            mime_type=kind.mime_type,
        )


def _show(uri: str, text: str, mime_type: str) -> TextContents:
    return TextContents(uri=uri, text=text, mime_type=mime_type)


def _match(names: Sequence[str], value: str) -> list[str]:
    """Return the distinct names that contain a text, in any case, best first."""
    folded = value.casefold()
    matches = [name for name in dict.fromkeys(names) if folded in name.casefold()]
    return sorted(matches, key=lambda name: not name.casefold().startswith(folded))
