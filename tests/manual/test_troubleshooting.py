"""docs/troubleshooting.md has every code that a user may see, with what to do."""

import ast
import re
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import pytest

from asdlc_kb.mcp.protocol import errors
from asdlc_kb.mcp.protocol.errors import ProtocolError

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
ROWS = {
    match[1]: [cell.strip() for cell in match[2].split(" | ")]
    for match in re.finditer(r"^\| (-\d+|KB\d+|\d+) \| (.*) \|$", PAGE, re.MULTILINE)
}
CODES = [
    value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, ProtocolError)
]
BY_TORNADO = {500}
"""Statuses that the framework sends by itself."""


def statuses() -> Iterator[int]:
    """Return the error statuses of the transports, in code and on the wire."""
    known = {status.value for status in HTTPStatus if status.value >= 400}
    for folder in ("web", "mcp"):
        for path in (ROOT / "asdlc_kb" / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                value = node.value if isinstance(node, ast.Constant) else None
                if type(value) is int and value in known:
                    yield value
                elif isinstance(value, bytes):
                    yield from map(int, re.findall(rb"^HTTP/1.1 ([45]\d\d)", value))


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.__name__)
def test_every_json_rpc_code_is_explained(code: type[ProtocolError]) -> None:
    """With its message."""
    message, why, what_to_do = ROWS[str(code.CODE)]
    assert message in (code.MESSAGE, code("…").message)
    assert why
    assert what_to_do


def test_every_refusal_of_http_is_explained() -> None:
    """Each status in the code is in the table, and no other one."""
    sent = {*statuses(), *BY_TORNADO}
    assert sent == {int(code) for code in ROWS if re.fullmatch(r"[45]\d\d", code)}


@pytest.mark.parametrize("code", sorted(ROWS))
def test_every_row_says_why_and_what_to_do(code: str) -> None:
    """No code stands without advice, and no row twice."""
    assert all(ROWS[code])
    assert len(ROWS[code]) == (3 if code.startswith("-") else 2)
    assert PAGE.count(f"\n| {code} |") == 1
