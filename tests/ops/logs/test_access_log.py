"""The access log: lines like all others, and no request waits for them."""

import io
import json
import logging
import subprocess
import sys
import threading
import time
from collections import Counter
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest
from support.files import Clock

from asdlc_kb.ops.logs import access_log as module
from asdlc_kb.ops.logs.access_lines import RepeatedFields
from asdlc_kb.ops.logs.access_log import AccessLog
from asdlc_kb.ops.logs.log_throttle import MAX_LINES_PER_SECOND, LogThrottle

FIELDS: dict[str, Any] = {
    "transport": "http",
    "status": 200,
    "ms": 0.25,
    "code": None,
}
BOUND = 60.0
"""Seconds that any one wait may take."""


def written(stream: io.StringIO) -> list[dict[str, Any]]:
    """Return the lines of a stream."""
    text = stream.getvalue()
    assert text == "" or text.endswith("\n")
    return [json.loads(line) for line in text.split("\n")[:-1]]


class Full(io.StringIO):
    """A stream on a full disk, until there is space again."""

    def __init__(self) -> None:
        super().__init__()
        self.is_full = True
        self.was_full = threading.Event()
        self.is_flushed = threading.Event()

    def flush(self) -> None:
        self.is_flushed.set()

    def write(self, text: str) -> int:
        if self.is_full:
            self.was_full.set()
            raise OSError(28, "No space left on device")
        return super().write(text)


def test_a_value_of_any_type_costs_no_other_line(log: AccessLog) -> None:
    """It is formatted as in other log lines."""
    stream = io.StringIO()
    log.open(stream)
    log.record({"value": Path("a/b")})
    log.record(FIELDS)
    log.close()
    odd, plain = written(stream)
    assert odd["value"] == "a/b"
    assert plain["status"] == 200


def test_the_time_is_that_of_the_request(
    log: AccessLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not of the writing; to the millisecond, in UTC."""
    stream = io.StringIO()
    log.open(stream)
    for when in (0.0, 1_767_225_600.0625, 1_767_225_599.9999):
        monkeypatch.setattr(time, "time", repeat(when).__next__)
        log.record(FIELDS)
    log.flush()
    assert [row["time"] for row in written(stream)] == [
        "1970-01-01T00:00:00.000+00:00",
        "2026-01-01T00:00:00.062+00:00",
        "2025-12-31T23:59:59.999+00:00",
    ]


@pytest.mark.parametrize("is_repeated", [False, True])
def test_lines_keep_their_order_and_none_comes_twice(
    log: AccessLog, is_repeated: bool
) -> None:
    """However often they are written, and however their fields were encoded."""
    stream = io.StringIO()
    log.open(stream)
    for number in range(10):
        if is_repeated and number % 2:
            same = RepeatedFields("http", {"number": number})
            log.record_repeated("00000001", 0.001, same)
        else:
            log.record({"number": number})
        if number % 3 == 0:
            log.flush()
            log.flush()
    log.close()
    log.close()
    assert [row["number"] for row in written(stream)] == list(range(10))


def test_what_is_noted_while_others_are_written_is_not_lost(log: AccessLog) -> None:
    """A request may come at any moment of the writing."""

    class Busy(io.StringIO):
        def write(self, text: str) -> int:
            log.record({"number": len(written(self)) + 1})
            return super().write(text)

    stream = Busy()
    log.open(stream)
    log.record({"number": 0})
    for _ in range(5):
        log.flush()
    assert [row["number"] for row in written(stream)] == list(range(5))


def test_lines_beyond_the_bound_are_counted(
    log: AccessLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory is bounded if the reader stalls; missing lines are reported once."""
    monkeypatch.setattr(module, "MAX_WAITING", 3)
    stream = io.StringIO()
    log.open(stream)
    for number in range(5):
        log.record({"number": number})
    log.flush()
    log.record({"number": 5})
    log.flush()
    rows = written(stream)
    assert [row.get("number") for row in rows] == [0, 1, 2, None, 5]
    assert rows[3]["lines_lost"] == 2
    assert ["lines_lost" in row for row in rows].count(True) == 1


def test_a_closed_stream_harms_nobody(log: AccessLog) -> None:
    """stderr may be closed before the process ends."""
    stream = io.StringIO()
    log.open(stream)
    log.record(FIELDS)
    stream.close()
    log.record(FIELDS)
    log.close()
    log.record(FIELDS)


def test_a_full_disk_does_not_end_the_log(
    logger: logging.Logger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines recorded once there is space are written, and how many were lost."""
    monkeypatch.setattr(module, "PAUSE_SECONDS", 0.001)
    log, stream = AccessLog(logger), Full()
    log.open(stream)
    try:
        log.record({"number": 1})
        assert stream.was_full.wait(BOUND)
        stream.is_full = False
        log.record({"number": 2})
        assert stream.is_flushed.wait(BOUND)
        second, lost = written(stream)
        assert (second["number"], lost["lines_lost"], log.lost) == (2, 1, 1)
    finally:
        log.close()


def test_lines_are_written_without_being_asked_for(
    logger: logging.Logger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Soon after a request, by a thread of the log."""
    monkeypatch.setattr(module, "PAUSE_SECONDS", 0.001)
    log, stream = AccessLog(logger), Full()
    stream.is_full = False
    log.open(stream)
    try:
        log.record(FIELDS)
        assert stream.is_flushed.wait(BOUND)
        assert written(stream)[0]["status"] == 200
    finally:
        log.close()


def test_the_writer_sleeps_without_requests(
    logger: logging.Logger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An idle server is not woken for its log; the next request is written."""
    monkeypatch.setattr(module, "PAUSE_SECONDS", 0.001)
    log, stream = AccessLog(logger), Full()
    stream.is_full = False
    asleep, flushes = threading.Semaphore(0), Counter[str]()

    class Watched(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            if not self.is_set():
                asleep.release()
            return super().wait(timeout)

    log._has_work = Watched()
    flush = log.flush

    def count(*, is_last: bool = False) -> None:
        flushes["all"] += 1
        flush(is_last=is_last)

    monkeypatch.setattr(log, "flush", count)
    log.open(stream)
    try:
        # `open` closes the log first, so the writer may wake once.
        assert asleep.acquire(timeout=BOUND)
        for number in range(3):
            before = flushes["all"]
            log.record({"number": number})
            assert asleep.acquire(timeout=BOUND)
            assert flushes["all"] > before
        assert [row["number"] for row in written(stream)] == [0, 1, 2]
    finally:
        log.close()


def test_a_suppressed_flood_wakes_the_writer(
    logger: logging.Logger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its number is reported after a second, although no further line is recorded."""
    monkeypatch.setattr(module, "PAUSE_SECONDS", 0.001)
    log, stream, clock = AccessLog(logger), Full(), Clock(1.0)
    stream.is_full = False
    log._throttle = LogThrottle(MAX_LINES_PER_SECOND, 1.0, clock=clock)
    log.open(stream)
    try:
        for _ in range(MAX_LINES_PER_SECOND + 5):
            log.should_record((404, None))
        clock.now = 2.0
        assert stream.is_flushed.wait(BOUND)
        (row,) = written(stream)
        assert (row["event"], row["number"]) == ("requests not logged", 5)
    finally:
        log.close()


def test_nothing_is_written_above_info(log: AccessLog, logger: logging.Logger) -> None:
    """The setting log_level is checked for each request."""
    stream = io.StringIO()
    log.open(stream)
    logger.setLevel(logging.WARNING)
    was_enabled = log.is_enabled
    log.record({"number": 1})
    logger.setLevel(logging.INFO)
    assert (was_enabled, log.is_enabled) == (False, True)
    log.record({"number": 2})
    log.close()
    assert [row["number"] for row in written(stream)] == [2]


def test_opening_another_stream_ends_the_first(log: AccessLog) -> None:
    """Earlier lines are in the first."""
    first, second = io.StringIO(), io.StringIO()
    log.open(first)
    log.record({"number": 1})
    log.open(second)
    log.record({"number": 2})
    log.close()
    assert [row["number"] for row in written(first)] == [1]
    assert [row["number"] for row in written(second)] == [2]


def test_without_a_stream_the_logger_writes(
    log: AccessLog, caplog: pytest.LogCaptureFixture
) -> None:
    """Before the log is opened, and after it is closed."""
    log.record({"number": 1})
    log.open(io.StringIO())
    log.record({"number": 2})
    log.close()
    same = RepeatedFields("http", {"number": 3})
    log.record_repeated("00000001", 0.0125, same, size=42, found=1)
    records = [vars(record) for record in caplog.records]
    assert [record["number"] for record in records] == [1, 3]
    assert (records[1]["request_id"], records[1]["ms"]) == ("00000001", 12.5)
    assert (records[1]["bytes"], records[1]["found"]) == (42, 1)


def test_a_stderr_that_nobody_reads_keeps_nobody_from_exiting() -> None:
    """The pipe is full long before the last line; the process ends all the same."""
    script = (
        "from asdlc_kb.ops.logs import structured\n"
        "from asdlc_kb.ops.logs.access_log import AccessLog\n"
        "access = AccessLog()\n"
        "structured.configure('info', access)\n"
        "for _ in range(5000):\n"
        "    access.record({'path': 'x' * 100})\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stderr=subprocess.PIPE
    ) as running:
        try:
            assert running.wait(timeout=30) == 0
        finally:
            running.kill()


def test_refusals_that_are_alike_are_counted(log: AccessLog) -> None:
    """D-053: ten lines of a kind in a second, then a number; others are all written."""
    stream = io.StringIO()
    clock = Clock(1.0)
    log._throttle = LogThrottle(MAX_LINES_PER_SECOND, 1.0, clock=clock)
    log.open(stream)
    for kind in [(404, None)] * 13 + [None] * 13 + [(200, -32601)]:
        if log.should_record(kind):
            log.record({"kind": str(kind)})
    clock.now = 2.0
    log.flush()
    rows = written(stream)
    assert Counter(row.get("kind") for row in rows) == {
        "(404, None)": 10,
        "None": 13,
        "(200, -32601)": 1,
        None: 1,
    }
    del rows[-1]["time"]
    told = {"level": "info", "event": "requests not logged"}
    assert rows[-1] == {**told, "status": 404, "number": 3}


def test_a_storm_is_told_of_at_the_end(logger: logging.Logger) -> None:
    """Although its second is not over."""
    log, stream = AccessLog(logger), io.StringIO()
    log._throttle = LogThrottle(MAX_LINES_PER_SECOND, 1.0, clock=lambda: 1.0)
    log.open(stream)
    for _ in range(11):
        log.should_record((200, "failed"))
    log.close()
    (row,) = written(stream)
    assert (row["code"], row["number"]) == ("failed", 1)


def test_a_storm_is_told_of_before_the_next_of_its_kind(logger: logging.Logger) -> None:
    """Whichever is faster, the next line or the writer: none is lost."""
    log, clock = AccessLog(logger), Clock(1.0)
    log._throttle = LogThrottle(MAX_LINES_PER_SECOND, 1.0, clock=clock)
    log._stream = stream = io.StringIO()
    taken = [log.should_record((404, None)) for _ in range(12)]
    clock.now = 2.0
    assert [*taken, log.should_record((404, None))] == [
        *[True] * 10,
        False,
        False,
        True,
    ]
    log.record({"kind": "next"})
    log.flush(is_last=True)
    told, following = written(stream)
    assert (told["event"], told["number"]) == ("requests not logged", 2)
    assert following["kind"] == "next"


def test_nothing_is_taken_above_info(log: AccessLog, logger: logging.Logger) -> None:
    """A line that is not logged is not counted either."""
    log.open(io.StringIO())
    logger.setLevel(logging.WARNING)
    assert not log.should_record(None)
    assert not log.should_record((404, None))
