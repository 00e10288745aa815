"""Tests of the table: every row can be used, and names are of one client each."""

import re
from collections import Counter

import pytest

from asdlc_kb.connect.client import SYSTEMS
from asdlc_kb.connect.clients import CLIENTS, find_client

EACH = pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.id)
PLACEHOLDER = re.compile(r"\{\w+\}")
OF_PROGRAMS = {"{name}", "{url}", "{scope}", "{json}", "{command}", "{args}", "{line}"}
OF_LINKS = {"{name}", "{url}", "{base64}", "{json}"}


def test_a_name_is_of_one_client() -> None:
    """Ids, names and former names in any case lead to one row."""
    names = Counter(
        name
        for client in CLIENTS
        for name in {client.id, client.name.lower(), *client.others}
    )
    assert [name for name, count in names.items() if count > 1] == []
    for name in names:
        found = find_client(f" {name.upper()} ")
        assert found is not None
    assert find_client("netscape") is None


@EACH
def test_a_row_has_what_everything_else_needs(client) -> None:
    """A file for each system or a place for a person; a date; a page to read."""
    assert re.fullmatch("[a-z][a-z-]*", client.id)
    assert re.fullmatch(r"20\d\d-\d\d", client.checked)
    assert client.documentation.startswith("https://")
    assert bool(client.places) != bool(client.by_hand)
    for place in client.places.values():
        assert place.paths.keys() == SYSTEMS.keys()
        assert all(place.paths.values())


@EACH
def test_a_row_has_only_placeholders_that_are_filled(client) -> None:
    """A misspelt one would end up in somebody's file."""
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
def test_only_tested_clients_say_so(client) -> None:
    """Those are the ones that tests/clients runs."""
    is_tested = client.id in {"claude-code", "codex", "gemini"}
    assert (client.verified == "tested") == is_tested
