"""Cursors of tools are validated."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.mcp.protocol.errors import ToolFailure
from asdlc_kb.providers.shared.cursors import (
    MAX_CURSOR_CHARS,
    cursor_fingerprint,
    read_cursor,
    write_cursor,
)

MARK = cursor_fingerprint("tool", "question")


@given(st.integers(min_value=1, max_value=10**9 - 1))
def test_a_cursor_leads_to_where_it_was_made(offset: int) -> None:
    """A cursor can be decoded."""
    cursor = write_cursor(offset, MARK)
    assert len(cursor) <= MAX_CURSOR_CHARS
    assert read_cursor(cursor, MARK, 10**9) == offset


def test_marks_differ_by_what_they_stand_for() -> None:
    """Joined texts do not collide."""
    assert (
        cursor_fingerprint("ab", "c")
        != cursor_fingerprint("a", "bc")
        != cursor_fingerprint("abc")
    )


@pytest.mark.parametrize(
    ("cursor", "reason"),
    [
        ("", "not a cursor of this tool"),
        ("x", "not a cursor of this tool"),
        ("%%%%", "not a cursor of this tool"),
        ("é", "not a cursor of this tool"),
        (write_cursor(5, "short"), "not a cursor of this tool"),
        (base64.b64encode(b"\xff\xfe").decode(), "not a cursor of this tool"),
        (write_cursor(-5, MARK), "not a cursor of this tool"),
        (write_cursor(0, MARK), "it belongs to other arguments, or"),
        (write_cursor(10, MARK), "it belongs to other arguments, or"),
        (
            write_cursor(5, cursor_fingerprint("other")),
            "it belongs to other arguments, or",
        ),
    ],
)
def test_any_other_cursor_is_told_so(cursor: str, reason: str) -> None:
    """Forged, stale, or of another call: a clear tool error."""
    with pytest.raises(ToolFailure, match=f"^Invalid cursor: {reason}") as caught:
        read_cursor(cursor, MARK, 10)
    assert caught.value.data["field"] == "cursor"


@given(st.text(max_size=MAX_CURSOR_CHARS))
def test_no_text_fails_in_another_way(text: str) -> None:
    """For any input."""
    with pytest.raises(ToolFailure):
        read_cursor(text, MARK, 1)
