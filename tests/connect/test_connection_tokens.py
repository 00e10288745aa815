"""Servers that require a token: entries name its location, never the token."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from connect.connections import connection

from asdlc_kb.connect.client_model import Client
from asdlc_kb.connect.client_table import CLIENTS
from asdlc_kb.connect.deep_links import make_link
from asdlc_kb.connect.host_environment import HostEnvironment
from asdlc_kb.connect.server_entry import ServerAddress

URL = "https://kb.example.com/mcp"
OPEN, CLOSED = ServerAddress(URL), ServerAddress(URL, "KB_TOKEN")
OTHER = ServerAddress(URL, "OTHER_TOKEN")
LACKING = [client for client in CLIENTS if client.lacks_token(CLOSED)]
CURSOR = {"url": URL, "headers": {"Authorization": "Bearer ${env:KB_TOKEN}"}}


def write(path: Path, value: Any) -> Path:
    """Write JSON, and the folders on its way."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2))
    return path


def test_an_edit_writes_a_reference_and_finds_it_again(
    machine: HostEnvironment,
) -> None:
    """The same is left alone; without the token's location it differs."""
    path = machine.home / ".cursor" / "mcp.json"
    assert connection(machine, "cursor").connect(OPEN).status == "connected"
    for target in (CLOSED, OTHER, CLOSED):
        assert connection(machine, "cursor").connect(target).status == "connected"
        assert connection(machine, "cursor").connect(target).status == "unchanged"
    assert json.loads(path.read_text()) == {"mcpServers": {"asdlc": CURSOR}}
    # A header that the user added stays if no token is requested.
    assert connection(machine, "cursor").connect(OPEN).status == "unchanged"
    assert connection(machine, "cursor").remove(CLOSED).status == "removed"


def test_another_server_of_the_name_still_is_one(machine: HostEnvironment) -> None:
    """D-136: only our own entry is replaced without --force."""
    connection(machine, "cursor").connect(ServerAddress("https://other.example/mcp"))
    assert connection(machine, "cursor").connect(CLOSED).status == "refused"
    forced = connection(machine, "cursor", is_forced=True).connect(CLOSED)
    assert forced.status == "connected"


def test_toml_has_the_name_of_the_variable(machine: HostEnvironment) -> None:
    """Codex's own key."""
    connection(machine, "codex").connect(CLOSED)
    text = (machine.home / ".codex" / "config.toml").read_text()
    entry = {"url": URL, "bearer_token_env_var": "KB_TOKEN"}
    assert tomllib.loads(text) == {"mcp_servers": {"asdlc": entry}}


@pytest.mark.parametrize("inputs", [None, [], [{"id": "KB_TOKEN"}]], ids=str)
def test_what_a_reference_needs_is_next_to_the_servers(
    machine: HostEnvironment, inputs: object
) -> None:
    """VS Code asks its user; inputs of others are not changed."""
    path = machine.home / ".config" / "Code" / "User" / "mcp.json"
    before = {"servers": {"x": {}}} | ({} if inputs is None else {"inputs": inputs})
    write(path, before)
    outcome = connection(machine, "vscode").connect(CLOSED)
    after = json.loads(path.read_text())
    if inputs is not None:
        assert (outcome.status, after) == ("by-hand", before)
        assert '"promptString"' in (outcome.snippet or "")
        return
    assert outcome.status == "connected"
    assert after["servers"]["asdlc"]["headers"] == {
        "Authorization": "Bearer ${input:KB_TOKEN}"
    }
    assert [each["id"] for each in after["inputs"]] == ["KB_TOKEN"]
    assert connection(machine, "vscode").connect(CLOSED).status == "unchanged"
    second = connection(machine, "vscode", name="kb", is_named=True)
    assert second.connect(CLOSED).status == "connected"


def test_a_command_gets_the_reference_as_one_word(
    machine: HostEnvironment, install: Callable[[str, str], Path]
) -> None:
    """No shell expands it; if the command did not accept it, an edit follows."""
    install("claude", 'for word in "$@"; do echo "$word"; done >> "$HOME/calls"')
    outcome = connection(machine, "claude").connect(CLOSED)
    calls = (machine.home / "calls").read_text().splitlines()
    assert calls[-3:] == [URL, "--header", "Authorization: Bearer ${KB_TOKEN}"]
    assert outcome.status == "connected"
    entry = json.loads((machine.home / ".claude.json").read_text())["mcpServers"]
    headers = {"Authorization": "Bearer ${KB_TOKEN}"}
    assert entry["asdlc"] == {"type": "http", "url": URL, "headers": headers}


@pytest.mark.parametrize("client", LACKING, ids=lambda client: client.id)
def test_a_client_of_which_no_way_is_known_is_left_to_the_person(
    machine: HostEnvironment, install: Callable[[str, str], Path], client: Client
) -> None:
    """An entry without the header would be refused by the server every time."""
    if client.program is not None:
        install(client.program.name, "exit 1")
    for outcome in (
        connection(machine, client.id).connect(CLOSED),
        connection(machine, client.id).show(CLOSED),
    ):
        assert outcome.status in ("by-hand", "shown")
        assert "with the header `Authorization: Bearer TOKEN`" in outcome.message
        assert (outcome.command, outcome.link) == (None, None)
        assert URL in (outcome.snippet or "")
    assert [path for path in machine.home.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.id)
def test_no_link_leads_to_a_server_without_its_token(client: Client) -> None:
    """With the token's location in it, or there is none."""
    link = make_link(client, "asdlc", CLOSED)
    if client.link is None or client in LACKING:
        assert link is None
    else:
        assert link is not None
        assert link != make_link(client, "asdlc", OPEN)
