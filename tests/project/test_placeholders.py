"""D-028: the arguments of a command: filled in as text, and never run."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.exceptions import ArgumentsTooLong
from asdlc_kb.project import placeholders
from asdlc_kb.project.placeholders import (
    HintedArgument,
    Placeholders,
    fill_placeholders,
    find_placeholders,
    read_hint,
)


@pytest.mark.parametrize(
    ("text", "arguments", "filled"),
    [
        ("All: $ARGUMENTS!", "a b", "All: a b!"),
        ("All: {{args}}! {{ args }}", "a b", "All: a b! {{ args }}"),
        ("$1 then $2", "a b c", "a then b"),
        ("$1, $2.", '"a b" c', "a b, c."),
        ("$1, $2", '"a b" c', "a b, c"),
        ("$0 then $1", "a b", "a then b"),
        ("$ARGUMENTS[0] $ARGUMENTS[1]", "a b", "a b"),
        ("[$1][$2][$3]", "a", "[a][][]"),
        ("$1", "it's one", "it's"),
        ("$ARGUMENTS", "", ""),
        ("$5.00, $10, $1x, $ARGUMENTSX", "", "$5.00, $10, $1x, $ARGUMENTSX"),
        ("$ARGUMENTS and $1", "$1 $ARGUMENTS", "$1 $ARGUMENTS and $1"),
        ("!`rm -rf $1` @$1", "x", "!`rm -rf x` @x"),
    ],
)
def test_arguments_are_put_in_their_places(
    text: str, arguments: str, filled: str
) -> None:
    """D-028: `$ARGUMENTS`, `$1` and the like; once, and as text."""
    assert fill_placeholders(text, arguments) == filled


def test_arguments_without_a_place_are_added_below() -> None:
    """No argument is lost."""
    assert fill_placeholders("Text.\n", "a b") == "Text.\n\nARGUMENTS: a b\n"
    assert fill_placeholders("Text.\n", " ") == "Text.\n"


@pytest.mark.parametrize(
    ("text", "takes_all", "highest"),
    [
        ("", False, 0),
        ("$ARGUMENTS", True, 0),
        ("{{args}}", True, 0),
        ("$2", False, 2),
        ("$0 $2", False, 3),
        ("$ARGUMENTS[1] $ARGUMENTS", True, 2),
    ],
)
def test_places_are_counted(text: str, takes_all: bool, highest: int) -> None:
    """For commands that are offered as prompts."""
    assert find_placeholders(text) == Placeholders(takes_all, highest)


@pytest.mark.parametrize(
    ("hint", "names"),
    [
        ("", []),
        ("[number] [priority]", [("number", False), ("priority", False)]),
        ("<file> [line]", [("file", True), ("line", False)]),
        ("branch", [("branch", True)]),
        ("[number, or a text]", [("number, or a text", False)]),
        ("[", []),
    ],
)
def test_a_hint_names_arguments(hint: str, names: list[tuple[str, bool]]) -> None:
    """Square brackets are optional, angle brackets are not."""
    assert list(read_hint(hint)) == [HintedArgument(*name) for name in names]


@given(st.text(st.sampled_from("$01ARGUMENTS[] '\"a"), max_size=40), st.text())
def test_any_text_is_filled(text: str, arguments: str) -> None:
    """Without placeholders nothing changes; arguments are never filled in."""
    filled = fill_placeholders(text, arguments)
    places = find_placeholders(text)
    if not places.takes_all and not places.highest:
        assert filled.startswith(text.rstrip())
    if places.takes_all:
        assert arguments in filled


@given(st.text(st.sampled_from(" \t\n\r\\'\"ab\u2003#"), max_size=20))
def test_words_are_those_of_a_shell(arguments: str) -> None:
    """As the standard library splits them; an open quote is an ordinary character."""
    try:
        words = shlex.split(arguments)
    except ValueError:
        words = arguments.split()
    places = "".join(f"[$ARGUMENTS[{number}]]" for number in range(len(words)))
    wanted = "".join(f"[{word}]" for word in words)
    assert fill_placeholders(places, arguments) == wanted


@pytest.mark.parametrize(
    ("text", "arguments"),
    [("$1-$ARGUMENTS-$1", "four"), ("$ARGUMENTS", "a" * 11), ("Text", "a" * 11)],
)
def test_what_arguments_add_is_bounded(
    text: str, arguments: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-109: many placeholders and long arguments do not multiply."""
    monkeypatch.setattr(placeholders, "MAX_ADDED_CHARACTERS", 10)
    with pytest.raises(ArgumentsTooLong, match="add more than 10 characters"):
        fill_placeholders(text, arguments)
    assert fill_placeholders("$1-$ARGUMENTS", "four.") == "four.-four."
