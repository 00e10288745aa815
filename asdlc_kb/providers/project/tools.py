"""The project tools: definitions and argument schemas."""

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from asdlc_kb.mcp.protocol.model import Tool
from asdlc_kb.mcp.protocol.pagination import Listed
from asdlc_kb.mcp.protocol.tool_schema import Arguments
from asdlc_kb.project.registry import MAX_PATH_CHARS
from asdlc_kb.providers.project import views
from asdlc_kb.providers.project.artifact_kinds import KINDS
from asdlc_kb.providers.project.asdlc_artifacts import ArtifactsView
from asdlc_kb.providers.project.context import CONTEXT_CHARS, ContextView
from asdlc_kb.providers.shared.chunks import Cursor, MaxChars
from asdlc_kb.providers.shared.listings import ToolRow, make_tools
from asdlc_kb.providers.shared.size_budget import DEFAULT_CHARS, MAX_CHARS, MIN_CHARS

MAX_NAME_CHARS: Final = 2_000
DEFAULT_LIMIT: Final = 100

MAX_QUERY_CHARS: Final = 500

ProjectPath = Annotated[
    str,
    Meta(max_length=MAX_PATH_CHARS, description="Project name; default: the first"),
]
Name = Annotated[
    str, Meta(min_length=1, max_length=MAX_NAME_CHARS, description="Name or path")
]
Limit = Annotated[int, Meta(ge=1, le=1000, description="Most rows")]
MaxContextChars = Annotated[
    int, Meta(ge=MIN_CHARS, le=MAX_CHARS, description="Most characters of the answer")
]


class _OfProject(Arguments, frozen=True, kw_only=True):
    """Common arguments of tools about one project."""

    project_path: ProjectPath | UnsetType = msgspec.field(
        default=UNSET, name="projectPath"
    )


class ListArtifacts(_OfProject, frozen=True, kw_only=True):
    """Arguments of the tools that list artifacts of a kind."""

    query: Annotated[
        str,
        Meta(max_length=MAX_QUERY_CHARS, description="Words of name or description"),
    ] = ""
    limit: Limit = DEFAULT_LIMIT
    cursor: Cursor | UnsetType = UNSET


class GetNamed(_OfProject, frozen=True, kw_only=True):
    """Arguments of the tools that get an artifact by name."""

    name: Name
    max_chars: MaxChars = DEFAULT_CHARS
    cursor: Cursor | UnsetType = UNSET


class GetSpec(_OfProject, frozen=True, kw_only=True):
    """Arguments of `get_spec`."""

    domain: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=MAX_NAME_CHARS,
            description="Domain or path",
        ),
    ]
    max_chars: MaxChars = DEFAULT_CHARS
    cursor: Cursor | UnsetType = UNSET

    @property
    def name(self) -> str:
        """The domain, as the artifact's name."""
        return self.domain


class GetArtifact(_OfProject, frozen=True, kw_only=True):
    """Arguments of `get_artifact`."""

    path: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=MAX_PATH_CHARS,
            description="Path as another tool gave it",
        ),
    ]
    max_chars: MaxChars = DEFAULT_CHARS
    cursor: Cursor | UnsetType = UNSET


class GetArtifacts(_OfProject, frozen=True, kw_only=True):
    """Arguments of `get_asdlc_artifacts`."""

    max_chars: MaxChars = DEFAULT_CHARS
    cursor: Cursor | UnsetType = UNSET


class GetContext(_OfProject, frozen=True, kw_only=True):
    """Arguments of `get_project_context`."""

    max_chars: MaxContextChars = CONTEXT_CHARS


class RulesForPath(_OfProject, frozen=True, kw_only=True):
    """Arguments of `rules_for_path`."""

    path: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=MAX_PATH_CHARS,
            description="File path; it need not exist",
        ),
    ]
    tool: Annotated[
        str,
        Meta(max_length=MAX_NAME_CHARS, description="Only what e.g. cursor reads"),
    ] = ""
    include_content: Annotated[bool, Meta(description="With the texts")] = False
    limit: Limit = DEFAULT_LIMIT
    cursor: Cursor | UnsetType = UNSET


class ListProjects(Arguments, frozen=True):
    """Arguments of `list_projects`."""


_RULES, _COMMANDS, _SKILLS, _SPECS = (
    KINDS[plural] for plural in ("rules", "commands", "skills", "specs")
)

_TOOLS: Final = (
    ToolRow(
        "get_project_context",
        "Get the project's context",
        "Call this first in a project: its AGENTS.md, then its rules, commands, "
        "skills, agents, specs and schemas with a line on each.",
        GetContext,
        ContextView,
    ),
    ToolRow(
        "rules_for_path",
        "Find the rules for a file",
        "Call this before you create or change a file: the rules and guides of any "
        "tool that apply to it, nearest first; those `requested` if their "
        "description fits the task.",
        RulesForPath,
        views.ApplyingRows,
    ),
    ToolRow(
        "list_rules",
        "List rules",
        "List the project's rules for agents with description, activation, globs "
        "and path.",
        ListArtifacts,
        _RULES.page,
    ),
    ToolRow(
        "get_rule",
        "Get a rule",
        "Get the text of a rule; null if there is none.",
        GetNamed,
        _RULES.answer,
    ),
    ToolRow(
        "list_commands",
        "List commands",
        "List the project's commands: prompts that a user runs by name.",
        ListArtifacts,
        _COMMANDS.page,
    ),
    ToolRow(
        "get_command",
        "Get a command",
        "Get the text of a command, for you to follow; null if there is none.",
        GetNamed,
        _COMMANDS.answer,
    ),
    ToolRow(
        "list_skills",
        "List skills",
        "List the project's skills with what each is for. If one fits your task, "
        "read it with get_skill before you begin.",
        ListArtifacts,
        _SKILLS.page,
    ),
    ToolRow(
        "get_skill",
        "Get a skill",
        "Get the SKILL.md of a skill and the list of its other files, which "
        "get_artifact reads; null if there is none.",
        GetNamed,
        _SKILLS.answer,
    ),
    ToolRow(
        "list_specs",
        "List specifications",
        "List the project's specifications with domain, status and documents.",
        ListArtifacts,
        _SPECS.page,
    ),
    ToolRow(
        "get_spec",
        "Get a specification",
        "Get the text of a specification; null if there is none.",
        GetSpec,
        _SPECS.answer,
    ),
    ToolRow(
        "get_asdlc_artifacts",
        "Get AGENTS.md, specifications and schemas",
        "Get AGENTS.md with its mission, commands, boundaries and sections, and "
        "lists of the specifications, schemas and other guides.",
        GetArtifacts,
        ArtifactsView,
    ),
    ToolRow(
        "get_artifact",
        "Read a file of an artifact",
        "Read any file that another tool names: a skill's files, agents, documents "
        "of specs, schemas, guides and their imports.",
        GetArtifact,
        views.FileView,
    ),
)

_LIST_PROJECTS: Final = ToolRow(
    "list_projects",
    "List projects",
    "List the names for projectPath, the default first.",
    ListProjects,
    views.ProjectRows,
)


@cache
def tool_definitions(*, has_several: bool = False) -> Sequence[Listed[Tool]]:
    """Return the tools; `list_projects` only where there are several projects."""
    return make_tools((*_TOOLS, _LIST_PROJECTS) if has_several else _TOOLS)
