"""Encoding of values for each version: its fields, and substitutes for the rest.

Source: schema/<version>/schema.ts of the MCP specification. A version difference is a
row here, never a branch elsewhere.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import msgspec

from asdlc_kb.mcp.protocol import model
from asdlc_kb.mcp.protocol.errors import ProtocolError, ResourceNotFound
from asdlc_kb.mcp.protocol.jsonrpc import describe
from asdlc_kb.mcp.protocol.versions import is_at_least

_V2025_06: Final = "2025-06-18"
_V2025_11: Final = "2025-11-25"
_V2026_07: Final = "2026-07-28"

FIELD_SINCE: Final[Mapping[tuple[type[model.WireModel], str], str]] = {
    (model.Annotations, "last_modified"): _V2025_06,
    (model.Implementation, "title"): _V2025_06,
    (model.Implementation, "description"): _V2025_11,
    (model.Implementation, "website_url"): _V2025_11,
    (model.Implementation, "icons"): _V2025_11,
    (model.Progress, "message"): "2025-03-26",
    (model.Prompt, "title"): _V2025_06,
    (model.PromptArgument, "title"): _V2025_06,
    (model.Resource, "title"): _V2025_06,
    (model.ResourceTemplate, "title"): _V2025_06,
    (model.Tool, "title"): _V2025_06,
    (model.Tool, "annotations"): "2025-03-26",
    (model.Tool, "output_schema"): _V2025_06,
    (model.ToolResult, "structured_content"): _V2025_06,
}
"""The first version that has a field; unlisted fields are in all versions."""

_INTERNAL: Final = frozenset(
    {
        (model.TextContents, "document"),
        (model.ToolResult, "document"),
        (model.ToolResult, "total"),
    }
)
"""Fields that are never sent."""

RENUMBERED: Final[Mapping[type[ProtocolError], tuple[str, int]]] = {
    ResourceNotFound: (_V2026_07, -32602),
}
"""Errors whose code changed: the first version with the new code, and that code."""

CONTENT_SINCE: Final[Mapping[type[model.WireModel], str]] = {
    model.AudioContent: "2025-03-26",
    model.ResourceLink: _V2025_06,
}
"""Content types that older clients reject; they get text content instead."""

CAPABILITY_SINCE: Final = {"completions": "2025-03-26", "extensions": _V2025_11}
"""The first version that has a capability; unlisted ones are in all versions."""


def encode_capabilities(
    capabilities: Mapping[str, Any], version: str
) -> dict[str, Any]:
    """Return the capabilities that exist in `version`."""
    return {
        name: value
        for name, value in capabilities.items()
        if is_at_least(version, CAPABILITY_SINCE.get(name, version))
    }


def encode(value: Any, version: str) -> Any:
    """Return `value` as plain JSON values, with only the fields of `version`."""
    if type(value) is model.TextContent and value.annotations is None:
        # Most results are nothing else, and it is the same in all versions.
        return {"type": "text", "text": value.text}
    if isinstance(value, model.WireModel):
        since = CONTENT_SINCE.get(type(value))
        if since is not None and not is_at_least(version, since):
            value = model.TextContent(text=_fallback_text(value))
        return _encode_struct(value, version)
    if isinstance(value, tuple):
        return [encode(item, version) for item in value]
    return value


def _fallback_text(value: model.WireModel) -> str:
    """Return a text for content that an older client does not support."""
    if isinstance(value, model.ResourceLink):
        return f"{value.title or value.name}: {value.uri}"
    return f"({type(value).__struct_config__.tag} content)"


def encode_result(result: model.WireModel | Mapping[str, Any], version: str) -> Any:
    """Return a method's result as a dictionary of plain JSON values."""
    if isinstance(result, model.WireModel):
        return _encode_struct(result, version)
    return {key: encode(item, version) for key, item in result.items()}


def _encode_struct(value: model.WireModel, version: str) -> dict[str, Any]:
    kind = type(value)
    encoded: dict[str, Any] = {}
    tag = kind.__struct_config__.tag
    if tag is not None:
        encoded["type"] = tag
    for name, wire_name, default in _fields(kind, version):
        item = getattr(value, name)
        if item != default:
            encoded[wire_name] = encode(item, version)
    return encoded


@cache
def _fields(
    kind: type[model.WireModel], version: str
) -> tuple[tuple[str, str, object], ...]:
    """Return (name, wire name, default) of the fields that `version` has."""
    return tuple(
        (field.name, field.encode_name, field.default)
        for field in msgspec.structs.fields(kind)
        if (kind, field.name) not in _INTERNAL
        and is_at_least(version, FIELD_SINCE.get((kind, field.name), version))
    )


def encode_error(error: ProtocolError, version: str) -> dict[str, Any]:
    """Return the JSON-RPC error object with its code in `version`."""
    described = describe(error)
    since, code = RENUMBERED.get(type(error), ("", 0))
    if since and is_at_least(version, since):
        described["code"] = code
    return described
