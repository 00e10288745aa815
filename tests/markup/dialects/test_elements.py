"""Elements between tags: arguments, bodies, nesting, and tags without an end."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from asdlc_kb.markup.dialects import elements
from asdlc_kb.markup.dialects.elements import (
    TagArguments,
    find_elements,
    read_arguments,
)

TAG = re.compile(r"<<(?P<end>/)?(?P<name>\w+)(?P<arguments>[^<>/]*)(?P<single>/)?>>")


def test_arguments_are_positional_or_named() -> None:
    """In any quotation marks, names in any case."""
    read = read_arguments("""one "two words" Key='a' other=`b"c` x="say \\"y\\"" """)
    assert read.positional == ("one", "two words")
    assert read.named == {"key": "a", "other": 'b"c', "x": 'say "y"'}


def test_an_argument_is_found_by_its_names_or_its_position() -> None:
    """An argument that was not given is empty."""
    arguments = TagArguments(("first",), {"title": "T"})
    assert arguments.get("header", "title", position=0) == "T"
    assert arguments.get("header", position=0) == "first"
    assert arguments.get("header", position=1) == ""


def test_an_element_has_the_dedented_lines_between_its_tags() -> None:
    """It is found by the index of its first line."""
    lines = ["above", "<<a x>>", "  one", "    two", "<</a>>", "below"]
    element = find_elements(lines, TAG)[1]
    assert element.body == ["one", "  two"]
    assert element.end == 5
    assert element.arguments.positional == ("x",)


@pytest.mark.parametrize(
    "text", ["<<a>>", "<<a/>>", "<<a>>\n<<b>>x<</b>>", "<<a>>\n```\n<</a>>\n```"]
)
def test_an_element_without_an_end_has_no_body(text: str) -> None:
    """A closing tag in code is none."""
    element = find_elements(text.split("\n"), TAG)[0]
    assert element.body is None
    assert element.end == 1


def test_elements_nest() -> None:
    """Each closing tag belongs to the innermost open one of its name."""
    lines = ["<<a>>", "<<b>>", "<<a>>", "x", "<</a>>", "<</a>>"]
    elements = find_elements(lines, TAG)
    assert {at: element.end for at, element in elements.items()} == {0: 6, 1: 2, 2: 5}
    assert elements[1].body is None


def test_an_element_with_other_text_in_its_lines_is_not_of_whole_lines() -> None:
    """It is a mark in a paragraph."""
    assert not find_elements(["x <<a>>", "<<b>> x", "`<<c>>`"], TAG)


def test_an_element_that_no_rule_may_take_is_not_there() -> None:
    """Decided by its tag and the lines behind it, before its body is read."""
    followed: dict[str, list[str]] = {}

    def is_wanted(tag: re.Match[str], following: Iterator[str]) -> bool:
        followed[tag["name"]] = list(following)
        return tag["name"] == "b"

    lines = ["<<a>>", " <<b>>", "x", "<</b>>", "<</a>>"]
    assert list(find_elements(lines, TAG, is_wanted=is_wanted)) == [1]
    assert followed == {"a": ["", *lines[1:]], "b": ["", *lines[2:]]}
    assert not find_elements(["x <<b>>", "<</b>>"], TAG)
    assert not find_elements(["<<b>>", "<</b>> x"], TAG)


def test_the_bodies_of_nested_elements_are_read_one_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All of them together are much larger than the text."""
    cut = elements._cut_body
    lengths: list[int] = []

    def record(*arguments: Any) -> list[str]:
        body = cut(*arguments)
        lengths.append(len(body))
        return body

    monkeypatch.setattr(elements, "_cut_body", record)
    found = find_elements(["<<a>>"] * 20_000 + ["<</a>>"] * 20_000, TAG)
    assert len(found) == 20_000
    assert found[19_998].body == ["<<a>>", "<</a>>"]
    assert lengths == [2]
