"""What a tool's result says: the value of its text, and what was left out."""

import json
from collections.abc import Mapping
from typing import Any

import click.testing

from asdlc_kb.mcp.protocol.inbound import Rejection


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


def describe_rejection(refusal: object) -> tuple[int, int, Any]:
    """Return the status, code and id with which a message was rejected."""
    assert isinstance(refusal, Rejection)
    return refusal.status, refusal.error.CODE, refusal.id


def read_rows(result: click.testing.Result) -> list[Mapping[str, Any]]:
    """Return the JSON output of a command that succeeded."""
    assert result.exit_code == 0, result.output
    rows: list[Mapping[str, Any]] = json.loads(result.stdout)
    return rows
