"""Tests of snippets: each is valid text of its format with the entry's values."""

import json
import tomllib
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from asdlc_kb.connect.client_model import Client, Scope
from asdlc_kb.connect.client_table import CLIENTS
from asdlc_kb.connect.config_snippet import (
    render,
    render_json,
    render_toml,
    render_yaml,
)
from asdlc_kb.connect.server_entry import ServerAddress, ServerCommand, ServerEntry

TARGETS: dict[str, ServerEntry] = {
    "remote": ServerAddress("https://kb.example.com/mcp"),
    "stdio": ServerCommand(
        ("/opt/a b/python", "-m", "asdlc_kb", "stdio", "/ü/#1: 'x'")
    ),
}


def read_yaml(text: str) -> object:
    """Return the values that a parser of YAML 1.2 reads."""
    return YAML(typ="safe", pure=True).load(StringIO(text))


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.id)
@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize("target", TARGETS)
def test_a_snippet_says_what_the_entry_says(
    client: Client, scope: Scope, target: str
) -> None:
    """With its parent keys."""
    text = render(client, scope, "asdlc", TARGETS[target])
    readers: dict[str, Callable[[str], Any]] = {
        "json": json.loads,
        "toml": tomllib.loads,
        "yaml": read_yaml,
    }
    value = readers[client.form](text)
    place = client.places.get(scope)
    key = place.key if place else ("mcpServers",)
    for part in (*key, "asdlc") if key else ():
        assert list(value) == [part]
        value = value[part]
    assert value == client.entry(scope, "asdlc", TARGETS[target])
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


VALUES = st.recursive(
    st.text() | st.booleans() | st.integers() | st.none(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=8), VALUES, max_size=4))
def test_yaml_is_read_as_it_was_meant(value: dict[str, object]) -> None:
    """Words with another meaning in YAML are quoted."""
    assert (read_yaml(render_yaml(value)) or {}) == value


@given(st.dictionaries(st.text(max_size=8), VALUES, max_size=4))
def test_json_is_read_as_it_was_meant(value: dict[str, object]) -> None:
    """For any values."""
    assert json.loads(render_json(value)) == value


def test_json_is_laid_out_as_people_write_it() -> None:
    """A member on each line, a list on one."""
    assert render_json({"a": {"b": ["x", "y"], "c": {}}}) == (
        '{\n  "a": {\n    "b": ["x", "y"],\n    "c": {}\n  }\n}'
    )


def test_yaml_is_laid_out_as_people_write_it() -> None:
    """Blocks, two blanks, quotes only where they are needed."""
    value = {"a": [{"b": "x", "c": ["yes", "1"]}], "d": {"e": 300, "f": "", "g": []}}
    assert render_yaml(value) == (
        'a:\n  - b: x\n    c:\n      - "yes"\n      - "1"\n'
        'd:\n  e: 300\n  f: ""\n  g: []\n'
    )


TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)


@given(
    st.lists(TEXTS, min_size=1, max_size=3),
    st.dictionaries(
        st.from_regex("[a-z_]{1,8}", fullmatch=True),
        TEXTS | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.lists(TEXTS),
    ),
)
def test_a_table_is_read_as_it_was_meant(
    path: list[str], entry: dict[str, object]
) -> None:
    """For any paths and arguments."""
    value = tomllib.loads(render_toml(path, entry))
    for part in path:
        value = value[part]
    assert value == entry
