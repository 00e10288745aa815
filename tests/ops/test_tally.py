"""A flood of events is some lines, and none of them is lost in the counts."""

import asyncio
import logging

import pytest
from support.loglines import captured
from support.wire import until

from asdlc_kb.ops import tally
from asdlc_kb.ops.tally import Tally

LOGGER = logging.getLogger("tests.tally")


async def test_the_first_is_told_at_once_and_the_rest_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One line for each pause, however many there are."""
    monkeypatch.setattr(tally, "PAUSE_SECONDS", 0.01)
    counted = Tally(LOGGER, "refused")
    with captured(LOGGER.name) as lines:
        counted.note("full")
        assert [row["full"] for row in lines.rows] == [1]
        for kind in ("full", "full", "slow") * 1_000:
            counted.note(kind)
        await until(lambda: sum(row.get("slow", 0) for row in lines.rows) == 1_000)
    assert counted.counts == {"full": 2_001, "slow": 1_000}
    assert sum(row.get("full", 0) for row in lines.rows) == 2_001
    assert {(row["event"], row["level"]) for row in lines.rows} == {
        ("refused", "warning")
    }


async def test_a_pause_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand within it are told when it is over, or at the end."""
    counted = Tally(LOGGER, "cut", level=logging.INFO)
    with captured(LOGGER.name) as lines:
        for _ in range(1_000):
            counted.note("slow")
            await asyncio.sleep(0)
        assert [row["slow"] for row in lines.rows] == [1]
        counted.close()
        counted.close()
    assert [(row["slow"], row["level"]) for row in lines.rows] == [
        (1, "info"),
        (999, "info"),
    ]


async def test_nothing_is_told_of_nothing() -> None:
    """The end of a server to which nothing happened."""
    with captured(LOGGER.name) as lines:
        Tally(LOGGER, "cut").close()
    assert lines.rows == []
