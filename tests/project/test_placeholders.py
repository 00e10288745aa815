"""D-028: the arguments of a command: filled in as text, and never run."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.exceptions import ArgumentsTooLong
from asdlc_kb.project import placeholders
from asdlc_kb.project.artifact_places import PLACEHOLDERS
from asdlc_kb.project.locations import Platform
from asdlc_kb.project.placeholders import (
    MAX_NAMES,
    HintedArgument,
    PlaceholderSyntax,
    fill_placeholders,
    find_placeholders,
    read_hint,
    read_syntax,
)

CLAUDE = PlaceholderSyntax(PLACEHOLDERS["claude"])
NAMED = PlaceholderSyntax(PLACEHOLDERS["claude"], ("issue", "branch", "a-b", "a"))


def fill(tool: Platform, text: str, arguments: str) -> str:
    """Return a text of a tool's command with the arguments substituted."""
    syntax = read_syntax(PLACEHOLDERS[tool], None, text)
    return fill_placeholders(text, arguments, syntax)


@pytest.mark.parametrize(
    ("text", "arguments", "filled"),
    [
        ("All: $ARGUMENTS!", "a b", "All: a b!"),
        ("$1 then $2", "a b c", "a then b"),
        ("$1, $2.", '"a b" c', "a b, c."),
        ("$1, $2", '"a b" c', "a b, c"),
        ("$0 then $1", "a b", "a then b"),
        ("$ARGUMENTS[0] $ARGUMENTS[1] $1", "a b", "a b b"),
        ("[$1][$2][$3]", "a", "[a][$2][$3]"),
        ("[$1][$2]", "'' b", "[$1][b]"),
        ("$1", "it's one", "it's"),
        ("$ARGUMENTS", "", ""),
        ("$5.00, $10, $1x, $1,200", "", "$5.00, $10, $1x, $1,200"),
        ("$5.00, $1x, $1,200: $1", "a b", "$5.00, $1x, $1,200: a"),
        ("$12", "a b c d e f g h i j k l", "l"),
        ("$ARGUMENTS and $1", "$1 $ARGUMENTS", "$1 $ARGUMENTS and $1"),
        ("!`rm -rf $1` @$1", "x", "!`rm -rf x` @x"),
        (r"\$ARGUMENTS \$1 \$1,200 $1", "a", "$ARGUMENTS $1 $1,200 a"),
        (r"\$5 \$HOME \\$1 $$1", "a", r"$5 \$HOME \\a $a"),
        ("{{args}} ${input:x} $1", "a", "{{args}} ${input:x} a"),
    ],
)
def test_arguments_are_put_in_their_places(
    text: str, arguments: str, filled: str
) -> None:
    """D-273: as Claude Code reads it, except for amounts and the first number."""
    assert fill_placeholders(text, arguments, CLAUDE) == filled


@pytest.mark.parametrize(
    ("text", "arguments", "filled"),
    [
        ("$issue on $branch", "12 main", "12 on main"),
        ("$issue on $branch", "12", "12 on "),
        ("$issues ${issue} $issue[0]", "", "$issues ${issue} $issue[0]"),
        (r"$issue.x $issue-x \$issue", "12", "12.x 12-x $issue"),
        ("$a-b, $a", "1 2 3 4", "3, 4"),
        ("$0 and $1", "12 main", "12 and main"),
        ("$1", "12 main", "main"),
        ("$ARGUMENTS", "12 main", "12 main"),
        ("$branch", "12", "\n\nARGUMENTS: 12\n"),
    ],
)
def test_names_that_a_command_declares_are_filled(
    text: str, arguments: str, filled: str
) -> None:
    """As Claude Code does: words by position, empty without one."""
    assert fill_placeholders(text, arguments, NAMED) == filled


@pytest.mark.parametrize("tool", PLACEHOLDERS)
@pytest.mark.parametrize(
    "text",
    [
        "Free memory: `ps aux | awk '{print $4}'` and save $1,500.\n",
        'template.replace(/on(\\w+)/, "$2$3"); "$4,050"\n',
        "curl {{url}} ${input} ${HOME} $PATH $$ {args} {{ args }}\n",
    ],
)
def test_nothing_of_a_text_is_lost(tool: Platform, text: str) -> None:
    """D-273: what may be text stays as it is, whatever the tool."""
    assert fill(tool, text, "") == text
    assert fill(tool, text, "x") == f"{text}\nARGUMENTS: x\n"


@pytest.mark.parametrize(
    ("tool", "text", "filled"),
    [
        ("gemini", "sum {{args}} | awk '{print $1}'", "sum a b c | awk '{print $1}'"),
        ("opencode", "$1 and $2, $ARGUMENTS $0", "a and b c, a b c $0"),
        ("opencode", r"\$1", r"\a b c"),
        ("augment", "$ARGUMENTS $1", "a b c $1"),
        ("copilot", "${input:x} ${input:y:Which?} ${input:x}", "a b a"),
        ("copilot", "${input:d:} ${input:c} ${input:b} ${input:a}", "a b c ${input:a}"),
        ("copilot", "$1 ${file}", "$1 ${file}\n\nARGUMENTS: a b c\n"),
        ("cursor", "$1 $ARGUMENTS", "$1 $ARGUMENTS\n\nARGUMENTS: a b c\n"),
        ("roo", "$1 $ARGUMENTS", "$1 $ARGUMENTS\n\nARGUMENTS: a b c\n"),
    ],
)
def test_each_tool_has_placeholders_of_its_own(
    tool: Platform, text: str, filled: str
) -> None:
    """D-273: as its documentation says."""
    assert fill(tool, text, "a b c") == filled


@pytest.mark.parametrize(
    ("declared", "names"),
    [
        ("issue branch", ("issue", "branch")),
        (("issue", "1", "name: x", "a-b", "issue"), ("issue", "a-b")),
        (None, ()),
        ({"issue": "x"}, ()),
        (tuple(f"n{n}" for n in range(99)), tuple(f"n{n}" for n in range(MAX_NAMES))),
    ],
)
def test_names_are_declared(declared: object, names: tuple[str, ...]) -> None:
    """As words or a list; numbers and mappings are none; only where a tool has them."""
    assert read_syntax(CLAUDE.forms, declared, "").names == names
    assert read_syntax(PLACEHOLDERS["opencode"], declared, "").names == ()


def test_arguments_without_a_place_are_added_below() -> None:
    """No argument is lost."""
    for text in ("Text.\n", "Text.", "Text.\n\n"):
        expected = "Text.\n\nARGUMENTS: a b\n"
        assert fill_placeholders(text, "a b", CLAUDE) == expected
        assert fill_placeholders(text, " ", CLAUDE) == text
    added = fill_placeholders(r"\$5", "a", CLAUDE)
    assert added == "$5\n\nARGUMENTS: a\n"


@pytest.mark.parametrize(
    ("text", "takes_all", "highest"),
    [
        ("", False, 0),
        ("$ARGUMENTS", True, 0),
        (r"\$ARGUMENTS \$3", False, 0),
        ("$2", False, 2),
        ("$0 $2", False, 3),
        ("$4,050", False, 0),
        ("$ARGUMENTS[1] $ARGUMENTS", True, 2),
    ],
)
def test_places_are_counted(text: str, takes_all: bool, highest: int) -> None:
    """For commands that are offered as prompts."""
    found = find_placeholders(text, CLAUDE)
    assert (found.takes_all, found.highest) == (takes_all, highest)


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


@given(st.text(st.sampled_from("$01ARGUMENTS[] '\"a\\"), max_size=40), st.text())
def test_any_text_is_filled(text: str, arguments: str) -> None:
    """Without placeholders nothing changes; arguments are never filled in."""
    filled = fill_placeholders(text, arguments, CLAUDE)
    places = find_placeholders(text, CLAUDE)
    if not places.takes_all and not places.highest and "\\$" not in text:
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
    wanted = "".join(
        f"[{word or f'$ARGUMENTS[{number}]'}]" for number, word in enumerate(words)
    )
    filled = fill_placeholders(f"{places}$ARGUMENTS", arguments, CLAUDE)
    assert filled == wanted + arguments


@pytest.mark.parametrize(
    ("text", "arguments"),
    [("$1-$ARGUMENTS-$1", "four"), ("$ARGUMENTS", "a" * 11), ("Text", "a" * 11)],
)
def test_what_arguments_add_is_bounded(
    text: str, arguments: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-111: many placeholders and long arguments do not multiply."""
    monkeypatch.setattr(placeholders, "MAX_ADDED_CHARACTERS", 10)
    with pytest.raises(ArgumentsTooLong, match="add more than 10 characters"):
        fill_placeholders(text, arguments, CLAUDE)
    assert fill_placeholders("$1-$ARGUMENTS", "four.", CLAUDE) == "four.-four."
    assert fill_placeholders("$1" * 99, "", CLAUDE) == "$1" * 99
