"""The lines that belong to a construct."""

from collections.abc import Sequence

from asdlc_kb.markup.dialects.source import Output, Source, dedent


def make_source(*lines: str) -> Source:
    """Return the source of a construct that begins in the first line."""
    return Source(lines, 0, Output.MARKDOWN, lambda lines: lines)


def test_indented_lines_end_before_a_line_with_less_indent() -> None:
    """Blank lines at the end are not part of them."""
    source = make_source("  !!! x", "      a", "", "       b", "", "  c")
    assert source.take_indented(1) == (["a", "", " b"], 4)


def test_lines_lose_their_common_indent() -> None:
    """Or up to a number of blanks."""
    assert dedent(["    a", "", "      b"]) == ["a", "", "  b"]
    assert dedent(["    a", " b"], 2) == ["  a", "b"]


def test_what_a_rule_finds_in_a_container_is_found_once() -> None:
    """However many constructs ask for it."""
    calls = []

    def count(lines: Sequence[str]) -> int:
        calls.append(lines)
        return len(lines)

    source = make_source("a", "b")
    assert (source.once(count), source.once(count), len(calls)) == (2, 2, 1)
