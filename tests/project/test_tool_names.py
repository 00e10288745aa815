"""Names of tools in messages."""

from typing import get_args

from asdlc_kb.project.locations import Platform
from asdlc_kb.project.tool_names import TOOL_NAMES, join_tools


def test_every_tool_has_a_name() -> None:
    """And none twice."""
    assert set(TOOL_NAMES) == set(get_args(Platform))
    assert len(set(TOOL_NAMES.values())) == len(TOOL_NAMES)


def test_tools_are_joined_to_a_phrase() -> None:
    """The first three are named."""
    assert join_tools(["cursor", "cursor"]) == "Cursor"
    assert join_tools(["cursor", "claude"]) == "Cursor and Claude Code"
    four: list[Platform] = ["cursor", "claude", "codex", "zed"]
    assert join_tools(four) == "Cursor, Claude Code, Codex and Zed"
    assert join_tools([*four, "roo"]) == "Cursor, Claude Code, Codex and 2 other tools"
