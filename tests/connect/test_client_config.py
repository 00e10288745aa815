"""Tests of one client's file: its entries, and edits on disk."""

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from asdlc_kb.connect.client_config import ClientConfig, open_config
from asdlc_kb.connect.client_model import Scope
from asdlc_kb.connect.client_table import CLIENTS, find_client
from asdlc_kb.connect.host_environment import HostEnvironment
from asdlc_kb.connect.server_entry import ServerAddress, ServerCommand, ServerEntry
from asdlc_kb.exceptions import ConfigNotEditable

ADDRESS = ServerAddress("http://127.0.0.1:8420/mcp")
COMMAND = ServerCommand(("/usr/bin/python", "-m", "asdlc_kb", "stdio", "/kb"))


def opened(machine: HostEnvironment, name: str, scope: Scope = "user") -> ClientConfig:
    """Open a client's file."""
    client = find_client(name)
    assert client is not None
    return open_config(client, scope, machine, "asdlc")


@pytest.mark.parametrize("name", ["cursor", "zed", "codex", "opencode", "continue"])
@pytest.mark.parametrize("target", [ADDRESS, COMMAND], ids=["remote", "stdio"])
def test_an_entry_comes_and_goes(
    machine: HostEnvironment, name: str, target: ServerEntry
) -> None:
    """In each format, from no file to no trace of ours."""
    assert opened(machine, name).find("asdlc") is None
    assert opened(machine, name).put("asdlc", target) is None
    config = opened(machine, name)
    assert config.leads_to("asdlc", target)
    assert not config.leads_to("asdlc", ServerAddress("http://else/mcp"))
    backup = config.drop("asdlc")
    assert backup is not None
    assert opened(machine, name).find("asdlc") is None


@pytest.mark.parametrize(
    "name", [client.id for client in CLIENTS if "user" in client.places]
)
def test_others_cannot_read_a_user_s_file_that_is_created(
    machine: HostEnvironment, name: str
) -> None:
    """Clients keep its mode when they add keys of other servers (D-135)."""
    mask = os.umask(0o022)
    try:
        config = opened(machine, name)
        config.put("asdlc", ADDRESS)
    finally:
        os.umask(mask)
    assert stat.S_IMODE(config.path.stat().st_mode) == 0o600
    folders = [each for each in machine.home.rglob("*") if each.is_dir()]
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in folders} <= {0o700}


def test_a_project_s_file_is_readable(machine: HostEnvironment) -> None:
    """It is committed, and contains no secret."""
    mask = os.umask(0o022)
    try:
        config = opened(machine, "cursor", "project")
        config.put("asdlc", ADDRESS)
    finally:
        os.umask(mask)
    assert stat.S_IMODE(config.path.stat().st_mode) == 0o644
    assert stat.S_IMODE(config.path.parent.stat().st_mode) == 0o755


def test_the_backup_is_what_the_file_was(machine: HostEnvironment) -> None:
    """To the byte."""
    path = machine.home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text('{"mcpServers": {"other": {"url": "o"}}}')
    backup = opened(machine, "cursor").put("asdlc", ADDRESS)
    assert backup is not None
    assert backup.read_text() == '{"mcpServers": {"other": {"url": "o"}}}'
    assert list(json.loads(path.read_text())["mcpServers"]) == ["other", "asdlc"]


def test_a_client_s_own_members_do_not_make_another_server(
    machine: HostEnvironment,
) -> None:
    """Clients add headers, switches and lists of tools to entries."""
    path = machine.home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    entry = {"type": "http", "url": ADDRESS.url, "headers": {}, "disabled": True}
    path.write_text(json.dumps({"mcpServers": {"asdlc": entry}}))
    assert opened(machine, "cursor").leads_to("asdlc", ADDRESS)


@pytest.mark.parametrize(
    "text", ["{}", '{"mcpServers": 3}', '{"mcpServers": {"asdlc": 3}}']
)
def test_what_is_no_entry_leads_nowhere(machine: HostEnvironment, text: str) -> None:
    """A file may contain anything."""
    path = machine.home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text(text)
    assert not opened(machine, "cursor").leads_to("asdlc", ADDRESS)


def test_comments_do_not_keep_it_from_being_read_and_edited(
    machine: HostEnvironment,
) -> None:
    """Zed's settings have them from the start."""
    path = machine.home / ".config" / "zed" / "settings.json"
    path.parent.mkdir(parents=True)
    path.write_text(f'{{"context_servers": {{"asdlc": {{"url": "{ADDRESS}"}},}}}} // x')
    config = opened(machine, "zed")
    assert config.leads_to("asdlc", ADDRESS)
    config.drop("asdlc")
    assert path.read_text() == '{"context_servers": {}} // x'


def test_a_yaml_file_with_other_content_is_edited(machine: HostEnvironment) -> None:
    """Goose's file holds more than servers."""
    path = machine.home / ".config" / "goose" / "config.yaml"
    path.parent.mkdir(parents=True)
    path.write_text("GOOSE_MODE: auto  # mine\n")
    opened(machine, "goose").put("asdlc", ADDRESS)
    config = opened(machine, "goose")
    assert config.leads_to("asdlc", ADDRESS)
    assert path.read_text().startswith("GOOSE_MODE: auto  # mine\nextensions:\n")
    config.drop("asdlc")
    assert path.read_text() == "GOOSE_MODE: auto  # mine\nextensions: {}\n"


def test_a_file_of_its_own_is_compared_as_a_whole(machine: HostEnvironment) -> None:
    """Continue's: any change of the user makes it another file."""
    opened(machine, "continue", "project").put("asdlc", COMMAND)
    path = machine.project / ".continue" / "mcpServers" / "asdlc.yaml"
    path.write_text(path.read_text() + "# mine\n")
    config = opened(machine, "continue", "project")
    assert config.find("asdlc") is not None
    assert not config.leads_to("asdlc", COMMAND)


def test_a_file_that_cannot_be_read_is_refused(
    machine: HostEnvironment, tmp_path: Path
) -> None:
    """The reason is the file's."""
    path = machine.home / ".cursor" / "mcp.json"
    path.mkdir(parents=True)
    with pytest.raises(ConfigNotEditable, match="not a regular file: remove or rename"):
        opened(machine, "cursor")
    path.rmdir()
    path.write_text("{")
    with pytest.raises(ConfigNotEditable, match="broken JSON at line 1, column 2"):
        opened(machine, "cursor")


@pytest.mark.parametrize("name", ["cursor", "continue"])
def test_a_file_that_changed_meanwhile_is_refused(
    machine: HostEnvironment, name: str
) -> None:
    """The client wrote it between our check and our edit."""
    opened(machine, name).put("asdlc", ADDRESS)
    config = opened(machine, name)
    config.path.write_text("{}")
    edits: list[Callable[[], object]] = [
        lambda: config.put("asdlc", COMMAND),
        lambda: config.drop("asdlc"),
    ]
    for edit in edits:
        with pytest.raises(ConfigNotEditable, match="changed meanwhile: try again"):
            edit()
    assert config.path.read_text() == "{}"
