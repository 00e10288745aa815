"""Tests of the table: every row can be used, and names are of one client each."""

import re
from collections import Counter
from typing import Any

import pytest

from asdlc_kb.connect.client_model import SYSTEMS, Client
from asdlc_kb.connect.client_table import CLIENTS, find_client
from asdlc_kb.connect.server_entry import ServerAddress

EACH = pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.id)
PLACEHOLDER = re.compile(r"\{\w+\}")
OF_PROGRAMS = {"{name}", "{url}", "{scope}", "{json}", "{command}", "{args}", "{line}"}
OF_PROGRAMS |= {"{token}"}
OF_LINKS = {"{name}", "{url}", "{base64}", "{json}"}


def test_a_name_is_of_one_client() -> None:
    """Ids, names and former names in any case lead to one row."""
    names = Counter(
        name
        for client in CLIENTS
        for name in {client.id, client.name.lower(), *client.aliases}
    )
    assert [name for name, count in names.items() if count > 1] == []
    for name in names:
        known = find_client(f" {name.upper()} ")
        assert known is not None
    assert find_client("netscape") is None


@EACH
def test_a_row_has_what_everything_else_needs(client: Client) -> None:
    """A file for each system or instructions; a date; a documentation page."""
    assert re.fullmatch("[a-z][a-z-]*", client.id)
    assert re.fullmatch(r"20\d\d-\d\d", client.checked)
    assert client.documentation.startswith("https://")
    assert bool(client.places) != bool(client.by_hand)
    for place in client.places.values():
        assert place.paths.keys() == SYSTEMS.keys()
        assert all(place.paths.values())


@EACH
def test_a_row_has_only_placeholders_that_are_filled(client: Client) -> None:
    """A misspelt one would end up in a user's file."""
    program = client.program
    if program is not None:
        for words in (program.remote, program.stdio, program.remove):
            assert set(words or ()) >= set(PLACEHOLDER.findall(" ".join(words or ())))
            assert set(PLACEHOLDER.findall(" ".join(words or ()))) <= OF_PROGRAMS
    assert set(PLACEHOLDER.findall(client.link or "")) <= OF_LINKS
    known = {"{name}", "{url}", "{command}", "{args}", "{line}"}
    spelled = f"{client.remote} {client.stdio}"
    assert set(re.findall(r"'(\{\w+\})'", spelled)) <= known


@EACH
def test_only_tested_clients_say_so(client: Client) -> None:
    """They are the ones that tests/clients runs."""
    is_tested = client.id in {"claude-code", "codex", "gemini"}
    assert (client.verified == "tested") == is_tested


ADDRESS = "https://kb.example.com/mcp"
REFERENCES = {
    "claude-code": "Bearer ${KB}",
    "codex": "KB",
    "gemini": "Bearer $KB",
    "opencode": "Bearer {env:KB}",
    "cursor": "Bearer ${env:KB}",
    "vscode": "Bearer ${input:KB}",
    "windsurf": "Bearer ${env:KB}",
    "kiro": "Bearer ${KB}",
}
"""From their documentation, client by client; for the others nothing is known."""


@EACH
def test_a_token_is_referred_to_in_the_client_s_own_way(client: Client) -> None:
    """Facts only: an invalid reference would be sent as it is."""
    target = ServerAddress(ADDRESS, "KB")
    reference = REFERENCES.get(client.id)
    assert client.lacks_token(target) == (reference is None)
    assert not client.lacks_token(ServerAddress(ADDRESS))
    entry = client.entry("project", "asdlc", target)
    without = client.entry("project", "asdlc", ServerAddress(ADDRESS))
    named: dict[str, Any] = {"headers": {"Authorization": reference}}
    if client.id == "codex":
        named = {"bearer_token_env_var": reference}
    assert entry == (without if reference is None else {**without, **named})
    inputs = client.accompany("asdlc", target)
    assert bool(inputs) == (client.id == "vscode")
    assert client.accompany("asdlc", ServerAddress(ADDRESS)) == {}
    if inputs:
        assert [(each["id"], each["password"]) for each in inputs["inputs"]] == [
            ("KB", True)
        ]


@EACH
def test_a_command_line_refers_to_a_token_too(client: Client) -> None:
    """As one word that no shell has to expand; without a token there is none."""
    program = client.program
    if program is None or program.remote is None:
        return
    target = ServerAddress(ADDRESS, "KB")
    without = [word for word in program.remote if word != "{token}"]
    assert list(program.call(ServerAddress(ADDRESS)) or ()) == without
    words = program.call(target) or ()
    spelled = {"headers": f"Authorization: {REFERENCES.get(client.id)}", "codex": "KB"}
    added = [word for word in words if word not in without]
    if client.id in ("claude-code", "gemini"):
        assert added == ["--header", spelled["headers"]]
    elif client.id == "codex":
        assert added == ["--bearer-token-env-var", spelled["codex"]]
    else:
        assert added == []
