"""Places of commands, skills and agents, by tool, in order of precedence.

One row for each folder, as the documentation of the tool that defines it states it,
with the page and the date of its text. A new tool is new rows here, in `locations`,
`tool_names` and `link_targets`, and a fixture in the tests. A folder of a tool is
looked up in every folder of a project: a tool that is started there, or works there,
reads it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from asdlc_kb.project.instruction_places import Documentation
from asdlc_kb.project.locations import Platform
from asdlc_kb.project.placeholders import Form


@dataclass(frozen=True, slots=True)
class ArtifactPlace:
    """A folder from which a tool reads commands, skills or agents."""

    tool: Platform
    """The tool that defines it; others may read it too."""
    folder: str
    """In the tool's hidden folder, or at the top of the project."""
    documentation: Documentation
    suffixes: tuple[str, ...] = (".md",)
    """Of its files; the longest first."""
    is_global: bool = False
    """Whether it is read in a home directory too, if that is enabled."""
    placeholders: tuple[Form, ...] = ()
    """For arguments, in the texts of its commands."""

    @property
    def holder(self) -> str:
        """The tool's hidden folder; empty for a folder at the top."""
        return self.folder.partition("/")[0] if self.folder.startswith(".") else ""


@dataclass(frozen=True, slots=True)
class ArtifactPlaces:
    """All places of one kind of artifact."""

    plugin_folder: str
    """The folder of the kind in a plugin
    (https://code.claude.com/docs/en/plugins-reference, as of 2026-08-22)."""
    places: Sequence[ArtifactPlace]


_AGENT_SKILLS: Final = Documentation(
    "https://agentskills.io/client-implementation/adding-skills-support", "2026-11-27"
)
_AUGMENT_COMMANDS: Final = Documentation(
    "https://docs.augmentcode.com/cli/custom-commands", "2026-11-27"
)
_AUGMENT_SKILLS: Final = Documentation(
    "https://docs.augmentcode.com/cli/skills", "2026-11-27"
)
_CLAUDE_AGENTS: Final = Documentation(
    "https://code.claude.com/docs/en/sub-agents", "2026-08-22"
)
_CLAUDE_SKILLS: Final = Documentation(
    "https://code.claude.com/docs/en/skills", "2026-08-22"
)
_CLINE_SKILLS: Final = Documentation(
    "https://docs.cline.bot/customization/skills", "2026-08-22"
)
_CLINE_WORKFLOWS: Final = Documentation(
    "https://docs.cline.bot/customization/workflows", "2026-08-22"
)
_CODEX_AGENTS: Final = Documentation(
    "https://developers.openai.com/codex/subagents", "2026-05-07"
)
_CODEX_SKILLS: Final = Documentation(
    "https://developers.openai.com/codex/skills", "2026-05-07"
)
_CONTINUE_PROMPTS: Final = Documentation(
    "https://docs.continue.dev/customize/deep-dives/prompts", "2026-06-18"
)
_COPILOT_AGENTS: Final = Documentation(
    "https://code.visualstudio.com/docs/copilot/customization/custom-agents",
    "2026-01-08",
)
_COPILOT_PROMPTS: Final = Documentation(
    "https://code.visualstudio.com/docs/copilot/customization/prompt-files",
    "2026-01-08",
)
_COPILOT_SKILLS: Final = Documentation(
    "https://code.visualstudio.com/docs/copilot/customization/agent-skills",
    "2026-01-08",
)
_CURSOR_AGENTS: Final = Documentation("https://cursor.com/docs/subagents", "2026-09-28")
_CURSOR_SKILLS: Final = Documentation(
    "https://cursor.com/help/customization/skills", "2026-09-28"
)
_GEMINI_AGENTS: Final = Documentation(
    "https://github.com/google-gemini/gemini-cli/blob/5411f113/docs/core/subagents.md",
    "2026-08-21",
)
_GEMINI_COMMANDS: Final = Documentation(
    "https://github.com/google-gemini/gemini-cli/blob/5411f113/"
    "docs/cli/custom-commands.md",
    "2026-08-21",
)
_GEMINI_SKILLS: Final = Documentation(
    "https://github.com/google-gemini/gemini-cli/blob/5411f113/docs/cli/skills.md",
    "2026-08-21",
)
_JUNIE_SKILLS: Final = Documentation(
    "https://www.jetbrains.com/help/air/skills.html", "2026-05-06"
)
_KIRO_SKILLS: Final = Documentation("https://kiro.dev/docs/cli/skills/", "2026-02-17")
_OPENCODE_AGENTS: Final = Documentation("https://opencode.ai/docs/agents", "2026-11-27")
_OPENCODE_COMMANDS: Final = Documentation(
    "https://opencode.ai/docs/commands", "2026-11-27"
)
_OPENCODE_SKILLS: Final = Documentation("https://opencode.ai/docs/skills", "2026-11-27")
_PUBLISHED_SKILLS: Final = Documentation(
    "https://github.com/vercel-labs/skills", "2026-11-27"
)
_ROO_COMMANDS: Final = Documentation(
    "https://docs.roocode.com/features/slash-commands", "2026-04-14"
)
_ROO_SKILLS: Final = Documentation(
    "https://docs.roocode.com/features/skills", "2025-12-27"
)
_WINDSURF_SKILLS: Final = Documentation(
    "https://docs.windsurf.com/windsurf/cascade/skills", "2026-11-27"
)
_WINDSURF_WORKFLOWS: Final = Documentation(
    "https://docs.windsurf.com/windsurf/cascade/workflows", "2026-11-27"
)

_TOML: Final = (".toml",)

_CLAUDE_FORMS: Final[tuple[Form, ...]] = (
    "$ARGUMENTS",
    "$ARGUMENTS[0]",
    "$0",
    "$name",
    r"\$",
)
_OPENCODE_FORMS: Final[tuple[Form, ...]] = ("$ARGUMENTS", "$1")

COMMANDS: Final = ArtifactPlaces(
    "commands",
    (
        ArtifactPlace("cursor", ".cursor/commands", _CURSOR_SKILLS, is_global=True),
        ArtifactPlace(
            "claude",
            ".claude/commands",
            _CLAUDE_SKILLS,
            is_global=True,
            placeholders=_CLAUDE_FORMS,
        ),
        ArtifactPlace(
            "copilot",
            ".github/prompts",
            _COPILOT_PROMPTS,
            (".prompt.md",),
            placeholders=("${input:name}",),
        ),
        ArtifactPlace(
            "gemini",
            ".gemini/commands",
            _GEMINI_COMMANDS,
            _TOML,
            placeholders=("{{args}}",),
        ),
        ArtifactPlace("windsurf", ".windsurf/workflows", _WINDSURF_WORKFLOWS),
        ArtifactPlace("windsurf", ".devin/workflows", _WINDSURF_WORKFLOWS),
        ArtifactPlace("cline", ".clinerules/workflows", _CLINE_WORKFLOWS),
        ArtifactPlace("roo", ".roo/commands", _ROO_COMMANDS),
        ArtifactPlace("continue", ".continue/prompts", _CONTINUE_PROMPTS),
        ArtifactPlace(
            "opencode",
            ".opencode/commands",
            _OPENCODE_COMMANDS,
            placeholders=_OPENCODE_FORMS,
        ),
        ArtifactPlace(
            "opencode",
            ".opencode/command",
            _OPENCODE_COMMANDS,
            placeholders=_OPENCODE_FORMS,
        ),
        ArtifactPlace(
            "augment",
            ".augment/commands",
            _AUGMENT_COMMANDS,
            placeholders=("$ARGUMENTS",),
        ),
    ),
)
SKILLS: Final = ArtifactPlaces(
    "skills",
    (
        ArtifactPlace("cursor", ".cursor/skills", _CURSOR_SKILLS, is_global=True),
        ArtifactPlace("claude", ".claude/skills", _CLAUDE_SKILLS, is_global=True),
        ArtifactPlace("agents", ".agents/skills", _AGENT_SKILLS),
        ArtifactPlace("agents", "skills", _PUBLISHED_SKILLS),
        ArtifactPlace("codex", ".codex/skills", _CODEX_SKILLS),
        ArtifactPlace("gemini", ".gemini/skills", _GEMINI_SKILLS),
        ArtifactPlace("copilot", ".github/skills", _COPILOT_SKILLS),
        ArtifactPlace("windsurf", ".windsurf/skills", _WINDSURF_SKILLS),
        ArtifactPlace("windsurf", ".devin/skills", _WINDSURF_SKILLS),
        ArtifactPlace("cline", ".cline/skills", _CLINE_SKILLS),
        ArtifactPlace("cline", ".clinerules/skills", _CLINE_SKILLS),
        ArtifactPlace("kiro", ".kiro/skills", _KIRO_SKILLS),
        ArtifactPlace("junie", ".junie/skills", _JUNIE_SKILLS),
        ArtifactPlace("roo", ".roo/skills", _ROO_SKILLS),
        ArtifactPlace("opencode", ".opencode/skills", _OPENCODE_SKILLS),
        ArtifactPlace("augment", ".augment/skills", _AUGMENT_SKILLS),
    ),
)
AGENTS: Final = ArtifactPlaces(
    "agents",
    (
        ArtifactPlace("cursor", ".cursor/agents", _CURSOR_AGENTS, is_global=True),
        ArtifactPlace("claude", ".claude/agents", _CLAUDE_AGENTS, is_global=True),
        ArtifactPlace(
            "copilot", ".github/agents", _COPILOT_AGENTS, (".agent.md", ".md")
        ),
        ArtifactPlace(
            "copilot", ".github/chatmodes", _COPILOT_AGENTS, (".chatmode.md",)
        ),
        ArtifactPlace("gemini", ".gemini/agents", _GEMINI_AGENTS),
        ArtifactPlace("codex", ".codex/agents", _CODEX_AGENTS, _TOML),
        ArtifactPlace("opencode", ".opencode/agents", _OPENCODE_AGENTS),
        ArtifactPlace("opencode", ".opencode/agent", _OPENCODE_AGENTS),
    ),
)
KINDS: Final = (COMMANDS, SKILLS, AGENTS)
"""Every kind."""

PLACEHOLDERS: Final = {place.tool: place.placeholders for place in COMMANDS.places}
"""The forms of each tool that has commands."""
