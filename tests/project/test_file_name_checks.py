"""Files that tools do not read because of their names."""

from pathlib import Path

import pytest
from support.project import check_files

from asdlc_kb.project.file_name_checks import MisnamedFile, find_misnamed


def find(*paths: str) -> list[MisnamedFile]:
    """Return the misnamed ones of some paths."""
    return list(find_misnamed(paths))


@pytest.mark.parametrize(
    ("path", "right", "tool", "is_mechanical"),
    [
        ("agents.md", "AGENTS.md", "only Windsurf reads", True),
        ("Agents.md", "AGENTS.md", "no tool reads", True),
        ("Claude.md", "CLAUDE.md", "Claude Code", True),
        ("gemini.md", "GEMINI.md", "Gemini CLI", True),
        ("claude.local.md", "CLAUDE.local.md", "Claude Code", True),
        ("web/AGENTS.MD", "web/AGENTS.md", "no tool reads", True),
        (".cursor/rules/a.md", ".cursor/rules/a.mdc", "Cursor", True),
        ("web/.cursor/rules/b/a.MDC", "web/.cursor/rules/b/a.mdc", "Cursor", True),
        (".claude/rules/a.mdc", ".claude/rules/a.md", "Claude Code", False),
        (".windsurf/rules/a.mdc", ".windsurf/rules/a.md", "Windsurf", False),
        (".kiro/steering/a.MD", ".kiro/steering/a.md", "Kiro", True),
        (
            ".github/instructions/a.instruction.md",
            ".github/instructions/a.instructions.md",
            "Copilot",
            False,
        ),
        (
            ".github/instructions/b/a.md",
            ".github/instructions/b/a.instructions.md",
            "Copilot",
            False,
        ),
        (
            "copilot-instructions.md",
            ".github/copilot-instructions.md",
            "move it there",
            False,
        ),
        (
            ".github/Copilot-Instructions.md",
            ".github/copilot-instructions.md",
            "rename it there",
            True,
        ),
        ("skills/a/skill.md", "skills/a/SKILL.md", "Claude Code", True),
        ("web/.claude/skills/a/SKILL.MD", "web/.claude/skills/a/SKILL.md", "", True),
    ],
)
def test_a_wrong_name_is_found_with_the_right_one(
    path: str, right: str, tool: str, is_mechanical: bool
) -> None:
    """And with the tool, unless there is a file with the right name."""
    (found,) = find(path)
    assert (found.path, found.right) == (path, right)
    assert found.is_mechanical is is_mechanical
    assert tool in found.message
    assert find(path, right) == []


@pytest.mark.parametrize(
    "path",
    [
        *("AGENTS.md", "web/AGENTS.md", "AGENTS.override.md", "CLAUDE.local.md"),
        *("docs/agents.md", "docs/Claude.md", "docs/models/gemini.md", "AGENT.md"),
        *(".cursor/rules/a.mdc", ".cursor/rules/README.md", ".cursor/rules/a.png"),
        *(".clinerules/a.md", ".clinerules/a.txt", ".clinerules/hooks/a.mdc"),
        *(".clinerules", ".roo/rules/a.mdc", ".roo/rules-code/a.mdc"),
        *(".github/copilot-instructions.md", "docs/copilot-instructions.md"),
        *(".github/instructions/a.instructions.md", ".github/prompts/a.md"),
        *("web/.github/instructions/a.md", "skills/a/SKILL.md", "skills/a/b/skill.md"),
        *("skills/skill.md", "docs/skills/a/skill.md", "x\n/AGENTS.MD"),
    ],
)
def test_a_right_name_and_an_unrelated_file_are_not_found(path: str) -> None:
    """Pages about tools, and files in other folders."""
    assert find(path) == []


def test_check_reports_them(tmp_path: Path) -> None:
    """KB044."""
    files = {"agents.md": "x", ".cursor/rules/a.md": "x", ".github/a.md": "x"}
    assert check_files(tmp_path, files, "KB044") == {
        "agents.md": "only Windsurf reads this name: rename it to AGENTS.md for "
        "Cursor, Claude Code, Copilot and 10 other tools",
        ".cursor/rules/a.md": "Cursor reads only files that end in .mdc here: rename "
        "it",
    }
