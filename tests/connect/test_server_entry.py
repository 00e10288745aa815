"""Tests of targets: written into entries, and read from entries of every client."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.connect.client_model import Client
from asdlc_kb.connect.client_table import CLIENTS
from asdlc_kb.connect.server_entry import (
    NAME,
    ServerAddress,
    ServerCommand,
    ServerEntry,
    bridge,
    describe,
    fill_template,
    read_target,
)
from asdlc_kb.web.admission.host_origin import LOOPBACK

ADDRESS = ServerAddress("https://kb.example.com/mcp")
COMMAND = ServerCommand(("/opt/a b/python", "-m", "asdlc_kb", "stdio", "{url}"))


def test_placeholders_are_replaced_wherever_they_are() -> None:
    """As whole values only: a similar text inside a value stays."""
    shape = {"a": "{url}", "b": [{"c": "{name}"}, "x{url}"], "{url}": 1, "d": None}
    assert fill_template(shape, "kb", ADDRESS) == {
        "a": ADDRESS.url,
        "b": [{"c": "kb"}, "x{url}"],
        "{url}": 1,
        "d": None,
    }
    shape = {"command": "{command}", "args": "{args}", "line": "{line}"}
    assert fill_template(shape, "kb", COMMAND) == {
        "command": COMMAND.words[0],
        "args": list(COMMAND.words[1:]),
        "line": list(COMMAND.words),
    }


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.id)
@pytest.mark.parametrize("target", [ADDRESS, COMMAND], ids=["remote", "stdio"])
def test_what_is_written_is_read_back(client: Client, target: ServerEntry) -> None:
    """In every client's format, an entry is read back as its target."""
    entry = client.entry("user", "asdlc", target)
    if client.id == "continue":
        (entry,) = entry["mcpServers"]
    assert read_target(entry) == client.adapt(target)


@pytest.mark.parametrize(
    "entry",
    [None, "x", [], {}, {"url": 3}, {"command": 3}, {"command": "a", "args": [1]}],
)
def test_what_leads_nowhere_is_none(entry: object) -> None:
    """Files may contain anything."""
    assert read_target(entry) is None


def test_the_bridge_is_told_of_a_plain_address_abroad() -> None:
    """mcp-remote refuses http beyond this machine unless it is allowed."""
    local, abroad = (
        ServerAddress("http://127.0.0.1:8420/mcp"),
        ServerAddress("http://kb.lan/mcp"),
    )
    assert bridge(local).words == ("npx", "-y", "mcp-remote", local.url)
    assert bridge(abroad).words[-2:] == (abroad.url, "--allow-http")
    assert not ServerAddress("https://kb.lan/mcp").is_insecure_remote
    for host in LOOPBACK:
        name = f"[{host}]" if ":" in host else host
        assert not ServerAddress(f"http://{name}:1/mcp").is_insecure_remote


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        (
            ServerAddress("https://me:key@kb.example.com:1/mcp?key=1#k"),
            "kb.example.com:1/mcp",
        ),
        (ServerCommand(("/opt/x", "--key", "secret")), "/opt/x"),
        (ADDRESS, ADDRESS.url),
    ],
)
def test_secrets_of_others_are_not_shown(target: ServerEntry, shown: str) -> None:
    """D-137: `doctor`'s output is pasted into reports."""
    assert describe(target).removeprefix("https://") == shown.removeprefix("https://")


def test_a_target_is_shown_as_it_would_be_typed() -> None:
    """A blank in a path does not split it."""
    assert str(ADDRESS) == ADDRESS.url
    assert str(COMMAND).startswith("'/opt/a b/python' -m")


@given(st.text(max_size=40))
def test_a_name_is_one_that_every_client_takes(name: str) -> None:
    """Claude Code makes tool names of it, so it has neither blanks nor dots."""
    if NAME.fullmatch(name):
        assert name.isascii()
        assert name.replace("-", "").isalnum()
        assert name == name.lower()
