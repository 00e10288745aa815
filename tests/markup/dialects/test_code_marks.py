"""Marks in fenced code: highlighted, added and removed lines, and titles."""

import pytest

from asdlc_kb.markup.code_info import read_info
from asdlc_kb.markup.dialects.code_marks import (
    read_label,
    rewrite_marks,
    rewrite_titled,
)
from asdlc_kb.markup.dialects.source import Output


def rewrite(info: str, *lines: str) -> tuple[str, list[str]]:
    """Return the info string and the lines of code."""
    code = read_info(info)
    shown = rewrite_marks(code, list(lines), Output.HTML)
    return code.write(has_layout=True), shown


@pytest.mark.parametrize(
    ("info", "lines", "shown"),
    [
        ("js {1,3}", ["a", "b", "c"], ("js {1,3}", ["a", "b", "c"])),
        ("ts{2}", ["a", "b"], ("ts {2}", ["a", "b"])),
        ("js ins={2} mark={1}", ["a", "b"], ("js {1-2}", ["a", "b"])),
        ('js highlight="1-2"', ["a", "b"], ("js {1-2}", ["a", "b"])),
        ("js collapse={1} startLine={5}", ["a"], ("js", ["a"])),
        ('js "a" /b/ frame=none live', ["a"], ("js", ["a"])),
        ("js {7-99999}", ["a"], ("js", ["a"])),
        ("js", ["// highlight-next-line", "a", "b"], ("js {1}", ["a", "b"])),
        (
            "py",
            ["# highlight-start", "a", "b", "# highlight-end", "c"],
            ("py {1-2}", ["a", "b", "c"]),
        ),
        ("html", ["<!-- highlight-next-line -->", "a"], ("html {1}", ["a"])),
        ("js {2}", ["// highlight-next-line", "a", "b"], ("js {1}", ["a", "b"])),
        ("js", ["a // [!code highlight]", "b"], ("js {1}", ["a", "b"])),
        ("js", ["// [!code focus:2]", "a", "b", "c"], ("js {1-2}", ["a", "b", "c"])),
        ("js", ["a // [!code ++]"], ("js {1}", ["a"])),
        ("js", ["// [!code word:x:1]", "a"], ("js", ["a"])),
        ("css", ["a /* [!code warning] */"], ("css {1}", ["a"])),
    ],
)
def test_marks_become_highlighted_lines(
    info: str, lines: list[str], shown: tuple[str, list[str]]
) -> None:
    """And go from the code."""
    assert rewrite(info, *lines) == shown


@pytest.mark.parametrize(
    ("info", "lines"),
    [
        ('js title="a.js" del={1} ins={2}', ["  a", "  b", "", "  c"]),
        ('js title="a.js"', ["  a // [!code --]", "  b // [!code ++]", "", "  c"]),
    ],
)
def test_code_with_removed_lines_is_a_diff(info: str, lines: list[str]) -> None:
    """Otherwise old and new lines would look alike; the signs are behind the indent."""
    shown = rewrite(info, *lines)
    assert shown == ('diff title="a.js"', ["  -a", "  +b", "", "   c"])


def test_a_removed_blank_line_keeps_the_indent_of_the_code() -> None:
    """Otherwise the code would end the list that it is in."""
    assert rewrite("js del={2}", "  a", "", "  b")[1] == ["   a", "  -", "   b"]


@pytest.mark.parametrize(
    ("info", "label"),
    [
        ('js title="a b"', "a b"),
        ("js [a.js]", "a.js"),
        ("ts:line-numbers {1} [a.ts]", "a.ts"),
        ("js a.js", "a.js"),
        ('js My title {1} icon="x" lines highlight={2}', "My title"),
        ("js {1,3} wrap expandable", ""),
        ("js", ""),
        ("", ""),
    ],
)
def test_a_title_is_written_in_several_ways(info: str, label: str) -> None:
    """As a value, in brackets, or as the other words."""
    assert read_label(read_info(info)) == label


def test_a_title_becomes_the_value_of_an_attribute() -> None:
    """The one form in which it is written."""
    code = read_info("js a.js {1}")
    assert rewrite_titled(code, ["x"], Output.HTML) == ["x"]
    assert code.write(has_layout=True) == 'js title="a.js" {1}'


def test_a_diagram_is_unchanged() -> None:
    """Braces in it are not numbers of lines."""
    assert rewrite("mermaid", "a --> b // [!code ++]")[1] == ["a --> b // [!code ++]"]
