"""Includes of MkDocs."""

import pytest

from asdlc_kb.markup.dialects.includes import IncludedFile, Includer
from asdlc_kb.markup.dialects.mkdocs_includes import find_includes

FILE = "".join(f"line {number}\n" for number in range(1, 10))


class _Files:
    def read(self, written: str, source: str) -> IncludedFile:
        """Return a file of nine lines."""
        return IncludedFile(written, FILE)


def expand(text: str) -> str:
    """Return a text with its includes."""
    return Includer(find_includes, _Files()).expand(text, "page")


@pytest.mark.parametrize(
    ("text", "path", "ranges", "section"),
    [
        ('--8<-- "a.md"', "a.md", (), ""),
        ("  --8<-- 'a b.md'  ", "a b.md", (), ""),
        ('--8<-- "a.py:3:5"', "a.py", ((3, 5),), ""),
        ('--8<-- "a.py:3"', "a.py", ((3, None),), ""),
        ('--8<-- "a.py::5"', "a.py", ((1, 5),), ""),
        ('--8<-- "a.py:1:2,7:8"', "a.py", ((1, 2), (7, 8)), ""),
        ('--8<-- "a.py:part-1"', "a.py", (), "part-1"),
        ('-8<- "https://example.com/a.md"', "https://example.com/a.md", (), ""),
        ("{! docs/a.md !}", "docs/a.md", (), ""),
        ("{!> ../a.py!}", "../a.py", (), ""),
        ('{% include-markdown "../README.md" %}', "../README.md", (), ""),
    ],
)
def test_an_include_has_a_path_and_lines_or_a_part(
    text: str, path: str, ranges: tuple[tuple[int, int | None], ...], section: str
) -> None:
    """As written in the line."""
    (include,) = find_includes(f"x\n{text}\ny")
    found = (include.path, include.ranges, include.section)
    assert found == (path, ranges, section)
    assert f"x\n{text}\ny"[include.start : include.end] == text.strip()


def test_a_block_includes_its_files_one_after_another() -> None:
    """A name after a semicolon is a comment."""
    text = "x\n--8<--\na.md\n; b.md\n\nc.md\n--8<--\ny"
    assert [include.path for include in find_includes(text)] == ["a.md", "c.md"]
    assert expand(text) == f"x\n{FILE}{FILE}y"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{* a.py *}", f"```py\n{FILE}```"),
        ("{* a.py ln[2:3] *}", "```py\nline 2\nline 3\n```"),
        ("{* a.py ln[4:6] hl[5] *}", "```py {2}\nline 4\nline 5\nline 6\n```"),
        ("{* a.yml ln[1,9] hl[1,9] *}", "```yaml {1,2}\nline 1\nline 9\n```"),
        ("{* a.js ln[1] hl[7:8] *}", "```js\nline 1\n```"),
    ],
)
def test_included_code_has_its_language_and_its_highlighted_lines(
    text: str, code: str
) -> None:
    """Which are numbered as in the whole file."""
    assert expand(text) == code


def test_files_are_included_in_fenced_code() -> None:
    """Examples are files that can be run."""
    for mark in ('--8<-- "a.py:1:1"', "{!a.py!}"):
        shown = expand(f"```py\n{mark}\n```")
        assert shown.startswith("```py\nline 1\n")


@pytest.mark.parametrize(
    "text",
    [
        'text --8<-- "a.md"',
        ';--8<-- "a.md"',
        "```\n{* a.py *}\n```",
        '```\n{% include "a.html" %}\n```',
        "`{! a !}`",
        "{! a !} b",
        "--8<--\na.md",
        "{* *}",
    ],
)
def test_other_lines_are_no_includes(text: str) -> None:
    """Documentation shows the syntax of includes."""
    assert not list(find_includes(text))
