"""Messages for broken frontmatter: the author's mistake, at its place."""

import pytest

from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.frontmatter.yaml_full import read_yaml

OPEN = "a quote is not closed: "
BEHIND = "text behind the closing quote: "
SPECIAL = "a value that begins with a special character: put the value in quotes"


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("a: b\nt:\tc", (3, 3), "a tab: "),
        ("a:\n\tb: c", (3, 1), "a tab: "),
        ("t:A b\na: c", (2, 3), "no space after the colon: "),
        ("t:\u00a0A\na: c", (2, 3), "a no-break space, or a similar one: "),
        ("t:\n\u3000- a\nb: c", (3, 1), "a no-break space, or a similar one: "),
        ("a: b\nt\uff1aA\nc: d", (3, 2), "a full-width colon: "),
        ("a: one\ntwo\nb: c", (3, 1), "the line is not 'field: value': indent it"),
        ("a: see\nhttp://b\nc: d", (3, 1), "the line is not 'field: value': indent it"),
        ('a: b\nt: "open\nc: d', (3, 4), OPEN),
        ('t: "open\nc: "d"\ne: f', (2, 4), OPEN),
        ("- 'open\n- 'd'", (2, 3), OPEN),
        ("t: 'It's fine'", (2, 8), BEHIND),
        ('t: "Foo" and bar', (2, 10), BEHIND),
        ('t: "Foo" "bar"', (2, 10), BEHIND),
        ('t: "C:\\Users\\x"', (2, 9), "a backslash in double quotes: "),
        ('t: "C:\\docs"', (2, 8), "a backslash in double quotes: "),
        ("t: Agents: a guide", (2, 10), "a second colon: put the value in quotes"),
        ("a: b\n  t: c", (3, 4), "the field is indented more than those above: "),
        ("a:\n  - b\n c: d", (4, 2), "the indent is not that of a line above: "),
        ("t: [WIP] thing", (2, 10), "text behind a bracket: put the value in quotes"),
        ("t: [a, b\nc: d", (2, 4), "a bracket is not closed: "),
        ("t: {a: b\nc: d", (2, 4), "a bracket is not closed: "),
        ("t: @scope", (2, 4), SPECIAL),
        ("t: `code`", (2, 4), SPECIAL),
        ("t: - item", (2, 4), SPECIAL),
        (
            "a: b\n<<<<<<< HEAD\nt: A\n=======\nt: B\n>>>>>>> x",
            (3, 1),
            "a merge conflict: ",
        ),
    ],
)
def test_a_mistake_is_named_at_its_place(
    text: str, place: tuple[int, int], message: str
) -> None:
    """The parser names its own expectation, often on the next line."""
    with pytest.raises(FrontmatterError) as caught:
        read_yaml(f"{text}\n")
    error = caught.value
    assert error.message.startswith(message)
    assert (error.line, error.column) == place


def test_another_mistake_has_the_words_of_the_parser() -> None:
    """Without any text of the file."""
    with pytest.raises(FrontmatterError) as caught:
        read_yaml("a: !secret!b c\n")
    assert caught.value.message == (
        "found undefined tag handle: put a value with special characters in quotes"
    )
    with pytest.raises(FrontmatterError, match="special characters in quotes"):
        read_yaml("\u2028: [\n")
