"""Tests of the messages for wrong settings."""

import re
from typing import Annotated, Any, get_args, get_origin

import pytest
from msgspec import Meta

from asdlc_kb.exceptions import SettingsError
from asdlc_kb.settings import FIELDS
from asdlc_kb.settings_errors import (
    MAX_VALUE_CHARS,
    describe_invalid,
    describe_unknown,
    find_misspelt,
)
from asdlc_kb.settings_resolution import resolve_settings


def list_patterns(kind: Any) -> list[Meta]:
    """Return the annotations with a pattern in a type, at any depth."""
    found = [
        each
        for part in get_args(kind)
        if part is not Ellipsis
        for each in list_patterns(part)
    ]
    if get_origin(kind) is Annotated:
        (meta,) = kind.__metadata__
        found += [meta] if meta.pattern else []
    return found


@pytest.mark.parametrize("name", FIELDS)
def test_every_pattern_has_words_and_valid_examples(name: str) -> None:
    """An error never shows a regular expression."""
    for meta in list_patterns(FIELDS[name]):
        assert meta.description
        assert meta.examples or meta.max_length
        for example in meta.examples or ():
            assert meta.pattern is not None
            assert re.search(meta.pattern, example)


@pytest.mark.parametrize("name", FIELDS)
def test_no_message_has_the_name_of_a_type(name: str) -> None:
    """`str`, `int` and regular expressions are not the words of users."""
    values: tuple[object, ...] = ({}, -1, "\n")
    for value in values:
        try:
            resolve_settings({name: value}, {}, {})
        except SettingsError as error:
            message = str(error)
        else:
            continue
        flag = "CONTENT" if name == "content" else f"--{name.replace('_', '-')}"
        assert message.startswith(f"{flag}: ")
        assert not re.search(r"`|\bint\b|\bstr\b|\bobject\b|regex|\(\?|\\Z", message)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("base_url", "foo", "'foo' is not an address; write https://kb.example.com"),
        (
            "allow_host",
            ["kb.example.com", "http://x"],
            "'http://x' is not a host name; write kb.example.com",
        ),
        (
            "allow_origin",
            ["https://app.example.com", "null"],
            "'null' is not a web origin; write https://app.example.com",
        ),
        ("title", "", "'' is not a line of text of 1 to 100 characters"),
        ("content", 5, "5 is not a text"),
        (
            "dialect",
            ["mkdosc"],
            "'mkdosc' is not a dialect of Markdown; write mkdocs or NAME=mkdocs",
        ),
    ],
)
def test_a_message_says_what_to_write(name: str, value: object, message: str) -> None:
    """In the words of the setting, with an example where there is one."""
    found = describe_invalid({"port": 1, name: value}, {name: "environment"})
    assert found == f"ASDLC_KB_{name.upper()}: {message}"


def test_a_long_value_is_shortened() -> None:
    """A message is one line that a terminal shows."""
    value = "x" * 500
    message = describe_invalid({"base_url": value}, {"base_url": "kb.toml"})
    shown = f"'{'x' * MAX_VALUE_CHARS}…'"
    assert message.startswith(f"kb.toml: base_url: {shown} is not an address")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("prot", ". Did you mean: port?"),
        ("alow_host", ". Did you mean: allow_host?"),
        ("colour", ""),
    ],
)
def test_the_nearest_settings_are_suggested(name: str, hint: str) -> None:
    """None is if none is near."""
    message = f"kb.toml: '{name}' is not a setting{hint}"
    assert describe_unknown(["port", name], "kb.toml") == message


def test_known_names_are_no_error() -> None:
    """Those of settings."""
    assert describe_unknown(FIELDS, "kb.toml") is None


@pytest.mark.parametrize(
    "variable",
    [
        *("ASDLC_KB_TOKEN", "ASDLC_KB_CONFIG", "ASDLC_KB_PATH", "ASDLC_KB_port"),
        # Kubernetes sets these for a service named asdlc-kb.
        *("ASDLC_KB_SERVICE_HOST", "ASDLC_KB_SERVICE_PORT", "ASDLC_KB_PORT_8420_TCP"),
        *("ASDLC_KB_SERVICE_PORT_HTTP", "ASDLC_KB_PORT_8420_TCP_PROTO"),
        *("ASDLC_KB_PORT_8420_TCP_PORT", "ASDLC_KB_PORT_8420_TCP_ADDR"),
        *("_ASDLC_KB_COMPLETE", "PORT"),
    ],
)
def test_variables_of_other_programs_are_ignored(variable: str) -> None:
    """D-214: only one that is nearly a setting is an error."""
    assert find_misspelt([variable]) is None


@pytest.mark.parametrize(
    ("variable", "meant"),
    [
        ("ASDLC_KB_PROT", "ASDLC_KB_PORT"),
        ("ASDLC_KB_AUTH_TOKEN_FILE", "ASDLC_KB_AUTH_TOKENS_FILE"),
        ("ASDLC_KB_BASEURL", "ASDLC_KB_BASE_URL"),
    ],
)
def test_a_misspelt_variable_is_found(variable: str, meant: str) -> None:
    """A server without its tokens would answer every client."""
    message = find_misspelt(["ASDLC_KB_PORT", variable])
    assert message is not None
    assert message.startswith(f"environment: {variable} is not a setting. ")
    assert meant in message
