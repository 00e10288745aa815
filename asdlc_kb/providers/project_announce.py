"""What a change of a project means to MCP clients.

A project is read as its resources and prompts would be, and compared with what was read
before: what reads alike is silent, whatever became of its file. Of what is hidden or
outside nothing is read, so it says nothing.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from asdlc_kb.mcp.events import (
    Event,
    PromptsChanged,
    ResourcesChanged,
    ResourceUpdated,
)
from asdlc_kb.mcp.types import Resource
from asdlc_kb.project.commands import CommandContent, scan_commands
from asdlc_kb.project.guides import read_agents_md
from asdlc_kb.project.rules import scan_rules
from asdlc_kb.project.schemas import scan_schemas
from asdlc_kb.project.served_skills import ServedSkill, find_served
from asdlc_kb.project.skill_files import sign_skill_files
from asdlc_kb.project.skills import SKILL_FILE, SkillContent, scan_skills
from asdlc_kb.project.specs import scan_specs
from asdlc_kb.project.survey import Survey
from asdlc_kb.project.watch import Look, Watch
from asdlc_kb.providers.project_kinds import KINDS, Kind, Listable
from asdlc_kb.providers.project_prompts import name_commands, offer
from asdlc_kb.providers.project_resources import (
    AGENTS_MD,
    Address,
    list_resources,
    write_list,
)
from asdlc_kb.providers.project_skills import show_main
from asdlc_kb.providers.skill_uris import SkillUri


@dataclass(frozen=True, slots=True)
class Reading:
    """What clients may have read of a project: digests, so that it is small."""

    resources: bytes
    """Of what the list of resources says."""
    prompts: bytes
    contents: Mapping[str, bytes]
    """By URI."""


def read_project(survey: Survey, *, is_first: bool) -> Reading:
    """Return what clients would read of a project now. Blocks.

    Only the first project is in the list of resources, and only it has what is of a
    home among its skills and prompts.
    """
    name = None if is_first else survey.project.name
    commands, skills = scan_commands(survey), scan_skills(survey)
    found: dict[str, Sequence[Listable]] = {
        "rules": scan_rules(survey),
        "commands": commands,
        "skills": skills,
        "specs": scan_specs(survey),
        "schemas": scan_schemas(survey),
    }
    served = find_served(s for s in skills if _is_offered(s, name)).values()
    listed: list[Resource] = []
    if name is None:
        resources = list_resources(survey, lambda kind: found[kind.plural])
        listed += (each.item for each in resources)
    listed += (show_main(SkillUri(name, s.name, SKILL_FILE), s) for s in served)
    named = name_commands((c for c in commands if _is_offered(c, name)), name)
    prompts = [offer(called, command) for called, command in named.items()]
    contents = (
        *_read_artifacts(survey, found, name),
        *_read_skills(survey, served, name),
    )
    return Reading(_digest(repr(listed)), _digest(repr(prompts)), dict(contents))


def announce(before: Reading, after: Reading) -> list[Event]:
    """Return the events of going from one reading to the next."""
    events: list[Event] = []
    if before.prompts != after.prompts:
        events.append(PromptsChanged())
    if before.resources != after.resources:
        events.append(ResourcesChanged())
    changed = before.contents.items() ^ after.contents.items()
    events.extend(ResourceUpdated(uri) for uri in sorted({uri for uri, _ in changed}))
    return events


class ProjectNews:
    """Tells clients how one project differs from look to look."""

    def __init__(
        self, watch: Watch[Reading], publish: Callable[[Iterable[Event]], None]
    ) -> None:
        self.watch = watch
        self._publish = publish
        self._before: Reading | None = None

    def load(self) -> None:
        """Look for the first time: what is there now is news to nobody. Blocks."""
        self._before = self.watch.look().value

    def publish(self, look: Look[Reading]) -> None:
        """Tell of what a look found, on the event loop."""
        before, self._before = self._before, look.value
        events = announce(before, look.value) if before is not None else []
        if events:
            self._publish(events)


def _is_offered(artifact: SkillContent | CommandContent, name: str | None) -> bool:
    """Whether a skill or command is one of this project's, and not of the home's."""
    return name is None or artifact.location == "workspace"


def _read_artifacts(
    survey: Survey, found: Mapping[str, Sequence[Listable]], name: str | None
) -> Iterator[tuple[str, bytes]]:
    """Yield what the `ace://` resources of a project are, by URI."""
    guide = read_agents_md(survey)
    if guide is not None:
        yield str(Address(AGENTS_MD, None, name)), _digest(guide.content)
    for kind in KINDS.values():
        artifacts = found[kind.plural]
        listed = write_list(kind, artifacts)
        yield str(Address(kind.plural, None, name)), _digest(listed)
        for called, artifact in _call(artifacts).items():
            uri = str(Address(kind.plural, called, name))
            yield uri, _digest(_read_text(kind, artifact))


def _call(artifacts: Sequence[Listable]) -> Mapping[str, Listable]:
    """Return artifacts by what they are asked for: by their names, or else paths."""
    called: dict[str, Listable] = {}
    for artifact in artifacts:
        called.setdefault(artifact.name, artifact)
    for artifact in artifacts:
        called.setdefault(artifact.path, artifact)
    return called


def _read_text(kind: Kind, artifact: Listable) -> str:
    text: str = getattr(artifact, kind.text)
    return text


def _read_skills(
    survey: Survey, served: Iterable[ServedSkill], name: str | None
) -> Iterator[tuple[str, bytes]]:
    """Yield what the files of skills are, by URI: all but the main one unread."""
    for skill in served:
        for path, signature in sign_skill_files(survey, skill.skill).items():
            is_main = path == SKILL_FILE
            text = f"{signature.size} {skill.skill.source}"
            read = text if is_main else repr(signature)
            yield str(SkillUri(name, skill.name, path)), _digest(read)


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
