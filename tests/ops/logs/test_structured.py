"""Structured logs: one JSON object a line, for any values."""

import datetime
import io
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.ops.logs.access_log import AccessLog
from asdlc_kb.ops.logs.structured import JsonFormatter, configure

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner),
    max_leaves=5,
)


def record(message: str, **extra: object) -> logging.LogRecord:
    """Return a record as a logger makes it."""
    return logging.getLogger("t").makeRecord(
        "t", logging.INFO, "file.py", 1, message, (), None, extra=extra
    )


@contextmanager
def configured(level: str) -> Iterator[io.StringIO]:
    """Configure the process's logs as the commands do, and restore them."""
    root, tornado = logging.getLogger(), logging.getLogger("tornado.access")
    before = root.handlers[:], root.level, tornado.level
    stream, access_log = io.StringIO(), AccessLog()
    try:
        configure(level, access_log, stream=stream)
        yield stream
    finally:
        access_log.close()
        root.handlers[:], _, _ = before
        root.setLevel(before[1])
        tornado.setLevel(before[2])


def test_a_line_is_time_level_event_and_fields() -> None:
    """Times are UTC with milliseconds, in the form of ISO 8601."""
    made = record("request", status=200, path="/mcp")
    made.created = 1_700_000_000.1239
    assert json.loads(JsonFormatter().format(made)) == {
        "time": "2023-11-14T22:13:20.123+00:00",
        "level": "info",
        "event": "request",
        "status": 200,
        "path": "/mcp",
    }


def test_a_field_without_a_value_is_left_out() -> None:
    """None is omitted; zero, false and empty are values."""
    line = json.loads(JsonFormatter().format(record("e", a=None, b=0, c=False, d="")))
    assert line.keys() == {"time", "level", "event", "b", "c", "d"}


def test_the_message_has_its_arguments() -> None:
    """Libraries log with %-formats."""
    made = logging.getLogger("t").makeRecord(
        "t", logging.ERROR, "file.py", 1, "%s of %d", ("one", 2), None
    )
    line = json.loads(JsonFormatter().format(made))
    assert (line["event"], line["level"]) == ("one of 2", "error")


def test_a_failure_has_its_traceback_in_the_same_line() -> None:
    """The traceback is a field of the line."""
    with configured("info") as stream:
        try:
            raise ValueError("inside")
        except ValueError:
            logging.getLogger("t").exception("failed")
    (text,) = stream.getvalue().splitlines()
    line = json.loads(text)
    assert line["traceback"].startswith("Traceback (most recent call last):\n")
    assert line["traceback"].endswith("ValueError: inside")


@pytest.mark.parametrize(
    "odd",
    ["\n", "\r", "\x00", "\x1b[31m", "\x7f", "\x85", "\x9b", "\u2028", "\u202e", "é"],
    ids=ascii,
)
def test_odd_characters_are_escaped(odd: str) -> None:
    """D-083: no name moves a terminal's cursor or begins a new line."""
    text = JsonFormatter().format(record(f"e{odd}", **{f"k{odd}": f"v{odd}"}))
    assert text.isascii()
    assert text.isprintable()
    assert json.loads(text)[f"k{odd}"] == f"v{odd}"


@given(message=st.text(), values=st.lists(ANYTHING, max_size=4))
def test_any_value_makes_one_printable_line(message: str, values: list[object]) -> None:
    """For any value of a field, the log stays one object a line."""
    extra = {f"field_{number}": value for number, value in enumerate(values)}
    made = record("", **extra)
    made.msg = message
    text = JsonFormatter().format(made)
    assert text.isascii()
    assert len(text.splitlines()) == 1
    assert json.loads(text)["event"] == message


def test_the_level_is_the_least_that_is_written() -> None:
    """The setting log_level."""
    with configured("warning") as stream:
        logging.getLogger("anything").info("not this")
        logging.getLogger("anything").warning("this")
    (text,) = stream.getvalue().splitlines()
    assert json.loads(text)["event"] == "this"


def test_configuring_again_does_not_repeat_lines() -> None:
    """One handler, however often."""
    with configured("info"):
        second = io.StringIO()
        configure("info", stream=second)
        logging.getLogger("anything").info("once")
        assert len(logging.getLogger().handlers) == 1
    assert len(second.getvalue().splitlines()) == 1


def test_logs_go_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    """stdout belongs to the protocol on stdio, and to people on serve."""
    with configured("info"):
        configure("info")
        logging.getLogger("anything").info("here")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert json.loads(captured.err)["event"] == "here"


def test_tornado_does_not_log_requests_too() -> None:
    """Its line has less information than ours."""
    with configured("debug") as stream:
        logging.getLogger("tornado.access").error("500 GET /")
    assert stream.getvalue() == ""


def test_the_clock_of_a_line_is_the_time_of_its_event() -> None:
    """Not of its writing."""
    with configured("info") as stream:
        before = datetime.datetime.now(datetime.UTC)
        logging.getLogger("anything").info("now")
        after = datetime.datetime.now(datetime.UTC)
    when = datetime.datetime.fromisoformat(json.loads(stream.getvalue())["time"])
    assert before - datetime.timedelta(milliseconds=1) <= when <= after
