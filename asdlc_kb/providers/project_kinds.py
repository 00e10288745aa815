"""The kinds of artifacts that are listed and read by name: one row each.

What a tool or a resource of one kind needs is here, so that none of them is written
four times.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from asdlc_kb.mcp.schema import Answer
from asdlc_kb.project.commands import get_command, list_commands
from asdlc_kb.project.rules import get_rule, list_rules
from asdlc_kb.project.schemas import get_schema, list_schemas
from asdlc_kb.project.skills import get_skill, list_skills
from asdlc_kb.project.specs import get_spec, list_specs
from asdlc_kb.project.survey import Survey
from asdlc_kb.providers import project_views as views


class Listable(Protocol):
    """An artifact in a list."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def path(self) -> str:
        """Where it is, as it is told."""
        ...


@dataclass(frozen=True, slots=True)
class Kind:
    """Artifacts of one kind."""

    plural: str
    singular: str
    row: type[Answer]
    scan: Callable[[Survey], Sequence[Listable]]
    """Lists them, in their order of precedence."""
    find: Callable[[Survey, str], Any]
    """Returns the one of a name or path, or None."""
    parameter: str = "name"
    """What the name is called in its template."""
    mime_type: str = views.MARKDOWN
    """Of one of them."""
    text: str = "source"
    """The field that has the whole file."""
    lists: type[Answer] | None = None
    """The answer that lists them; None where no tool does."""
    view: type[Answer] | None = None
    one: type[Answer] | None = None
    """The answer that has one of them."""


_ROWS: Final = (
    Kind(
        "rules",
        "rule",
        views.RuleRow,
        list_rules,
        get_rule,
        lists=views.Rules,
        view=views.RuleView,
        one=views.OneRule,
    ),
    Kind(
        "commands",
        "command",
        views.CommandRow,
        list_commands,
        get_command,
        lists=views.Commands,
        view=views.CommandView,
        one=views.OneCommand,
    ),
    Kind(
        "skills",
        "skill",
        views.SkillRow,
        list_skills,
        get_skill,
        lists=views.Skills,
        view=views.SkillView,
        one=views.OneSkill,
    ),
    Kind(
        "specs",
        "spec",
        views.SpecRow,
        list_specs,
        get_spec,
        parameter="domain",
        lists=views.Specs,
        view=views.SpecView,
        one=views.OneSpec,
    ),
    Kind(
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
"""Every kind, by what several of it are called."""
