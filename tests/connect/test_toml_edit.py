"""Tests of edits in TOML: a table at the end, checked by the parser."""

import tomllib

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from asdlc_kb.connect.toml_edit import (
    MAX_BYTES,
    MAX_DOTS,
    drop_entry,
    parse,
    put_entry,
)
from asdlc_kb.exceptions import ConfigNotEditable

KEYS = ("mcp_servers",)
ENTRY = {"command": "/a b/python", "args": ["-m", 'q"', "\x7fü"]}
OURS = '[mcp_servers.asdlc]\nurl = "u"\n'


def is_valid(text: str) -> bool:
    """Whether a text is TOML."""
    try:
        tomllib.loads(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(
    "text",
    [
        "",
        'model = "x"\n',
        "# a comment\n\nmodel = 'x'  # why\n[mcp_servers.other]\nurl = 'o'\n",
        "[mcp_servers]\n\n[mcp_servers.other]\ncommand = 'c'\n\n[tui]\nx = [\n 1,\n]\n",
        "[[history]]\na = 1\n[[history]]\na = 2\n",
    ],
)
def test_removal_restores_every_byte(text: str) -> None:
    """Put in at the end, taken out again; the values of all else are the same."""
    edited = put_entry(text, KEYS, "asdlc", ENTRY)
    assert edited.startswith(text)
    values = tomllib.loads(edited)
    assert values["mcp_servers"].pop("asdlc") == ENTRY
    before = tomllib.loads(text)
    before.setdefault("mcp_servers", {})
    assert values == before
    assert drop_entry(edited, KEYS, "asdlc") == text


def test_a_table_is_taken_out_of_the_middle() -> None:
    """With its sub-tables; the comment of the next table stays."""
    text = (
        "[a]\nx = 1\n\n"
        "[mcp_servers.asdlc]\n# ours\nurl = 'u'\n\n"
        "[mcp_servers.asdlc.tools]\nget = 1\n\n"
        "# about b\n[mcp_servers.asdlc2]\ny = 2\n"
    )
    remainder = "[a]\nx = 1\n\n# about b\n[mcp_servers.asdlc2]\ny = 2\n"
    assert drop_entry(text, KEYS, "asdlc") == remainder


@pytest.mark.parametrize(
    "header",
    ['[mcp_servers."asdlc"]', "[ mcp_servers . asdlc ]", "['mcp_servers'.'asdlc']"],
)
def test_a_header_may_be_spelled_otherwise(header: str) -> None:
    """Quotes and blanks mean the same."""
    assert drop_entry(f"a = 1\n{header}\nurl = 'u'\n", KEYS, "asdlc") == "a = 1\n"


def test_an_entry_is_replaced() -> None:
    """The new one is at the end."""
    text = f"a = 1\n\n{OURS}\n[tui]\nx = 1\n"
    edited = put_entry(text, KEYS, "asdlc", {"url": "v"})
    assert edited == 'a = 1\n\n[tui]\nx = 1\n\n[mcp_servers.asdlc]\nurl = "v"\n'


def test_line_ends_and_a_missing_last_one_are_kept_up() -> None:
    """A file of Windows stays one."""
    assert put_entry("a = 1\r\n", KEYS, "n", {"b": 2}) == (
        "a = 1\r\n\r\n[mcp_servers.n]\r\nb = 2\r\n"
    )
    assert (
        put_entry("a = 1", KEYS, "n", {"b": 2}) == "a = 1\n\n[mcp_servers.n]\nb = 2\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "mcp_servers = { other = { url = 'o' } }\n",
        "mcp_servers = { asdlc = { url = 'o' } }\n",
        "mcp_servers.asdlc.url = 'o'\n",
        "[mcp_servers]\nasdlc = { url = 'o' }\n",
    ],
)
def test_a_layout_that_lines_cannot_edit_is_left_to_the_person(text: str) -> None:
    """The parser would read something else than intended."""
    with pytest.raises(ConfigNotEditable, match="cannot be edited safely") as caught:
        put_entry(text, KEYS, "asdlc", ENTRY)
    assert caught.value.by_hand
    if "asdlc" in text:
        with pytest.raises(ConfigNotEditable, match="cannot be edited safely"):
            drop_entry(text, KEYS, "asdlc")


def test_what_looks_like_a_table_in_a_text_is_none() -> None:
    """The edit of lines would spoil the text, which the proof finds."""
    text = f'note = """\n[mcp_servers.asdlc]\n"""\n{OURS}'
    with pytest.raises(ConfigNotEditable, match="cannot be edited safely"):
        drop_entry(text, KEYS, "asdlc")


LINES = (
    "# a comment",
    "",
    "  # another, indented",
    "[mcp_servers.b]",
    "x = [1, # one\n 2]",
    "[[a]]",
    "y = '''\n[other]\n'''",
    "[ mcp_servers . 'asdlc-2' ]",
)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@given(st.lists(st.sampled_from(LINES), max_size=8, unique=True))
def test_every_line_outside_the_entry_survives(newline: str, lines: list[str]) -> None:
    """Wherever the entry is: comments, order, indentation and line ends."""

    def write(*parts: str) -> str:
        return "".join(f"{part}\n" for part in parts).replace("\n", newline)

    text = write(*lines)
    assume(is_valid(text) and not text.isspace())
    edited = put_entry(text, KEYS, "asdlc", ENTRY)
    assert edited.startswith(text)
    assert drop_entry(edited, KEYS, "asdlc") == text
    table = ("[mcp_servers.asdlc]", "url = 'u'", "[mcp_servers.asdlc.x]", "y = 1")
    borders = [index for index, line in enumerate(lines) if line.startswith("[")]
    for index in [*borders, len(lines)]:
        above, below = write(*lines[:index]), write(*lines[index:])
        remainder = drop_entry(above + write(*table) + below, KEYS, "asdlc")
        is_blank_above = index > 0 and not lines[index - 1]
        if is_blank_above:
            above = above.removesuffix(newline)
        assert remainder == above + below


def test_broken_files_are_refused_in_plain_words() -> None:
    """With the position, in the parser's words."""
    with pytest.raises(ConfigNotEditable, match=r"broken TOML \(.*line 1, column 5"):
        parse("a = \n")
    with pytest.raises(ConfigNotEditable, match="`mcp_servers` in it is not a table"):
        put_entry("mcp_servers = 3\n", KEYS, "asdlc", ENTRY)


def test_dropping_what_is_not_there_changes_nothing() -> None:
    """Nor without any server."""
    for text in ("", "a = 1\n", "[mcp_servers.other]\nurl = 'o'\n"):
        assert drop_entry(text, KEYS, "asdlc") == text


def test_what_the_parser_would_take_long_for_is_refused() -> None:
    """Its time grows with the square of a key's parts; so many dots pass."""
    dots = ".".join("a" * (MAX_DOTS + 1))
    assert parse(f"{dots} = 1")
    with pytest.raises(ConfigNotEditable, match="line 2 has more than 100 dots"):
        parse(f"\n{dots}.a = 1")
    with pytest.raises(ConfigNotEditable, match="larger than 1,048,576 bytes"):
        parse("#" * (MAX_BYTES + 1))
