"""MCP notifications for changes of a project.

A project's resources and prompts are read and compared with the previous reading:
unchanged content causes no notification, even if its file changed. Hidden and outside
files are not read, so they cause none.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from asdlc_kb.mcp.protocol.model import Resource
from asdlc_kb.mcp.subscriptions.events import (
    Event,
    PromptsChanged,
    ResourcesChanged,
    ResourceUpdated,
)
from asdlc_kb.project.agent_guides import read_agents_md
from asdlc_kb.project.change_watch import ProjectWatch
from asdlc_kb.project.commands import CommandContent, scan_commands
from asdlc_kb.project.guide_texts import scan_guide_texts
from asdlc_kb.project.real_files import Linkable
from asdlc_kb.project.rules import scan_rules
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.schemas import scan_schemas
from asdlc_kb.project.served_skills import ServedSkill, find_served
from asdlc_kb.project.skill_files import skill_file_signatures
from asdlc_kb.project.skills import SKILL_FILE, SkillContent, scan_skills
from asdlc_kb.project.specs import scan_specs
from asdlc_kb.providers.project.artifact_kinds import KINDS, index_by_name
from asdlc_kb.providers.project.prompts import make_prompt, name_commands
from asdlc_kb.providers.project.resources import (
    AGENTS_MD,
    ResourceAddress,
    list_resources,
    write_list,
)
from asdlc_kb.providers.project.skill_uris import SkillUri
from asdlc_kb.providers.project.skills import show_main


@dataclass(frozen=True, slots=True)
class ProjectReading:
    """Digests of everything that clients can read of a project."""

    resources: bytes
    """Digest of the resource list."""
    prompts: bytes
    contents: Mapping[str, bytes]
    """By URI."""


def read_project(scanner: ProjectScanner, *, is_first: bool) -> ProjectReading:
    """Return the digests of a project's current content. Blocks.

    Only the first project is in the resource list, and only its skills and prompts
    include those of the home directory.
    """
    name = None if is_first else scanner.project.name
    commands, skills = scan_commands(scanner), scan_skills(scanner)
    artifacts: dict[str, Sequence[Linkable]] = {
        "rules": scan_rules(scanner),
        "commands": commands,
        "skills": skills,
        "specs": scan_specs(scanner),
        "schemas": scan_schemas(scanner),
        "guides": scan_guide_texts(scanner),
    }
    served = find_served(s for s in skills if _is_offered(s, name)).values()
    listed: list[Resource] = []
    if name is None:
        resources = list_resources(scanner, lambda kind: artifacts[kind.plural])
        listed += (resource.item for resource in resources)
    listed += (
        show_main(SkillUri(name, skill.name, SKILL_FILE), skill)
        for skill in served
        if skill.is_offered
    )
    named = name_commands((c for c in commands if _is_offered(c, name)), name)
    prompts = [make_prompt(prompt, command) for prompt, command in named.items()]
    contents = (
        *_read_artifacts(scanner, artifacts, name),
        *_read_skills(scanner, served, name),
    )
    return ProjectReading(_digest(repr(listed)), _digest(repr(prompts)), dict(contents))


def list_events(before: ProjectReading, after: ProjectReading) -> list[Event]:
    """Return the events for the change from one reading to the next."""
    events: list[Event] = []
    if before.prompts != after.prompts:
        events.append(PromptsChanged())
    if before.resources != after.resources:
        events.append(ResourcesChanged())
    changed = before.contents.items() ^ after.contents.items()
    events.extend(ResourceUpdated(uri) for uri in sorted({uri for uri, _ in changed}))
    return events


class ProjectChangeNotifier:
    """Notifies clients of the changes of one project between scans."""

    def __init__(
        self,
        watch: ProjectWatch[ProjectReading],
        publish: Callable[[Iterable[Event]], None],
    ) -> None:
        self.watch = watch
        self._publishers = [publish]
        self._before: ProjectReading | None = None

    def listen(self, publish: Callable[[Iterable[Event]], None]) -> Callable[[], None]:
        """Publish later changes by this function too; return what ends that."""
        self._publishers.append(publish)
        return lambda: self._publishers.remove(publish)

    def load(self) -> None:
        """Scan for the first time, without notifications. Blocks."""
        self._before = self.watch.scan()

    def publish(self, reading: ProjectReading) -> None:
        """Publish the changes since the previous scan, on the event loop."""
        before, self._before = self._before, reading
        # A check that found no change returns the previous reading.
        if before is None or before is reading:
            return
        if events := list_events(before, reading):
            for publish in tuple(self._publishers):
                publish(events)


def _is_offered(artifact: SkillContent | CommandContent, name: str | None) -> bool:
    """Whether a skill or command is offered: the home's only with the first project."""
    return name is None or artifact.location == "workspace"


def _read_artifacts(
    scanner: ProjectScanner, found: Mapping[str, Sequence[Linkable]], name: str | None
) -> Iterator[tuple[str, bytes]]:
    """Yield URI and digest of each `ace://` resource of a project."""
    guide = read_agents_md(scanner)
    if guide is not None:
        yield str(ResourceAddress(AGENTS_MD, None, name)), _digest(guide.content)
    for kind in KINDS.values():
        artifacts = found[kind.plural]
        listed = write_list(kind, artifacts)
        yield str(ResourceAddress(kind.plural, None, name)), _digest(listed)
        by_path = {artifact.path: artifact for artifact in reversed(artifacts)}
        for key, artifact in (by_path | index_by_name(artifacts)).items():
            uri = str(ResourceAddress(kind.plural, key, name))
            yield uri, _digest(getattr(artifact, kind.text))


def _read_skills(
    scanner: ProjectScanner, served: Iterable[ServedSkill], name: str | None
) -> Iterator[tuple[str, bytes]]:
    """Yield URI and digest of each skill file; only the main file is read."""
    for skill in served:
        for path, signature in skill_file_signatures(scanner, skill.skill).items():
            is_main = path == SKILL_FILE
            text = f"{signature.size} {skill.skill.source}"
            content = text if is_main else repr(signature)
            yield str(SkillUri(name, skill.name, path)), _digest(content)


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
