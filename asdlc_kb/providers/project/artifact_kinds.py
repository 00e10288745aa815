"""Table of the artifact kinds that are listed and read by name.

It has the per-kind data of tools and resources, so that their code is generic.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from asdlc_kb.mcp.protocol.tool_schema import ToolAnswer
from asdlc_kb.project.commands import get_command, list_commands
from asdlc_kb.project.rules import get_rule, list_rules
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.schemas import get_schema, list_schemas
from asdlc_kb.project.skills import get_skill, list_skills
from asdlc_kb.project.specs import get_spec, list_specs
from asdlc_kb.providers.project import views


class Listable(Protocol):
    """An artifact in a list."""

    @property
    def name(self) -> str:
        """The artifact's name."""
        ...

    @property
    def path(self) -> str:
        """The artifact's display path."""
        ...


@dataclass(frozen=True, slots=True)
class ArtifactKind:
    """One kind of artifact."""

    plural: str
    singular: str
    row: type[ToolAnswer]
    scan: Callable[[ProjectScanner], Sequence[Listable]]
    """List the artifacts in order of precedence."""
    find: Callable[[ProjectScanner, str], Any]
    """Return the artifact with a name or path, or None."""
    parameter: str = "name"
    """The variable for the name in its URI template."""
    mime_type: str = views.MARKDOWN
    """The media type of one artifact."""
    text: str = "source"
    """The attribute with the whole file."""
    lists: type[ToolAnswer] | None = None
    """The answer of the list tool; None without such a tool."""
    view: type[ToolAnswer] | None = None
    one: type[ToolAnswer] | None = None
    """The answer of the get tool."""


_ROWS: Final = (
    ArtifactKind(
        "rules",
        "rule",
        views.RuleRow,
        list_rules,
        get_rule,
        lists=views.RulesView,
        view=views.RuleView,
        one=views.OneRule,
    ),
    ArtifactKind(
        "commands",
        "command",
        views.CommandRow,
        list_commands,
        get_command,
        lists=views.CommandsView,
        view=views.CommandView,
        one=views.OneCommand,
    ),
    ArtifactKind(
        "skills",
        "skill",
        views.SkillRow,
        list_skills,
        get_skill,
        lists=views.SkillsView,
        view=views.SkillView,
        one=views.OneSkill,
    ),
    ArtifactKind(
        "specs",
        "spec",
        views.SpecRow,
        list_specs,
        get_spec,
        parameter="domain",
        lists=views.SpecListView,
        view=views.SpecView,
        one=views.OneSpec,
    ),
    ArtifactKind(
        "schemas",
        "schema",
        views.SchemaRow,
        list_schemas,
        get_schema,
        mime_type=views.JSON,
        text="content",
    ),
)

KINDS: Final = {kind.plural: kind for kind in _ROWS}
"""Every kind by its plural."""
