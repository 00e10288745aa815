"""Tests of a client's entries of several names: one server has one entry."""

import json

import pytest
from connect.connections import connection
from support.files import save_in_place

from asdlc_kb.connect.host_environment import HostEnvironment
from asdlc_kb.connect.server_entry import ServerAddress, ServerCommand, ServerEntry

ADDRESS = ServerAddress("http://127.0.0.1:8420/mcp")
COMMAND = ServerCommand(("/usr/bin/python", "-m", "asdlc_kb", "stdio", "/k b"))


def test_entries_of_other_names_that_are_ours_are_named(
    machine: HostEnvironment,
) -> None:
    """The name of an entry depends on what it serves."""
    ours = {"command": "/old/bin/asdlc-kb", "args": ["stdio"]}
    servers = {"pj": ours, "other": {"command": "/bin/other"}, "\x1b": ours}
    path = machine.home / ".cursor/mcp.json"
    for entries, expected in (
        (servers, "; of asdlc-kb it has `pj`: name the one with --name"),
        (
            dict.fromkeys(("pj", "p1", "p2", "p3"), ours),
            "; of asdlc-kb it has `pj`, `p1`, `p2`: name the one with --name",
        ),
        (
            {"pj": {"url": ADDRESS.url}},
            "; of asdlc-kb it has `pj`: name the one with --name",
        ),
        ({"other": {"url": "http://theirs/mcp"}}, "named `asdlc`"),
    ):
        save_in_place(path, json.dumps({"mcpServers": entries}))
        outcome = connection(machine, "cursor").remove(ADDRESS)
        assert outcome.status == "absent"
        assert outcome.message.startswith(f"{path} has no server named `asdlc`")
        assert expected in outcome.message
        assert ("--name" in outcome.message) is ("pj" in entries)


@pytest.mark.parametrize("name", ["claude", "claude-desktop", "codex", "goose"])
@pytest.mark.parametrize("target", [ADDRESS, COMMAND], ids=["remote", "stdio"])
def test_a_server_gets_no_second_entry_unless_its_name_is_chosen(
    machine: HostEnvironment, name: str, target: ServerEntry
) -> None:
    """Each tool would be twice in the model's context (D-225)."""
    connection(machine, name, name="handbook").connect(target)
    for is_dry in (True, False):
        outcome = connection(machine, name, is_dry=is_dry).connect(target)
        assert outcome.status == "refused"
        assert outcome.obstacle is None
        assert outcome.message == (
            f"{outcome.path} already has it as `handbook`: "
            "use --name to change that entry, or to add a second one"
        )
    outcome = connection(machine, name, is_named=True).connect(target)
    assert outcome.status == "connected"
    assert outcome.message == f"connected as `asdlc` in {outcome.path}"
    outcome = connection(machine, name, name="third", is_forced=True).connect(target)
    assert outcome.status == "connected"


def test_a_known_entry_without_the_token_is_named(machine: HostEnvironment) -> None:
    """It is not what was asked for, and a second one is not either."""
    connection(machine, "claude", name="handbook").connect(ADDRESS)
    target = ServerAddress(ADDRESS.url, "KB_TOKEN")
    outcome = connection(machine, "claude").connect(target)
    assert outcome.status == "refused"
    assert "as `handbook`, without the token: use --name" in outcome.message
    named = connection(machine, "claude", name="handbook", is_named=True)
    assert named.connect(target).status == "connected"


@pytest.mark.parametrize("switch", [{"disabled": True}, {"enabled": False}])
def test_a_disabled_entry_is_reported(
    machine: HostEnvironment, switch: dict[str, bool]
) -> None:
    """It is left as it is: the user disabled it."""
    text = json.dumps({"mcpServers": {"asdlc": {"url": ADDRESS.url, **switch}}})
    path = save_in_place(machine.home / ".cursor/mcp.json", text)
    outcome = connection(machine, "cursor").connect(ADDRESS)
    assert outcome.status == "unchanged"
    assert outcome.message == (
        f"{path} already has it as `asdlc`, but disabled: enable it in the client"
    )
    assert path.read_text() == text
