"""Results with all artifacts of a project: AGENTS.md, specifications, schemas, context.

To fit projects of any size, lists and the text of AGENTS.md are truncated; the
truncated parts are listed with their totals.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Literal, TypeVar

from msgspec import UNSET, UnsetType

from asdlc_kb.markup.sections import split_sections
from asdlc_kb.mcp.protocol.model import ToolResult
from asdlc_kb.mcp.protocol.tool_schema import ToolAnswer
from asdlc_kb.project.agent_guides import AgentGuide
from asdlc_kb.project.agents_md import AgentsMdSections
from asdlc_kb.project.context import AsdlcArtifacts, ProjectContext
from asdlc_kb.providers.project.views import (
    AgentRow,
    CommandRow,
    ProblemRow,
    RuleRow,
    SchemaRow,
    SkillRow,
    SpecRow,
    cut_words,
    describe_part,
    list_problems,
    make_result,
    make_row,
    make_rows,
)
from asdlc_kb.providers.shared.chunks import DEFAULT_CHARS, MIN_CHARS, take_chunk
from asdlc_kb.providers.shared.size_budget import (
    max_answer_chars,
    measure_answer,
    shrink_to_budget,
)

T = TypeVar("T")

MAX_ROWS: Final = 1_000
"""Maximum rows per list."""

_ATTEMPTS: Final = 10
"""Bisection steps for the size of a result: accurate to a thousandth."""

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


class _Truncation:
    """Truncates lists to a length, and records which were longer."""

    def __init__(self, max_rows: int) -> None:
        self._max_rows = max_rows
        self._truncated: list[TruncatedRow] = []

    def rows(self, part: str, items: Sequence[T]) -> tuple[T, ...]:
        """Return the first rows of a list."""
        self.record(part, min(len(items), self._max_rows), len(items))
        return tuple(items[: self._max_rows])

    def record(self, part: str, shown: int, total: int) -> None:
        """Record a part that is not shown completely."""
        if shown < total:
            self._truncated.append(TruncatedRow(part, shown, total))

    @property
    def truncated(self) -> tuple[TruncatedRow, ...] | UnsetType:
        """The truncated parts, or UNSET without any."""
        return tuple(self._truncated) or UNSET


class _Rows:
    """The artifacts of a project as rows, built once for all attempts at a result."""

    def __init__(self, artifacts: AsdlcArtifacts) -> None:
        self._artifacts = artifacts
        self._specs = make_rows(SpecRow, artifacts.specs.specs[:MAX_ROWS])
        self._schemas = make_rows(SchemaRow, artifacts.schemas.schemas[:MAX_ROWS])
        self._guides = tuple(map(_view_guide, artifacts.guides))

    def view(self, cuts: _Truncation, text: dict[str, Any]) -> ArtifactsPart:
        """Return the artifacts with truncated lists."""
        specs, schemas = self._artifacts.specs, self._artifacts.schemas
        agents_md = AgentsMdView(exists=False)
        source = self._artifacts.agents_md
        if source.exists:
            fields = _view_sections(source.meaning or AgentsMdSections(), cuts)
            agents_md = AgentsMdView(
                exists=True, path=source.path or UNSET, **fields, **text
            )
        return ArtifactsPart(
            agents_md=agents_md,
            specs=SpecsView(
                specs.exists, len(specs.specs), cuts.rows("specs", self._specs)
            ),
            schemas=SchemasView(
                schemas.exists,
                len(schemas.schemas),
                cuts.rows("schemas", self._schemas),
            ),
            has_any_artifacts=self._artifacts.has_any_artifacts,
            guides=cuts.rows("guides", self._guides),
        )


def show_artifacts(
    artifacts: AsdlcArtifacts,
    problems: tuple[ProblemRow, ...] | UnsetType,
    *,
    max_chars: int,
    cursor: str | None,
) -> ToolResult:
    """Return a result with the artifacts and a chunk of the AGENTS.md."""
    text = artifacts.agents_md.content
    rows_of = _Rows(artifacts)

    def make(size: int, rows: int, *, has_text: bool = True) -> ToolResult:
        cuts = _Truncation(rows)
        fields: dict[str, Any] = {}
        if text is not None and has_text:
            fields = describe_part(
                take_chunk(text, size, cursor, lambda: split_sections(text))
            )
            fields.pop("outline", None)
        shown = rows_of.view(cuts, fields)
        truncated = cuts.truncated
        answer = make_row(ArtifactsView, shown, problems=problems, truncated=truncated)
        return make_result(answer)

    budget = max_answer_chars(max_chars, DEFAULT_CHARS)

    def measure(rows: int) -> int:
        return measure_answer(make(0, rows, has_text=False))

    # Lists may use half of the budget, so that chunks of the text are of useful size.
    rows = _find_max(measure, 0, MAX_ROWS, budget // 2)
    return shrink_to_budget(
        lambda size: make(size, rows), max_chars, budget, minimum=MIN_CHARS
    )


def show_context(context: ProjectContext, project_path: str) -> ToolResult:
    """Return a result with the whole context; truncate AGENTS.md before lists."""
    artifacts = context.asdlc_artifacts
    text = artifacts.agents_md.content or ""
    rows_of = _Rows(artifacts)
    lists: dict[str, tuple[Any, ...]] = {
        "rules": make_rows(RuleRow, context.rules),
        "commands": make_rows(CommandRow, context.commands),
        "skills": make_rows(SkillRow, context.skills),
        "agents": make_rows(AgentRow, context.agents),
    }
    problems = list_problems(context.problems)

    def make(size: int, rows: int) -> ToolResult:
        cuts = _Truncation(rows)
        shown = {part: cuts.rows(part, items) for part, items in lists.items()}
        fields: dict[str, Any] = {}
        if artifacts.agents_md.exists:
            fields = {"content": _cut_lines(text, size)}
            cuts.record("agentsMd.content", len(fields["content"]), len(text))
        return make_result(
            ContextView(
                project_path=project_path,
                timestamp=context.timestamp,
                **shown,
                asdlc_artifacts=rows_of.view(cuts, fields),
                problems=problems,
                truncated=cuts.truncated,
            )
        )

    budget = max_answer_chars(DEFAULT_CHARS, DEFAULT_CHARS)
    low = min(len(text), MIN_CHARS)
    rows = _find_max(lambda n: measure_answer(make(low, n)), 0, MAX_ROWS, budget)
    high = min(len(text), DEFAULT_CHARS)
    return make(
        _find_max(lambda n: measure_answer(make(n, rows)), low, high, budget), rows
    )


def _find_max(measure: Callable[[int], int], low: int, high: int, budget: int) -> int:
    """Bisect for the largest amount that fits the budget; at least `low`.

    The size of a result grows with the amount.
    """
    if measure(high) <= budget:
        return high
    for _ in range(_ATTEMPTS):
        middle = (low + high) // 2
        if middle == low:
            break
        if measure(middle) <= budget:
            low = middle
        else:
            high = middle
    return low


def _view_sections(parsed: AgentsMdSections, cuts: _Truncation) -> dict[str, Any]:
    """Return the parsed sections of an AGENTS.md, without empty fields."""
    fields: dict[str, Any] = {}
    for name in ("mission", "philosophy"):
        if words := getattr(parsed, name):
            fields[name] = cut_words(words)
    labelled = (
        ("tech_stack", "techStack", parsed.tech_stack),
        ("toolchain", "toolchain", parsed.toolchain),
        ("personas", "personas", parsed.personas),
    )
    for name, part, rows in labelled:
        shown = cuts.rows(f"agentsMd.{part}", rows)
        if shown:
            fields[name] = tuple(LabelledRow(*_cut_words(row)) for row in shown)
    sections = cuts.rows("agentsMd.sections", parsed.sections)
    if sections:
        fields["sections"] = tuple(
            SectionRow(s.level, cut_words(s.title, _MAX_LINE_CHARS), *s[2:])
            for s in sections
        )
    if parsed.boundaries is not None:
        tiers = (
            cuts.rows(f"agentsMd.boundaries.{tier}", getattr(parsed.boundaries, tier))
            for tier in BoundariesView.__struct_fields__
        )
        fields["boundaries"] = BoundariesView(*map(_cut_words, tiers))
    return fields


def _view_guide(guide: AgentGuide) -> GuideRow:
    imports = make_rows(ImportRow, guide.imports[:_MAX_IMPORTS])
    return make_row(GuideRow, guide, imports=imports or UNSET)


def _cut_words(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(cut_words(line, _MAX_LINE_CHARS) for line in lines)


def _cut_lines(text: str, max_chars: int) -> str:
    """Truncate a text, at a line break if possible."""
    if len(text) <= max_chars:
        return text
    return text[: text.rfind("\n", 0, max_chars) + 1] or text[:max_chars]
