"""What one stream carries, in which order, until when."""

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
from asdlc_kb.mcp.subscriptions.pending_events import PendingEvents, SubscriptionFilter

TOOLS, PROMPTS = Events([ToolsChanged()]), Events([PromptsChanged()])
TOLD = {
    TOOLS: encode_event(ToolsChanged(), None),
    PROMPTS: encode_event(PromptsChanged(), None),
}


@pytest.fixture
def outbox() -> PendingEvents:
    """An outbox of all list changes."""
    return PendingEvents(SubscriptionFilter(True, True, True))


async def soon(work: Coroutine[Any, Any, list[bytes]]) -> list[bytes]:
    """Return what comes within a bound."""
    return await asyncio.wait_for(work, BOUND)


async def begun(work: Coroutine[Any, Any, list[bytes]]) -> asyncio.Task[list[bytes]]:
    """Begin to wait for what does not come yet."""
    task = asyncio.ensure_future(work)
    await asyncio.wait((task,), timeout=0)
    assert not task.done()
    return task


async def given_up(task: asyncio.Task[list[bytes]]) -> None:
    """Stop waiting, as a door does whose peer left."""
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_an_event_comes_when_it_happens_and_when_it_waited(
    outbox: PendingEvents,
) -> None:
    """Design decision: a change before the stream opened is told too."""
    outbox.put(TOOLS)
    feed = EventQueue(outbox)
    assert await soon(feed.next()) == [TOLD[TOOLS]]
    waiting = await begun(feed.next())
    feed.post(b"answer")
    assert await asyncio.wait_for(waiting, BOUND) == [b"answer"]
    assert (feed.opening, feed.closing) == (b"", b"")


async def test_the_second_event_is_gathered_with_those_of_half_a_second(
    outbox: PendingEvents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Design decision: coalesced, and told by itself once the time has come."""
    now = [1000.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    feed = EventQueue(outbox)
    outbox.put(TOOLS)
    assert await soon(feed.next()) == [TOLD[TOOLS]]
    now[0] += 0.49
    waiting = await begun(feed.next())
    for events in (TOOLS, PROMPTS, TOOLS):
        outbox.put(events)
        await asyncio.wait((waiting,), timeout=0)
        assert not waiting.done()
    now[0] += 0.01
    assert await asyncio.wait_for(waiting, BOUND) == [TOLD[TOOLS], TOLD[PROMPTS]]


async def test_posted_messages_go_before_events_in_their_order(
    outbox: PendingEvents,
) -> None:
    """Design decision: an answer never waits for a change to be told."""
    feed = EventQueue(outbox)
    outbox.put(TOOLS)
    feed.post(b"1")
    feed.post(b"2")
    assert await soon(feed.next()) == [b"1", b"2"]
    assert await soon(feed.next()) == [TOLD[TOOLS]]


async def test_an_ended_feed_sends_what_was_posted_and_then_no_more(
    outbox: PendingEvents,
) -> None:
    """Design decision: at a shutdown no answer is lost, and the end comes at once."""
    feed = EventQueue(outbox)
    feed.post(b"1")
    feed.end()
    feed.post(b"2")
    outbox.put(TOOLS)
    assert await soon(feed.next()) == [b"1", b"2"]
    assert await soon(feed.next()) == []
    assert await soon(feed.next()) == []


async def test_the_end_wakes_who_waits(outbox: PendingEvents) -> None:
    """Design decision: a stream ends when the server says so, not at its next event."""
    feed = EventQueue(outbox)
    waiting = await begun(feed.next())
    feed.end()
    assert await asyncio.wait_for(waiting, BOUND) == []


async def test_events_that_were_not_written_go_to_the_next_feed(
    outbox: PendingEvents,
) -> None:
    """Design decision: a change is not lost with the stream that was to tell it."""
    broken = EventQueue(outbox)
    outbox.put(TOOLS)
    assert await soon(broken.next()) == [TOLD[TOOLS]]
    broken.close()
    outbox.put(PROMPTS)
    assert await read_all(outbox) == [TOLD[TOOLS], TOLD[PROMPTS]]


async def test_events_that_were_written_are_told_once(outbox: PendingEvents) -> None:
    """Design decision: asking for the next message confirms the one before."""
    feed = EventQueue(outbox)
    outbox.put(TOOLS)
    assert await soon(feed.next()) == [TOLD[TOOLS]]
    await given_up(await begun(feed.next()))
    feed.close()
    outbox.put(PROMPTS)
    assert await read_all(outbox) == [TOLD[PROMPTS]]


async def test_giving_up_the_wait_loses_nothing(outbox: PendingEvents) -> None:
    """Design decision: a door that waits in turns, to say that it is alive, sees it
    all; an event and the end of the turn may come together.
    """
    feed = EventQueue(outbox)
    waiting = await begun(feed.next())
    outbox.put(TOOLS)
    await given_up(waiting)
    assert await soon(feed.next()) == [TOLD[TOOLS]]
    waiting = await begun(feed.next())
    feed.post(b"1")
    await given_up(waiting)
    assert await soon(feed.next()) == [b"1"]


async def test_of_two_feeds_the_newest_is_told_until_it_closes(
    outbox: PendingEvents,
) -> None:
    """The specification, transports: each message on one stream only."""
    old, new = EventQueue(outbox), EventQueue(outbox)
    on_old = await begun(old.next())
    outbox.put(TOOLS)
    assert await soon(new.next()) == [TOLD[TOOLS]]
    await asyncio.wait((on_old,), timeout=0)
    assert not on_old.done()
    new.close()
    assert await asyncio.wait_for(on_old, BOUND) == [TOLD[TOOLS]]


async def test_a_reader_too_far_behind_is_cut(outbox: PendingEvents) -> None:
    """Hostile input: answers that nobody reads are bounded, and so is what comes
    after; one answer of any size passes.
    """
    feed, part = EventQueue(outbox), b"x" * (MAX_WAITING_BYTES // 4)
    for _ in range(4):
        feed.post(part)
    assert await soon(feed.next()) == [part] * 4
    feed.post(b"x" * (MAX_WAITING_BYTES + 1))
    assert len((await soon(feed.next()))[0]) == MAX_WAITING_BYTES + 1
    for _ in range(5):
        feed.post(part)
    feed.post(b"later")
    assert await soon(feed.next()) == []
    assert not feed._messages


async def test_a_closed_feed_releases_what_it_held(outbox: PendingEvents) -> None:
    """Design decision: whoever opened a feed hears of its end."""
    released: list[str] = []
    feed = EventQueue(outbox, release=lambda: released.append("once"))
    feed.close()
    assert released == ["once"]


async def test_events_of_a_subscription_carry_its_id(outbox: PendingEvents) -> None:
    """The specification, subscriptions: each message is tagged, 0 is an id."""
    feed = EventQueue(outbox, subscription=0, opening=b"first", closing=b"last")
    outbox.put(TOOLS)
    (told,) = await soon(feed.next())
    meta = {"io.modelcontextprotocol/subscriptionId": 0}
    assert json.loads(told)["params"] == {"_meta": meta}
    assert (feed.opening, feed.closing) == (b"first", b"last")


async def read_all(outbox: PendingEvents) -> list[bytes]:
    """Return what a new feed of an outbox tells next."""
    return await soon(EventQueue(outbox).next())
