"""Tests of links: the strings that each client's documentation shows."""

import pytest

from asdlc_kb.connect.client_table import find_client
from asdlc_kb.connect.deep_links import make_link
from asdlc_kb.connect.server_entry import ServerAddress, ServerCommand

ADDRESS = ServerAddress("https://kb.example.com/mcp")
LINKS = {
    "cursor": "cursor://anysphere.cursor-deeplink/mcp/install?name=asdlc&config="
    "eyJ1cmwiOiJodHRwczovL2tiLmV4YW1wbGUuY29tL21jcCJ9",
    "vscode": "vscode:mcp/install?%7B%22name%22%3A%22asdlc%22%2C%22type%22%3A%22http%22"
    "%2C%22url%22%3A%22https%3A%2F%2Fkb.example.com%2Fmcp%22%7D",
    "lm-studio": "lmstudio://add_mcp?name=asdlc&config="
    "eyJ1cmwiOiJodHRwczovL2tiLmV4YW1wbGUuY29tL21jcCJ9",
    "goose": "goose://extension?url=https%3A%2F%2Fkb.example.com%2Fmcp&"
    "type=streamable_http&timeout=300&id=asdlc&name=asdlc",
}


@pytest.mark.parametrize("name", LINKS)
def test_a_link_has_the_entry_in_it(name: str) -> None:
    """Base64 or percent-encoded, as the client reads it."""
    client = find_client(name)
    assert client is not None
    assert make_link(client, "asdlc", ADDRESS) == LINKS[name]


def test_a_link_may_carry_a_command() -> None:
    """Cursor's does; Goose's takes addresses only."""
    command = ServerCommand(("/usr/bin/python", "-m", "asdlc_kb", "stdio"))
    cursor, goose = find_client("cursor"), find_client("goose")
    assert cursor is not None
    assert goose is not None
    link = make_link(cursor, "asdlc", command)
    assert link is not None
    assert "config=eyJjb21tYW5kIjoi" in link
    assert make_link(goose, "asdlc", command) is None


def test_most_clients_have_no_link() -> None:
    """Nothing is made up."""
    zed = find_client("zed")
    assert zed is not None
    assert make_link(zed, "asdlc", ADDRESS) is None
