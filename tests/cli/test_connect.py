"""Tests of `connect`: prompts, written files, output, exit codes."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from click.testing import Result
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.processes import BOUND, COMMAND, environment, serve_process

from asdlc_kb.connect.client_table import CLIENTS

Rows: TypeAlias = Callable[..., tuple[int, list[dict[str, Any]]]]

Invoke = Callable[..., Result]
URL = "http://127.0.0.1:8420/mcp"
NEXT_STEP = "Restart clients that are running, then ask a question"


def files(home: Path) -> list[str]:
    """Return the files in a home."""
    return sorted(
        path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file()
    )


def test_a_named_client_is_connected_without_a_terminal(rows: Rows, home: Path) -> None:
    """D-138: naming a client is consent; scripts do it too."""
    code, (row,) = rows("cursor")
    assert (code, row["client"], row["status"]) == (0, "cursor", "connected")
    path = home / ".cursor" / "mcp.json"
    assert row["path"] == str(path)
    assert json.loads(path.read_text()) == {
        "mcpServers": {"knowledge-base": {"url": URL}}
    }
    assert rows("Cursor")[1][0]["status"] == "unchanged"
    assert rows("cursor", "--remove")[1][0]["status"] == "removed"
    assert rows("cursor", "--remove")[1][0]["status"] == "absent"


def test_without_a_terminal_nothing_is_written_unless_requested(
    invoke: Invoke, home: Path
) -> None:
    """D-138: it prints a snippet for each client found."""
    result = invoke("connect")
    assert result.exit_code == 0
    assert result.stderr == (
        "asdlc-kb: no terminal to ask, so nothing is written: name clients or use "
        "--all\n"
    )
    assert f"Cursor: add to {home}/.cursor/mcp.json\n" in result.stdout
    assert f"Zed: add to {home}/.config/zed/settings.json\n" in result.stdout
    assert files(home) == []
    assert invoke("connect", "--remove").exit_code == 0


def test_all_that_are_found_can_be_asked_for(rows: Rows, home: Path) -> None:
    """--all is consent too."""
    code, found = rows("--all")
    assert code == 0
    assert [row["client"] for row in found] == ["cursor", "zed"]
    assert [row["status"] for row in found] == ["connected"] * 2
    assert files(home) == [".config/zed/settings.json", ".cursor/mcp.json"]


@pytest.mark.parametrize("flag", ["--print", "--dry-run"])
def test_looking_writes_nothing(rows: Rows, home: Path, flag: str) -> None:
    """For those that are found, and for those that are named."""
    code, found = rows(flag)
    assert (code, [row["client"] for row in found]) == (0, ["cursor", "zed"])
    code, (row,) = rows(flag, "lm-studio")
    assert row["snippet"] is not None
    assert row["link"].startswith("lmstudio://")
    assert files(home) == []


def test_no_client_at_all_is_told(invoke: Invoke, home: Path) -> None:
    """Exit code 3, with the known names."""
    (home / ".cursor").rmdir()
    (home / ".config" / "zed").rmdir()
    result = invoke("connect")
    assert result.exit_code == 3
    assert "no installed client was found: name one of claude-code, " in result.stderr


def test_another_address_another_name_another_scope(
    rows: Rows, home: Path, folder: Path
) -> None:
    """A remote server, for all users of this project."""
    arguments = ("--url", "https://kb.example.com/mcp", "--name", "kb")
    code, (row,) = rows("claude", "--scope", "project", *arguments)
    assert (code, row["path"]) == (0, str(folder / ".mcp.json"))
    entry = json.loads((folder / ".mcp.json").read_text())["mcpServers"]["kb"]
    assert entry == {"type": "http", "url": "https://kb.example.com/mcp"}
    assert files(home) == []


def test_the_address_is_that_of_the_settings(
    rows: Rows, home: Path, folder: Path
) -> None:
    """From flags and the configuration file, as for `serve`."""
    (folder / "kb.toml").write_text("port = 8500\nhost = '0.0.0.0'\n")
    rows("cursor", "--config", "kb.toml")
    written = (home / ".cursor" / "mcp.json").read_text()
    assert '"http://127.0.0.1:8500/mcp"' in written
    rows("zed", "--base-url", "https://kb.example.com/x")
    written = (home / ".config" / "zed" / "settings.json").read_text()
    assert '"https://kb.example.com/x/mcp"' in written


def test_a_server_with_a_certificate_has_an_address_with_https(
    invoke: Invoke, rows: Rows, home: Path
) -> None:
    """The options of `serve` are accepted; a name of the certificate is asked for."""
    tls = ("--tls-cert", "cert.pem", "--tls-key", "key.pem", "--port", "8443")
    result = invoke("connect", "cursor", *tls)
    assert (result.exit_code, result.stderr) == (
        0,
        "asdlc-kb: clients verify the certificate: name the host that it is for, "
        "--base-url https://NAME:8443\n",
    )
    written = (home / ".cursor" / "mcp.json").read_text()
    assert '"https://127.0.0.1:8443/mcp"' in written
    assert invoke("connect", "cursor", *tls, "--remove").stderr == ""
    named = ("--base-url", "https://kb.example.com:8443")
    assert invoke("connect", "cursor", *tls, *named).stderr == ""
    written = (home / ".cursor" / "mcp.json").read_text()
    assert '"https://kb.example.com:8443/mcp"' in written


def test_clients_may_start_the_server(
    rows: Rows, home: Path, knowledge: KnowledgeBase
) -> None:
    """--stdio: the interpreter and every path are absolute."""
    code, _ = rows("cursor", "--stdio", "--content", str(knowledge.root))
    entry = json.loads((home / ".cursor" / "mcp.json").read_text())
    assert code == 0
    (server,) = entry["mcpServers"].values()
    assert server == {
        "command": sys.executable,
        "args": ["-P", "-m", "asdlc_kb", "stdio", str(knowledge.root)],
    }


def test_a_client_that_takes_no_address_starts_the_server(
    rows: Rows, home: Path, knowledge: KnowledgeBase
) -> None:
    """If there is nothing to serve, or an address is named, the bridge."""
    path = home / ".config" / "Claude" / "claude_desktop_config.json"

    def command(*arguments: str) -> list[str]:
        rows("claude-desktop", "--force", *arguments)
        # What is served names the entry.
        *_, entry = json.loads(path.read_text())["mcpServers"].values()
        return [entry["command"], *entry["args"]]

    assert command("--content", str(knowledge.root))[0] == sys.executable
    assert command() == ["npx", "-y", "mcp-remote", URL]
    assert command("--url", URL, "--content", str(knowledge.root))[0] == "npx"


def test_paths_of_this_machine_in_a_project_are_told_of(
    invoke: Invoke, home: Path, knowledge: KnowledgeBase
) -> None:
    """Other users of the project have other paths."""
    arguments = ("cursor", "--scope", "project", "--content", str(knowledge.root))
    result = invoke("connect", *arguments, "--stdio")
    assert result.exit_code == 0
    assert "paths that may not exist" in result.stderr
    assert invoke("connect", *arguments, "--force").stderr == ""


def test_a_missing_home_is_an_error(
    invoke: Invoke, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 3: the client's files cannot be located."""

    def home_path() -> None:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr("asdlc_kb.cli.host.Path.home", home_path)
    result = invoke("connect", "cursor")
    assert result.exit_code == 3
    assert "cannot find the home or working directory: " in result.stderr


def test_nothing_to_start_is_the_machine_s_refusal(invoke: Invoke, home: Path) -> None:
    """Exit code 3, as for `stdio`."""
    result = invoke("connect", "cursor", "--stdio")
    assert result.exit_code == 3
    assert "no content: name a folder" in result.stderr
    assert files(home) == []


def test_what_is_left_to_do_is_exit_code_1(invoke: Invoke, home: Path) -> None:
    """The text to paste is below the message, on lines of its own."""
    path = home / ".config" / "goose" / "config.yaml"
    path.parent.mkdir()
    text = "extensions: {developer: {enabled: true}}  # mine\n"
    path.write_text(text)
    result = invoke("connect", "goose", "cursor", "--name", "kb")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == (
        f"Goose: {path}: its layout cannot be edited safely: change it by hand"
    )
    assert lines[-2] == f"Cursor: connected as `kb` in {home}/.cursor/mcp.json"
    assert lines[-1] == NEXT_STEP
    assert {"    extensions:", "      kb:"} < set(lines)
    assert f'        uri: "{URL}"' in lines
    assert path.read_text() == text


def test_the_next_step_is_shown_once_a_client_is_connected(
    invoke: Invoke, home: Path
) -> None:
    """Once, at the end; not for a client that already was."""
    named = ("connect", "cursor", "zed")
    assert invoke(*named, "--dry-run").stdout.count(NEXT_STEP) == 0
    lines = invoke(*named).stdout.splitlines()
    assert lines.count(NEXT_STEP) == 1
    assert lines[-1] == NEXT_STEP
    assert NEXT_STEP not in invoke(*named).stdout
    assert NEXT_STEP not in invoke(*named, "--remove").stdout


def test_a_hint_is_below_the_message(invoke: Invoke, rows: Rows, home: Path) -> None:
    """What the user must do in the client; in JSON a member."""
    result = invoke("connect", "gemini")
    assert result.exit_code == 0
    hint = result.stdout.splitlines()[1]
    assert hint.startswith("    In a folder that it does not trust, it shows the")
    assert rows("gemini")[1][0]["hint"] == hint.strip()
    assert rows("cursor")[1][0]["hint"] is None


def test_another_server_is_removed_only_with_force(invoke: Invoke, home: Path) -> None:
    """D-136: the message names what is there."""
    path = home / ".cursor" / "mcp.json"
    path.write_text('{"mcpServers": {"knowledge-base": {"url": "http://else/mcp"}}}')
    result = invoke("connect", "cursor", "--remove")
    assert result.exit_code == 1
    assert result.stdout == (
        f"Cursor: {path} has another server named `knowledge-base`, which points to "
        "http://else/mcp: use --force to remove it\n"
    )
    assert invoke("connect", "cursor", "--remove", "--force").exit_code == 0
    assert json.loads(path.read_text()) == {"mcpServers": {}}


def test_what_was_replaced_is_told(invoke: Invoke, home: Path) -> None:
    """With the path of the backup."""
    path = home / ".cursor" / "mcp.json"
    path.write_text('{"mcpServers": {"knowledge-base": {"url": "http://else/mcp"}}}')
    assert invoke("connect", "cursor").exit_code == 1
    result = invoke("connect", "cursor", "--force")
    assert result.exit_code == 0
    assert f"    the previous file was saved as {path}.bak\n" in result.stdout


def ask_person(folder: Path, typed: bytes, *arguments: str) -> tuple[int, str]:
    """Run `connect` on a terminal; return its exit code, and what it showed."""
    terminal, child_end = pty.openpty()
    done = subprocess.Popen(
        [*COMMAND, "connect", *arguments],
        stdin=child_end,
        stdout=child_end,
        stderr=child_end,
        cwd=folder,
        env=environment(),
    )
    os.close(child_end)
    os.write(terminal, typed)
    code = done.wait(BOUND)
    shown = os.read(terminal, 65_536)
    os.close(terminal)
    return code, shown.decode()


def test_a_person_confirms_each_client(home: Path, tmp_path: Path) -> None:
    """On a terminal: yes to Cursor, no to Zed."""
    code, shown = ask_person(tmp_path, b"\nn\n")
    assert code == 0
    assert "Connect Cursor? [Y/n]:" in shown
    assert "Connect Zed? [Y/n]:" in shown
    assert files(home) == [".cursor/mcp.json"]


@pytest.mark.parametrize("option", ["--remove", "--name=knowledge-base"])
def test_a_person_is_asked_about_another_server_of_that_name(
    home: Path, tmp_path: Path, option: str
) -> None:
    """No is the default: it is left as it is, as without a terminal."""
    path = home / ".cursor" / "mcp.json"
    text = '{"mcpServers": {"knowledge-base": {"url": "http://else/mcp"}}}'
    path.write_text(text)
    verb = "Remove" if option == "--remove" else "Replace"
    code, shown = ask_person(tmp_path, b"\n", "cursor", option)
    assert code == 1
    assert (
        f"Cursor: {path} has another server named `knowledge-base`, which points to "
        f"http://else/mcp. {verb} it? [y/N]:"
    ) in shown
    assert path.read_text() == text
    code, _ = ask_person(tmp_path, b"y\n", "cursor", option)
    assert code == 0
    assert "http://else/mcp" not in path.read_text()


def test_a_check_tells_what_a_client_will_see(
    invoke: Invoke, home: Path, knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """The running server is checked, and the one that a client has configured."""
    with serve_process(knowledge.root, scanner=scanner) as served:
        port = ("--port", str(served.port))
        url = f"http://127.0.0.1:{served.port}/mcp"
        result = invoke("connect", "--check", *port)
        assert result.exit_code == 0
        lines = result.stdout.splitlines()
        assert lines[0] == f"Server: {url}"
        assert [line.split()[:2] for line in lines[1:]] == [
            ["ok", "server/discover:"],
            ["ok", "initialize:"],
            ["ok", "tools/list:"],
            ["ok", "tools/call:"],
        ]
        assert invoke("connect", "cursor", *port).exit_code == 0
        assert invoke("connect", "--all", "--check").stdout.startswith("cursor: http")
        result = invoke("connect", "cursor", "zed", "--check", "--json")
    assert result.exit_code == 1
    cursor, zed = json.loads(result.stdout)
    assert (cursor["client"], cursor["server"]) == ("cursor", url)
    assert [step["ok"] for step in cursor["steps"]] == [True] * 4
    assert cursor["steps"][2]["tools"][0]["name"] == "list_articles"
    assert (zed["server"], [step["ok"] for step in zed["steps"]]) == (None, [False])


def test_a_check_of_no_client_fails(invoke: Invoke, home: Path) -> None:
    """With what to do about it."""
    result = invoke("connect", "--check", "--url", "http://127.0.0.1:1/mcp")
    assert result.exit_code == 1
    failed = "    FAILED server/discover: nothing is listening at 127.0.0.1:1: "
    assert failed in result.stdout


def test_a_check_starts_what_is_to_be_started(
    invoke: Invoke, home: Path, knowledge: KnowledgeBase
) -> None:
    """--stdio, with this very command line."""
    arguments = ("--check", "--stdio", "--content", str(knowledge.root))
    result = invoke("connect", *arguments)
    assert result.exit_code == 0, result.stdout
    assert "3 tools: list_articles, get_article, search_articles" in result.stdout


def test_a_broken_file_cannot_be_checked(invoke: Invoke, home: Path) -> None:
    """Exit code 3, with the position."""
    (home / ".cursor" / "mcp.json").write_text("{")
    result = invoke("connect", "cursor", "--check")
    assert result.exit_code == 3
    assert "Cursor: it is broken JSON at line 1, column 2" in result.stderr


def test_a_server_does_not_know_how_to_connect(scanner: Scanner) -> None:
    """D-077: the server does not even load the code that starts programs."""
    program = (
        "import asdlc_kb.cli.serve, asdlc_kb.site.pages.connect_page, sys; "
        "modules = 'client_config connection probe probe_client subprocess_runner'; "
        "names = {f'asdlc_kb.connect.{module}' for module in modules.split()}; "
        "assert not names & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=BOUND)


def test_every_client_is_in_the_help_of_a_misuse(invoke: Invoke, home: Path) -> None:
    """A wrong name is answered with all names."""
    stderr = invoke("connect", "x").stderr
    assert all(client.id in stderr for client in CLIENTS)


def test_where_a_token_is_asked_for_it_is_told(
    invoke: Invoke, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The entry alone is not enough; the token is not written."""
    monkeypatch.setenv("ASDLC_KB_AUTH_TOKENS_FILE", "tokens")
    monkeypatch.setenv("ASDLC_KB_TOKEN", "akb_mine")
    result = invoke("connect", "cursor")
    assert "requires a token: name the variable that holds it" in result.stderr
    assert "akb_mine" not in (home / ".cursor" / "mcp.json").read_text()
    elsewhere = invoke("connect", "cursor", "--force", "--url", "https://x.example/mcp")
    assert "token" not in elsewhere.stderr
