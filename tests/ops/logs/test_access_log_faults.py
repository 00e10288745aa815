"""The access log after errors of its writer and its observer."""

import io
import json
import logging
import os
import resource
import threading
from pathlib import Path
from typing import Any

import pytest

from asdlc_kb.ops.logs import access_log as module
from asdlc_kb.ops.logs.access_lines import RepeatedFields, format_lines
from asdlc_kb.ops.logs.access_log import AccessLog

FIELDS: dict[str, Any] = {"transport": "http", "status": 200}
BOUND = 60.0
"""Seconds that any one wait may take."""


class Full(io.StringIO):
    """A stream on a full disk."""

    def write(self, text: str) -> int:
        """Fail."""
        raise OSError(28, "No space left on device")


@pytest.mark.parametrize("part", ["observer", "format"])
def test_an_unexpected_error_does_not_end_the_log(
    part: str, logger: logging.Logger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next lines are written, and those of which only the observer fails."""
    monkeypatch.setattr(module, "PAUSE_SECONDS", 0)
    log, stream, is_flushed = AccessLog(logger), io.StringIO(), threading.Event()
    failures = iter([KeyError("part of a record"), KeyError("another")])

    def fail(records: Any) -> Any:
        is_flushed.set()
        if error := next(failures, None):
            raise error
        return format_lines(records)

    if part == "observer":
        log.observer = fail
    log.open(stream, fail if part == "format" else format_lines)
    for number in range(3):
        is_flushed.clear()
        log.record({"number": number})
        assert is_flushed.wait(BOUND)
    log.close()
    expected = [0, 1, 2] if part == "observer" else [2]
    rows = map(json.loads, stream.getvalue().splitlines())
    assert [row["number"] for row in rows] == expected


def test_an_error_of_the_observer_is_logged_once(
    log: AccessLog, logger: logging.Logger, caplog: pytest.LogCaptureFixture
) -> None:
    """With and without a stream; no request fails."""

    def fail(records: Any) -> None:
        raise KeyError("part of a record")

    log.observer = fail
    log.record(FIELDS)
    log.record_repeated("00000001", 0.001, RepeatedFields("http", {"number": 1}))
    log.open(io.StringIO())
    log.record(FIELDS)
    log.flush()
    failed = [vars(each) for each in caplog.records if each.levelno == logging.ERROR]
    assert [(each["msg"], each["error"]) for each in failed] == [
        ("observer of the access log failed", "KeyError")
    ]


def test_lines_that_cannot_be_written_are_observed(log: AccessLog) -> None:
    """Usage is counted on a full disk too."""
    observed: list[Any] = []
    log.observer = observed.extend
    log.open(Full())
    log.record(FIELDS)
    log.flush()
    assert (len(observed), log.lost) == (1, 1)


def test_each_line_that_a_full_disk_loses_is_counted(
    log: AccessLog, tmp_path: Path
) -> None:
    """Also those about others, and once; part of a batch may be written."""
    path = tmp_path / "log"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with path.open("w") as stream:
        log.open(stream)
        for number in range(3):
            log.record({"number": number})
        log.flush()
        # 20 bytes: all of them are part of the next line.
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 20, limits[1]))
        try:
            for number in range(3, 8):
                log.record({"number": number})
            log.flush()
            assert log.lost == 5
            log.record({"number": 8})
            log.flush()
            assert log.lost == 6
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        path.write_text("")
        os.lseek(stream.fileno(), 0, os.SEEK_SET)
        log.record({"number": 9})
        log.flush()
        log.flush()
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        assert [row.get("number", row.get("lines_lost")) for row in rows] == [9, 6]
