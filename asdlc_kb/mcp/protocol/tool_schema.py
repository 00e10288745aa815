"""Typed arguments and results of tools, and their closed JSON Schemas.

A tool declares two msgspec structs; both the published schemas and the validation of
calls derive from them, so they cannot disagree. Schemas are inlined: clients differ
in how they follow `$ref`.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, TypeVar

import msgspec

from asdlc_kb.mcp.protocol.errors import ToolFailure
from asdlc_kb.mcp.protocol.lenient_arguments import convert_arguments
from asdlc_kb.unicode.near_names import NearNames, suggest_names


class Arguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of a tool's arguments."""


class ToolAnswer(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    rename="camel",
):
    """Base of a tool's structured content. Optional fields default to UNSET."""


A = TypeVar("A", bound=Arguments)
T = TypeVar("T")

_MISSING = re.compile(r"Object missing required field `(.+)`")
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_PATH = re.compile(r" - at `\$\.([^.\[`]++)[^`]*+`\Z")


def given_arguments(value: T | msgspec.UnsetType) -> T | None:
    """Return an argument, or None if it is absent."""
    return None if isinstance(value, msgspec.UnsetType) else value


def describe_schema(
    kind: type[msgspec.Struct], enums: Mapping[str, tuple[str, ...]] | None = None
) -> dict[str, Any]:
    """Return the JSON Schema of a struct, without references.

    `enums` restricts string properties, by name, to the current values. One without
    values stays unrestricted: many clients reject an empty enum.
    """
    (root,), definitions = msgspec.json.schema_components([kind], ref_template="{name}")
    schema: dict[str, Any] = _inline(root, definitions)
    for name, values in (enums or {}).items():
        if values:
            schema["properties"][name]["enum"] = list(values)
    return schema


def _inline(node: Any, definitions: Mapping[str, Any]) -> Any:
    if isinstance(node, list):
        return [_inline(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _inline(definitions[node["$ref"]], definitions)
    inlined = {key: _inline(value, definitions) for key, value in node.items()}
    if inlined.get("type") == "object":
        # The struct's name and docstring are internal.
        inlined.pop("title", None)
        inlined.pop("description", None)
    if "enum" in inlined:
        inlined.setdefault("type", "string")
    return inlined


def check_arguments(
    arguments: Mapping[str, Any], kind: type[A], shown: Iterable[str] | None = None
) -> A:
    """Return the arguments as a struct; raise ToolFailure if they are invalid.

    They are converted first, as `lenient_arguments` says. An error lists all known
    parameters, or those `shown`.
    """
    schema = _describe_arguments(kind)
    required = schema.get("required", ())
    values = convert_arguments(arguments, schema["properties"], required)
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        raise _to_failure(str(error), kind, shown) from None


def _to_failure(
    message: str, kind: type[Arguments], shown: Iterable[str] | None
) -> ToolFailure:
    if match := _MISSING.match(message):
        field = match.group(1)
        data = {"field": field, "error": "missing"}
        return ToolFailure(f"Missing required parameter: {field}", data)
    properties = _describe_arguments(kind)["properties"]
    if match := _UNKNOWN.match(message):
        field = match.group(1)[:100]
        names = tuple(properties if shown is None else shown)
        known = ", ".join(names) or "none"
        text = f"Unknown parameter: {field}. Known parameters: {known}"
        near = NearNames((name, name) for name in names).find(field)
        data = {"field": field, "error": "unknown parameter"}
        return ToolFailure(text, data, hint=suggest_names(near))
    match = _PATH.search(message)
    field = match.group(1) if match else ""
    expected = (
        _describe_constraint(properties[field]) if field in properties else "valid"
    )
    return ToolFailure(
        f"Invalid parameter {field}: must be {expected}",
        {"field": field, "error": f"must be {expected}"},
    )


@cache
def _describe_arguments(kind: type[Arguments]) -> Mapping[str, Any]:
    """Return the schema of a tool's arguments, cached: calls and errors use it."""
    return describe_schema(kind)


def _describe_constraint(schema: Mapping[str, Any]) -> str:
    """Describe in words the values that a property's schema allows."""
    if "enum" in schema:
        return "one of " + ", ".join(map(str, schema["enum"]))
    match schema.get("type"):
        case "integer":
            return f"an integer from {schema['minimum']:,} to {schema['maximum']:,}"
        case "string":
            low, high = schema.get("minLength", 0), schema["maxLength"]
            return f"a string of {low:,} to {high:,} characters"
        case "array" if "maxItems" in schema:
            return f"a list of at most {schema['maxItems']:,} texts"
        case "boolean":
            return "true or false"
    return f"of type {schema.get('type')}"
