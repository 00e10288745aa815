"""Tests of edits in YAML: lines added and removed, all else as it was."""

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from asdlc_kb.connect.yaml_edit import MAX_BYTES, drop_entry, parse, put_entry
from asdlc_kb.exceptions import ConfigNotEditable

KEYS = ("extensions",)
ENTRY = {
    "name": "kb",
    "type": "stdio",
    "cmd": "/a b/python",
    "args": ["-m", 'q"', "ü"],
    "enabled": True,
    "timeout": 300,
}
LINES = """\
  kb:
    name: kb
    type: stdio
    cmd: "/a b/python"
    args:
      - "-m"
      - "q\\""
      - "ü"
    enabled: true
    timeout: 300
"""
GOOSE = """\
# my settings
GOOSE_PROVIDER: anthropic   # which one
GOOSE_MODEL: "claude"
extensions:
  # the built-in one
  developer:
    bundled: true
    enabled: true  # keep
    # display_name: Developer
  # further ones
{ours}
# how much it asks
GOOSE_MODE: auto
"""


def read(text: str) -> Any:
    """Parse a text as YAML 1.2, as Goose does."""
    return YAML(typ="safe", pure=True).load(text) or {}


def test_an_entry_follows_the_others_and_their_comments() -> None:
    """Every other byte stays."""
    text = GOOSE.replace("{ours}\n", "\n")
    edited = put_entry(text, KEYS, "kb", ENTRY)
    assert edited == GOOSE.replace("{ours}\n", f"{LINES}\n")
    assert read(edited)["extensions"]["kb"] == ENTRY
    assert drop_entry(edited, KEYS, "kb") == text


@pytest.mark.parametrize(
    "text",
    [
        "extensions:\n  a: 1\n",
        "extensions:\n  a: 1",
        "extensions:\n      a: {b: 1}  # why\n\n\nz: 3\n",
        "---\nextensions:\n  a:\n    b: |\n      text\n\n  c: [1,\n    2]\nz: 3\n",
        "extensions:\r\n  a: 1\r\nb: 2\r\n",
        "\ufeffextensions:\n  a: 1\n",
        "extensions:\n  'a b': \"x\"  # c\n# end",
        "extensions:\n  a:\n  b:\n",
        "extensions:\n  a: |+\n    text\n\n\nb: 1\n",
        "extensions: {}\nb: 1\n",
        "extensions:\n  a: >-\n    folded\n    text\nb: 1\n",
        "\U0001f40d: 1  # beyond the BMP \U0001f40d\nextensions:\n  a: 1\n",
    ],
)
def test_removal_restores_every_byte(text: str) -> None:
    """Whatever the layout; but for the line break at the end of the text."""
    edited = put_entry(text, KEYS, "kb", ENTRY)
    assert ("\r\n" in text) == ("\r\n" in edited)
    values = read(edited.removeprefix("\ufeff"))
    assert values["extensions"].pop("kb") == ENTRY
    assert values == read(text.removeprefix("\ufeff"))
    assert drop_entry(edited, KEYS, "kb").rstrip("\n") == text.rstrip("\n")


@pytest.mark.parametrize(
    ("text", "edited"),
    [
        ("", "extensions:\n  kb:\n    uri: u\n"),
        ("# only this\n", "# only this\nextensions:\n  kb:\n    uri: u\n"),
        ("# only this", "# only this\nextensions:\n  kb:\n    uri: u\n"),
        ("a: 1", "a: 1\nextensions:\n  kb:\n    uri: u\n"),
        ("a: 1\n\n# end\n", "a: 1\n\n# end\nextensions:\n  kb:\n    uri: u\n"),
        ("extensions:\n", "extensions:\n  kb:\n    uri: u\n"),
        ("extensions: # c\nb: 1\n", "extensions: # c\n  kb:\n    uri: u\nb: 1\n"),
        ("extensions: {}  # c\n", "extensions:  # c\n  kb:\n    uri: u\n"),
        ("extensions: ~\nb: 1\n", "extensions:\n  kb:\n    uri: u\nb: 1\n"),
        (
            "x:\n    y: 1\nextensions:\n",
            "x:\n    y: 1\nextensions:\n  kb:\n    uri: u\n",
        ),
    ],
)
def test_missing_mappings_are_added(text: str, edited: str) -> None:
    """At the end, or where there is nothing below the key."""
    assert put_entry(text, KEYS, "kb", {"uri": "u"}) == edited


def test_an_entry_is_replaced_where_it_is() -> None:
    """With the comments in it."""
    text = "extensions:\n  kb:\n    uri: old\n    # ours\n  # of z\n  z: 1\n"
    edited = put_entry(text, KEYS, "kb", {"uri": "new"})
    assert edited == "extensions:\n  kb:\n    uri: new\n  # of z\n  z: 1\n"


def test_an_entry_without_a_value_is_replaced_and_removed() -> None:
    """As one that was emptied by hand."""
    text = "extensions:\n  kb:\n  z: 1\n"
    assert put_entry(text, KEYS, "kb", {"uri": "u"}) == (
        "extensions:\n  kb:\n    uri: u\n  z: 1\n"
    )
    assert drop_entry(text, KEYS, "kb") == "extensions:\n  z: 1\n"


def test_the_last_entry_leaves_an_empty_mapping() -> None:
    """Not null, which a program may reject."""
    text = "a: 1\nextensions:  # mine\n  kb:\n    uri: u\nb: 2\n"
    assert drop_entry(text, KEYS, "kb") == "a: 1\nextensions: {}  # mine\nb: 2\n"


def test_what_is_not_there_is_not_removed() -> None:
    """Nor are its mappings added."""
    for text in (
        "",
        "a: 1\n",
        "extensions:\n",
        "extensions: [kb]\n",
        "extensions: kb\n",
    ):
        assert drop_entry(text, KEYS, "kb") == text


@pytest.mark.parametrize(
    "text",
    [
        "extensions: {a: 1}\n",
        "{extensions: {a: 1}}\n",
        "base: &b\n  a: 1\nextensions: *b\n",
        "extensions: &all\n  a: 1\nother: *all\n",
    ],
)
def test_another_layout_is_left_to_the_user(text: str) -> None:
    """Braces, an alias, a mapping that is used elsewhere."""
    with pytest.raises(ConfigNotEditable) as refused:
        put_entry(text, KEYS, "kb", ENTRY)
    assert refused.value.by_hand


def test_an_entry_in_braces_is_left_to_the_user() -> None:
    """It is found, and not removed."""
    text = "extensions: {kb: {uri: u}}\n"
    assert parse(text) == {"extensions": {"kb": {"uri": "u"}}}
    with pytest.raises(ConfigNotEditable) as refused:
        drop_entry(text, KEYS, "kb")
    assert refused.value.by_hand


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: [1\n", "broken YAML at line "),
        ("a: 1\na: b: c\n", "broken YAML at line "),
        ("a: 1\n---\nb: 1\n", "several documents at line 2"),
        ("- 1\n", "no mapping"),
        ("text\n", "no mapping"),
        ("extensions: 5\n", "`extensions` in it is not a mapping"),
        ("extensions:\n  kb: 1\n  kb: 2\n", "`kb` occurs twice"),
        ("extensions:\n  a: 1\nextensions:\n  b: 1\n", "`extensions` occurs twice"),
        ("a: " + "[" * 100 + "]" * 100, "too many levels"),
        ("a: " + "x" * MAX_BYTES, "larger than"),
    ],
)
def test_a_broken_file_is_refused_with_the_reason(text: str, reason: str) -> None:
    """And never written."""
    with pytest.raises(ConfigNotEditable, match=reason) as refused:
        put_entry(text, KEYS, "kb", ENTRY)
    assert not refused.value.by_hand


_SCALARS = st.sampled_from(["x", "1", "true", "'q'", '"d"', "[1, 2]", "{a: 1}", ""])
_NAMES = st.sampled_from(["a", "b", "kb2", "'c d'", "extensions"])
_COMMENTS = st.sampled_from(["", "  # c", "\n# c", "\n    # c", "\n", "\n\n"])


@given(
    st.lists(st.tuples(_NAMES, _SCALARS, _COMMENTS), max_size=5),
    st.lists(st.tuples(_NAMES, _SCALARS, _COMMENTS), max_size=4),
)
def test_any_text_is_edited_with_nothing_else_changed_or_refused(
    outer: list[tuple[str, str, str]], inner: list[tuple[str, str, str]]
) -> None:
    """A parser that is not ours sees the former values and the entry."""
    lines = [f"{name}: {value}{comment}" for name, value, comment in outer]
    if inner:
        lines.insert(len(lines) // 2, "extensions:")
        lines[len(lines) // 2 + 1 : len(lines) // 2 + 1] = [
            f"  {name}: {value}{comment}" for name, value, comment in inner
        ]
    text = "".join(f"{line}\n" for line in lines)
    try:
        before = read(text)
        edited = put_entry(text, KEYS, "kb", ENTRY)
    except Exception:
        assume(False)
    after = read(edited)
    assert after["extensions"].pop("kb") == ENTRY
    assert after == before | {"extensions": before.get("extensions") or {}}
    removed = read(drop_entry(edited, KEYS, "kb"))
    assert (removed.get("extensions") or {}) == (before.get("extensions") or {})
