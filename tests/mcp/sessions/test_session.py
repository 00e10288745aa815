"""One session: its handshake, and the cancellation of its requests."""

import asyncio
from contextlib import suppress

import pytest
from support.wire import BOUND

from asdlc_kb.mcp.sessions.session import CallCancelled, Session
from asdlc_kb.mcp.subscriptions.event_queue import EventQueue
from asdlc_kb.mcp.subscriptions.events import (
    Events,
    PromptsChanged,
    ResourcesChanged,
    ToolsChanged,
)


async def test_a_new_session_wants_every_list_change_and_no_resource() -> None:
    """The specification, server: list changes need no subscription, updates do."""
    session = Session("2025-11-25", is_channel=True)
    queue = EventQueue(session.subscription)
    every = Events([ToolsChanged(), PromptsChanged(), ResourcesChanged()])
    session.subscription.put(every)
    assert queue.drain() == ([], 0)
    assert session.begin()
    assert not session.begin()
    assert len(await queue.next()) == 3
    assert session.subscription.filter.uris == {}
    assert session.subscription.filter is not Session().subscription.filter


def test_a_handshake_that_was_not_started_is_not_complete() -> None:
    """A notification of its end before `initialize` says nothing."""
    session = Session(is_channel=True)
    assert not session.begin()
    assert not session.is_initialized


async def test_a_call_that_ignores_a_cancellation_gives_no_result() -> None:
    """The specification, cancellation: no response, whatever the work returns."""
    session = Session()
    started = asyncio.Event()

    async def work() -> str:
        with session.running(1):
            started.set()
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
            return "result"

    task = asyncio.ensure_future(work())
    await asyncio.wait_for(started.wait(), BOUND)
    for request_id in (True, 1.0, 2, None, 1, 1):
        session.cancel(request_id)
    with pytest.raises(CallCancelled):
        await asyncio.wait_for(task, BOUND)
    session.cancel(1)


async def test_a_task_that_its_transport_cancels_is_cancelled() -> None:
    """D-042: at a shutdown, and when a stateless client disconnects."""
    session = Session()

    async def work() -> None:
        with session.running(1):
            await asyncio.Event().wait()

    for is_told in (False, True):
        task = asyncio.ensure_future(work())
        await asyncio.wait((task,), timeout=0)
        if is_told:
            session.cancel(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_of_two_calls_with_one_id_the_later_is_cancelled() -> None:
    """D-046: the end of one does not affect the other."""
    session, ended = Session(), [asyncio.Event(), asyncio.Event()]

    async def work(number: int) -> None:
        with session.running(1):
            await ended[number].wait()

    tasks = [asyncio.ensure_future(work(number)) for number in range(2)]
    await asyncio.wait(tasks, timeout=0)
    ended[0].set()
    await asyncio.wait_for(tasks[0], BOUND)
    session.cancel(1)
    with pytest.raises(CallCancelled):
        await asyncio.wait_for(tasks[1], BOUND)
