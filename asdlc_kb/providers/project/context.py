"""Results with all artifacts of a project: AGENTS.md, specifications, schemas, context.

To fit projects of any size, lists and the text of AGENTS.md are truncated; the
truncated parts are listed with their totals.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from asdlc_kb.markup.sections import split_sections
from asdlc_kb.mcp.protocol.model import ToolResult
from asdlc_kb.mcp.protocol.tool_schema import ToolAnswer
from asdlc_kb.project.agent_guides import AgentGuide
from asdlc_kb.project.agents_md import AgentsMdSections
from asdlc_kb.project.context import AgentsMd, AsdlcArtifacts, ProjectContext
from asdlc_kb.providers.project.views import (
    MAX_DESCRIPTION_CHARS,
    AgentRow,
    CommandRow,
    ProblemRow,
    RuleRow,
    SchemaRow,
    SkillRow,
    SpecRow,
    chunk_fields,
    list_problems,
    make_row,
    make_rows,
)
from asdlc_kb.providers.shared.chunks import cut_chunk, describe_chunk
from asdlc_kb.providers.shared.results import make_json_result
from asdlc_kb.providers.shared.size_budget import DEFAULT_CHARS, MIN_CHARS, SizeBudget
from asdlc_kb.unicode.truncation import truncate

MAX_ROWS: Final = 1_000
"""Maximum rows per list."""

_RESERVED_CHARS: Final = 500
"""Characters reserved for the names of lists, and the notes on truncated parts."""

_MAX_IMPORTS: Final = 20
_MAX_LINE_CHARS: Final = 300
"""Characters of one extracted line of an AGENTS.md."""


class LabelledRow(ToolAnswer, frozen=True):
    """A labelled text."""

    label: str
    text: str


class SectionRow(ToolAnswer, frozen=True):
    """A heading and its lines up to the next heading, counted from 0."""

    level: int
    title: str
    start_line: int
    end_line: int


class BoundariesView(ToolAnswer, frozen=True):
    """Actions an agent always takes, asks about first, and never takes."""

    always: tuple[str, ...]
    ask: tuple[str, ...]
    never: tuple[str, ...]


class AgentsMdView(ToolAnswer, frozen=True, kw_only=True):
    """The AGENTS.md at the top: its sections, and its text or a chunk of it."""

    exists: bool
    path: str | UnsetType = UNSET
    mission: str | UnsetType = UNSET
    philosophy: str | UnsetType = UNSET
    tech_stack: tuple[LabelledRow, ...] | UnsetType = UNSET
    toolchain: tuple[LabelledRow, ...] | UnsetType = UNSET
    boundaries: BoundariesView | UnsetType = UNSET
    personas: tuple[LabelledRow, ...] | UnsetType = UNSET
    sections: tuple[SectionRow, ...] | UnsetType = UNSET
    content: str | UnsetType = UNSET
    characters: int | UnsetType = UNSET
    start: int | UnsetType = UNSET
    end: int | UnsetType = UNSET
    next_cursor: str | UnsetType = UNSET


class SpecsView(ToolAnswer, frozen=True):
    """The specifications; `exists` is of their folder."""

    exists: bool
    count: int
    specs: tuple[SpecRow, ...]


class SchemasView(ToolAnswer, frozen=True):
    """The schemas; `exists` is of their folder."""

    exists: bool
    count: int
    schemas: tuple[SchemaRow, ...]


class ImportRow(ToolAnswer, frozen=True, kw_only=True):
    """An `@path` import in a guide."""

    written: str
    line: int
    path: str | UnsetType = UNSET
    exists: bool


class GuideRow(ToolAnswer, frozen=True, kw_only=True):
    """An AGENTS.md or CLAUDE.md of any folder, without its text."""

    name: str
    path: str
    kind: Literal["agents", "claude"]
    scope: str | UnsetType = UNSET
    same_as: str | UnsetType = UNSET
    imports: tuple[ImportRow, ...] | UnsetType = UNSET


class TruncatedRow(ToolAnswer, frozen=True):
    """A truncated list or text, in rows or characters."""

    part: str
    shown: int
    total: int


class ArtifactsPart(ToolAnswer, frozen=True, kw_only=True):
    """Guides, specifications and schemas."""

    agents_md: AgentsMdView
    specs: SpecsView
    schemas: SchemasView
    has_any_artifacts: bool
    guides: tuple[GuideRow, ...]


class ArtifactsView(ArtifactsPart, frozen=True, kw_only=True):
    """The same as a separate answer."""

    problems: tuple[ProblemRow, ...] | UnsetType = UNSET
    truncated: tuple[TruncatedRow, ...] | UnsetType = UNSET


class ContextView(ToolAnswer, frozen=True, kw_only=True):
    """All artifacts of a project at one point in time."""

    project_path: str
    timestamp: str
    rules: tuple[RuleRow, ...]
    commands: tuple[CommandRow, ...]
    skills: tuple[SkillRow, ...]
    agents: tuple[AgentRow, ...]
    asdlc_artifacts: ArtifactsPart
    problems: tuple[ProblemRow, ...] | UnsetType = UNSET
    truncated: tuple[TruncatedRow, ...] | UnsetType = UNSET


class _RowLists:
    """The lists of a result, each row measured once."""

    def __init__(self, lists: Mapping[str, Sequence[Any]]) -> None:
        self._lists = lists
        self._sums = {part: _add_sizes(rows) for part, rows in lists.items()}

    def count_fitting(self, chars: int) -> int:
        """Return how many rows of each list fit a number of characters."""
        if self.measure(MAX_ROWS) <= chars:
            return MAX_ROWS
        return max(bisect_right(range(MAX_ROWS), chars, key=self.measure) - 1, 0)

    def measure(self, count: int) -> int:
        """Return the characters of lists of at most `count` rows, and of the notes."""
        notes = sum(_measure(note) for note in self.list_truncated(count))
        return notes + sum(sums[: count + 1][-1] for sums in self._sums.values())

    def list_truncated(self, count: int) -> list[TruncatedRow]:
        """Return the lists that have more than `count` rows."""
        return [
            TruncatedRow(part, count, len(rows))
            for part, rows in self._lists.items()
            if len(rows) > count
        ]

    def cut(self, count: int) -> dict[str, tuple[Any, ...]]:
        """Return the first rows of each list."""
        return {part: tuple(rows[:count]) for part, rows in self._lists.items()}


def _add_sizes(rows: Sequence[Any]) -> list[int]:
    """Return the characters of the first 0, 1, 2 and more rows."""
    return list(accumulate(map(_measure, rows[:MAX_ROWS]), initial=0))


def _measure(value: Any) -> int:
    """Return the characters of a value in a result."""
    return -SizeBudget(0).spend(value).chars


def show_artifacts(
    artifacts: AsdlcArtifacts,
    problems: tuple[ProblemRow, ...] | UnsetType,
    *,
    max_chars: int,
    cursor: str | UnsetType,
) -> ToolResult:
    """Return a result with the artifacts and a chunk of the AGENTS.md."""
    lists = _RowLists(_list_rows(artifacts))
    total = max_chars
    frame = make_row(ArtifactsView, _view_artifacts(artifacts, {}), problems=problems)
    budget = SizeBudget(total - _RESERVED_CHARS).spend(frame)
    # Lists may use half of the budget, so that chunks of the text are of useful size.
    count = lists.count_fitting(budget.chars - total // 2)
    text = artifacts.agents_md.content
    fields: dict[str, Any] = {}
    notes: tuple[str, ...] = ()
    if text is not None:
        budget = replace(budget, chars=budget.chars - lists.measure(count))
        sections = partial(split_sections, text)
        chunk = cut_chunk(text, cursor, sections, budget, shows_outline=False)
        fields, notes = chunk_fields(chunk), describe_chunk(chunk)
        fields.pop("outline", None)
    shown = _view_artifacts(artifacts, lists.cut(count), **fields)
    truncated = tuple(lists.list_truncated(count)) or UNSET
    answer = make_row(ArtifactsView, shown, problems=problems, truncated=truncated)
    return make_json_result(answer, notes=notes)


def show_context(context: ProjectContext, project_path: str) -> ToolResult:
    """Return a result with the whole context; truncate AGENTS.md before lists."""
    artifacts = context.asdlc_artifacts
    text = artifacts.agents_md.content or ""
    own: dict[str, Sequence[Any]] = {
        "rules": make_rows(RuleRow, context.rules),
        "commands": make_rows(CommandRow, context.commands),
        "skills": make_rows(SkillRow, context.skills),
        "agents": make_rows(AgentRow, context.agents),
    }
    lists = _RowLists({**own, **_list_rows(artifacts)})
    empty = dict.fromkeys(own, ())
    frame = ContextView(
        project_path=project_path,
        timestamp=context.timestamp,
        **empty,
        asdlc_artifacts=_view_artifacts(artifacts, {}),
        problems=list_problems(context.problems),
    )
    budget = SizeBudget(DEFAULT_CHARS - _RESERVED_CHARS).spend(frame)
    count = lists.count_fitting(budget.spend(_cut_lines(text, MIN_CHARS)).chars)
    budget = replace(budget, chars=budget.chars - lists.measure(count))
    fitting = budget.count_fitting(text[:DEFAULT_CHARS])
    content = _cut_lines(text, max(fitting, MIN_CHARS))
    rows = lists.cut(count)
    truncated = lists.list_truncated(count)
    if len(content) < len(text):
        note = TruncatedRow("agentsMd.content", len(content), len(text))
        truncated.insert(sum(cut.part in own for cut in truncated), note)
    fields = {"content": content} if artifacts.agents_md.exists else {}
    answer = msgspec.structs.replace(
        frame,
        **{part: rows[part] for part in own},
        asdlc_artifacts=_view_artifacts(artifacts, rows, **fields),
        truncated=tuple(truncated) or UNSET,
    )
    return make_json_result(answer)


def _list_rows(artifacts: AsdlcArtifacts) -> dict[str, Sequence[Any]]:
    """Return the rows of artifacts by the name of their list."""
    parsed = artifacts.agents_md.meaning or AgentsMdSections()
    tiers = BoundariesView.__struct_fields__ if parsed.boundaries else ()
    return {
        **{
            f"agentsMd.{part}": [LabelledRow(*_truncate_all(row)) for row in rows]
            for part, rows in (
                ("techStack", parsed.tech_stack),
                ("toolchain", parsed.toolchain),
                ("personas", parsed.personas),
            )
        },
        "agentsMd.sections": [
            SectionRow(s.level, truncate(s.title, _MAX_LINE_CHARS), *s[2:])
            for s in parsed.sections
        ],
        **{
            f"agentsMd.boundaries.{tier}": _truncate_all(
                getattr(parsed.boundaries, tier)
            )
            for tier in tiers
        },
        "specs": make_rows(SpecRow, artifacts.specs.specs[:MAX_ROWS]),
        "schemas": make_rows(SchemaRow, artifacts.schemas.schemas[:MAX_ROWS]),
        "guides": tuple(map(_view_guide, artifacts.guides)),
    }


def _view_artifacts(
    artifacts: AsdlcArtifacts, rows: Mapping[str, tuple[Any, ...]], **text: Any
) -> ArtifactsPart:
    """Return artifacts with these rows, and the text of the AGENTS.md."""
    specs, schemas = artifacts.specs, artifacts.schemas
    return ArtifactsPart(
        agents_md=_view_agents_md(artifacts.agents_md, rows, **text),
        specs=SpecsView(specs.exists, len(specs.specs), rows.get("specs", ())),
        schemas=SchemasView(
            schemas.exists, len(schemas.schemas), rows.get("schemas", ())
        ),
        has_any_artifacts=artifacts.has_any_artifacts,
        guides=rows.get("guides", ()),
    )


def _view_agents_md(
    agents_md: AgentsMd, rows: Mapping[str, tuple[Any, ...]], **text: Any
) -> AgentsMdView:
    """Return the sections of an AGENTS.md, without empty fields, and its text."""
    if not agents_md.exists:
        return AgentsMdView(exists=False)
    parsed = agents_md.meaning or AgentsMdSections()
    boundaries: BoundariesView | UnsetType = UNSET
    if parsed.boundaries is not None:
        boundaries = BoundariesView(
            *(
                rows.get(f"agentsMd.boundaries.{tier}", ())
                for tier in BoundariesView.__struct_fields__
            )
        )
    return AgentsMdView(
        exists=True,
        path=agents_md.path or UNSET,
        mission=truncate(parsed.mission or "", MAX_DESCRIPTION_CHARS) or UNSET,
        philosophy=truncate(parsed.philosophy or "", MAX_DESCRIPTION_CHARS) or UNSET,
        tech_stack=rows.get("agentsMd.techStack") or UNSET,
        toolchain=rows.get("agentsMd.toolchain") or UNSET,
        boundaries=boundaries,
        personas=rows.get("agentsMd.personas") or UNSET,
        sections=rows.get("agentsMd.sections") or UNSET,
        **text,
    )


def _view_guide(guide: AgentGuide) -> GuideRow:
    imports = make_rows(ImportRow, guide.imports[:_MAX_IMPORTS])
    return make_row(GuideRow, guide, imports=imports or UNSET)


def _truncate_all(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(truncate(line, _MAX_LINE_CHARS) for line in lines)


def _cut_lines(text: str, max_chars: int) -> str:
    """Truncate a text, at a line break if possible."""
    if len(text) <= max_chars:
        return text
    return text[: text.rfind("\n", 0, max_chars) + 1] or text[:max_chars]
