"""Clients configured by `asdlc-kb connect`: each has the server afterwards, not before.

By the client's own command, and by an edit of its file if that is not on the PATH; to a
running server, and to one that the client starts.
"""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.canary import Scanner
from support.command_lines import BOUND, CommandLine
from support.processes import COMMAND, Finished, Served, serve_process

from asdlc_kb.ops.auth.bearer_tokens import format_line

ROOT = Path(__file__).parents[3]
CONNECTED = {"claude": "\N{HEAVY CHECK MARK} Connected", "gemini": "Connected"}


class Person:
    """A user's machine with one client installed."""

    def __init__(
        self, client: CommandLine, scanner: Scanner, *, has_program: bool
    ) -> None:
        self.client = client
        folder = client.home / "bin"
        folder.mkdir()
        if has_program:
            client.install(folder)
        self._scanner = scanner
        path = f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin"
        self._variables = {**client.variables, "PATH": path}

    def type(self, *words: str) -> Finished:
        """Run `asdlc-kb connect` with the client's name and further arguments."""
        done = subprocess.run(
            [*COMMAND, "connect", self.client.program, "--name", "asdlc", *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=self.client.home,
            env=self._variables,
            timeout=BOUND,
            check=False,
        )
        self._scanner.scan(done.stdout, "connect")
        return Finished(done.returncode, done.stdout, done.stderr)

    def connect(self, *words: str) -> dict[str, Any]:
        """Connect; return the output."""
        done = self.type(*words, "--json")
        assert done.code == 0, done.out + done.err
        (row,) = json.loads(done.out)
        report: dict[str, Any] = row
        return report


@pytest.mark.parametrize("way", ["command", "edit"])
@pytest.mark.parametrize("program", CONNECTED)
def test_a_client_sees_the_server_that_it_was_connected_to(
    served: Served,
    home: Path,
    programs: Path,
    scanner: Scanner,
    program: str,
    way: str,
) -> None:
    """Its own list shakes hands with it, whether it runs or is started."""
    client = CommandLine(program, home, programs)
    person = Person(client, scanner, has_program=way == "command")
    address = f"http://127.0.0.1:{served.port}/mcp"
    for target in (
        ("--url", address),
        ("--stdio", "--content", str(ROOT / "content"), "--force"),
    ):
        output = person.connect(*target)
        assert output["status"] == "connected"
        assert (output["command"] is not None) == (way == "command")
        seen = client.health(f"{program} mcp list")
        assert seen.endswith(f" - {CONNECTED[program]}")
        assert person.connect(*target)["status"] == "unchanged"
    assert person.connect("--remove")["status"] == "removed"
    assert re.search(r"\basdlc: ", client.run(f"{program} mcp list")) is None


@pytest.mark.parametrize("way", ["command", "edit"])
def test_codex_has_the_servers_that_it_was_connected_to(
    served: Served, home: Path, programs: Path, scanner: Scanner, way: str
) -> None:
    """Its list shakes no hands, but reads the file as Codex does at its start."""
    client = CommandLine("codex", home, programs)
    person = Person(client, scanner, has_program=way == "command")

    def listed() -> dict[str, Any]:
        written = client.run("codex mcp list --json")
        servers = json.loads(
            written[written.index("[\n") :] if "[\n" in written else "[]"
        )
        return {server["name"]: server["transport"] for server in servers}

    address = f"http://127.0.0.1:{served.port}/mcp"
    output = person.connect("--url", address)
    assert (output["command"] is not None) == (way == "command")
    assert listed()["asdlc"]["url"] == address
    content = str(ROOT / "content")
    person.connect("--stdio", "--content", content, "--name", "kb")
    found = listed()
    assert set(found) == {"asdlc", "kb"}
    assert found["kb"]["args"] == ["-P", "-m", "asdlc_kb", "stdio", content]
    assert person.type("--check", "--name", "kb").code == 0
    assert person.connect("--remove", "--url", address)["status"] == "removed"
    assert person.connect("--remove", "--name", "kb")["status"] == "removed"
    assert listed() == {}


@pytest.mark.parametrize("way", ["command", "edit"])
@pytest.mark.parametrize("program", CONNECTED)
def test_a_client_takes_a_token_from_the_variable_that_it_was_told(
    tmp_path: Path,
    home: Path,
    programs: Path,
    scanner: Scanner,
    monkeypatch: pytest.MonkeyPatch,
    program: str,
    way: str,
) -> None:
    """Its own list connects to a server that refuses clients without a token."""
    file = tmp_path / "tokens"
    file.write_text(format_line("me", "akb_mine"))
    options = ("--auth-tokens-file", str(file))
    content = ROOT / "content"
    with serve_process(content, *options, scanner=scanner, cwd=tmp_path) as served:
        client = CommandLine(program, home, programs)
        person = Person(client, scanner, has_program=way == "command")
        address = f"http://127.0.0.1:{served.port}/mcp"
        target = ("--url", address, "--token-env", "KB_OF_TESTS")
        output = person.connect(*target)
        assert (output["command"] is not None) == (way == "command")
        assert person.connect(*target)["status"] == "unchanged"
        connected = f" - {CONNECTED[program]}"
        assert not client.health(f"{program} mcp list").endswith(connected)
        monkeypatch.setenv("KB_OF_TESTS", "akb_mine")
        assert client.health(f"{program} mcp list").endswith(connected)


@pytest.mark.parametrize("way", ["command", "edit"])
def test_codex_has_the_variable_that_it_was_told(
    home: Path, programs: Path, scanner: Scanner, way: str
) -> None:
    """As Codex reads its file at its start."""
    client = CommandLine("codex", home, programs)
    person = Person(client, scanner, has_program=way == "command")
    target = ("--url", "https://kb.example.com/mcp", "--token-env", "KB_OF_TESTS")
    output = person.connect(*target)
    assert (output["command"] is not None) == (way == "command")
    written = client.run("codex mcp list --json")
    (server,) = json.loads(written[written.index("[\n") :])
    assert server["transport"]["bearer_token_env_var"] == "KB_OF_TESTS"
