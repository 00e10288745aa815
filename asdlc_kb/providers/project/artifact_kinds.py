"""Table of the artifact kinds that are listed and read by name.

It has the per-kind data of tools and resources, so that their code is generic.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import GenericAlias
from typing import Any, Final, TypeVar

from msgspec import UNSET, Struct, UnsetType, defstruct

from asdlc_kb.mcp.protocol.tool_schema import ToolAnswer
from asdlc_kb.project.commands import get_command, scan_commands
from asdlc_kb.project.guide_texts import get_guide_text, scan_guide_texts
from asdlc_kb.project.name_lookup import Named
from asdlc_kb.project.real_files import Linkable
from asdlc_kb.project.rules import get_rule, scan_rules
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.schemas import get_schema, scan_schemas
from asdlc_kb.project.skills import get_skill, scan_skills
from asdlc_kb.project.specs import get_spec, scan_specs
from asdlc_kb.providers.project import views
from asdlc_kb.providers.shared.chunks import OutlineEntry
from asdlc_kb.providers.shared.media_types import JSON, MARKDOWN

_ALLOWED_TOOLS: Final = ("allowed_tools", tuple[str, ...] | UnsetType, UNSET)
_MODEL: Final = ("model", str | UnsetType, UNSET)

_FILES: Final = ("files", tuple[views.FileRow, ...] | UnsetType, UNSET)

_TEXT_FIELDS: Final = (
    ("content", str),
    ("characters", int | UnsetType, UNSET),
    ("start", int | UnsetType, UNSET),
    ("end", int | UnsetType, UNSET),
    ("outline", tuple[OutlineEntry, ...] | UnsetType, UNSET),
    ("next_cursor", str | UnsetType, UNSET),
)
"""The fields of a text, or of a chunk of it."""


T = TypeVar("T", bound=Named)


@dataclass(frozen=True)
class ArtifactKind:
    """One kind of artifact."""

    plural: str
    singular: str
    row: type[Struct]
    """An artifact in a list, without its text."""
    scan: Callable[[ProjectScanner], Sequence[Linkable]]
    """List the artifacts in order of precedence."""
    find: Callable[[ProjectScanner, str], Linkable | None]
    """Return the artifact with a name or path, or None."""
    parameter: str = "name"
    """The variable for the name in its URI template."""
    mime_type: str = MARKDOWN
    """The media type of one artifact."""
    text: str = "source"
    """The attribute with the whole file."""
    full_name: str = ""
    """The singular in titles and messages, if it is not the one in names."""
    view_fields: tuple[tuple[str, Any, Any], ...] = ()
    """Fields that only an artifact requested by name has."""

    @property
    def noun(self) -> str:
        """The singular in titles and messages."""
        return self.full_name or self.singular

    @property
    def title(self) -> str:
        """The plural as a title."""
        return f"{self.noun}s".capitalize()

    @cached_property
    def page(self) -> type[Struct]:
        """The answer of the tool that lists the artifacts: a page of rows."""
        rows = GenericAlias(tuple, (self.row, ...))
        return _define(views.ArtifactsPage, (self.plural, rows))

    @cached_property
    def view(self) -> type[Struct]:
        """An artifact with its text, or a chunk of it."""
        return _define(self.row, *self.view_fields, *_TEXT_FIELDS)

    @cached_property
    def answer(self) -> type[Struct]:
        """The answer of the tool that gets an artifact: null if there is none."""
        return _define(ToolAnswer, (self.singular, self.view | None))


def _define(base: type[Struct], *fields: tuple[Any, ...]) -> type[Struct]:
    """Return a subclass of a struct with further fields."""
    return defstruct(base.__name__, fields, bases=(base,), frozen=True, kw_only=True)


_ROWS: Final = (
    ArtifactKind("rules", "rule", views.RuleRow, scan_rules, get_rule),
    ArtifactKind(
        "commands",
        "command",
        views.CommandRow,
        scan_commands,
        get_command,
        view_fields=(_ALLOWED_TOOLS, _MODEL),
    ),
    ArtifactKind(
        "skills",
        "skill",
        views.SkillRow,
        scan_skills,
        get_skill,
        view_fields=(_ALLOWED_TOOLS, _FILES),
    ),
    ArtifactKind(
        "specs",
        "spec",
        views.SpecRow,
        scan_specs,
        get_spec,
        parameter="domain",
        full_name="specification",
    ),
    ArtifactKind(
        "schemas",
        "schema",
        views.SchemaRow,
        scan_schemas,
        get_schema,
        mime_type=JSON,
        text="content",
    ),
    ArtifactKind(
        "guides",
        "guide",
        views.GuideTextRow,
        scan_guide_texts,
        get_guide_text,
        parameter="path",
        text="content",
    ),
)

KINDS: Final = {kind.plural: kind for kind in _ROWS}
"""Every kind by its plural."""


def index_by_name(artifacts: Iterable[T]) -> dict[str, T]:
    """Return artifacts by name; of those that share one, the first."""
    by_name: dict[str, T] = {}
    for artifact in artifacts:
        by_name.setdefault(artifact.name, artifact)
    return by_name
