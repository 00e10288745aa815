"""The recorder of usage statistics."""

from pathlib import Path
from typing import Any

import pytest
from support.unusable import REFUSED_NAME

from asdlc_kb.app.access_policy import open_observers
from asdlc_kb.app.insights import (
    open_insights,
    require_insights_folder,
    require_own_insights,
)
from asdlc_kb.exceptions import OperationalError
from asdlc_kb.ops.insights.recorder import InsightsRecorder
from asdlc_kb.ops.logs.access_log import AccessLog
from asdlc_kb.settings import Settings

TODAY_ON = "2000-01-01"


def open_recorder(
    log: AccessLog, before: InsightsRecorder | None = None, **given: Any
) -> InsightsRecorder | None:
    """Return the recorder of a server with these settings."""
    settings = Settings(**given)
    observers = open_observers(settings, "insights_allow")
    return open_insights(settings, observers, log, before)


@pytest.mark.parametrize(
    ("given", "is_recording"),
    [
        ({}, True),
        ({"insights_allow": ()}, False),
        ({"host": "0.0.0.0"}, False),
        ({"host": "0.0.0.0", "insights_allow": ("10.0.0.0/8",)}, True),
    ],
)
def test_it_records_if_an_address_may_see_it(
    given: dict[str, Any], *, is_recording: bool
) -> None:
    """D-209: otherwise requests cost nothing more."""
    log = AccessLog()
    assert (open_recorder(log, **given) is not None) is is_recording


def test_it_records_into_a_file_whoever_may_see_it(tmp_path: Path) -> None:
    """`stats` of another machine cannot, but a later server can show it."""
    file = tmp_path / "insights.db"
    log = AccessLog()
    recorder = open_recorder(log, insights_allow=(), insights=str(file))
    assert recorder is not None
    log.record({"path": "/search", "found": 0})
    assert recorder.save()
    assert file.exists()
    assert {count.label for count in recorder.read(TODAY_ON)} >= {"/search"}


def test_a_reload_keeps_the_counts() -> None:
    """With the new time after which queries are deleted."""
    log = AccessLog()
    recorder = open_recorder(log)
    log.record({"path": "/search", "found": 0})
    assert open_recorder(log, recorder, query_retention_days=7) is recorder
    assert recorder is not None
    assert recorder.query_days == 7
    assert list(recorder.read(TODAY_ON))


def test_a_missing_folder_is_reported_at_the_start(tmp_path: Path) -> None:
    """With what to do; a missing file is created."""
    require_insights_folder(Settings(insights=str(tmp_path / "new.db")))
    with pytest.raises(OperationalError, match=r"no folder .*missing: create it"):
        require_insights_folder(Settings(insights=str(tmp_path / "missing" / "a.db")))
    with pytest.raises(OperationalError, match=r"no folder /x+: create it"):
        require_insights_folder(Settings(insights=f"/{REFUSED_NAME}/a.db"))


def test_a_file_of_another_program_is_reported_at_the_start(tmp_path: Path) -> None:
    """And nothing else: the rest may pass, and is logged."""
    notes = tmp_path / "notes.md"
    notes.write_text("of two years")
    with pytest.raises(OperationalError, match=r"notes\.md is no file of insights"):
        require_own_insights(Settings(insights=str(notes)))
    with pytest.raises(OperationalError, match="is no file of insights"):
        require_own_insights(Settings(insights=str(tmp_path)))
    require_own_insights(Settings(insights=str(notes / "a.db")))
    require_own_insights(Settings())
