"""Log lines for people: in local time, one line each whatever the fields are."""

import logging
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.ops.logs.access_lines import Fields, RepeatedFields, access_record
from asdlc_kb.ops.logs.text_lines import TextFormatter

PLAIN = TextFormatter(has_colors=False)
SHOWN_CALL = {
    "verb": "POST",
    "path": "/mcp",
    "status": 200,
    "address": "127.0.0.1",
    "principal": None,
    "method": "tools/call",
    "tool": "search_docs",
    "version": "2026-07-28",
}
WHEN = 1_700_000_000.1239


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The local time of the tests is UTC, three hours ahead."""
    monkeypatch.setenv("TZ", "Test-3")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def make_record(
    event: str, level: int = logging.INFO, **extra: Any
) -> logging.LogRecord:
    """Return a record as a logger makes it."""
    made = logging.getLogger("t").makeRecord(
        "t", level, "file.py", 1, event, (), None, extra=extra
    )
    made.created = WHEN
    return made


def format_request(fields: Fields, formatter: TextFormatter = PLAIN) -> str:
    """Return the line of a request that took 1.25 ms."""
    record = access_record("http", "id1", 0.00125, fields)
    return formatter.format_lines([(WHEN, record)])


def test_a_line_is_time_level_event_and_fields() -> None:
    """A value with blanks is quoted, one that is absent is left out."""
    record = make_record("content changed", articles=3, reason="a b", gone=None)
    assert PLAIN.format(record) == (
        "01:13:20.123 info    content changed  articles=3 reason='a b'"
    )
    assert PLAIN.format(make_record("x", logging.WARNING)) == "01:13:20.123 warning x"


def test_a_request_shows_the_fields_that_matter() -> None:
    """Ids, versions and the address of this machine are for programs."""
    line = format_request({**SHOWN_CALL, "found": 3})
    expected = "POST /mcp  tools/call search_docs  3 found"
    assert line == f"01:13:20.123 info    200     1.25 ms  {expected}\n"
    other = format_request({**SHOWN_CALL, "address": "10.0.0.7", "query": "a b"})
    assert other.endswith("tools/call search_docs  address=10.0.0.7 query='a b'\n")


def test_a_request_over_a_pipe_has_no_status() -> None:
    """Its method comes first."""
    line = format_request({"method": "initialize", "version": "2025-11-25"})
    assert line == "01:13:20.123 info    -       1.25 ms  initialize\n"


@given(
    st.sampled_from([None, 0, 7]),
    st.sampled_from([200, 404, 503, None]),
    st.sampled_from([None, "search_docs"]),
    st.booleans(),
)
def test_repeated_requests_are_written_as_all_others(
    found: int | None, status: int | None, tool: str | None, has_colors: bool
) -> None:
    """Fields that were encoded once make the same line."""
    formatter = TextFormatter(has_colors=has_colors)
    fields = {**SHOWN_CALL, "status": status, "tool": tool, "principal": "me"}
    repeated = (WHEN, "id1", 0.00125, 100, found, RepeatedFields("http", fields))
    one = formatter.format_lines([repeated])
    assert one == format_request({**fields, "found": found}, formatter)
    assert formatter.format_lines([repeated, repeated]) == one * 2


def test_other_lines_of_the_access_log_are_events() -> None:
    """Summaries of rejected requests, and the number of lost lines."""
    summary = {"event": "requests not logged", "status": 429, "number": 12}
    lines = PLAIN.format_lines([(WHEN, summary), (WHEN, {"lines_lost": 2})])
    assert lines.splitlines() == [
        "01:13:20.123 info    requests not logged  status=429 number=12",
        "01:13:20.123 info    request  lines_lost=2",
    ]


def test_a_stack_is_shown_below() -> None:
    """Indented, so that no line of it looks like another event."""
    try:
        raise ValueError("inside\x1b[2J")
    except ValueError:
        made = make_record("failed", logging.ERROR)
        made.exc_info = sys.exc_info()
    first, *below = PLAIN.format(made).split("\n")
    assert first == "01:13:20.123 error   failed"
    assert below[0] == "    Traceback (most recent call last):"
    assert below[-1] == r"    ValueError: inside\x1b[2J"
    assert all(line.startswith("    ") for line in below)


def test_colors_are_those_of_level_and_status() -> None:
    """Only if they are asked for."""
    colored = TextFormatter(has_colors=True)
    assert "\x1b[33mwarning\x1b[0m" in colored.format(make_record("x", logging.WARNING))
    for status, code in ((200, 32), (304, 32), (404, 33), (503, 31)):
        line = format_request({**SHOWN_CALL, "status": status}, colored)
        assert f"\x1b[{code}m{status}\x1b[0m" in line
        assert "\x1b" not in format_request({**SHOWN_CALL, "status": status})


@pytest.mark.parametrize(
    "odd", ["\n", "\r", "\x00", "\x1b[31m", "\x7f", "\x85", "\x9b", "\u2028", "\u202e"]
)
def test_odd_characters_are_escaped(odd: str) -> None:
    """D-083: no name moves a terminal's cursor or begins a new line."""
    extra: dict[str, Any] = {f"k{odd}": f"v{odd}"}
    line = PLAIN.format(make_record(f"e{odd}", **extra))
    assert line.isprintable()
    request = format_request({**SHOWN_CALL, "path": f"/{odd}", "client": odd})
    assert request[:-1].isprintable()


def test_text_of_any_language_is_readable() -> None:
    """Unlike JSON, which is ASCII."""
    assert "query=上下文" in format_request({**SHOWN_CALL, "query": "上下文"})


@given(st.text(), st.dictionaries(st.sampled_from(["a", "b"]), st.text() | st.binary()))
def test_any_value_makes_one_printable_line(event: str, extra: dict[str, Any]) -> None:
    """For any value of a field."""
    made = make_record("", **extra)
    made.msg = event
    assert PLAIN.format(made).isprintable()
