"""Tests of adding an entry to a client: its command, a link, an edit, or by hand."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from connect.connections import connection
from support.files import save_in_place

from asdlc_kb.connect.client_model import Client
from asdlc_kb.connect.client_table import CLIENTS
from asdlc_kb.connect.connection import ClientConnection
from asdlc_kb.connect.host_environment import HostEnvironment
from asdlc_kb.connect.result import ConnectResult
from asdlc_kb.connect.server_entry import ServerAddress, ServerCommand, ServerEntry

ADDRESS = ServerAddress("http://127.0.0.1:8420/mcp")
COMMAND = ServerCommand(("/usr/bin/python", "-m", "asdlc_kb", "stdio", "/k b"))

CLAUDE = """
case "$2" in
add) echo '{"mcpServers": {"asdlc": {"type": "http", "url": "'$8'"}}}' ;;
remove) echo '{"mcpServers": {}}' ;;
esac > "$HOME/.claude.json"
echo "$@" >> "$HOME/calls"
"""
"""The relevant part of Claude Code's command."""


def test_its_own_command_comes_first(
    machine: HostEnvironment, install: Callable[[str, str], Path]
) -> None:
    """D-135: the client edits its own file."""
    path = install("claude", CLAUDE)
    outcome = connection(machine, "claude").connect(ADDRESS)
    assert (outcome.status, outcome.backup) == ("connected", None)
    assert outcome.command is not None
    assert outcome.command[0] == str(path)
    calls = (machine.home / "calls").read_text()
    words = "mcp add --transport http --scope user asdlc"
    assert calls == f"{words} {ADDRESS}\n"
    assert connection(machine, "claude").connect(ADDRESS).status == "unchanged"
    assert (machine.home / "calls").read_text() == calls
    removed = connection(machine, "claude").remove(ADDRESS)
    assert (removed.status, removed.backup) == ("removed", None)
    assert connection(machine, "claude").remove(ADDRESS).status == "absent"


@pytest.mark.parametrize("script", ["exit 1", "exit 0", 'echo "{" > /dev/null'])
def test_a_command_that_did_nothing_is_followed_by_an_edit(
    machine: HostEnvironment, install: Callable[[str, str], Path], script: str
) -> None:
    """The file's content afterwards counts, not the exit code."""
    install("claude", script)
    outcome = connection(machine, "claude").connect(COMMAND)
    assert (outcome.status, outcome.command) == ("connected", None)
    written = json.loads((machine.home / ".claude.json").read_text())
    assert written["mcpServers"]["asdlc"]["args"][-1] == "/k b"
    outcome = connection(machine, "claude").remove(COMMAND)
    assert (outcome.status, outcome.command) == ("removed", None)
    assert outcome.backup is not None


@pytest.mark.parametrize(
    "script", [CLAUDE.replace("HOME/.c", "CLAUDE_CONFIG_DIR/.c"), None]
)
def test_the_file_is_where_the_client_reads_it(
    machine: HostEnvironment,
    install: Callable[[str, str], Path],
    tmp_path: Path,
    script: str | None,
) -> None:
    """A variable moves Claude Code's file, for its own command too."""
    config = tmp_path / "config"
    config.mkdir()
    variables = {**machine.variables, "CLAUDE_CONFIG_DIR": str(config)}
    machine = replace(machine, variables=variables)
    if script is not None:
        install("claude", script)
    outcome = connection(machine, "claude").connect(ADDRESS)
    assert outcome.path == config / ".claude.json"
    assert (outcome.command is None) == (script is None)
    assert connection(machine, "claude").connect(ADDRESS).status == "unchanged"
    assert connection(machine, "claude").remove(ADDRESS).status == "removed"
    assert not (machine.home / ".claude.json").exists()


def test_a_command_is_used_for_its_scopes_only(
    machine: HostEnvironment, install: Callable[[str, str], Path]
) -> None:
    """Codex's knows no projects: its file is edited."""
    install("codex", 'echo "$@" >> "$HOME/calls"')
    outcome = connection(machine, "codex", scope="project").connect(ADDRESS)
    assert outcome.path == machine.project / ".codex" / "config.toml"
    assert outcome.status == "connected"
    assert not (machine.home / "calls").exists()


def test_a_link_is_opened_when_asked_for(
    machine: HostEnvironment, install: Callable[[str, str], Path]
) -> None:
    """Before an edit; the client asks its user."""
    install("xdg-open", 'echo "$1" > "$HOME/opened"')
    outcome = connection(machine, "cursor", opens_links=True).connect(ADDRESS)
    assert outcome.status == "offered"
    assert (machine.home / "opened").read_text().strip() == outcome.link
    assert not (machine.home / ".cursor").exists()


def test_a_link_that_cannot_be_opened_is_followed_by_an_edit(
    machine: HostEnvironment, install: Callable[[str, str], Path]
) -> None:
    """No opener, or one that fails; and links are a user's, not a project's."""
    wish = {"opens_links": True}
    assert connection(machine, "cursor", **wish).connect(ADDRESS).status == "connected"
    connection(machine, "cursor").remove(ADDRESS)
    install("xdg-open", "exit 4")
    assert connection(machine, "cursor", **wish).connect(ADDRESS).status == "connected"
    install("xdg-open", "exit 0")
    outcome = connection(machine, "cursor", scope="project", **wish).connect(ADDRESS)
    assert outcome.status == "connected"


def test_an_edit_keeps_the_former_file(machine: HostEnvironment) -> None:
    """D-135: a backup, and nothing else changed."""
    path = save_in_place(
        machine.home / ".cursor/mcp.json", '{"mcpServers": {"a": {}}, "x": 1}'
    )
    outcome = connection(machine, "cursor").connect(ADDRESS)
    assert (outcome.status, outcome.path) == ("connected", path)
    assert outcome.backup is not None
    assert outcome.backup.read_text() == '{"mcpServers": {"a": {}}, "x": 1}'
    assert connection(machine, "cursor").remove(ADDRESS).status == "removed"
    assert path.read_text() == '{"mcpServers": {"a": {}}, "x": 1}'


@pytest.mark.parametrize("has_program", [False, True])
def test_another_server_of_the_name_is_left_alone(
    machine: HostEnvironment, install: Callable[[str, str], Path], has_program: bool
) -> None:
    """D-136: refused without --force, by either way of editing."""
    text = '{"mcpServers": {"asdlc": {"type": "http", "url": "http://theirs/mcp"}}}'
    path = save_in_place(machine.home / ".claude.json", text)
    if has_program:
        install("claude", CLAUDE)
    outcome = connection(machine, "claude").connect(ADDRESS)
    assert outcome.status == "refused"
    assert outcome.message == (
        f"{path} has another server named `asdlc`, which points to http://theirs/mcp: "
        "use --force to replace it or --name for another name"
    )
    assert path.read_text() == text
    outcome = connection(machine, "claude", is_forced=True).connect(ADDRESS)
    assert outcome.status == "connected"
    assert (outcome.command is not None) == has_program
    entry = json.loads(path.read_text())["mcpServers"]["asdlc"]
    assert entry == {"type": "http", "url": ADDRESS.url}
    if has_program:
        calls = (machine.home / "calls").read_text().splitlines()
        assert [call.split()[1] for call in calls] == ["remove", "add"]


def test_another_server_of_the_name_is_removed_only_with_force(
    machine: HostEnvironment, install: Callable[[str, str], Path]
) -> None:
    """D-136: by either way of editing, and in a dry run too."""
    text = '{"mcpServers": {"asdlc": {"url": "http://theirs/mcp?key=secret"}}}'
    path = save_in_place(machine.home / ".claude.json", text)
    for is_dry in (True, False):
        outcome = connection(machine, "claude", is_dry=is_dry).remove(ADDRESS)
        assert outcome.status == "refused"
        assert outcome.message == (
            f"{path} has another server named `asdlc`, which points to "
            "http://theirs/mcp: use --force to remove it"
        )
    install("claude", CLAUDE)
    assert connection(machine, "claude").remove(ADDRESS).status == "refused"
    assert path.read_text() == text
    outcome = connection(machine, "claude", is_forced=True).remove(ADDRESS)
    assert outcome.status == "removed"
    assert json.loads(path.read_text()) == {"mcpServers": {}}


@pytest.mark.parametrize(
    ("entry", "status"),
    [
        ({"command": "/old/python", "args": ["-m", "asdlc_kb", "stdio"]}, "removed"),
        ({"command": "/old/bin/asdlc-kb", "args": ["stdio"]}, "removed"),
        ({"command": "uvx", "args": ["asdlc-kb", "stdio", "/k"]}, "removed"),
        ({"command": "/bin/other", "args": ["stdio"]}, "refused"),
        ({"type": "http", "url": ADDRESS.url, "headers": {}}, "removed"),
        ({"type": "http", "url": "http://127.0.0.1:1/mcp"}, "refused"),
        ({}, "refused"),
    ],
)
def test_a_command_of_this_program_is_removed_whatever_its_options(
    machine: HostEnvironment, entry: object, status: str
) -> None:
    """Nobody has to repeat the options that it was connected with."""
    text = json.dumps({"mcpServers": {"asdlc": entry}})
    save_in_place(machine.home / ".cursor/mcp.json", text)
    assert connection(machine, "cursor").remove(ADDRESS).status == status


def test_the_backup_is_the_state_before_the_first_connection(
    machine: HostEnvironment,
) -> None:
    """D-135: a connected version never takes its place."""
    path = save_in_place(machine.home / ".cursor/mcp.json", '{"x": 1}')
    backup = connection(machine, "cursor").connect(ADDRESS).backup
    assert backup is not None
    outcome = connection(machine, "cursor", is_forced=True).connect(COMMAND)
    assert (outcome.status, outcome.backup) == ("connected", None)
    outcome = connection(machine, "cursor").remove(ADDRESS)
    assert (outcome.status, outcome.backup) == ("removed", None)
    assert backup.read_text() == '{"x": 1}'
    assert json.loads(path.read_text()) == {"x": 1, "mcpServers": {}}


def test_a_client_s_hint_is_in_the_result_of_a_connection(
    machine: HostEnvironment,
) -> None:
    """Gemini CLI looks broken where the folder is not trusted."""
    for status in ("connected", "unchanged"):
        outcome = connection(machine, "gemini").connect(ADDRESS)
        assert outcome.status == status
        assert outcome.hint is not None
        assert "shows the server as Disabled" in outcome.hint
    assert connection(machine, "gemini").remove(ADDRESS).hint is None
    assert connection(machine, "cursor").connect(ADDRESS).hint is None


def test_a_file_with_comments_is_edited_around_them(machine: HostEnvironment) -> None:
    """D-135: editors start users with such a file."""
    text = '// Zed\n{\n  "context_servers": {\n    "a": {}, // why\n  },\n}\n'
    path = save_in_place(machine.home / ".config/zed/settings.json", text)
    outcome = connection(machine, "zed").connect(ADDRESS)
    assert (outcome.status, outcome.path) == ("connected", path)
    assert outcome.backup is not None
    assert outcome.backup.read_text() == text
    head, entry, tail = path.read_text().partition('    "asdlc": {\n')
    assert head + tail.partition("    },\n")[2] == text
    assert entry
    assert connection(machine, "zed").connect(ADDRESS).status == "unchanged"
    assert connection(machine, "zed").remove(ADDRESS).status == "removed"
    assert path.read_text() == text


def test_a_client_without_a_file_is_told_by_hand(machine: HostEnvironment) -> None:
    """JetBrains keeps servers in its settings."""
    outcome = connection(machine, "jetbrains").connect(ADDRESS)
    assert outcome.status == "by-hand"
    assert "Settings > Tools" in outcome.message
    assert outcome.snippet is not None


def test_a_layout_that_is_not_edited_is_told_by_hand(machine: HostEnvironment) -> None:
    """With what to paste, and nothing is written."""
    text = "extensions: {developer: {enabled: true}}\n"
    path = save_in_place(machine.home / ".config/goose/config.yaml", text)
    outcome = connection(machine, "goose").connect(ADDRESS)
    assert outcome.status == "by-hand"
    assert outcome.snippet is not None
    assert path.read_text() == text


def test_a_client_without_projects_refuses_one(machine: HostEnvironment) -> None:
    """The message names the alternative."""
    wishes: list[Callable[[ClientConnection], ConnectResult]] = [
        lambda it: it.connect(ADDRESS),
        lambda it: it.show(ADDRESS),
        lambda it: it.remove(ADDRESS),
    ]
    for ask in wishes:
        outcome = ask(connection(machine, "lm-studio", scope="project"))
        assert outcome.status == "refused"
        assert outcome.message == (
            "it has no project configuration: choose another --scope"
        )


def test_a_broken_file_is_never_changed(
    machine: HostEnvironment, install: Callable[[str, str], Path]
) -> None:
    """A client might discard what it cannot read."""
    path = save_in_place(machine.home / ".claude.json", '{"a": ')
    install("claude", CLAUDE)
    for outcome in (
        connection(machine, "claude").connect(ADDRESS),
        connection(machine, "claude").remove(ADDRESS),
    ):
        assert outcome.status == "refused"
        assert outcome.message.startswith(f"{path}: it is broken JSON at line 1")
    assert path.read_text() == '{"a": '
    assert not (machine.home / "calls").exists()


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.id)
def test_a_dry_run_changes_nothing(
    machine: HostEnvironment, install: Callable[[str, str], Path], client: Client
) -> None:
    """Neither a file nor a folder, and no program runs."""
    if client.program is not None:
        install(client.program.name, 'touch "$HOME/ran"')
    install("xdg-open", 'touch "$HOME/ran"')
    outcome = connection(machine, client.id, is_dry=True, opens_links=True).connect(
        ADDRESS
    )
    is_by_hand = client.id == "jetbrains"
    assert outcome.status == ("by-hand" if is_by_hand else "planned")
    assert list(machine.home.iterdir()) == []


@pytest.mark.parametrize("text", ["{} # x", '{"context_servers": []}'])
def test_a_dry_run_finds_what_would_be_in_the_way(
    machine: HostEnvironment, text: str
) -> None:
    """It promises no edit that would be refused."""
    save_in_place(machine.home / ".config/zed/settings.json", text)
    planned = connection(machine, "zed", is_dry=True).connect(ADDRESS)
    assert planned == connection(machine, "zed").connect(ADDRESS)
    assert planned.status in ("by-hand", "refused")


def test_a_dry_removal_changes_nothing(
    machine: HostEnvironment, install: Callable[[str, str], Path]
) -> None:
    """By edit, and by the client's own command."""
    text = json.dumps({"mcpServers": {"asdlc": {"url": ADDRESS.url}}})
    path = save_in_place(machine.home / ".claude.json", text)
    outcome = connection(machine, "claude", is_dry=True).remove(ADDRESS)
    assert (outcome.status, outcome.command) == ("planned", None)
    install("claude", CLAUDE)
    outcome = connection(machine, "claude", is_dry=True).remove(ADDRESS)
    assert outcome.status == "planned"
    assert outcome.command is not None
    assert path.read_text() == text


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.id)
@pytest.mark.parametrize("target", [ADDRESS, COMMAND], ids=["remote", "stdio"])
def test_every_client_can_be_shown(
    machine: HostEnvironment,
    install: Callable[[str, str], Path],
    client: Client,
    target: ServerEntry,
) -> None:
    """The instructions, and the command, if it exists; no file is read."""
    if client.program is not None:
        install(client.program.name, "exit 1")
    outcome = connection(machine, client.id).show(target)
    assert outcome.status == "shown"
    assert outcome.snippet
    if client.program is not None and client.id != "devin":
        assert outcome.command is not None
        assert not any("{" in word for word in outcome.command if '"name"' not in word)
    assert list(machine.home.iterdir()) == []


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.id)
def test_every_client_with_a_file_comes_and_goes(
    machine: HostEnvironment, client: Client
) -> None:
    """Each row of the table, in each of its scopes, without its program."""
    for scope in client.places.keys() - {"local"}:
        outcome = connection(machine, client.id, scope=scope).connect(COMMAND)
        assert outcome.status == "connected"
        again = connection(machine, client.id, scope=scope).connect(COMMAND)
        assert again.status == "unchanged"
        assert (
            connection(machine, client.id, scope=scope).remove(COMMAND).status
            == "removed"
        )
        assert (
            connection(machine, client.id, scope=scope).remove(COMMAND).status
            == "absent"
        )
