"""Tests of `doctor` on clients: which have our entry, and its address."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from asdlc_kb.cli.check_result import CheckResult
from asdlc_kb.cli.doctor.clients import check_clients
from asdlc_kb.connect.client_table import find_client
from asdlc_kb.connect.connection import ClientConnection, ConnectOptions
from asdlc_kb.connect.host_environment import HostEnvironment
from asdlc_kb.connect.server_entry import ServerAddress, ServerCommand, ServerEntry

URL = "http://127.0.0.1:8420/mcp"


@pytest.fixture
def machine(tmp_path: Path) -> HostEnvironment:
    """A machine with an empty home, an empty project and no programs."""
    for name in ("home", "project"):
        (tmp_path / name).mkdir()
    variables = {"PATH": str(tmp_path)}
    return HostEnvironment("linux", tmp_path / "home", tmp_path / "project", variables)


def put(
    machine: HostEnvironment, name: str, target: ServerEntry, /, **wish: Any
) -> Path:
    """Connect a client; return its file."""
    client = find_client(name)
    assert client is not None
    wanted = ConnectOptions(**{"name": "asdlc", **wish})
    outcome = ClientConnection(client, machine, wanted).connect(target)
    assert outcome.path is not None
    return outcome.path


def check_machine(machine: HostEnvironment) -> list[CheckResult]:
    """Return the results with the usual name and address."""
    return list(check_clients(machine, URL, "asdlc"))


def test_a_machine_without_clients_is_told_so(machine: HostEnvironment) -> None:
    """With the place of the names."""
    (finding,) = check_machine(machine)
    assert (finding.subject, finding.level) == ("Clients", "ok")
    assert finding.message == "no MCP client found on this machine"


def test_a_client_that_leads_here_is_well(machine: HostEnvironment) -> None:
    """By the address, under any name; by the bridge; in each scope."""
    user = put(machine, "cursor", ServerAddress(URL))
    project = put(machine, "cursor", ServerAddress(URL), scope="project", name="kb")
    bridged = put(machine, "junie", ServerAddress(URL))
    whole = put(machine, "continue", ServerAddress(URL))
    assert check_machine(machine) == [
        CheckResult("Cursor", "ok", f"`asdlc` in {user} points to {URL}"),
        CheckResult("Cursor", "ok", f"`kb` in {project} points to {URL}"),
        CheckResult("Junie", "ok", f"`asdlc` in {bridged} points to {URL}"),
        CheckResult("Continue", "ok", f"`asdlc` in {whole} points to {URL}"),
    ]


def test_the_local_scope_of_claude_code_is_found(machine: HostEnvironment) -> None:
    """It is what `claude mcp add` writes without a scope."""
    path = machine.home / ".claude.json"
    servers = {"mcpServers": {"asdlc": {"type": "http", "url": URL}}}
    path.write_text(json.dumps({"projects": {str(machine.project): servers}}))
    assert check_machine(machine) == [
        CheckResult("Claude Code", "ok", f"`asdlc` in {path} points to {URL}")
    ]


def test_a_client_that_starts_the_server_is_well(machine: HostEnvironment) -> None:
    """If its program exists."""
    command = ServerCommand((sys.executable, "-P", "-m", "asdlc_kb", "stdio", "/kb"))
    path = put(machine, "zed", command)
    script = ServerCommand(("/gone/asdlc-kb", "stdio", "/kb"))
    other = put(machine, "cursor", script)
    cursor, zed = check_machine(machine)
    assert zed == CheckResult("Zed", "ok", f"`asdlc` in {path} starts {command}")
    message = f"`asdlc` in {other} starts /gone/asdlc-kb, which does not exist"
    assert (cursor.level, cursor.message) == ("warning", message)
    assert cursor.hint == "asdlc-kb connect cursor --name asdlc --force --stdio"


@pytest.mark.parametrize("option", ["-P", "-I", None])
def test_a_command_that_runs_modules_of_the_open_folder_is_a_warning(
    machine: HostEnvironment, option: str | None
) -> None:
    """Written before -P was in use: `python -m` reads the working directory first."""
    options = () if option is None else (option,)
    command = (sys.executable, *options, "-m", "asdlc_kb", "stdio", "/kb")
    path = put(machine, "zed", ServerCommand(command))
    (zed,) = check_machine(machine)
    if option is not None:
        assert zed.level == "ok"
        return
    message = f"`asdlc` in {path} imports modules from the folder open in the client"
    assert (zed.level, zed.message) == ("warning", message)
    assert zed.hint == "asdlc-kb connect zed --name asdlc --force --stdio"


def test_a_client_that_leads_elsewhere_is_a_warning(machine: HostEnvironment) -> None:
    """With the command that corrects it."""
    path = put(machine, "cursor", ServerAddress("http://else/mcp"), scope="project")
    (finding,) = check_machine(machine)
    assert finding.level == "warning"
    assert (
        finding.message == f"`asdlc` in {path} points to http://else/mcp, not to {URL}"
    )
    again = "asdlc-kb connect cursor --name asdlc --force --scope project"
    assert finding.hint == f"{again} --url {URL}"


@pytest.mark.parametrize("entry", [3, {}, {"command": "npx", "args": ["other"]}])
def test_what_leads_nowhere_known_is_a_warning(
    machine: HostEnvironment, entry: object
) -> None:
    """Whatever is under our name."""
    path = machine.home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"mcpServers": {"asdlc": entry, "else": {}}}))
    (finding,) = check_machine(machine)
    assert finding.level == "warning"
    assert f"not to {URL}" in finding.message


def test_a_client_that_is_here_without_us_is_told_how(machine: HostEnvironment) -> None:
    """It is no problem."""
    (machine.home / ".cursor").mkdir()
    assert check_machine(machine) == [
        CheckResult(
            "Cursor", "ok", "installed, not connected", "asdlc-kb connect cursor"
        )
    ]


def test_a_broken_file_is_a_warning(machine: HostEnvironment) -> None:
    """Other servers of that client do not work either."""
    path = machine.home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text("{")
    (finding,) = check_machine(machine)
    assert (finding.level, finding.hint) == ("warning", "fix it")
    assert finding.message == f"{path}: it is broken JSON at line 1, column 2"
