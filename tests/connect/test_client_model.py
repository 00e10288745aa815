"""Tests of one client's locations: file, entry, installation."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from support.unusable import REFUSED_NAME

from asdlc_kb.connect.client_model import Client
from asdlc_kb.connect.client_table import find_client
from asdlc_kb.connect.host_environment import HostEnvironment, System
from asdlc_kb.connect.server_entry import ServerAddress, ServerCommand

ADDRESS = ServerAddress("http://127.0.0.1:8420/mcp")


def client(name: str) -> Client:
    """Return a client of the table."""
    known = find_client(name)
    assert known is not None
    return known


def test_of_several_files_the_one_that_exists_is_taken(
    machine: HostEnvironment,
) -> None:
    """opencode reads both; a new file gets the first name."""
    place = client("opencode").places["user"]
    folder = machine.home / ".config" / "opencode"
    assert place.find(machine, "asdlc") == folder / "opencode.jsonc"
    folder.mkdir(parents=True)
    (folder / "opencode.json").touch()
    assert place.find(machine, "asdlc") == folder / "opencode.json"


@pytest.mark.parametrize(
    ("system", "path"),
    [
        ("linux", ".config/Claude/claude_desktop_config.json"),
        ("macos", "Library/Application Support/Claude/claude_desktop_config.json"),
        ("windows", "AppData/Roaming/Claude/claude_desktop_config.json"),
    ],
)
def test_each_system_has_its_own_place(
    machine: HostEnvironment, system: System, path: str
) -> None:
    """Claude Desktop's file is somewhere else on each."""
    machine = replace(machine, system=system)
    place = client("claude-desktop").places["user"]
    assert place.find(machine, "asdlc") == machine.home / path


def test_a_file_may_be_named_after_the_server(machine: HostEnvironment) -> None:
    """Continue has one for each."""
    place = client("continue").places["project"]
    wanted = machine.project / ".continue" / "mcpServers" / "kb.yaml"
    assert place.find(machine, "kb") == wanted


def test_a_project_s_own_servers_are_below_its_path(machine: HostEnvironment) -> None:
    """Claude Code's local scope."""
    place = client("claude-code").places["local"]
    assert place.find_key(machine) == ("projects", str(machine.project), "mcpServers")


def test_an_entry_has_what_its_place_wants_further() -> None:
    """Copilot's user file lists tools, its project file must not."""
    copilot = client("copilot-cli")
    assert copilot.entry("user", "kb", ADDRESS)["tools"] == ["*"]
    assert "tools" not in copilot.entry("project", "kb", ADDRESS)


def test_a_client_that_takes_no_address_gets_the_bridge() -> None:
    """Claude Desktop and Junie start commands only."""
    assert client("junie").entry("user", "kb", ADDRESS) == {
        "command": "npx",
        "args": ["-y", "mcp-remote", ADDRESS.url],
    }
    assert client("cursor").adapt(ADDRESS) is ADDRESS
    command = ServerCommand(("/bin/x",))
    assert client("junie").adapt(command) is command


def test_a_client_is_here_if_its_program_or_folder_is(
    machine: HostEnvironment, install: Callable[[str, str], Path]
) -> None:
    """Clients that `connect` offers by default."""
    claude, cursor, zed = client("claude"), client("cursor"), client("zed")
    assert not any(each.is_here(machine) for each in (claude, cursor, zed))
    install("claude", "exit 0")
    (machine.home / ".cursor").mkdir()
    assert claude.is_here(machine)
    assert cursor.is_here(machine)
    assert not zed.is_here(machine)


def test_a_home_alone_is_no_sign_of_a_client(machine: HostEnvironment) -> None:
    """Every home may contain ~/.claude.json."""
    (machine.home / ".claude.json").touch()
    assert client("claude").is_here(machine)
    assert not client("gemini").is_here(machine)


def test_a_home_that_cannot_be_opened_has_no_client(machine: HostEnvironment) -> None:
    """As that of another user, which is named in the environment after `sudo -u`."""
    machine = replace(machine, home=machine.home / REFUSED_NAME)
    for name in ("cursor", "zed", "gemini", "opencode"):
        assert not client(name).is_here(machine)
