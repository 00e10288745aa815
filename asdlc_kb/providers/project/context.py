"""Result with the context of a project: its main guide, and what else there is.

The text of the AGENTS.md comes first. Lists are short: a name and a line about each
artifact. A second text says what was left out, and how to get it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from msgspec import UNSET, UnsetType

from asdlc_kb.markup.sections import split_sections
from asdlc_kb.mcp.protocol.model import ToolResult
from asdlc_kb.mcp.protocol.tool_schema import ToolAnswer
from asdlc_kb.project.agent_guides import AgentGuide
from asdlc_kb.project.artifact_file import list_offered
from asdlc_kb.project.context import AsdlcArtifacts, ProjectContext
from asdlc_kb.project.name_lookup import Named, describe
from asdlc_kb.project.rule_dialects import Activation, RuleType
from asdlc_kb.project.rules import RuleContent
from asdlc_kb.providers.project.row_lists import (
    MAX_ROWS,
    RowLists,
    TruncatedRow,
    describe_truncated,
)
from asdlc_kb.providers.project.views import (
    ProblemRow,
    describe_problems,
    describe_withheld,
    list_problems,
    make_overview,
)
from asdlc_kb.providers.shared.chunks import Chunk, cut_chunk
from asdlc_kb.providers.shared.size_budget import SizeBudget
from asdlc_kb.unicode.truncation import truncate

CONTEXT_CHARS: Final = 16_000
"""Default characters of the result; half of them are for the main guide."""

_MAX_LINE_CHARS: Final = 120
"""Characters of the line about an artifact."""

_MAX_GLOBS: Final = 5
"""Patterns of a rule."""

_OWN_LISTS: Final = ("rules", "commands", "skills", "agents")
"""Lists at the top of the result."""

_LIST_TOOLS: Final = {
    name: f"list_{name}" for name in ("rules", "commands", "skills", "specs")
}
"""Tools that return whole lists."""


class MainGuide(ToolAnswer, frozen=True, kw_only=True):
    """The guide for the whole project: AGENTS.md, or else CLAUDE.md."""

    path: str
    also_in: tuple[str, ...] | UnsetType = UNSET
    content: str


class ArtifactLine(ToolAnswer, frozen=True, kw_only=True):
    """An artifact in short; `path` where the name is not enough to request it."""

    name: str
    description: str | UnsetType = UNSET
    path: str | UnsetType = UNSET
    scope: str | UnsetType = UNSET


class RuleLine(ArtifactLine, frozen=True, kw_only=True):
    """A rule in short."""

    type: RuleType
    activation: Activation
    globs: tuple[str, ...] | UnsetType = UNSET


class AgentsMdLine(ToolAnswer, frozen=True):
    """Whether there is an AGENTS.md at the top."""

    exists: bool
    path: str | UnsetType = UNSET


class SpecLines(ToolAnswer, frozen=True):
    """The specifications by domain; `exists` is of their folder."""

    exists: bool
    count: int
    specs: tuple[ArtifactLine, ...]


class SchemaLines(ToolAnswer, frozen=True):
    """The schemas; `exists` is of their folder."""

    exists: bool
    count: int
    schemas: tuple[ArtifactLine, ...]


class ArtifactLines(ToolAnswer, frozen=True, kw_only=True):
    """Guides, specifications and schemas."""

    agents_md: AgentsMdLine
    specs: SpecLines
    schemas: SchemaLines
    has_any_artifacts: bool
    guides: tuple[str, ...]
    """Paths of the other guides."""


class ContextView(ToolAnswer, frozen=True, kw_only=True):
    """All artifacts of a project at one point in time."""

    project_path: str
    timestamp: str
    instructions: MainGuide | UnsetType = UNSET
    rules: tuple[RuleLine, ...]
    commands: tuple[ArtifactLine, ...]
    skills: tuple[ArtifactLine, ...]
    agents: tuple[ArtifactLine, ...]
    asdlc_artifacts: ArtifactLines
    problems: tuple[ProblemRow, ...] | UnsetType = UNSET
    truncated: tuple[TruncatedRow, ...] | UnsetType = UNSET


def show_context(
    context: ProjectContext, project_path: str, max_chars: int
) -> ToolResult:
    """Return a result with the context; half of it may be the text of the guide."""
    artifacts = context.asdlc_artifacts
    guide = artifacts.main_guide
    chunk = None if guide is None else _cut_guide(guide, max_chars)
    lists = RowLists(_list_rows(context))
    frame = _fill(context, project_path, chunk, {})
    count = lists.count_fitting(SizeBudget(max_chars).spend(frame).chars)
    truncated = lists.list_truncated(count)
    notes = describe_truncated(truncated, _LIST_TOOLS)
    if guide is not None and chunk is not None and not chunk.is_whole:
        truncated.insert(0, TruncatedRow("instructions", chunk.end, chunk.total))
        notes = (_describe_guide(guide, chunk), *notes)
    answer = _fill(
        context,
        project_path,
        chunk,
        lists.cut(count),
        problems=list_problems(context.problems),
        truncated=tuple(truncated) or UNSET,
    )
    withheld = {"commands": context.commands, "skills": context.skills}
    notes = (*notes, *describe_withheld(withheld))
    return make_overview(answer, (*notes, *describe_problems(context.problems)))


def _cut_guide(guide: AgentGuide, max_chars: int) -> Chunk:
    """Return the whole text of up to half the characters, or else its beginning."""
    text, chars = guide.content, max_chars // 2
    # JSON writes line breaks and quotes as two characters.
    escapes = chars // 4 if len(text) <= chars else 0
    budget = SizeBudget(chars + escapes)
    sections = partial(split_sections, text)
    return cut_chunk(text, UNSET, sections, budget, shows_outline=False)


def _describe_guide(guide: AgentGuide, chunk: Chunk) -> str:
    """Return a sentence on the rest of the guide's text."""
    shown = f"{guide.path}: {chunk.end:,} of {chunk.total:,} characters."
    rest = f'path "{guide.content_path}" and cursor "{chunk.next_cursor}"'
    return f"{shown} Next: get_artifact with {rest}."


def _list_rows(context: ProjectContext) -> dict[str, Sequence[Any]]:
    """Return the rows of artifacts by the name of their list."""
    artifacts = context.asdlc_artifacts
    return {
        "rules": _make_rule_lines(context.rules),
        "commands": _make_lines(list_offered(context.commands)),
        "skills": _make_lines(list_offered(context.skills)),
        "agents": _make_lines(context.agents, needs_path=True),
        "specs": _make_lines(artifacts.specs.specs),
        "schemas": _make_lines(artifacts.schemas.schemas, needs_path=True),
        "guides": [g.path for g in artifacts.guides if g is not artifacts.main_guide],
    }


def _make_lines(
    artifacts: Sequence[Named], *, needs_path: bool = False
) -> Sequence[ArtifactLine]:
    """Return artifacts in short."""
    named = Counter(artifact.name for artifact in artifacts)
    return [
        ArtifactLine(
            name=artifact.name,
            description=_describe(artifact),
            path=artifact.path if needs_path or named[artifact.name] > 1 else UNSET,
            scope=getattr(artifact, "scope", "") or UNSET,
        )
        for artifact in artifacts[:MAX_ROWS]
    ]


def _make_rule_lines(rules: Sequence[RuleContent]) -> Sequence[RuleLine]:
    return [
        RuleLine(
            name=line.name,
            description=line.description,
            path=line.path,
            scope=line.scope,
            type=rule.type,
            activation=rule.activation,
            globs=(rule.globs or ())[:_MAX_GLOBS] or UNSET,
        )
        for rule, line in zip(rules, _make_lines(rules), strict=False)
    ]


def _describe(artifact: Named) -> str | UnsetType:
    """Return a line about an artifact: its description, or else its title."""
    return truncate(describe(artifact), _MAX_LINE_CHARS) or UNSET


def _fill(
    context: ProjectContext,
    project_path: str,
    chunk: Chunk | None,
    rows: Mapping[str, tuple[Any, ...]],
    **left_out: Any,
) -> ContextView:
    """Return the context with these rows, and the text of the main guide."""
    artifacts = context.asdlc_artifacts
    guide = artifacts.main_guide
    instructions: MainGuide | UnsetType = UNSET
    if guide is not None and chunk is not None:
        also_in = guide.also_in or UNSET
        instructions = MainGuide(path=guide.path, also_in=also_in, content=chunk.text)
    lists = {part: rows.get(part, ()) for part in _OWN_LISTS}
    return ContextView(
        project_path=project_path,
        timestamp=context.timestamp,
        instructions=instructions,
        **lists,
        asdlc_artifacts=_fill_artifacts(artifacts, rows),
        **left_out,
    )


def _fill_artifacts(
    artifacts: AsdlcArtifacts, rows: Mapping[str, tuple[Any, ...]]
) -> ArtifactLines:
    agents_md, specs, schemas = artifacts.agents_md, artifacts.specs, artifacts.schemas
    return ArtifactLines(
        agents_md=AgentsMdLine(agents_md.exists, agents_md.path or UNSET),
        specs=SpecLines(specs.exists, len(specs.specs), rows.get("specs", ())),
        schemas=SchemaLines(
            schemas.exists, len(schemas.schemas), rows.get("schemas", ())
        ),
        has_any_artifacts=artifacts.has_any_artifacts,
        guides=rows.get("guides", ()),
    )
