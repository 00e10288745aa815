"""What a tool's result says: the value of its text, and what was left out."""

import json
from collections.abc import Mapping
from typing import Any


def read_value(result: Mapping[str, Any]) -> Any:
    """Return the JSON of a successful result's text."""
    assert not result.get("isError"), result["content"]
    return json.loads(result["content"][0]["text"])


def read_note(result: Mapping[str, Any]) -> str:
    """Return the second text, on what was left out; empty if there is none."""
    first, *further = result["content"]
    assert {item["type"] for item in (first, *further)} == {"text"}
    assert len(further) <= 1
    return further[0]["text"] if further else ""


def read_cursor(result: Mapping[str, Any]) -> str | None:
    """Return the cursor of the next part, if there is one."""
    note = read_note(result)
    _, marker, rest = note.partition('cursor "')
    return rest.partition('"')[0] if marker else None
