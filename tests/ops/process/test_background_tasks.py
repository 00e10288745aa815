"""Background tasks: a failure is logged and known, other ends are none."""

import asyncio

import pytest
from support.loglines import captured

from asdlc_kb.ops.process.background_tasks import BackgroundTasks, cancel_tasks

BOUND = 60.0


async def fail(error: Exception) -> None:
    """Fail at once."""
    raise error


async def wait_forever() -> None:
    """Run until cancelled."""
    await asyncio.Event().wait()


async def test_a_failure_is_logged_and_raised() -> None:
    """The first one; both are in the log, with the name of the work."""
    background = BackgroundTasks()
    first, second = OSError("first"), ValueError("second")
    with captured("asdlc_kb.ops.process") as lines:
        tasks = background.start((fail(first), wait_forever(), fail(second)))
        await asyncio.wait_for(background.failed.wait(), BOUND)
        await cancel_tasks(tasks)
    with pytest.raises(OSError, match="first"):
        background.raise_failure()
    assert [row["level"] for row in lines.rows] == ["critical"] * 2
    assert {(row["event"], row["task"]) for row in lines.rows} == {
        ("background task failed", "fail")
    }


async def test_tasks_that_return_or_are_cancelled_have_not_failed() -> None:
    """Nor those that run in a context when it ends."""
    background = BackgroundTasks()
    returning, cancelled = background.start((asyncio.sleep(0), wait_forever()))
    async with background.running(wait_forever()):
        await asyncio.wait_for(returning, BOUND)
        cancelled.cancel()
    await asyncio.wait((cancelled,), timeout=BOUND)
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert not background.failed.is_set()
    background.raise_failure()
