"""The messages of one stream, their order, and its end."""

import asyncio
import json
from collections.abc import Coroutine
from typing import Any

import pytest
from support.wire import BOUND

from asdlc_kb.mcp.subscriptions import event_queue as module
from asdlc_kb.mcp.subscriptions.event_queue import MAX_WAITING_BYTES, EventQueue
from asdlc_kb.mcp.subscriptions.events import (
    Events,
    PromptsChanged,
    ToolsChanged,
    encode_event,
)
from asdlc_kb.mcp.subscriptions.subscription import Subscription, SubscriptionFilter

TOOLS, PROMPTS = Events([ToolsChanged()]), Events([PromptsChanged()])
TOLD = {
    TOOLS: encode_event(ToolsChanged(), None),
    PROMPTS: encode_event(PromptsChanged(), None),
}


@pytest.fixture
def pending() -> Subscription:
    """Pending events of all list changes."""
    return Subscription(SubscriptionFilter(True, True, True))


async def soon(work: Coroutine[Any, Any, list[bytes]]) -> list[bytes]:
    """Return the next messages within a bound."""
    return await asyncio.wait_for(work, BOUND)


async def start_task(
    work: Coroutine[Any, Any, list[bytes]],
) -> asyncio.Task[list[bytes]]:
    """Begin to wait for messages that are not there yet."""
    task = asyncio.ensure_future(work)
    await asyncio.wait((task,), timeout=0)
    assert not task.done()
    return task


async def cancel_task(task: asyncio.Task[list[bytes]]) -> None:
    """Stop waiting, as a transport does when its peer leaves."""
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_an_event_comes_when_it_happens_and_when_it_waited(
    pending: Subscription,
) -> None:
    """D-048: a change before the stream opened is delivered too."""
    pending.put(TOOLS)
    queue = EventQueue(pending)
    assert await soon(queue.next()) == [TOLD[TOOLS]]
    waiting = await start_task(queue.next())
    queue.post(b"answer")
    assert await asyncio.wait_for(waiting, BOUND) == [b"answer"]
    assert (queue.opening, queue.closing) == (b"", b"")


async def test_the_second_event_is_gathered_with_those_of_half_a_second(
    pending: Subscription, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-038: coalesced, and delivered by itself once the time has come."""
    now = [1000.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    queue = EventQueue(pending)
    pending.put(TOOLS)
    assert await soon(queue.next()) == [TOLD[TOOLS]]
    now[0] += 0.49
    waiting = await start_task(queue.next())
    for events in (TOOLS, PROMPTS, TOOLS):
        pending.put(events)
        await asyncio.wait((waiting,), timeout=0)
        assert not waiting.done()
    now[0] += 0.01
    assert await asyncio.wait_for(waiting, BOUND) == [TOLD[TOOLS], TOLD[PROMPTS]]


async def test_posted_messages_go_before_events_in_their_order(
    pending: Subscription,
) -> None:
    """An answer never waits for a notification."""
    queue = EventQueue(pending)
    pending.put(TOOLS)
    queue.post(b"1")
    queue.post(b"2")
    assert await soon(queue.next()) == [b"1", b"2"]
    assert await soon(queue.next()) == [TOLD[TOOLS]]


async def test_an_ended_feed_sends_what_was_posted_and_then_no_more(
    pending: Subscription,
) -> None:
    """D-094: at a shutdown no answer is lost, and the end comes at once."""
    queue = EventQueue(pending)
    queue.post(b"1")
    queue.end()
    queue.post(b"2")
    pending.put(TOOLS)
    assert await soon(queue.next()) == [b"1", b"2"]
    assert await soon(queue.next()) == []
    assert await soon(queue.next()) == []


async def test_the_end_wakes_a_waiting_reader(pending: Subscription) -> None:
    """A stream ends when the server ends it, not at its next event."""
    queue = EventQueue(pending)
    waiting = await start_task(queue.next())
    queue.end()
    assert await asyncio.wait_for(waiting, BOUND) == []


async def test_events_that_were_not_written_go_to_the_next_feed(
    pending: Subscription,
) -> None:
    """D-048: a change is not lost with the stream that was to deliver it."""
    broken = EventQueue(pending)
    pending.put(TOOLS)
    assert await soon(broken.next()) == [TOLD[TOOLS]]
    broken.close()
    pending.put(PROMPTS)
    assert await read_all(pending) == [TOLD[TOOLS], TOLD[PROMPTS]]


async def test_events_that_were_written_are_told_once(pending: Subscription) -> None:
    """D-048: asking for the next message confirms the one before."""
    queue = EventQueue(pending)
    pending.put(TOOLS)
    assert await soon(queue.next()) == [TOLD[TOOLS]]
    await cancel_task(await start_task(queue.next()))
    queue.close()
    pending.put(PROMPTS)
    assert await read_all(pending) == [TOLD[PROMPTS]]


async def test_giving_up_the_wait_loses_nothing(pending: Subscription) -> None:
    """D-048: a transport that waits in turns, to send keepalives, misses nothing; an
    event and the end of the turn may come together.
    """
    queue = EventQueue(pending)
    waiting = await start_task(queue.next())
    pending.put(TOOLS)
    await cancel_task(waiting)
    assert await soon(queue.next()) == [TOLD[TOOLS]]
    waiting = await start_task(queue.next())
    queue.post(b"1")
    await cancel_task(waiting)
    assert await soon(queue.next()) == [b"1"]


async def test_of_two_feeds_the_newest_is_told_and_the_older_ends(
    pending: Subscription,
) -> None:
    """The specification, transports: each message on one stream only."""
    old = EventQueue(pending)
    pending.put(TOOLS)
    old.drain()
    new = EventQueue(pending)
    assert await soon(old.next()) == []
    pending.put(PROMPTS)
    old.close()
    # Waiting for the next one confirms that it was written.
    assert await soon(new.next()) == [TOLD[PROMPTS]]


async def test_a_reader_too_far_behind_is_cut(pending: Subscription) -> None:
    """D-116: unread answers are bounded, and so are later ones; one answer of any size
    passes.
    """
    queue, part = EventQueue(pending), b"x" * (MAX_WAITING_BYTES // 4)
    for _ in range(4):
        queue.post(part)
    assert await soon(queue.next()) == [part] * 4
    queue.post(b"x" * (MAX_WAITING_BYTES + 1))
    assert len((await soon(queue.next()))[0]) == MAX_WAITING_BYTES + 1
    for _ in range(5):
        queue.post(part)
    queue.post(b"later")
    assert await soon(queue.next()) == []
    assert not queue._messages


async def test_a_closed_feed_releases_what_it_held(pending: Subscription) -> None:
    """Its owner is notified of its end."""
    released: list[str] = []
    queue = EventQueue(pending, release=lambda: released.append("once"))
    queue.close()
    assert released == ["once"]


async def test_events_of_a_subscription_carry_its_id(pending: Subscription) -> None:
    """The specification, subscriptions: each message is tagged, 0 is an id."""
    queue = EventQueue(pending, listen_id=0, opening=b"first", closing=b"last")
    pending.put(TOOLS)
    (event,) = await soon(queue.next())
    meta = {"io.modelcontextprotocol/subscriptionId": 0}
    assert json.loads(event)["params"] == {"_meta": meta}
    assert (queue.opening, queue.closing) == (b"first", b"last")


async def read_all(pending: Subscription) -> list[bytes]:
    """Return the next messages of a new queue."""
    return await soon(EventQueue(pending).next())
