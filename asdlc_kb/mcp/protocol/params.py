"""The parameters of a call, taken out with the type that they must have."""

from collections.abc import Mapping
from typing import Any

from asdlc_kb.mcp.protocol.errors import InvalidParams


def read_text(params: Mapping[str, Any], key: str) -> str:
    """Return a text; raise InvalidParams for anything else."""
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


def check_texts(params: Mapping[str, Any], key: str) -> Mapping[str, str]:
    """Return an object that holds nothing but texts; `key` is what it is called."""
    if not all(isinstance(value, str) for value in params.values()):
        raise InvalidParams(f"Invalid params: {key} must hold strings")
    return params
