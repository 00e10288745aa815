"""Result with the AGENTS.md of a project, its specifications, schemas and guides.

To fit projects of any size, lists and the text of AGENTS.md are truncated; a second
text says so.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from msgspec import UNSET, UnsetType

from asdlc_kb.markup.sections import split_sections
from asdlc_kb.mcp.protocol.model import ToolResult
from asdlc_kb.mcp.protocol.tool_schema import ToolAnswer
from asdlc_kb.project.agent_guides import AgentGuide, GuideKind
from asdlc_kb.project.agents_md import AgentsMdSections
from asdlc_kb.project.context import AgentsMd, AsdlcArtifacts
from asdlc_kb.providers.project.row_lists import (
    MAX_ROWS,
    RowLists,
    TruncatedRow,
    describe_truncated,
)
from asdlc_kb.providers.project.views import (
    MAX_DESCRIPTION_CHARS,
    ProblemRow,
    SchemaRow,
    SpecRow,
    chunk_fields,
    describe_problems,
    list_problems,
    make_overview,
    make_row,
    make_rows,
)
from asdlc_kb.providers.shared.chunks import cut_chunk, describe_chunk
from asdlc_kb.providers.shared.size_budget import SizeBudget
from asdlc_kb.unicode.truncation import truncate

_RESERVED_CHARS: Final = 300
"""Characters reserved for the names of lists."""

_LIST_TOOLS: Final = {"specs": "list_specs"}
"""Tools that return whole lists."""

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
    """A guide of any folder, without its text."""

    name: str
    path: str
    kind: GuideKind
    scope: str | UnsetType = UNSET
    same_as: str | UnsetType = UNSET
    also_in: tuple[str, ...] | UnsetType = UNSET
    imports: tuple[ImportRow, ...] | UnsetType = UNSET


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


def show_artifacts(
    artifacts: AsdlcArtifacts,
    problems: Sequence[object],
    *,
    max_chars: int,
    cursor: str | UnsetType,
) -> ToolResult:
    """Return a result with the artifacts and a chunk of the AGENTS.md."""
    lists = RowLists(_list_rows(artifacts))
    frame = _view_artifacts(artifacts, {})
    budget = SizeBudget(max_chars - _RESERVED_CHARS).spend(frame)
    # Lists may use half of the budget, so that chunks of the text are of useful size.
    count = lists.count_fitting(budget.chars - max_chars // 2)
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
    truncated = lists.list_truncated(count)
    answer = make_row(
        ArtifactsView,
        shown,
        problems=list_problems(problems),
        truncated=tuple(truncated) or UNSET,
    )
    left_out = describe_truncated(truncated, _LIST_TOOLS)
    return make_overview(answer, (*notes, *left_out, *describe_problems(problems)))


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
