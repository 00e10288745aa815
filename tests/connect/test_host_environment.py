"""Tests of paths on a host: of its system, with its variables."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from asdlc_kb.connect.host_environment import HostEnvironment


@pytest.mark.parametrize(
    ("template", "variables", "path"),
    [
        ("~/.claude.json", {}, "home/.claude.json"),
        ("$XDG_CONFIG_HOME/zed/s.json", {}, "home/.config/zed/s.json"),
        ("$XDG_CONFIG_HOME/a", {"XDG_CONFIG_HOME": "/etc/x"}, "/etc/x/a"),
        ("$XDG_CONFIG_HOME/a", {"XDG_CONFIG_HOME": "rel"}, "home/.config/a"),
        ("$CODEX_HOME/config.toml", {}, "home/.codex/config.toml"),
        ("$CODEX_HOME/config.toml", {"CODEX_HOME": "/c"}, "/c/config.toml"),
        ("$COPILOT_HOME/m.json", {}, "home/.copilot/m.json"),
        ("$COPILOT_HOME/m.json", {"COPILOT_HOME": "/o"}, "/o/m.json"),
        ("$CLAUDE_CONFIG_DIR/.claude.json", {}, "home/.claude.json"),
        (
            "$CLAUDE_CONFIG_DIR/.claude.json",
            {"CLAUDE_CONFIG_DIR": "/q"},
            "/q/.claude.json",
        ),
        ("$GEMINI_CLI_HOME/.gemini/s.json", {}, "home/.gemini/s.json"),
        (
            "$GEMINI_CLI_HOME/.gemini/s.json",
            {"GEMINI_CLI_HOME": "/g"},
            "/g/.gemini/s.json",
        ),
        ("%APPDATA%\\Zed\\s.json", {}, "home/AppData/Roaming/Zed/s.json"),
        ("%APPDATA%\\Zed", {"APPDATA": "/d/r"}, "/d/r/Zed"),
        (".mcp.json", {}, "project/.mcp.json"),
        (".vscode/mcp.json", {}, "project/.vscode/mcp.json"),
    ],
)
def test_a_template_is_a_path_here(
    machine: HostEnvironment,
    tmp_path: Path,
    template: str,
    variables: dict[str, str],
    path: str,
) -> None:
    """Homes are arguments; a relative value of a variable is ignored."""
    machine = replace(machine, variables={**machine.variables, **variables})
    assert machine.expand(template) == tmp_path / path


def test_a_program_is_found_on_the_path_that_was_handed_in(
    machine: HostEnvironment, install: Callable[[str, str], Path]
) -> None:
    """Not on the one of this process."""
    assert machine.find("sh") is None
    path = install("claude", "exit 0")
    assert machine.find("claude") == str(path)
    path.chmod(0o644)
    assert machine.find("claude") is None
