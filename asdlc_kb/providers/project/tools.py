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
from asdlc_kb.providers.project.context import ArtifactsView, ContextView
from asdlc_kb.providers.shared.chunks import Cursor, MaxChars
from asdlc_kb.providers.shared.listings import ToolRow, make_tools
from asdlc_kb.providers.shared.size_budget import DEFAULT_CHARS

MAX_NAME_CHARS: Final = 2_000
DEFAULT_LIMIT: Final = 100

ProjectPath = Annotated[
    str,
    Meta(
        max_length=MAX_PATH_CHARS,
        description="The project, as list_projects names it; by default the first",
    ),
]
Name = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=MAX_NAME_CHARS,
        description="Its name, or its path in the project",
    ),
]
Limit = Annotated[int, Meta(ge=1, le=1000, description="The most to return")]


class _OfProject(Arguments, frozen=True, kw_only=True):
    """Common arguments of tools about one project."""

    project_path: ProjectPath | UnsetType = msgspec.field(
        default=UNSET, name="projectPath"
    )


class ListArtifacts(_OfProject, frozen=True, kw_only=True):
    """Arguments of the tools that list artifacts of a kind."""

    limit: Limit = DEFAULT_LIMIT
    cursor: Cursor | UnsetType = UNSET


class GetArtifact(_OfProject, frozen=True, kw_only=True):
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
            description="Its folder below specs/, or its path in the project",
        ),
    ]
    max_chars: MaxChars = DEFAULT_CHARS
    cursor: Cursor | UnsetType = UNSET

    @property
    def name(self) -> str:
        """The domain, as the artifact's name."""
        return self.domain


class GetArtifacts(_OfProject, frozen=True, kw_only=True):
    """Arguments of `get_asdlc_artifacts`."""

    max_chars: MaxChars = DEFAULT_CHARS
    cursor: Cursor | UnsetType = UNSET


class GetContext(_OfProject, frozen=True, kw_only=True):
    """Arguments of `get_project_context`."""


class RulesForPath(_OfProject, frozen=True, kw_only=True):
    """Arguments of `rules_for_path`."""

    path: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=MAX_PATH_CHARS,
            description="A file of the project, there or not yet, from its top",
        ),
    ]
    include_content: Annotated[
        bool, Meta(description="Return their texts too, the first part of long ones")
    ] = False
    limit: Limit = DEFAULT_LIMIT
    cursor: Cursor | UnsetType = UNSET


class ListProjects(Arguments, frozen=True):
    """Arguments of `list_projects`."""


_RULES, _COMMANDS, _SKILLS, _SPECS = (
    KINDS[plural] for plural in ("rules", "commands", "skills", "specs")
)

_TOOLS: Final = (
    ToolRow(
        "list_rules",
        "List rules",
        "List the project's rules for agents (.cursor/rules, .claude/rules) with "
        "what each is about, when it is attached and its path. To learn which "
        "apply to a file, rules_for_path is quicker.",
        ListArtifacts,
        _RULES.page,
    ),
    ToolRow(
        "get_rule",
        "Get a rule",
        "Get one rule of the project with its full text; null if there is none "
        "of that name.",
        GetArtifact,
        _RULES.answer,
    ),
    ToolRow(
        "list_commands",
        "List commands",
        "List the project's commands (.cursor/commands, .claude/commands): "
        "prepared instructions that a user may call by name.",
        ListArtifacts,
        _COMMANDS.page,
    ),
    ToolRow(
        "get_command",
        "Get a command",
        "Get one command of the project with its full text, which is to be "
        "followed and is not run here; null if there is none of that name.",
        GetArtifact,
        _COMMANDS.answer,
    ),
    ToolRow(
        "list_skills",
        "List skills",
        "List the project's skills with what each is for. When one fits the task, "
        "read it with get_skill before you begin.",
        ListArtifacts,
        _SKILLS.page,
    ),
    ToolRow(
        "get_skill",
        "Get a skill",
        "Get one skill of the project with the full text of its SKILL.md; null if "
        "there is none of that name.",
        GetArtifact,
        _SKILLS.answer,
    ),
    ToolRow(
        "list_specs",
        "List specifications",
        "List the project's specifications (specs/*/spec.md) with domain, status "
        "and the documents that belong to each.",
        ListArtifacts,
        _SPECS.page,
    ),
    ToolRow(
        "get_spec",
        "Get a specification",
        "Get one specification of the project with its full text by its domain, "
        "as list_specs names it; null if there is none.",
        GetSpec,
        _SPECS.answer,
    ),
    ToolRow(
        "get_asdlc_artifacts",
        "Get AGENTS.md, specifications and schemas",
        "Get the project's AGENTS.md with what it says of mission, commands and "
        "boundaries, and the lists of its specifications, schemas and further "
        "AGENTS.md and CLAUDE.md files. A long AGENTS.md comes in parts.",
        GetArtifacts,
        ArtifactsView,
    ),
    ToolRow(
        "get_project_context",
        "Get the project's context",
        "Get an overview of everything an agent should know of the project: rules, "
        "commands, skills, agents, AGENTS.md, specifications, schemas, without "
        "their texts. What had no room is named in `truncated`.",
        GetContext,
        ContextView,
    ),
    ToolRow(
        "rules_for_path",
        "Find the rules for a file",
        "Find which rules, AGENTS.md and CLAUDE.md files apply to a file of the "
        "project, nearest first, and why. Ask before you change or create it.",
        RulesForPath,
        views.ApplyingRows,
    ),
    ToolRow(
        "list_projects",
        "List projects",
        "List the projects that the other tools can be asked about; the first is "
        "the one they are about by default.",
        ListProjects,
        views.ProjectRows,
    ),
)


@cache
def tool_definitions() -> Sequence[Listed[Tool]]:
    """Return the tools, identical for every project."""
    return make_tools(_TOOLS)
