"""How the artifacts of a project look from outside: seed 003's shapes, flat and closed.

Rows stand in lists, beside others, so that whatever in them has no end is cut. An
artifact that is asked for by name has its text too, or a part of it.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Final, Literal, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from asdlc_kb.mcp.protocol import jsonrpc
from asdlc_kb.mcp.protocol.model import TextContent, ToolResult
from asdlc_kb.mcp.protocol.tool_schema import ToolAnswer
from asdlc_kb.project.locations import Location, Platform
from asdlc_kb.project.rules import Activation, RuleType
from asdlc_kb.project.specs import Style
from asdlc_kb.providers.shared.chunks import Chunk, OutlineEntry
from asdlc_kb.providers.shared.size_budget import truncate_names

R = TypeVar("R", bound=ToolAnswer)

MARKDOWN: Final = "text/markdown"
JSON: Final = "application/json"

MAX_DESCRIPTION_CHARS: Final = 1_024
"""Characters of what an artifact says of itself, as the open format for skills has it;
what is longer ends in an ellipsis."""

MAX_PROBLEMS: Final = 20
"""Problems beside an answer; `asdlc-kb check --project` tells all."""


class ProblemRow(ToolAnswer, frozen=True, kw_only=True):
    """What is wrong with a file, beside what could be read."""

    path: str
    line: int
    column: int
    code: str
    message: str


class RuleRow(ToolAnswer, frozen=True, kw_only=True):
    """A rule without its text (seed 003: RuleInfo)."""

    name: str
    description: str
    type: RuleType
    path: str
    globs: tuple[str, ...] | UnsetType = UNSET
    activation: Activation
    platform: Platform
    scope: str | UnsetType = UNSET


class CommandRow(ToolAnswer, frozen=True, kw_only=True):
    """A command without its text (seed 003: CommandInfo)."""

    name: str
    description: str
    path: str
    location: Location
    platform: Platform
    argument_hint: str | UnsetType = UNSET


class SkillRow(ToolAnswer, frozen=True, kw_only=True):
    """A skill without its text (seed 003: SkillInfo)."""

    name: str
    description: str
    title: str | UnsetType = UNSET
    overview: str | UnsetType = UNSET
    path: str
    location: Location
    platform: Platform


class AgentRow(ToolAnswer, frozen=True, kw_only=True):
    """An agent without its text."""

    name: str
    description: str
    path: str
    location: Location
    platform: Platform
    tools: tuple[str, ...] | UnsetType = UNSET
    model: str | UnsetType = UNSET


class SpecRow(ToolAnswer, frozen=True, kw_only=True):
    """A specification without its text (seed 003: SpecFile)."""

    domain: str
    path: str
    has_blueprint: bool
    has_contract: bool
    last_modified: str | UnsetType = UNSET
    style: Style
    title: str | UnsetType = UNSET
    status: str | UnsetType = UNSET
    documents: tuple[str, ...] | UnsetType = UNSET


class SchemaRow(ToolAnswer, frozen=True, kw_only=True):
    """A schema without its text."""

    name: str
    path: str
    schema_id: str | UnsetType = UNSET


# msgspec cannot join two structs into one: a text's fields are told four times.


class RuleView(RuleRow, frozen=True, kw_only=True):
    """A rule with its text, or a part of it (seed 003: RuleContent)."""

    content: str
    characters: int | UnsetType = UNSET
    start: int | UnsetType = UNSET
    end: int | UnsetType = UNSET
    outline: tuple[OutlineEntry, ...] | UnsetType = UNSET
    next_cursor: str | UnsetType = UNSET


class CommandView(CommandRow, frozen=True, kw_only=True):
    """A command with its text, or a part of it (seed 003: CommandContent)."""

    allowed_tools: tuple[str, ...] | UnsetType = UNSET
    model: str | UnsetType = UNSET
    content: str
    characters: int | UnsetType = UNSET
    start: int | UnsetType = UNSET
    end: int | UnsetType = UNSET
    outline: tuple[OutlineEntry, ...] | UnsetType = UNSET
    next_cursor: str | UnsetType = UNSET


class SkillView(SkillRow, frozen=True, kw_only=True):
    """A skill with its text, or a part of it (seed 003: SkillContent)."""

    allowed_tools: tuple[str, ...] | UnsetType = UNSET
    content: str
    characters: int | UnsetType = UNSET
    start: int | UnsetType = UNSET
    end: int | UnsetType = UNSET
    outline: tuple[OutlineEntry, ...] | UnsetType = UNSET
    next_cursor: str | UnsetType = UNSET


class SpecView(SpecRow, frozen=True, kw_only=True):
    """A specification with its text, or a part of it."""

    content: str
    characters: int | UnsetType = UNSET
    start: int | UnsetType = UNSET
    end: int | UnsetType = UNSET
    outline: tuple[OutlineEntry, ...] | UnsetType = UNSET
    next_cursor: str | UnsetType = UNSET


class ViewPage(ToolAnswer, frozen=True, kw_only=True):
    """What every list says of itself."""

    total: int
    problems: tuple[ProblemRow, ...] | UnsetType = UNSET
    next_cursor: str | UnsetType = UNSET


class RulesView(ViewPage, frozen=True, kw_only=True):
    """Some rules."""

    rules: tuple[RuleRow, ...]


class CommandsView(ViewPage, frozen=True, kw_only=True):
    """Some commands."""

    commands: tuple[CommandRow, ...]


class SkillsView(ViewPage, frozen=True, kw_only=True):
    """Some skills."""

    skills: tuple[SkillRow, ...]


class SpecListView(ViewPage, frozen=True, kw_only=True):
    """Some specifications."""

    specs: tuple[SpecRow, ...]


class OneRule(ToolAnswer, frozen=True):
    """A rule, or null if there is none of that name."""

    rule: RuleView | None


class OneCommand(ToolAnswer, frozen=True):
    """A command, or null if there is none of that name."""

    command: CommandView | None


class OneSkill(ToolAnswer, frozen=True):
    """A skill, or null if there is none of that name."""

    skill: SkillView | None


class OneSpec(ToolAnswer, frozen=True):
    """A specification, or null if there is none of that domain."""

    spec: SpecView | None


class ApplyingRow(ToolAnswer, frozen=True, kw_only=True):
    """A rule or guide that is about a file, and why."""

    kind: Literal["rule", "agents-md", "claude-md"]
    name: str
    path: str
    scope: str | UnsetType = UNSET
    reason: Literal["pattern", "folder", "always"]
    why: str
    pattern: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    content: str | UnsetType = UNSET
    is_cut: bool | UnsetType = msgspec.field(default=UNSET, name="truncated")


class ApplyingRows(ViewPage, frozen=True, kw_only=True):
    """Some of what is about a file, nearest first."""

    path: str
    applying: tuple[ApplyingRow, ...]


class ProjectRow(ToolAnswer, frozen=True, kw_only=True):
    """A project that can be asked about."""

    name: str
    is_default: bool = msgspec.field(name="default")
    path: str | UnsetType = UNSET


class ProjectRows(ToolAnswer, frozen=True):
    """The projects that can be asked about, the default one first."""

    projects: tuple[ProjectRow, ...]


def make_row(kind: type[R], artifact: object, **given: Any) -> R:
    """Return an artifact in a shape, whose fields are called as the artifact's.

    What is optional there, and empty, is left out.
    """
    values: dict[str, Any] = dict(given)
    for name, is_required in _fields(kind):
        if name in given or not hasattr(artifact, name):
            continue
        value = _cut(getattr(artifact, name))
        if is_required or value not in (None, "", ()):
            values[name] = value
    return kind(**values)


@cache
def _fields(kind: type[ToolAnswer]) -> tuple[tuple[str, bool], ...]:
    """Return the fields of a shape, and whether each is required."""
    fields = msgspec.structs.fields(kind)
    return tuple((field.name, field.required) for field in fields)


def make_rows(kind: type[R], artifacts: Iterable[object]) -> tuple[R, ...]:
    """Return artifacts in a shape."""
    return tuple(make_row(kind, artifact) for artifact in artifacts)


def list_problems(
    problems: Sequence[object],
) -> tuple[ProblemRow, ...] | UnsetType:
    """Return the first problems, or nothing where there is none."""
    return make_rows(ProblemRow, problems[:MAX_PROBLEMS]) or UNSET


def describe_part(part: Chunk) -> dict[str, Any]:
    """Return the fields of a text, or of a part of it."""
    if part.is_whole:
        return {"content": part.text}
    return {
        "content": part.text,
        "characters": part.total,
        "start": part.start,
        "end": part.end,
        "outline": part.outline or UNSET,
        "next_cursor": part.next_cursor or UNSET,
    }


def make_result(answer: ToolAnswer, key: str | None = None) -> ToolResult:
    """Return an answer; its text is what stands under a key, where one is given."""
    values: dict[str, Any] = msgspec.to_builtins(answer)
    told = write_json(values if key is None else values[key])
    return ToolResult(content=(TextContent(text=told),), structured_content=values)


def write_json(value: Any) -> str:
    """Return a value as JSON."""
    return jsonrpc.write(value).decode()


def cut_words(text: str, most: int = MAX_DESCRIPTION_CHARS) -> str:
    """Return a text of at most so many characters."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _cut(value: Any) -> Any:
    """Return a value no longer than a row has room for."""
    if isinstance(value, str):
        return cut_words(value)
    is_names = isinstance(value, tuple) and all(isinstance(v, str) for v in value)
    return truncate_names(value) if is_names else value
