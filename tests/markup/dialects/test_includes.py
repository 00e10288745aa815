"""Includes of files in files, their parts and their limits."""

import re
from collections.abc import Iterator

import pytest

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.markup.dialects import includes
from asdlc_kb.markup.dialects.includes import (
    Include,
    IncludedFile,
    Includer,
    select_lines,
)


def _find(text: str) -> Iterator[Include]:
    for found in re.finditer(r"@(\S+)", text):
        yield Include(found.start(), found.end(), found[1])


class _Files:
    """Files by path."""

    def __init__(self, **files: str) -> None:
        self._files = files

    def read(self, written: str, source: str) -> IncludedFile:
        """Return a file; refuse one that does not exist."""
        if written not in self._files:
            raise UnreadableFile("no such file", "create it")
        return IncludedFile(f"{written}.md", self._files[written])


def _expand(text: str, **files: str) -> tuple[str, Includer]:
    includer = Includer(_find, _Files(**files))
    return includer.expand(text, "page.md"), includer


def test_an_include_is_replaced_by_the_file_with_its_own_includes() -> None:
    """At the indent of the line."""
    text, _ = _expand("- x\n\n  @a\n\nend", a="one\n@b\n", b="two\nthree")
    assert text == "- x\n\n  one\n  two\n  three\n\nend"


def test_a_refused_include_is_named_with_the_line_of_the_page() -> None:
    """Also if an included file has it."""
    text, includer = _expand("\n@a\n@missing", a="x\n@gone")
    assert text == "\nx\n[not included: gone]\n[not included: missing]"
    assert [(r.path, r.line) for r in includer.refused] == [("gone", 2), ("missing", 3)]


def test_files_that_include_each_other_end() -> None:
    """No file includes itself, by whatever way."""
    text, includer = _expand("@a", a="@b", b="@a")
    assert text == "[not included: a]"
    assert "includes itself" in includer.refused[0].reason
    text, _ = _expand("@page", page="x")
    assert text == "[not included: page]"


def test_what_includes_add_is_bounded() -> None:
    """Number, nesting and size."""
    text, _ = _expand("@a " * (includes.MAX_INCLUDES + 1), a="x")
    assert text.count("[not included: a]") == 1
    chain = {f"f{n}": f"@f{n + 1}" for n in range(includes.MAX_NESTED + 2)}
    _, includer = _expand("@f0", **chain)
    assert "too deeply" in includer.refused[0].reason
    _, includer = _expand("@a @a", a="x" * (includes.MAX_CHARS // 2 + 1))
    assert "too much" in includer.refused[0].reason


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a\n# --8<-- [start:part]\n  x\n    y\n# --8<-- [end:part]\nb", "part"),
        ("a\n// ANCHOR: part\n  x\n    y\n// ANCHOR_END: part\nb", "part"),
        ("a\n// #region part\n  x\n    y\n// #endregion part\nb", "part"),
        ("a\n/// [part]\n  x\n    y\n/// [part]\nb", "part"),
        ("a\n<!-- #region part -->\nx\n  y\n<!-- #endregion part -->\nb", "part"),
    ],
)
def test_a_named_part_of_a_file_is_included(text: str, name: str) -> None:
    """Dedented, without the lines that mark it."""
    include = Include(0, 0, "f", section=name)
    assert select_lines(text, include) == "x\n  y"


def test_a_section_is_included_by_its_heading() -> None:
    """With the sections below it."""
    text = "# A\n\n## The  part\n\nx\n\n### Below\n\ny\n\n## Next\n\nz\n"
    shown = select_lines(text, Include(0, 0, "f", heading="the part"))
    assert shown == "## The  part\n\nx\n\n### Below\n\ny"
    with pytest.raises(UnreadableFile, match="no heading gone"):
        select_lines(text, Include(0, 0, "f", heading="gone"))


def test_a_template_is_filled() -> None:
    """Values that are not given have a default."""

    def find(text: str) -> Iterator[Include]:
        if text == "@":
            yield Include(0, 1, "a", values={"name": "[[#other]]"})

    includer = Includer(find, _Files(a="[[#name]] [[#other b c]] [[x]]"))
    assert includer.expand("@", "page") == "[[#other]] b c [[x]]"


def test_ranges_of_lines_are_included() -> None:
    """In the order in which they are written."""
    include = Include(0, 0, "f", ranges=((1, 1), (3, None)))
    assert select_lines("  a\nb\n  c\n  d\n", include) == "a\nc\nd"


def test_a_missing_part_is_refused() -> None:
    """The page says which file was to be included."""
    with pytest.raises(UnreadableFile, match="no part named part"):
        select_lines("x", Include(0, 0, "f", section="part"))


def test_included_code_is_fenced() -> None:
    """By a fence that the code does not contain."""

    def find(text: str) -> Iterator[Include]:
        if text == "@":
            yield Include(0, 1, "a", language="py")

    includer = Includer(find, _Files(a="x\n```\n"))
    assert includer.expand("@", "page") == "````py\nx\n```\n````"


def test_no_include_is_resolved_in_code() -> None:
    """The examples of a documentation may show one."""

    class Code(_Files):
        def read(self, written: str, source: str) -> IncludedFile:
            return IncludedFile("a.py", "@b")

    assert Includer(_find, Code()).expand("@a", "page.md") == "@b"
