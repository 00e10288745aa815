"""Serialization of project artifacts, with flat and closed schemas.

Rows of lists have fields of bounded length.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from asdlc_kb.mcp.protocol.model import ToolResult
from asdlc_kb.mcp.protocol.tool_schema import ToolAnswer
from asdlc_kb.project.applicability import ApplyKind, ApplyReason
from asdlc_kb.project.artifact_file import list_offered
from asdlc_kb.project.locations import Location, Platform
from asdlc_kb.project.rule_conflicts import RuleConflict
from asdlc_kb.project.rule_dialects import Activation, RuleType
from asdlc_kb.project.specs import Style
from asdlc_kb.providers.shared.chunks import Chunk, OutlineEntry
from asdlc_kb.providers.shared.results import make_result, to_values
from asdlc_kb.providers.shared.size_budget import truncate_names, write_json
from asdlc_kb.unicode.truncation import truncate

R = TypeVar("R", bound=msgspec.Struct)


MAX_DESCRIPTION_CHARS: Final = 1_024
"""Characters of a description, the limit of the open format for skills; a longer one
ends in an ellipsis."""

_MAX_NAMED_PROBLEMS: Final = 3
_MAX_PROBLEM_CHARS: Final = 120
"""Problems in a sentence, and characters of each."""

_MAX_PATH_CHARS: Final = 50
"""Characters of its path in them, the last ones: the message needs room too."""

_MAX_NAMED_CONFLICTS: Final = 5
"""Conflicts in a sentence."""

_LEFT_OUT: Final = ("problems", "truncated")
"""Fields of structured content that a sentence replaces in the text."""

MAX_PROBLEMS: Final = 20
"""Problems in one result; `asdlc-kb check --project` reports all."""


class ProblemRow(ToolAnswer, frozen=True, kw_only=True):
    """A problem of a file, reported with the readable rest."""

    path: str
    line: int
    column: int
    code: str
    message: str


class RuleRow(ToolAnswer, frozen=True, kw_only=True):
    """A rule without its text."""

    name: str
    description: str
    type: RuleType
    path: str
    also_in: tuple[str, ...] | UnsetType = UNSET
    globs: tuple[str, ...] | UnsetType = UNSET
    activation: Activation
    platform: Platform
    scope: str | UnsetType = UNSET


class CommandRow(ToolAnswer, frozen=True, kw_only=True):
    """A command without its text."""

    name: str
    description: str
    path: str
    also_in: tuple[str, ...] | UnsetType = UNSET
    location: Location
    platform: Platform
    argument_hint: str | UnsetType = UNSET
    scope: str | UnsetType = UNSET
    plugin: str | UnsetType = UNSET


class SkillRow(ToolAnswer, frozen=True, kw_only=True):
    """A skill without its text."""

    name: str
    description: str
    title: str | UnsetType = UNSET
    overview: str | UnsetType = UNSET
    path: str
    also_in: tuple[str, ...] | UnsetType = UNSET
    location: Location
    platform: Platform
    scope: str | UnsetType = UNSET
    plugin: str | UnsetType = UNSET


class SpecRow(ToolAnswer, frozen=True, kw_only=True):
    """A specification without its text."""

    domain: str
    path: str
    also_in: tuple[str, ...] | UnsetType = UNSET
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
    also_in: tuple[str, ...] | UnsetType = UNSET
    schema_id: str | UnsetType = UNSET


class GuideTextRow(ToolAnswer, frozen=True, kw_only=True):
    """A guide or an imported text, without the text."""

    path: str
    also_in: tuple[str, ...] | UnsetType = UNSET
    scope: str | UnsetType = UNSET
    importer: str | UnsetType = UNSET


class FileRow(ToolAnswer, frozen=True):
    """A file that can be read by its path; its size is in bytes."""

    path: str
    size: int


class FileView(ToolAnswer, frozen=True, kw_only=True):
    """The text of a file, or a chunk of it."""

    path: str
    content: str
    characters: int | UnsetType = UNSET
    start: int | UnsetType = UNSET
    end: int | UnsetType = UNSET
    outline: tuple[OutlineEntry, ...] | UnsetType = UNSET
    next_cursor: str | UnsetType = UNSET


class ArtifactsPage(ToolAnswer, frozen=True, kw_only=True):
    """Common fields of all lists."""

    total: int
    problems: tuple[ProblemRow, ...] | UnsetType = UNSET
    next_cursor: str | UnsetType = UNSET


class ApplyingRow(ToolAnswer, frozen=True, kw_only=True):
    """A rule or guide that applies to a file, with the reason."""

    kind: ApplyKind
    name: str
    path: str
    also_in: tuple[str, ...] | UnsetType = UNSET
    tools: tuple[Platform, ...]
    scope: str | UnsetType = UNSET
    reason: ApplyReason
    why: str
    pattern: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    content: str | UnsetType = UNSET
    is_cut: bool | UnsetType = msgspec.field(default=UNSET, name="truncated")


class ConflictRow(ToolAnswer, frozen=True):
    """Two texts that apply to a file and contradict each other."""

    paths: tuple[str, ...]
    why: str


class ApplyingRows(ArtifactsPage, frozen=True, kw_only=True):
    """A page of the rules and guides that apply to a file, nearest first."""

    path: str
    applying: tuple[ApplyingRow, ...]
    conflicts: tuple[ConflictRow, ...] | UnsetType = UNSET


class ProjectRow(ToolAnswer, frozen=True, kw_only=True):
    """A configured project."""

    name: str
    is_default: bool = msgspec.field(name="default")
    path: str | UnsetType = UNSET


class ProjectRows(ToolAnswer, frozen=True):
    """The configured projects, the default one first."""

    projects: tuple[ProjectRow, ...]


def make_row(kind: type[R], artifact: object, **given: Any) -> R:
    """Convert an artifact to a struct, by field name.

    Empty values of optional fields are omitted.
    """
    values: dict[str, Any] = dict(given)
    for name, is_required in _fields(kind):
        if name in given or not hasattr(artifact, name):
            continue
        value = _cut(getattr(artifact, name))
        if is_required or value not in (None, "", ()):
            values[name] = value
    return kind(**values)


def make_listed_row(kind: type[R], artifact: object, **given: Any) -> R:
    """Convert an artifact to a struct without an overview that repeats a description.

    The lists that are resources have both.
    """
    row = make_row(kind, artifact, **given)
    description = getattr(row, "description", None)
    if getattr(row, "overview", UNSET) == description:
        return msgspec.structs.replace(row, overview=UNSET)
    return row


@cache
def _fields(kind: type[msgspec.Struct]) -> tuple[tuple[str, bool], ...]:
    """Return the fields of a struct, and whether each is required."""
    fields = msgspec.structs.fields(kind)
    return tuple((field.name, field.required) for field in fields)


def make_rows(kind: type[R], artifacts: Iterable[object]) -> tuple[R, ...]:
    """Convert artifacts to structs."""
    return tuple(make_row(kind, artifact) for artifact in artifacts)


def list_problems(
    problems: Sequence[object],
) -> tuple[ProblemRow, ...] | UnsetType:
    """Return the first problems, or UNSET without any."""
    return make_rows(ProblemRow, problems[:MAX_PROBLEMS]) or UNSET


def describe_problems(problems: Sequence[object]) -> tuple[str, ...]:
    """Return a sentence on problems of files, if any, with the first ones."""
    rows = make_rows(ProblemRow, problems[:_MAX_NAMED_PROBLEMS])
    if not rows:
        return ()
    named = "; ".join(
        truncate(f"{_cut_path(row.path)}: {row.message}", _MAX_PROBLEM_CHARS)
        for row in rows
    )
    count = "1 problem" if len(problems) == 1 else f"{len(problems):,} problems"
    return (f"{count} (asdlc-kb check --project shows all): {named}.",)


def _cut_path(path: str) -> str:
    return path if len(path) <= _MAX_PATH_CHARS else f"…{path[1 - _MAX_PATH_CHARS :]}"


def describe_withheld(present: Mapping[str, Sequence[object]]) -> tuple[str, ...]:
    """Return a sentence on the artifacts that only people start, if any.

    Artifacts are given by the plural of their kind.
    """
    counts = {key: len(all_) - len(list_offered(all_)) for key, all_ in present.items()}
    named = " and ".join(
        f"{count:,} {plural if count > 1 else plural[:-1]}"
        for plural, count in counts.items()
        if count
    )
    return (f"Not listed: {named} that only the user starts, by name.",) * bool(named)


def describe_conflicts(conflicts: Sequence[RuleConflict]) -> tuple[str, ...]:
    """Return a sentence on texts that contradict each other, if any."""
    if not conflicts:
        return ()
    named = "; ".join(
        f"{first} and {second}: {why}"
        for (first, second), why in conflicts[:_MAX_NAMED_CONFLICTS]
    )
    left_out = len(conflicts) - _MAX_NAMED_CONFLICTS
    more = f"; {left_out} more" if left_out > 0 else ""
    return (f"These contradict each other, ask which is right: {named}{more}.",)


def make_overview(answer: msgspec.Struct, notes: Iterable[str]) -> ToolResult:
    """Return a result whose notes say what is left out.

    In its structured content that is in `problems` and `truncated`.
    """
    values = to_values(answer)
    shown = {key: values[key] for key in values if key not in _LEFT_OUT}
    return make_result(values, write_json(shown), notes)


def chunk_fields(chunk: Chunk) -> dict[str, Any]:
    """Return the fields of a chunk, or of a whole text."""
    return {"content": chunk.text} if chunk.is_whole else chunk.fields


def _cut(value: Any) -> Any:
    """Truncate a value to the limits of a row."""
    if isinstance(value, str):
        return truncate(value, MAX_DESCRIPTION_CHARS)
    is_names = isinstance(value, tuple) and all(isinstance(v, str) for v in value)
    return truncate_names(value) if is_names else value
