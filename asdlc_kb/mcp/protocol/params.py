"""Typed access to the parameters of a call."""

from collections.abc import Mapping
from typing import Any

from asdlc_kb.mcp.protocol.errors import InvalidParams


def read_text(params: Mapping[str, Any], key: str) -> str:
    """Return a string parameter; raise InvalidParams for anything else."""
    value = params.get(key)
    if not isinstance(value, str):
        raise InvalidParams(f"Invalid params: {key} must be a string")
    return value


def read_object(
    params: Mapping[str, Any], key: str, *, required: bool = False
) -> Mapping[str, Any]:
    """Return an object parameter; absent or null is empty unless required."""
    value = params.get(key)
    if value is None and not required:
        return {}
    if not isinstance(value, dict):
        raise InvalidParams(f"Invalid params: {key} must be an object")
    return value


def check_strings(params: Mapping[str, Any], key: str) -> Mapping[str, str]:
    """Return an object of strings; `key` is its name in the error."""
    if not all(isinstance(value, str) for value in params.values()):
        raise InvalidParams(f"Invalid params: {key} must hold strings")
    return params
