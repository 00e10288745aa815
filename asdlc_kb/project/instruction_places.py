"""Places of instruction files, by tool.

One row for each tool and place, as the tool's own documentation states it, with the
page and the date of its text. A new tool is new rows here, in `locations`, `tool_names`
and `link_targets`, and a fixture in the tests.
Where a tool has several products, a row is what one of them reads by default.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from asdlc_kb.project.locations import Platform
from asdlc_kb.project.rule_dialects import DialectName


class Documentation(NamedTuple):
    """A page of a tool's documentation."""

    address: str
    as_of: str
    """The date of the text that was read, in ISO 8601."""


@dataclass(frozen=True, slots=True)
class InstructionPlace:
    """A file, or a folder of files, that a tool reads as instructions."""

    tool: Platform
    path: str
    """Relative to the project or, if nested, to any of its folders; a folder ends in
    a slash. `*` matches a part of one name."""
    documentation: Documentation
    dialect: DialectName = "plain"
    is_nested: bool = False
    """Whether the tool reads it in every folder of a project, for the files below."""
    suffixes: tuple[str, ...] = (".md",)
    """Of the files in a folder."""
    ignored: tuple[str, ...] = ()
    """Suffixes of files that are put there too, and which the tool does not read."""
    omits: tuple[str, ...] = ()
    """Names in the folder that hold something else."""
    unless: tuple[str, ...] = ()
    """Files beside it, or with a leading slash at the top of the project, that the tool
    reads instead; a folder ends in a slash."""
    is_personal: bool = False
    """Whether it belongs to one person, who keeps it out of the repository."""

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder of files."""
        return self.path.endswith("/")

    @property
    def holder(self) -> str:
        """The tool's hidden folder; empty for a file without one."""
        return self.path.partition("/")[0] if "/" in self.path else ""

    @property
    def below(self) -> str:
        """The path below the holder, without a slash at its end."""
        return self.path.removeprefix(f"{self.holder}/").rstrip("/")


_CURSOR: Final = Documentation("https://cursor.com/docs/rules", "2026-09-28")
_CLAUDE: Final = Documentation("https://code.claude.com/docs/en/memory", "2026-08-22")
_CLAUDE_AGENTS: Final = Documentation(
    "https://code.claude.com/docs/en/claudemd", "2026-09-28"
)
_VS_CODE: Final = Documentation(
    "https://code.visualstudio.com/docs/copilot/customization/custom-instructions",
    "2026-03-25",
)
_COPILOT: Final = Documentation(
    "https://docs.github.com/en/copilot/reference/custom-instructions-support",
    "2026-11-27",
)
_GEMINI: Final = Documentation(
    "https://github.com/google-gemini/gemini-cli/blob/5411f113/docs/cli/gemini-md.md",
    "2026-08-21",
)
_CODEX: Final = Documentation(
    "https://developers.openai.com/codex/guides/agents-md", "2026-11-27"
)
_WINDSURF: Final = Documentation(
    "https://docs.windsurf.com/windsurf/cascade/memories", "2026-11-27"
)
_WINDSURF_AGENTS: Final = Documentation(
    "https://docs.windsurf.com/windsurf/cascade/agents-md", "2026-11-27"
)
_CLINE: Final = Documentation(
    "https://docs.cline.bot/customization/cline-rules", "2026-08-22"
)
_KIRO: Final = Documentation("https://kiro.dev/docs/steering/", "2026-11-27")
_ROO: Final = Documentation(
    "https://docs.roocode.com/features/custom-instructions", "2026-04-14"
)
_JUNIE: Final = Documentation(
    "https://www.jetbrains.com/help/junie/customize-guidelines.html", "2025-11-24"
)
_CONTINUE: Final = Documentation(
    "https://docs.continue.dev/customize/deep-dives/rules", "2026-06-18"
)
_ZED: Final = Documentation("https://zed.dev/docs/ai/rules", "2026-11-27")
_OPENCODE: Final = Documentation("https://opencode.ai/docs/rules", "2026-11-27")
_AUGMENT: Final = Documentation("https://docs.augmentcode.com/cli/rules", "2026-11-27")
_TRAE: Final = Documentation("https://docs.trae.ai/ide/rules", "2026-09-29")

_ZED_NAMES: Final = (
    *(".rules", ".cursorrules", ".windsurfrules", ".clinerules"),
    *(".github/copilot-instructions.md", "AGENT.md", "AGENTS.md", "CLAUDE.md"),
    "GEMINI.md",
)
"""The names of which Zed reads the first that exists."""

_CLAUDE_NAMES: Final = ("/CLAUDE.md", "/.claude/CLAUDE.md", "/CLAUDE.local.md")
"""Files without which Claude Code reads AGENTS.md."""

_JUNIE_NAMES: Final = (".junie/AGENTS.md", "AGENTS.md", ".junie/guidelines.md")
"""The names of which Junie reads the first that exists."""

_TEXTS: Final = (".md", ".txt")

PLACES: Final[Sequence[InstructionPlace]] = (
    InstructionPlace(
        *("cursor", ".cursor/rules/", _CURSOR, "cursor"),
        is_nested=True,
        suffixes=(".mdc", ".md"),
        ignored=(".md",),
    ),
    InstructionPlace("cursor", ".cursorrules", _CURSOR),
    InstructionPlace("cursor", "AGENTS.md", _CURSOR, is_nested=True),
    InstructionPlace("cursor", "CLAUDE.md", _CURSOR),
    InstructionPlace("claude", ".claude/rules/", _CLAUDE, "claude", is_nested=True),
    InstructionPlace("claude", "CLAUDE.md", _CLAUDE, is_nested=True),
    InstructionPlace("claude", ".claude/CLAUDE.md", _CLAUDE, is_nested=True),
    InstructionPlace(
        "claude", "CLAUDE.local.md", _CLAUDE, is_nested=True, is_personal=True
    ),
    InstructionPlace(
        "claude", "AGENTS.md", _CLAUDE_AGENTS, is_nested=True, unless=_CLAUDE_NAMES
    ),
    InstructionPlace("copilot", ".github/copilot-instructions.md", _COPILOT),
    InstructionPlace(
        *("copilot", ".github/instructions/", _COPILOT, "copilot"),
        suffixes=(".instructions.md",),
    ),
    InstructionPlace("copilot", "AGENTS.md", _COPILOT, is_nested=True),
    InstructionPlace("copilot", "CLAUDE.md", _COPILOT),
    InstructionPlace("copilot", "GEMINI.md", _COPILOT),
    InstructionPlace("copilot", ".claude/CLAUDE.md", _VS_CODE),
    InstructionPlace("copilot", "CLAUDE.local.md", _VS_CODE),
    InstructionPlace("copilot", ".claude/rules/", _VS_CODE, "claude"),
    InstructionPlace("gemini", "GEMINI.md", _GEMINI, is_nested=True),
    InstructionPlace("codex", "AGENTS.override.md", _CODEX, is_nested=True),
    InstructionPlace(
        "codex", "AGENTS.md", _CODEX, is_nested=True, unless=("AGENTS.override.md",)
    ),
    InstructionPlace(
        "windsurf", ".windsurf/rules/", _WINDSURF, "windsurf", is_nested=True
    ),
    InstructionPlace(
        "windsurf", ".devin/rules/", _WINDSURF, "windsurf", is_nested=True
    ),
    InstructionPlace("windsurf", ".windsurfrules", _WINDSURF),
    InstructionPlace("windsurf", "AGENTS.md", _WINDSURF_AGENTS, is_nested=True),
    InstructionPlace("windsurf", "agents.md", _WINDSURF_AGENTS, is_nested=True),
    InstructionPlace(
        *("cline", ".clinerules/", _CLINE, "cline"),
        suffixes=_TEXTS,
        omits=("hooks", "skills", "workflows"),
    ),
    InstructionPlace("cline", ".cline/rules/", _CLINE, "cline", suffixes=_TEXTS),
    InstructionPlace("cline", ".clinerules", _CLINE),
    InstructionPlace("cline", ".cursorrules", _CLINE),
    InstructionPlace("cline", ".windsurfrules", _CLINE),
    InstructionPlace("cline", "AGENTS.md", _CLINE),
    InstructionPlace("kiro", ".kiro/steering/", _KIRO, "kiro"),
    InstructionPlace("kiro", "AGENTS.md", _KIRO),
    InstructionPlace("roo", ".roo/rules/", _ROO, suffixes=_TEXTS),
    InstructionPlace("roo", ".roo/rules-*/", _ROO, "manual", suffixes=_TEXTS),
    InstructionPlace("roo", ".roorules", _ROO, unless=(".roo/rules/",)),
    InstructionPlace("roo", ".clinerules", _ROO, unless=(".roo/rules/", ".roorules")),
    InstructionPlace("roo", "AGENTS.md", _ROO),
    InstructionPlace("roo", "AGENT.md", _ROO, unless=("AGENTS.md",)),
    *(
        InstructionPlace("junie", name, _JUNIE, unless=_JUNIE_NAMES[:number])
        for number, name in enumerate(_JUNIE_NAMES)
    ),
    InstructionPlace("continue", ".continue/rules/", _CONTINUE, "continue"),
    InstructionPlace("continue", "AGENTS.md", _CONTINUE),
    InstructionPlace("opencode", "AGENTS.md", _OPENCODE, is_nested=True),
    InstructionPlace(
        *("opencode", "CLAUDE.md", _OPENCODE),
        is_nested=True,
        unless=("/AGENTS.md", "AGENTS.md"),
    ),
    InstructionPlace("augment", ".augment/rules/", _AUGMENT, "augment"),
    InstructionPlace("augment", ".augment-guidelines", _AUGMENT),
    InstructionPlace("augment", ".augment/guidelines.md", _AUGMENT),
    InstructionPlace("augment", "AGENTS.md", _AUGMENT, is_nested=True),
    InstructionPlace("augment", "CLAUDE.md", _AUGMENT, is_nested=True),
    InstructionPlace("trae", ".trae/rules/", _TRAE, "cursor"),
    *(
        InstructionPlace("zed", name, _ZED, unless=_ZED_NAMES[:number])
        for number, name in enumerate(_ZED_NAMES)
    ),
)
"""Every place; the first row of a path is that of the tool that defines it."""

GUIDES: Final = (
    *("AGENTS.md", "CLAUDE.md", "GEMINI.md"),
    *("AGENTS.override.md", "CLAUDE.local.md", "agents.md"),
)
"""Names of files that are about their folder and all below, the tool-neutral first."""

INNER_GUIDE: Final = ".claude/CLAUDE.md"
"""The other path of a folder's CLAUDE.md."""


def _group(
    places: Sequence[InstructionPlace],
) -> Mapping[str, Sequence[InstructionPlace]]:
    """Return places by path, in their order."""
    return {
        path: tuple(place for place in places if place.path == path)
        for path in dict.fromkeys(place.path for place in places)
    }


PLACES_BY_PATH: Final = _group(PLACES)

RULES: Final = tuple(
    places
    for path, places in PLACES_BY_PATH.items()
    if path not in (*GUIDES, INNER_GUIDE)
)
"""The places of rules, those of one path together."""

USER_PLACES: Final[Sequence[InstructionPlace]] = (
    InstructionPlace("claude", ".claude/CLAUDE.md", _CLAUDE),
    InstructionPlace("copilot", ".claude/CLAUDE.md", _VS_CODE),
    InstructionPlace(
        *("opencode", ".claude/CLAUDE.md", _OPENCODE),
        unless=(".config/opencode/AGENTS.md",),
    ),
    InstructionPlace("claude", ".claude/rules/", _CLAUDE, "claude"),
    InstructionPlace("gemini", ".gemini/GEMINI.md", _GEMINI),
    InstructionPlace("codex", ".codex/AGENTS.override.md", _CODEX),
    InstructionPlace(
        "codex", ".codex/AGENTS.md", _CODEX, unless=(".codex/AGENTS.override.md",)
    ),
    InstructionPlace(
        "windsurf", ".codeium/windsurf/memories/global_rules.md", _WINDSURF
    ),
    InstructionPlace("cline", ".agents/AGENTS.md", _CLINE),
    InstructionPlace("kiro", ".kiro/steering/AGENTS.md", _KIRO),
    InstructionPlace("roo", ".roo/rules/", _ROO, suffixes=_TEXTS),
    InstructionPlace("junie", ".junie/AGENTS.md", _JUNIE),
    InstructionPlace("zed", ".config/zed/AGENTS.md", _ZED),
    InstructionPlace("opencode", ".config/opencode/AGENTS.md", _OPENCODE),
    InstructionPlace("augment", ".augment/rules/", _AUGMENT, "augment"),
)
"""Places in a user's home directory, which a tool reads in every project; paths, also
those of `unless`, are relative to that directory."""

USER_PLACES_BY_PATH: Final = _group(USER_PLACES)

TOOLS: Final = tuple(dict.fromkeys(place.tool for place in PLACES))
"""The tools that read one of the places."""


def find_documentation(path: str, tool: Platform) -> Documentation:
    """Return what documents that a tool reads a path, or a file that this one imports.

    That is the page of the path's place; for another path the tool's first page.
    """
    places = [place for place in PLACES if place.tool == tool]
    found = (place for place in places if _names(place, path))
    return next(found, places[0]).documentation


def _names(place: InstructionPlace, path: str) -> bool:
    below = f"/{path}"
    inside = "?*" if place.is_folder else ""
    return fnmatchcase(below, f"*/{place.path}{inside}")
