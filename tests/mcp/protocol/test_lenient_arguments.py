"""Arguments as models write them: absent values, types, spellings and aliases."""

from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Meta, UnsetType

from asdlc_kb.mcp.protocol.errors import ToolFailure
from asdlc_kb.mcp.protocol.lenient_arguments import (
    ALIASES,
    convert_arguments,
    fold_parameter,
    is_alias,
    read_argument,
    rename_arguments,
)
from asdlc_kb.mcp.protocol.tool_schema import (
    Arguments,
    check_arguments,
    describe_schema,
)


class Find(Arguments, frozen=True):
    """A search: an empty query is a value."""

    query: Annotated[str, Meta(max_length=50)]
    slug: Annotated[str, Meta(min_length=1, max_length=50)] | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=100)] = 10
    include_content: bool = False
    format: Literal["json", "markdown"] = "json"
    sections: Annotated[list[str], Meta(max_length=9)] | UnsetType = UNSET
    cursor: Annotated[str, Meta(max_length=20)] | UnsetType = UNSET


class Get(Arguments, frozen=True):
    """A lookup: an empty slug is none."""

    slug: Annotated[str, Meta(min_length=1, max_length=50)]
    title: Annotated[str, Meta(max_length=50)] | UnsetType = UNSET


@pytest.mark.parametrize(
    ("given_arguments", "expected"),
    [
        ({"query": ""}, Find(query="")),
        ({"query": "  gamma "}, Find(query="gamma")),
        ({"query": " "}, Find(query="")),
        ({"query": "x", "slug": "", "cursor": ""}, Find(query="x")),
        ({"query": "x", "limit": "", "include_content": ""}, Find(query="x")),
        ({"query": "x", "format": "", "sections": ""}, Find(query="x")),
        ({"query": "x", "limit": "3"}, Find(query="x", limit=3)),
        ({"query": "x", "limit": " +3 "}, Find(query="x", limit=3)),
        ({"query": "x", "limit": "3.0"}, Find(query="x", limit=3)),
        ({"query": "x", "limit": 3.0}, Find(query="x", limit=3)),
        ({"query": "x", "include_content": "True"}, Find("x", include_content=True)),
        ({"query": "x", "include_content": "FALSE "}, Find(query="x")),
        ({"query": "x", "format": "Markdown"}, Find(query="x", format="markdown")),
        ({"query": "x", "format": " JSON"}, Find(query="x")),
        ({"query": "x", "sections": "A, b"}, Find(query="x", sections=["A, b"])),
        ({"query": "x", "sections": '["A", "b"]'}, Find("x", sections=["A", "b"])),
        ({"query": "x", "sections": "[A] b"}, Find(query="x", sections=["[A] b"])),
        ({"query": "x", "sections": "[1]"}, Find(query="x", sections=["[1]"])),
        ({"query": "x", "sections": [""]}, Find(query="x", sections=[""])),
        ({"q": "x"}, Find(query="x")),
        ({"Query": "x"}, Find(query="x")),
        ({"query": "", "q": "x"}, Find(query="x")),
        ({"query": "x", "q": ""}, Find(query="x")),
        ({"query": "x", "top_k": "3"}, Find(query="x", limit=3)),
        ({"query": "x", "maxResults": 3}, Find(query="x", limit=3)),
        ({"query": "x", "nextCursor": "y"}, Find(query="x", cursor="y")),
        ({"query": "x", "includeContent": True}, Find("x", include_content=True)),
        ({"query": "x", "section": "A"}, Find(query="x", sections=["A"])),
    ],
)
def test_what_models_write_is_understood(
    given_arguments: dict[str, Any], expected: Find
) -> None:
    """D-015: absent, quoted, in another case, under another name."""
    assert check_arguments(given_arguments, Find) == expected


def test_a_required_name_that_is_empty_is_missing() -> None:
    """D-102: the text is the same as without it; a blank is a name."""
    for given_arguments in ({"slug": ""}, {"slug": None}, {"id": ""}, {}):
        with pytest.raises(ToolFailure) as caught:
            check_arguments(given_arguments, Get)
        assert caught.value.message == "Missing required parameter: slug"
    assert check_arguments({"slug": " x"}, Get) == Get(slug=" x")


@pytest.mark.parametrize(
    ("given_arguments", "refused"),
    [
        ({"slug": "a", "id": "b"}, "id"),
        ({"id": "a", "name": "b"}, "name"),
        ({"title": "b", "slugs": "a"}, "slugs"),
        ({"slug": "a", "unknown": None}, "unknown"),
        ({"slug": "a", "unknown": ""}, "unknown"),
    ],
)
def test_what_is_still_unknown_is_refused_by_name(
    given_arguments: dict[str, Any], refused: str
) -> None:
    """D-015: nothing that was given is ignored."""
    with pytest.raises(ToolFailure) as caught:
        check_arguments(given_arguments, Get)
    assert caught.value.data == {"field": refused, "error": "unknown parameter"}


def test_a_parameter_is_not_taken_for_another_one() -> None:
    """`title` is an alias of `slug` only where it is no parameter."""
    assert is_alias("title", "slug")
    assert check_arguments({"slug": "a", "title": "b"}, Get) == Get("a", title="b")
    with pytest.raises(ToolFailure, match="Missing required parameter: slug"):
        check_arguments({"title": "b"}, Get)


def test_nothing_of_it_is_in_the_schema() -> None:
    """D-101: the published schemas are strict and small."""
    schema = describe_schema(Find)
    assert schema["properties"].keys() == set(Find.__struct_encode_fields__)
    assert schema["additionalProperties"] is False
    assert schema["properties"]["limit"]["type"] == "integer"


def test_the_aliases_are_folded_and_never_lead_to_themselves() -> None:
    """A name in the table that is not folded would never be found."""
    for parameter, aliases in ALIASES.items():
        assert {fold_parameter(alias) for alias in aliases} == aliases
        assert fold_parameter(parameter) not in aliases


def test_an_argument_can_be_read_without_a_schema() -> None:
    """The same value that the check finds under this name."""
    assert read_argument({"slug": "a", "id": "b"}, "slug") == "a"
    assert read_argument({"slug": "", "ID": "b"}, "slug") == "b"
    assert read_argument({"slug": None}, "slug") is None
    assert read_argument({"other": "b"}, "slug") is None


values = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=7)
keys = st.sampled_from([*Find.__struct_encode_fields__, "q", "id", "n"]) | st.text()


@given(st.dictionaries(keys, values | st.lists(values, max_size=2), max_size=4))
def test_no_given_argument_is_lost(given_arguments: dict[str, Any]) -> None:
    """Each has a name after renaming, unless it is absent; none gets two values."""
    parameters = Find.__struct_encode_fields__
    renamed = rename_arguments(given_arguments, parameters)
    kept = [v for v in given_arguments.values() if v not in (None, "")]
    assert [v for v in renamed.values() if v not in (None, "")].__len__() == len(kept)
    schema = describe_schema(Find)
    convert_arguments(given_arguments, schema["properties"], schema["required"])
