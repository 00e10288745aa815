"""The table of kinds: the answers that follow from a row, and names that are shared."""

from dataclasses import dataclass

import pytest
from msgspec.structs import fields

from asdlc_kb.mcp.protocol.tool_schema import describe_schema
from asdlc_kb.providers.project.artifact_kinds import KINDS, index_by_name

TEXT = ["content", "characters", "start", "end", "outline", "next_cursor"]


@pytest.mark.parametrize("plural", KINDS)
def test_an_artifact_has_the_fields_of_its_row_and_then_its_text(plural: str) -> None:
    """An artifact requested by name is a row of the list, and more."""
    kind = KINDS[plural]
    row = [field.name for field in fields(kind.row)]
    view = [field.name for field in fields(kind.view)]
    assert view[: len(row)] == row
    assert view[-len(TEXT) :] == TEXT
    assert "content" in describe_schema(kind.view)["required"]


@pytest.mark.parametrize("plural", KINDS)
def test_a_page_has_a_total_and_rows_under_the_plural(plural: str) -> None:
    """And closed schemas at every level."""
    kind = KINDS[plural]
    schema = describe_schema(kind.page)
    assert schema["required"] == ["total", plural]
    assert schema["properties"][plural]["items"] == describe_schema(kind.row)
    assert schema["additionalProperties"] is False


def test_an_absent_artifact_is_null() -> None:
    """D-023: absence is a normal answer."""
    answer = describe_schema(KINDS["rules"].answer)
    assert {"type": "null"} in answer["properties"]["rule"]["anyOf"]


def test_titles_are_words() -> None:
    """A specification is not called by the name of its tool."""
    titles = [kind.title for kind in KINDS.values()]
    assert titles[:4] == ["Rules", "Commands", "Skills", "Specifications"]
    assert titles[4:] == ["Schemas", "Guides"]


@dataclass(frozen=True)
class Artifact:
    """An artifact in a list."""

    name: str
    path: str


def test_the_first_of_a_name_takes_precedence() -> None:
    """Lists are in order of precedence."""
    first, second, other = Artifact("a", "1"), Artifact("a", "2"), Artifact("b", "3")
    assert index_by_name([first, second, other]) == {"a": first, "b": other}
