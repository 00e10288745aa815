"""Attributes of components, and code that is shown as tabs."""

import pytest

from asdlc_kb.markup.dialects.component_writers import (
    get_literal,
    has_flag,
    write_code_group,
)
from asdlc_kb.markup.dialects.elements import TagArguments
from asdlc_kb.markup.dialects.source import Output, Source

ARGUMENTS = TagArguments((), {"a": "{x}", "b": "one\n two", "c": "true", "d": "false"})


@pytest.mark.parametrize(("names", "value"), [("ab", "one two"), ("a", ""), ("x", "")])
def test_the_first_literal_of_several_attributes_is_used(
    names: str, value: str
) -> None:
    """On one line; an expression has no value."""
    assert get_literal(ARGUMENTS, *names) == value


def test_a_flag_is_set_unless_it_is_false() -> None:
    """Or missing."""
    assert [has_flag(ARGUMENTS, name) for name in "cdx"] == [True, False, False]


def test_text_between_the_code_of_a_group_stays() -> None:
    """Above the tabs."""
    source = Source(["x"], 0, Output.MARKDOWN, list)
    lines = write_code_group(["Text", "```js", "1", "```"], source)
    assert lines == ["Text", "", "**js**", "", "```js", "1", "```"]
    assert write_code_group(["Text"], source) == ["Text"]
