"""Access log lines: as all other log lines, however their fields were encoded."""

import json
import logging
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from asdlc_kb.ops.logs.access_lines import (
    RepeatedFields,
    access_record,
    format_lines,
)
from asdlc_kb.ops.logs.structured import JsonFormatter


def format_as_logged(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the logger's line for the same fields."""
    record = logging.makeLogRecord(
        {"msg": "request", "levelname": "INFO", "name": "x", **fields}
    )
    row: dict[str, Any] = json.loads(JsonFormatter().format(record))
    return row


TEXT = st.text(st.characters(exclude_categories=[]))
VALUES = st.none() | st.booleans() | st.integers() | TEXT
FIELDS = st.dictionaries(st.sampled_from(["path", "tool", "version", "code"]), VALUES)
ODD: tuple[dict[str, Any], ...] = (
    {"path": "/é\u2028", "tool": "\x00\x1b[31m\x7f", "version": "\ud800"},
    {"tool": "\x7f"},
    {"code": 2**70, "tool": None},
    {"path": '"}\\n{'},
    {},
)


def read(line: str) -> dict[str, Any]:
    """Return the fields of one line in printable ASCII."""
    assert line.endswith("\n")
    assert all(" " <= character <= "~" for character in line[:-1])
    row: dict[str, Any] = json.loads(line)
    return row


@given(FIELDS)
@example(ODD[0])
@example(ODD[1])
@example(ODD[2])
def test_a_line_is_shaped_like_every_other(fields: dict[str, Any]) -> None:
    """The same fields in the same order, in printable ASCII, without absent ones."""
    row = read(format_lines([(0.0, fields)]))
    expected = format_as_logged(fields)
    assert list(row) == list(expected)
    assert len(row.pop("time")) == len(expected.pop("time"))
    assert row == expected


@given(
    FIELDS,
    st.floats(0, 1e12),
    st.floats(0, 4e9),
    st.text("0123456789abcdefXYZ_.:-", min_size=8, max_size=64),
    st.none() | st.integers(0, 10**9),
    st.none() | st.integers(0, 10**6),
)
@example(ODD[0], 0.0, 0.0, "00000001", None, None)
@example(ODD[2], 1e-9, 1.0, "00000001", 0, None)
@example(ODD[3], 0.0125, 1_767_225_600.0625, "00000001", None, 0)
@example(ODD[4], 0.0125, 1.0, "a_.:-b00", 5120, 3)
def test_repeated_fields_make_the_line_of_a_whole_record(
    fields: dict[str, Any],
    seconds: float,
    when: float,
    request_id: str,
    size: int | None,
    found: int | None,
) -> None:
    """Field by field, in the same order; the same text where both are ASCII."""
    same = RepeatedFields("http", fields)
    line = format_lines([(when, request_id, seconds, size, found, same)])
    own = {"bytes": size, "found": found, **fields}
    record = access_record("http", request_id, seconds, own)
    whole = format_lines([(when, record)])
    assert list(read(line).items()) == list(read(whole).items())
    assert same.with_request(request_id, seconds, size, found) == record


def test_a_usual_line_has_the_same_bytes_both_ways() -> None:
    """A reader of the log sees no difference between cached and other calls."""
    fields = {"verb": "POST", "status": 200, "principal": None}
    own = {**fields, "bytes": 5120, "found": 3}
    for seconds in (0.0, 0.00007, 0.1, 1.5, 123456.789):
        same = RepeatedFields("http", fields)
        repeated = (1.5, "00000001", seconds, 5120, 3, same)
        whole = (1.5, access_record("http", "00000001", seconds, own))
        assert format_lines([repeated]) == format_lines([whole])


@pytest.mark.parametrize("step", [0.0, 0.0001, 0.0011, 0.4])
def test_each_line_of_a_batch_has_its_own_time(step: float) -> None:
    """To the millisecond, whether or not the line before has the same."""
    moments = [1_767_225_599.5 + step * number for number in range(20)]
    batch = format_lines([(moment, {}) for moment in moments])
    alone = [format_lines([(moment, {})]) for moment in moments]
    assert batch.splitlines(keepends=True) == alone
