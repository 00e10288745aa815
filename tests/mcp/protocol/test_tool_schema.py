"""Arguments and answers of tools: their schemas, and the checks that follow them."""

from typing import Annotated, Any, Literal

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Meta, UnsetType

from asdlc_kb.mcp.protocol.errors import ToolFailure
from asdlc_kb.mcp.protocol.lenient_arguments import convert_arguments
from asdlc_kb.mcp.protocol.tool_schema import (
    Arguments,
    ToolAnswer,
    check_arguments,
    describe_schema,
)

Name = Annotated[str, Meta(max_length=5, description="A name")]


class Ask(Arguments, frozen=True):
    """Not sent to clients."""

    name: Name
    among: Annotated[str, Meta(min_length=1, max_length=2000)] | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=1000)] = 50
    exact: bool = False
    form: Literal["json", "markdown"] = "json"


class Nothing(Arguments, frozen=True):
    """Takes no arguments."""


class Odd(Arguments, frozen=True):
    """Takes values that none of our messages covers."""

    many: tuple[int, ...] = ()


class Inner(ToolAnswer, frozen=True):
    """Not sent to clients."""

    last_updated: str
    removed: int | UnsetType = UNSET


class Outer(ToolAnswer, frozen=True):
    """Not sent to clients."""

    items: tuple[Inner, ...]
    first: Inner | UnsetType = UNSET


def failure(arguments: dict[str, Any], kind: type[Arguments] = Ask) -> ToolFailure:
    """Return the failure of arguments."""
    with pytest.raises(ToolFailure) as caught:
        check_arguments(arguments, kind)
    return caught.value


def test_the_schema_of_arguments_is_closed_and_says_what_is_checked() -> None:
    """D-101: closed input schemas, inlined, without our own keywords."""
    assert describe_schema(Ask, {"among": ("a", "b")}) == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": 5, "description": "A name"},
            "among": {
                "type": "string",
                "minLength": 1,
                "maxLength": 2000,
                "enum": ["a", "b"],
            },
            "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 50},
            "exact": {"type": "boolean", "default": False},
            "form": {
                "type": "string",
                "enum": ["json", "markdown"],
                "default": "json",
            },
        },
        "required": ["name"],
        "additionalProperties": False,
    }


def test_an_enum_without_values_is_left_out() -> None:
    """JSON Schema draft 4 wants one value at least, and clients refuse less."""
    assert "enum" not in describe_schema(Ask, {"among": ()})["properties"]["among"]


def test_the_schema_of_an_answer_has_no_references() -> None:
    """D-101: inlined; optional fields are not required, names are camel case."""
    inner = {
        "type": "object",
        "properties": {
            "lastUpdated": {"type": "string"},
            "removed": {"type": "integer"},
        },
        "required": ["lastUpdated"],
        "additionalProperties": False,
    }
    assert describe_schema(Outer) == {
        "type": "object",
        "properties": {"items": {"type": "array", "items": inner}, "first": inner},
        "required": ["items"],
        "additionalProperties": False,
    }


def test_arguments_that_fit_are_given_with_their_defaults() -> None:
    """D-100: optional arguments have defaults."""
    assert check_arguments({"name": "x"}, Ask) == Ask(name="x")
    assert check_arguments({}, Nothing) == Nothing()
    given_all: dict[str, Any] = {
        "name": "x",
        "among": "y",
        "limit": 3,
        "exact": True,
        "form": "markdown",
    }
    assert check_arguments(given_all, Ask) == Ask(**given_all)


def test_null_stands_for_an_optional_argument_that_was_left_out() -> None:
    """D-015: many clients send null for what they leave out."""
    nulls = dict.fromkeys(("among", "limit", "exact", "form"))
    assert check_arguments({"name": "x", **nulls}, Ask) == Ask(name="x")


@pytest.mark.parametrize("limit", [5, 5.0, 5e0])
def test_a_whole_float_is_an_integer(limit: float) -> None:
    """JSON Schema 2020-12: 5.0 is an integer."""
    checked = check_arguments({"name": "x", "limit": limit}, Ask)
    assert (checked.limit, type(checked.limit)) == (5, int)


@pytest.mark.parametrize("arguments", [{}, {"name": None}, {"limit": 1}])
def test_a_missing_argument_is_named(arguments: dict[str, Any]) -> None:
    """D-102: Missing required parameter: {param}."""
    error = failure(arguments)
    assert error.message == "Missing required parameter: name"
    assert error.data == {"field": "name", "error": "missing"}


LIMIT = "Invalid parameter limit: must be an integer from 1 to 1,000"
AMONG = "Invalid parameter among: must be a string of 1 to 2,000 characters"
FORM = "Invalid parameter form: must be one of json, markdown"


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("limit", 0, LIMIT),
        ("limit", -1, LIMIT),
        ("limit", 1001, LIMIT),
        ("limit", 1.8446744073709552e19, LIMIT),
        ("limit", 5.5, LIMIT),
        ("limit", True, LIMIT),
        ("limit", "five", LIMIT),
        ("limit", "5.5", LIMIT),
        ("limit", "0", LIMIT),
        ("limit", "1" * 17, LIMIT),
        ("limit", [5], LIMIT),
        ("limit", {"a": 5}, LIMIT),
        ("among", "x" * 2001, AMONG),
        ("among", 5, AMONG),
        ("among", ["x"], AMONG),
        ("exact", "yes", "Invalid parameter exact: must be true or false"),
        ("exact", 1, "Invalid parameter exact: must be true or false"),
        ("exact", 1.0, "Invalid parameter exact: must be true or false"),
        ("form", "html", FORM),
        ("form", "x' - at `$.limit`", FORM),
        ("form", "x` - at `$.limit", FORM),
        ("form", 1, FORM),
    ],
)
def test_a_value_out_of_bounds_is_told_with_its_bounds(
    field: str, value: object, message: str
) -> None:
    """D-102: the tool error names the field and the range, in our words."""
    error = failure({"name": "x", field: value})
    assert error.message == message
    assert error.data == {"field": field, "error": message.split(": ", 1)[1]}


def test_a_fault_inside_a_value_is_told_of_its_argument() -> None:
    """The field is the argument, however deep in it the fault is."""
    assert failure({"many": [1, "x"]}, Odd).message == (
        "Invalid parameter many: must be of type array"
    )


@pytest.mark.parametrize("name", ["nam", "", " name", "a\nb", "$.limit", "`"])
@pytest.mark.parametrize("value", [1, None])
def test_an_unknown_argument_is_refused_by_name(name: str, value: object) -> None:
    """D-015: unknown arguments are refused, null or not, and the known ones named."""
    error = failure({"name": "x", name: value})
    known = "name, among, limit, exact, form"
    assert error.message == f"Unknown parameter: {name}. Known parameters: {known}"
    assert error.data == {"field": name, "error": "unknown parameter"}


@pytest.mark.parametrize(
    ("name", "hint"),
    [("limits", "limit"), ("nam", "name"), ("result_form", "form"), ("zzz", None)],
)
def test_a_near_parameter_is_suggested(name: str, hint: str | None) -> None:
    """D-102: the text item after the message names it."""
    expected = hint and f"Did you mean: {hint}?"
    assert failure({"name": "x", name: 1}).hint == expected


def test_a_tool_without_arguments_says_that_it_has_none() -> None:
    """The known parameters of a tool without any are none."""
    assert failure({"x": 1}, Nothing).message == (
        "Unknown parameter: x. Known parameters: none"
    )


def test_a_long_unknown_name_is_cut() -> None:
    """D-052: errors repeat at most 100 characters of a name."""
    assert failure({"name": "x", "y" * 5000: 1}).data["field"] == "y" * 100


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=7),
    lambda below: (
        st.lists(below, max_size=2) | st.dictionaries(st.text(), below, max_size=2)
    ),
    max_leaves=4,
)
fields = st.sampled_from(["name", "among", "limit", "exact", "form"]) | st.text()


@given(st.dictionaries(fields, json_values, max_size=4))
def test_the_check_agrees_with_the_schema_that_clients_see(
    arguments: dict[str, Any],
) -> None:
    """D-101: schema and check have one source. What passes without being in the schema
    is what the conversion of arguments makes of it.
    """
    schema = describe_schema(Ask)
    converted = convert_arguments(arguments, schema["properties"], schema["required"])
    fits = jsonschema.Draft202012Validator(schema).is_valid(converted)
    try:
        check_arguments(arguments, Ask)
    except ToolFailure:
        assert not fits
    else:
        assert fits
