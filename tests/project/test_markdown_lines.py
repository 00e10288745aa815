"""Lines outside code, and the values taken from them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.project.markdown_lines import (
    MAX_CHARS,
    MAX_SUMMARY_CHARS,
    cut_short,
    find_title,
    first_sentence,
    read_items,
    read_prose,
)


def lines_of(text: str) -> list[int]:
    """Return the numbers of the lines outside code."""
    return [number for number, _ in read_prose(text)]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("a\n```\n# b\n```\nc", [0, 4]),
        ("a\n~~~ sh\n```\n~~~\nc", [0, 4]),
        ("a\n````\n```\n````\nc", [0, 4]),
        ("a\n- ```sh\n  # b\n  ```\nc", [0, 4]),
        ("a\n1. ```sh\n   # b\n   ```\nc", [0, 4]),
        ("a\n<style>\nb\n</style>\nc", [0, 4]),
        ("a\n```\nnever closed", [0]),
        ("a ``` b\n```x``` is a span\nc", [0, 1, 2]),
        ("a\n<!-- b\nc -->\nd", [0, 3]),
        ("a\n<!-- b -->\nd", [0, 2]),
        ("```\n<!--\n```\nb", [3]),
        ("<!-- never closed\na", []),
    ],
)
def test_code_and_comments_are_left_out(text: str, numbers: list[int]) -> None:
    """D-112: `# comment` in a shell block is no heading."""
    assert lines_of(text) == numbers


def test_no_more_is_scanned_than_is_needed() -> None:
    """D-111: text far below is no title and no summary."""
    assert len(lines_of("- a\n" * MAX_CHARS)) == MAX_CHARS // 4 + 1
    assert find_title("- a\n" * MAX_CHARS + "# T") is None


@given(st.text(st.sampled_from("`~<!- >#ab\n"), max_size=80))
def test_lines_keep_their_numbers(text: str) -> None:
    """Whatever is left out, for any text."""
    lines = text.split("\n")
    assert all(lines[number] == line for number, line in read_prose(text))


def test_the_title_is_the_first_heading_of_the_first_level() -> None:
    """Outside code."""
    assert find_title("```\n# no\n```\n## no\n# Yes\n# No") == "Yes"
    assert find_title("#\n\ntext") is None


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("# T\n\nFirst.\n\n## Overview\n\n- item\nMeant.\n", "Meant."),
        (
            "# T\n\n- item\n> quote\n| a | b |\n![x](y)\n---\nFirst  one.\n",
            "First one.",
        ),
        ("First.\n### Overview\nNot meant.\n# Overview\nNor this.", "First."),
        ("## overview\n\n## Steps\n\nFirst.\n", "First."),
        ("```\ncode\n```\n", ""),
        ("", ""),
    ],
)
def test_a_summary_is_the_first_sentence(text: str, summary: str) -> None:
    """D-112: under `## Overview`, or else of the text."""
    assert first_sentence(text) == summary


@given(st.text())
def test_a_summary_is_one_short_line(text: str) -> None:
    """D-112: at most 200 characters."""
    summary = first_sentence(text)
    assert "\n" not in summary
    assert len(summary) <= MAX_SUMMARY_CHARS
    assert len(cut_short("x" * 201)) == len(cut_short("x" * 200)) == 200


def test_items_are_one_line_each() -> None:
    """Any depth and marker; indented lines continue an item, others end the list."""
    text = "- a\n  goes on\n  * b\n1. c\n2) d\nno item\n  nor this\n+ e\n\n-f"
    assert list(read_items(text.split("\n"))) == ["a goes on", "b", "c", "d", "e"]
