"""Tests of edits in JSON: only our entry changes, for any text."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.connect.json_edit import drop_entry, parse, put_entry
from asdlc_kb.exceptions import ConfigNotEditable

KEYS = ("mcpServers",)
ENTRY = {"type": "http", "url": "http://127.0.0.1:8420/mcp"}
OTHER = {"command": "x", "args": []}

NAMES = st.sampled_from(["a", "mcpServers", "asdlc", 'q"', "\\", "ü"]) | st.text()
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3)
    ),
    max_leaves=10,
)
SERVERS = st.dictionaries(NAMES.filter(lambda name: name != "asdlc"), VALUES)
DOCUMENTS = st.dictionaries(NAMES, VALUES, max_size=4).filter(
    lambda document: isinstance(document.get("mcpServers", {}), dict)
)
LAYOUTS = st.sampled_from([None, 2, 4, "\t", 0])


def spell(
    document: object, indent: int | str | None, *, ascii_only: bool, ends: str
) -> str:
    """Return a document in one of the formats of clients and people."""
    text = json.dumps(document, indent=indent, ensure_ascii=ascii_only)
    return text.replace("\n", ends) + ends


@given(DOCUMENTS, LAYOUTS, st.booleans(), st.sampled_from(["\n", "\r\n"]), st.data())
def test_an_edit_changes_nothing_but_our_entry(
    document: dict[str, Any],
    indent: int | str | None,
    ascii_only: bool,
    ends: str,
    data: st.DataObject,
) -> None:
    """Order, spelling and blanks of all else stay, to the byte."""
    servers = document.get("mcpServers", {})
    text = spell(document, indent, ascii_only=ascii_only, ends=ends)
    edited = put_entry(text, KEYS, "asdlc", ENTRY)
    wanted = {**document, "mcpServers": {**servers, "asdlc": ENTRY}}
    assert json.loads(edited) == wanted
    assert list(json.loads(edited)) == list(wanted)
    assert list(json.loads(edited)["mcpServers"]) == list(wanted["mcpServers"])
    head = next(
        (i for i, (a, b) in enumerate(zip(text, edited, strict=False)) if a != b),
        min(len(text), len(edited)),
    )
    if "asdlc" not in servers:
        # One range was inserted: the text before and after it is unchanged,
        # except for the blanks of an object without members.
        tail = next(
            i
            for i in range(1, len(edited) + 1)
            if i > len(text) - head or text[-i] != edited[-i]
        )
        remainder = text[head : len(text) - tail + 1]
        assert not remainder.strip()
    assert put_entry(edited, KEYS, "asdlc", ENTRY) == edited
    assert json.loads(drop_entry(edited, KEYS, "asdlc"))["mcpServers"] == {
        name: value for name, value in servers.items() if name != "asdlc"
    }


@given(DOCUMENTS, SERVERS.filter(bool), LAYOUTS)
def test_removal_restores_every_byte(
    document: dict[str, Any], servers: dict[str, Any], indent: int | str | None
) -> None:
    """Where other servers are, there is no trace afterwards."""
    text = spell(
        {**document, "mcpServers": servers}, indent, ascii_only=False, ends="\n"
    )
    assert drop_entry(put_entry(text, KEYS, "asdlc", ENTRY), KEYS, "asdlc") == text


@given(DOCUMENTS, LAYOUTS)
def test_removal_restores_an_equal_document(
    document: dict[str, Any], indent: int | str | None
) -> None:
    """At most an empty object stays where ours was the only server."""
    text = spell(document, indent, ascii_only=True, ends="\n")
    restored = json.loads(
        drop_entry(put_entry(text, KEYS, "asdlc", ENTRY), KEYS, "asdlc")
    )
    servers = document.get("mcpServers", {})
    servers = {name: item for name, item in servers.items() if name != "asdlc"}
    assert restored == {**document, "mcpServers": servers}


@given(DOCUMENTS, LAYOUTS, st.lists(NAMES, min_size=1, max_size=3))
def test_any_member_can_be_dropped(
    document: dict[str, Any], indent: int | str | None, names: list[str]
) -> None:
    """First, last, only one: what is left is valid and in order."""
    text = spell(document, indent, ascii_only=False, ends="\n")
    for name in names:
        text = drop_entry(text, (), name)
        document.pop(name, None)
        assert json.loads(text) == document
        assert list(json.loads(text)) == list(document)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "k": {\n    "n": 1\n  }\n}\n'),
        (" \n", '{\n  "k": {\n    "n": 1\n  }\n}\n'),
        ("\ufeff{}", '\ufeff{\n  "k": {\n    "n": 1\n  }\n}'),
        ('{"k":{}}', '{"k":{"n": 1}}'),
        ('{"k":{"a":1}}', '{"k":{"a":1, "n": 1}}'),
        (
            '{\n\t"a": 1,\n\t"k": {\n\t\t"b": 2\n\t}\n}',
            '{\n\t"a": 1,\n\t"k": {\n\t\t"b": 2,\n\t\t"n": 1\n\t}\n}',
        ),
        (
            '{\r\n    "a": 1\r\n}\r\n',
            '{\r\n    "a": 1,\r\n    "k": {\r\n        "n": 1\r\n    }\r\n}\r\n',
        ),
        (
            '{\n  "k": {},\n  "z": []\n}',
            '{\n  "k": {\n    "n": 1\n  },\n  "z": []\n}',
        ),
        ('{\n  "k": { "n": [] }\n}', '{\n  "k": { "n": 1 }\n}'),
    ],
)
def test_an_entry_is_laid_out_as_its_neighbours(before: str, after: str) -> None:
    """Indentation, line ends and one-line objects are kept."""
    assert put_entry(before, ("k",), "n", 1) == after


def test_nested_keys_are_made_on_the_way() -> None:
    """Claude Code's local scope is three objects deep."""
    edited = put_entry('{"projects": {"/a": {}}}', ("projects", "/b", "s"), "n", 1)
    assert json.loads(edited) == {"projects": {"/a": {}, "/b": {"s": {"n": 1}}}}


@pytest.mark.parametrize(
    "text",
    [
        '// a\n{"k": {"n": 1}}',
        '{"k": {"n": 1,},}',
        '{/* a // b */ "k": {"n": 1 /* "x */}}',
        '{"k": {"n": 1}} // "end',
    ],
)
def test_comments_are_read_but_never_rewritten(text: str) -> None:
    """D-132: JSONC is left to the user, with the snippet."""
    assert parse(text) == {"k": {"n": 1}}
    edits: list[Callable[[], object]] = [
        lambda: put_entry(text, ("k",), "m", 1),
        lambda: drop_entry(text, ("k",), "n"),
    ]
    for edit in edits:
        with pytest.raises(
            ConfigNotEditable, match="comments or trailing commas"
        ) as caught:
            edit()
        assert caught.value.by_hand


def test_what_looks_like_a_comment_in_a_text_is_none() -> None:
    """An address has two slashes."""
    text = '{"u": "http://x/*y*/", "v": ",}", /* c */ "w": "\\"//"}'
    assert parse(text) == {"u": "http://x/*y*/", "v": ",}", "w": '"//'}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{\n  "k": {"n": }\n}', "broken JSON at line 2, column 14: fix it"),
        ('{"a": 1', "broken JSON at line 1, column 8"),
        ("[]", "it contains no JSON object"),
        ("[" * 100_000, "broken JSON"),
        ("{" + "/*" * 50_000, "broken JSON at line 1, column 2"),
    ],
)
def test_broken_files_are_refused_in_plain_words(text: str, message: str) -> None:
    """With the position, and what to do."""
    for ask in (lambda: parse(text), lambda: put_entry(text, ("k",), "n", 1)):
        with pytest.raises(ConfigNotEditable, match=message) as refused:
            ask()
        assert not refused.value.by_hand


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"k": []}', "`k` in it is not an object"),
        ('{"k": {}, "k": {}}', "`k` occurs twice"),
        ('{"k": {"n": 1, "n": 2}}', "`n` occurs twice"),
    ],
)
def test_what_cannot_be_told_apart_is_refused(text: str, message: str) -> None:
    """An edit of one of two would be a guess."""
    with pytest.raises(ConfigNotEditable, match=message):
        put_entry(text, ("k",), "n", 1)


def test_dropping_what_is_not_there_changes_nothing() -> None:
    """Neither the entry nor its parents."""
    for text in ("{}", '{"k": {}}', '{"k": {"m": 1}}'):
        assert drop_entry(text, ("k",), "n") == text
