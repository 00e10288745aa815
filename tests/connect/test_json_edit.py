"""Tests of edits in JSON: only our entry changes, for any text."""

import json
import re
from random import Random
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
RANDOMS = st.randoms(use_true_random=False)
GAPS = (
    "",
    " ",
    "\n\t",
    "\r\n  ",
    "/*~ a, } */",
    "\n/*~*/ ",
    ' //~ "b": [*/\n',
    "//~\n",
)
"""Blanks and comments, which begin with a tilde."""


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


def spell_loosely(value: object, random: Random) -> str:
    """Return a value with comments and trailing commas."""

    def gap() -> str:
        return "".join(random.choices(GAPS, k=random.randrange(3)))

    if not isinstance(value, dict | list) or not value:
        return json.dumps(value)
    if isinstance(value, list):
        items = [gap() + spell_loosely(item, random) + gap() for item in value]
    else:
        items = [
            f"{gap()}{json.dumps(name)}{gap()}:{gap()}"
            f"{spell_loosely(item, random)}{gap()}"
            for name, item in value.items()
        ]
    opening, closing = "[]" if isinstance(value, list) else "{}"
    last = random.choice(("", "," + gap()))
    return opening + ",".join(items) + last + closing


def comments(text: str) -> list[str]:
    """Return the comments of a text by `spell_loosely`."""
    return re.findall(r"//~[^\r\n]*|/\*~.*?\*/", text)


def is_kept(text: str, edited: str) -> bool:
    """Whether a text is left if something is deleted from another one."""
    rest = iter(edited)
    return all(char in rest for char in text)


@given(DOCUMENTS, SERVERS.filter(bool), RANDOMS)
def test_comments_and_trailing_commas_survive_an_edit(
    document: dict[str, Any], servers: dict[str, Any], random: Random
) -> None:
    """Bytes are only inserted; removal restores each."""
    wanted = {**document, "mcpServers": servers}
    head, tail = random.choice(GAPS), random.choice(GAPS)
    text = head + spell_loosely(wanted, random) + tail
    assert parse(text) == wanted
    edited = put_entry(text, KEYS, "asdlc", ENTRY)
    assert parse(edited) == {**wanted, "mcpServers": {**servers, "asdlc": ENTRY}}
    assert comments(edited) == comments(text)
    assert is_kept(text, edited)
    assert drop_entry(edited, KEYS, "asdlc") == text


@given(DOCUMENTS, RANDOMS, st.lists(NAMES, min_size=1, max_size=3))
def test_any_member_can_be_dropped_between_comments(
    document: dict[str, Any], random: Random, names: list[str]
) -> None:
    """No comment grows over what follows it."""
    text = spell_loosely(document, random)
    for name in names:
        dropped = drop_entry(text, (), name)
        document.pop(name, None)
        assert parse(dropped) == document
        assert is_kept(dropped, text)
        text = dropped


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('// a\n{"k": {"b": 2}}', '// a\n{"k": {"b": 2, "n": 1}}'),
        ('{"k": {"b": 2,},}', '{"k": {"b": 2, "n": 1,},}'),
        ('{"k": {"b": 2 // x\n}}', '{"k": {"b": 2, "n": 1 // x\n}}'),
        ('{"k": {/* x */}}', '{"k": {/* x */ "n": 1}}'),
        (
            '\ufeff{"k": {"b": "//"}} // "end',
            '\ufeff{"k": {"b": "//", "n": 1}} // "end',
        ),
        (
            '// a\n{\n    // b\n    "k": {\n        "b": 2, // c\n    }, // d\n}\n',
            '// a\n{\n    // b\n    "k": {\n        "b": 2, // c\n        "n": 1,\n'
            "    }, // d\n}\n",
        ),
        (
            '{\n  "k": {\n    "b": 2 // c\n    // "d": 3\n  }\n}',
            '{\n  "k": {\n    "b": 2, // c\n    // "d": 3\n    "n": 1\n  }\n}',
        ),
        (
            '{\n  "k": {\n    // none yet\n  }\n}',
            '{\n  "k": {\n    // none yet\n    "n": 1\n  }\n}',
        ),
    ],
)
def test_an_entry_comes_after_comments_and_leaves_them(before: str, after: str) -> None:
    """A comment stays on the line of its member."""
    assert put_entry(before, ("k",), "n", 1) == after
    assert drop_entry(after, ("k",), "n") == before


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"a": 1, // x\n "n": 1, "b": 2}', '{"a": 1, // x\n  "b": 2}'),
        ('{"a": 1, // x\n "n": 1}', '{"a": 1 // x\n }'),
        (
            '{\n  "n": 1, // x\n  // y\n  "b": 2\n}',
            '{ // x\n  // y\n  "b": 2\n}',
        ),
        ('{ // x\n  "n": {/* y */}\n}', "{ // x\n}"),
    ],
)
def test_comments_around_a_removed_entry_stay(before: str, after: str) -> None:
    """Those in it go with it."""
    assert drop_entry(before, (), "n") == after


def test_a_file_of_comments_gets_an_object() -> None:
    """Editors start users with one."""
    assert parse("// mine\n") == {}
    assert put_entry("// mine\n", (), "n", 1) == '// mine\n{\n  "n": 1\n}\n'


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
        ("{" + "/*" * 50_000, "broken JSON at line 1, column 7"),
        ("{" + "/* " * 50_000, "broken JSON at line 1, column 2"),
        ('// a\n{"k": {}} /* b', "broken JSON at line 2, column 11"),
        ('/* a\nb */{"k": {} "c": 1}', "broken JSON at line 2, column 14"),
        ('{"k": {,}}', "broken JSON at line 1, column 8"),
        ('{"k": {"n": 1,,}}', "broken JSON at line 1, column 1"),
        ("{'k': {}}", "broken JSON at line 1, column 2"),
        ('{"k": {}} # a', "broken JSON at line 1, column 11"),
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
