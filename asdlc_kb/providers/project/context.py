"""All of a project at once: AGENTS.md, specifications, schemas, or really everything.

Such an answer must have room for projects of any size. So lists are cut, and the text
of AGENTS.md; what was cut is named, with how much there is of it.
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
"""Rows of one list."""

_ATTEMPTS: Final = 10
"""At an answer of the right size: as near as a thousandth."""

_MAX_IMPORTS: Final = 20
_MAX_LINE_CHARS: Final = 300
"""Characters of one line of what an AGENTS.md says."""


class LabelledRow(ToolAnswer, frozen=True):
    """A text under a label."""

    label: str
    text: str


class SectionRow(ToolAnswer, frozen=True):
    """A heading and the lines to the next one, counted from 0."""

    level: int
    title: str
    start_line: int
    end_line: int


class BoundariesView(ToolAnswer, frozen=True):
    """What an agent does unasked, asks about, and never does."""

    always: tuple[str, ...]
    ask: tuple[str, ...]
    never: tuple[str, ...]


class AgentsMdView(ToolAnswer, frozen=True, kw_only=True):
    """The AGENTS.md at the top: what it says, and its text or a part of it."""

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
    """A file that a guide asks to be read as well."""

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
    """A list or text of which not all is here: rows, or characters."""

    part: str
    shown: int
    total: int


class ArtifactsPart(ToolAnswer, frozen=True, kw_only=True):
    """What says how to work (seed 003: AsdlcArtifacts)."""

    agents_md: AgentsMdView
    specs: SpecsView
    schemas: SchemasView
    has_any_artifacts: bool
    guides: tuple[GuideRow, ...]


class ArtifactsView(ArtifactsPart, frozen=True, kw_only=True):
    """The same as an answer of its own."""

    problems: tuple[ProblemRow, ...] | UnsetType = UNSET
    truncated: tuple[TruncatedRow, ...] | UnsetType = UNSET


class ContextView(ToolAnswer, frozen=True, kw_only=True):
    """All artifacts of a project at one moment (seed 003: ProjectContext)."""

    project_path: str
    timestamp: str
    rules: tuple[RuleRow, ...]
    commands: tuple[CommandRow, ...]
    skills: tuple[SkillRow, ...]
    agents: tuple[AgentRow, ...]
    asdlc_artifacts: ArtifactsPart
    problems: tuple[ProblemRow, ...] | UnsetType = UNSET
    truncated: tuple[TruncatedRow, ...] | UnsetType = UNSET


class _Cuts:
    """Cuts lists to a length, and notes which had more."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._notes: list[TruncatedRow] = []

    def rows(self, part: str, items: Sequence[T]) -> tuple[T, ...]:
        """Return the first rows of a list."""
        self.note(part, min(len(items), self._most), len(items))
        return tuple(items[: self._most])

    def note(self, part: str, shown: int, total: int) -> None:
        """Note how much of a part is shown, if that is not all."""
        if shown < total:
            self._notes.append(TruncatedRow(part, shown, total))

    @property
    def notes(self) -> tuple[TruncatedRow, ...] | UnsetType:
        """What was cut; nothing where nothing was."""
        return tuple(self._notes) or UNSET


class _Rows:
    """The artifacts of a project as rows, made once for all attempts at an answer."""

    def __init__(self, artifacts: AsdlcArtifacts) -> None:
        self._artifacts = artifacts
        self._specs = make_rows(SpecRow, artifacts.specs.specs[:MAX_ROWS])
        self._schemas = make_rows(SchemaRow, artifacts.schemas.schemas[:MAX_ROWS])
        self._guides = tuple(map(_view_guide, artifacts.guides))

    def view(self, cuts: _Cuts, text: dict[str, Any]) -> ArtifactsPart:
        """Return the artifacts with as much of their lists as cuts leave."""
        specs, schemas = self._artifacts.specs, self._artifacts.schemas
        agents_md = AgentsMdView(exists=False)
        found = self._artifacts.agents_md
        if found.exists:
            said = _view_meaning(found.meaning or AgentsMdSections(), cuts)
            agents_md = AgentsMdView(
                exists=True, path=found.path or UNSET, **said, **text
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
    """Return an answer about the artifacts, with a part of the AGENTS.md."""
    text = artifacts.agents_md.content
    rows_of = _Rows(artifacts)

    def make(most: int, rows: int, *, has_text: bool = True) -> ToolResult:
        cuts = _Cuts(rows)
        said: dict[str, Any] = {}
        if text is not None and has_text:
            said = describe_part(
                take_chunk(text, most, cursor, lambda: split_sections(text))
            )
            said.pop("outline", None)
        shown = rows_of.view(cuts, said)
        answer = make_row(ArtifactsView, shown, problems=problems, truncated=cuts.notes)
        return make_result(answer)

    room = max_answer_chars(max_chars, DEFAULT_CHARS)

    def weigh(rows: int) -> int:
        return measure_answer(make(0, rows, has_text=False))

    # Lists may take half of it, so that parts of the text are worth asking for.
    rows = _find_max(weigh, 0, MAX_ROWS, room // 2)
    return shrink_to_budget(
        lambda most: make(most, rows), max_chars, room, least=MIN_CHARS
    )


def show_context(context: ProjectContext, project_path: str) -> ToolResult:
    """Return an answer about everything; the text of AGENTS.md is cut before lists."""
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

    def make(most: int, rows: int) -> ToolResult:
        cuts = _Cuts(rows)
        shown = {part: cuts.rows(part, items) for part, items in lists.items()}
        said: dict[str, Any] = {}
        if artifacts.agents_md.exists:
            said = {"content": _cut_lines(text, most)}
            cuts.note("agentsMd.content", len(said["content"]), len(text))
        return make_result(
            ContextView(
                project_path=project_path,
                timestamp=context.timestamp,
                **shown,
                asdlc_artifacts=rows_of.view(cuts, said),
                problems=problems,
                truncated=cuts.notes,
            )
        )

    room = max_answer_chars(DEFAULT_CHARS, DEFAULT_CHARS)
    least = min(len(text), MIN_CHARS)
    rows = _find_max(lambda n: measure_answer(make(least, n)), 0, MAX_ROWS, room)
    most = min(len(text), DEFAULT_CHARS)
    return make(
        _find_max(lambda n: measure_answer(make(n, rows)), least, most, room), rows
    )


def _find_max(weigh: Callable[[int], int], least: int, most: int, room: int) -> int:
    """Return how much may be in an answer that is to have room; `least` in any case.

    What an answer weighs grows with what is in it.
    """
    if weigh(most) <= room:
        return most
    for _ in range(_ATTEMPTS):
        tried = (least + most) // 2
        if tried == least:
            break
        if weigh(tried) <= room:
            least = tried
        else:
            most = tried
    return least


def _view_meaning(meaning: AgentsMdSections, cuts: _Cuts) -> dict[str, Any]:
    """Return what was understood of an AGENTS.md, empty fields left out."""
    said: dict[str, Any] = {}
    for name in ("mission", "philosophy"):
        if words := getattr(meaning, name):
            said[name] = cut_words(words)
    labelled = (
        ("tech_stack", "techStack", meaning.tech_stack),
        ("toolchain", "toolchain", meaning.toolchain),
        ("personas", "personas", meaning.personas),
    )
    for name, part, rows in labelled:
        shown = cuts.rows(f"agentsMd.{part}", rows)
        if shown:
            said[name] = tuple(LabelledRow(*_cut_each(row)) for row in shown)
    sections = cuts.rows("agentsMd.sections", meaning.sections)
    if sections:
        said["sections"] = tuple(
            SectionRow(s.level, cut_words(s.title, _MAX_LINE_CHARS), *s[2:])
            for s in sections
        )
    if meaning.boundaries is not None:
        tiers = (
            cuts.rows(f"agentsMd.boundaries.{tier}", getattr(meaning.boundaries, tier))
            for tier in BoundariesView.__struct_fields__
        )
        said["boundaries"] = BoundariesView(*map(_cut_each, tiers))
    return said


def _view_guide(guide: AgentGuide) -> GuideRow:
    imports = make_rows(ImportRow, guide.imports[:_MAX_IMPORTS])
    return make_row(GuideRow, guide, imports=imports or UNSET)


def _cut_each(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(cut_words(line, _MAX_LINE_CHARS) for line in lines)


def _cut_lines(text: str, most: int) -> str:
    """Return the first lines of a text, as many as have room."""
    if len(text) <= most:
        return text
    return text[: text.rfind("\n", 0, most) + 1] or text[:most]
