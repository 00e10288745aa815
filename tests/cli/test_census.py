"""Tests of what `doctor` tells of clients: which have us, and where they lead."""

import json
import sys
from pathlib import Path

import pytest

from asdlc_kb.cli.census import examine_clients
from asdlc_kb.cli.finding import Finding
from asdlc_kb.connect.clients import find_client
from asdlc_kb.connect.connection import Connection, Wish
from asdlc_kb.connect.machine import Machine
from asdlc_kb.connect.target import Address, Command, Target

URL = "http://127.0.0.1:8420/mcp"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine with an empty home, an empty project and no programs."""
    for name in ("home", "project"):
        (tmp_path / name).mkdir()
    variables = {"PATH": str(tmp_path)}
    return Machine("linux", tmp_path / "home", tmp_path / "project", variables)


def put(machine: Machine, name: str, target: Target, /, **wish) -> Path:
    """Connect a client; return its file."""
    client = find_client(name)
    assert client is not None
    wanted = Wish(**{"name": "asdlc", **wish})
    outcome = Connection(client, machine, wanted).connect(target)
    assert outcome.path is not None
    return outcome.path


def examine(machine: Machine) -> list[Finding]:
    """Return what is found with the usual name and address."""
    return list(examine_clients(machine, URL, "asdlc"))


def test_a_machine_without_clients_is_told_so(machine: Machine) -> None:
    """Where the names can be found."""
    (finding,) = examine(machine)
    assert (finding.subject, finding.level) == ("Clients", "ok")
    assert finding.said == "none that is known on Linux"


def test_a_client_that_leads_here_is_well(machine: Machine) -> None:
    """By the address, under any name; by the bridge; in each scope."""
    user = put(machine, "cursor", Address(URL))
    project = put(machine, "cursor", Address(URL), scope="project", name="kb")
    bridged = put(machine, "junie", Address(URL))
    whole = put(machine, "continue", Address(URL))
    assert examine(machine) == [
        Finding("Cursor", "ok", f"`asdlc` in {user} leads to {URL}"),
        Finding("Cursor", "ok", f"`kb` in {project} leads to {URL}"),
        Finding("Junie", "ok", f"`asdlc` in {bridged} leads to {URL}"),
        Finding("Continue", "ok", f"`asdlc` in {whole} leads to {URL}"),
    ]


def test_the_local_scope_of_claude_code_is_found(machine: Machine) -> None:
    """It is what `claude mcp add` writes without a scope."""
    path = machine.home / ".claude.json"
    servers = {"mcpServers": {"asdlc": {"type": "http", "url": URL}}}
    path.write_text(json.dumps({"projects": {str(machine.project): servers}}))
    assert examine(machine) == [
        Finding("Claude Code", "ok", f"`asdlc` in {path} leads to {URL}")
    ]


def test_a_client_that_starts_the_server_is_well(machine: Machine) -> None:
    """If what it starts is there."""
    command = Command((sys.executable, "-P", "-m", "asdlc_kb", "stdio", "/kb"))
    path = put(machine, "zed", command)
    script = Command(("/gone/asdlc-kb", "stdio", "/kb"))
    other = put(machine, "cursor", script)
    cursor, zed = examine(machine)
    assert zed == Finding("Zed", "ok", f"`asdlc` in {path} starts {command}")
    said = f"`asdlc` in {other} starts /gone/asdlc-kb, which is not there"
    assert (cursor.level, cursor.said) == ("warning", said)
    assert cursor.advice == "asdlc-kb connect cursor --name asdlc --force --stdio"


@pytest.mark.parametrize("option", ["-P", "-I", None])
def test_a_command_that_runs_modules_of_the_open_folder_is_a_warning(
    machine: Machine, option: str | None
) -> None:
    """Written before -P was: `python -m` looks in the working directory first."""
    options = () if option is None else (option,)
    command = (sys.executable, *options, "-m", "asdlc_kb", "stdio", "/kb")
    path = put(machine, "zed", Command(command))
    (zed,) = examine(machine)
    if option is not None:
        assert zed.level == "ok"
        return
    said = (
        f"`asdlc` in {path} imports modules from the folder that is open in the client"
    )
    assert (zed.level, zed.said) == ("warning", said)
    assert zed.advice == "asdlc-kb connect zed --name asdlc --force --stdio"


def test_a_client_that_leads_elsewhere_is_a_warning(machine: Machine) -> None:
    """With the command that mends it."""
    path = put(machine, "cursor", Address("http://else/mcp"), scope="project")
    (finding,) = examine(machine)
    assert finding.level == "warning"
    assert finding.said == f"`asdlc` in {path} leads to http://else/mcp, not to {URL}"
    again = "asdlc-kb connect cursor --name asdlc --force --scope project"
    assert finding.advice == f"{again} --url {URL}"


@pytest.mark.parametrize("entry", [3, {}, {"command": "npx", "args": ["other"]}])
def test_what_leads_nowhere_known_is_a_warning(machine: Machine, entry) -> None:
    """Whatever stands under our name."""
    path = machine.home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"mcpServers": {"asdlc": entry, "else": {}}}))
    (finding,) = examine(machine)
    assert finding.level == "warning"
    assert f"not to {URL}" in finding.said


def test_a_client_that_is_here_without_us_is_told_how(machine: Machine) -> None:
    """That is no fault."""
    (machine.home / ".cursor").mkdir()
    assert examine(machine) == [
        Finding(
            "Cursor", "ok", "is here, without our server", "asdlc-kb connect cursor"
        )
    ]


def test_a_broken_file_is_a_warning(machine: Machine) -> None:
    """Other servers of that client do not work either."""
    path = machine.home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text("{")
    (finding,) = examine(machine)
    assert (finding.level, finding.advice) == ("warning", "mend it")
    assert finding.said == f"{path}: it is broken JSON at line 1, column 2"
