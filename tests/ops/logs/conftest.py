"""Fixtures of the tests of the access log."""

import logging
from collections.abc import Iterator

import pytest

from asdlc_kb.ops.logs import access_log as module
from asdlc_kb.ops.logs.access_log import AccessLog


@pytest.fixture
def logger() -> Iterator[logging.Logger]:
    """A logger of these tests alone."""
    made = logging.getLogger("tests.access")
    made.setLevel(logging.INFO)
    yield made
    made.setLevel(logging.NOTSET)


@pytest.fixture
def log(logger: logging.Logger, monkeypatch: pytest.MonkeyPatch) -> Iterator[AccessLog]:
    """A log with a thread that never writes: the tests decide when."""
    monkeypatch.setattr(module, "PAUSE_SECONDS", 3600)
    made = AccessLog(logger)
    yield made
    made.close()
