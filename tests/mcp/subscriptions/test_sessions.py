"""Sessions of the handshake era, with a clock of the test."""

import asyncio
import re
from contextlib import suppress
from typing import Any

import pytest
from support.wire import BOUND

from asdlc_kb.mcp.subscriptions.event_queue import EventQueue
from asdlc_kb.mcp.subscriptions.events import (
    Events,
    PromptsChanged,
    ResourcesChanged,
    ToolsChanged,
)
from asdlc_kb.mcp.subscriptions.sessions import (
    HANDSHAKE_SECONDS,
    CallCancelled,
    Session,
    Sessions,
    SessionsExhausted,
)


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def begin(sessions: Sessions, **by: Any) -> Session:
    """Return a new session after its handshake."""
    session = sessions.open("2025-11-25", **by)
    session.begin()
    return session


def test_a_session_remembers_its_version() -> None:
    """The specification, 2025-11-25 transports: a session follows initialize."""
    sessions = Sessions()
    session = sessions.open("2025-06-18")
    found = sessions.find(session.id)
    assert found is session
    assert found.version == "2025-06-18"
    assert len(sessions) == 1


def test_ids_are_unguessable_and_visible_ascii() -> None:
    """The specification, 2025-11-25 transports: 0x21 to 0x7E only, secure."""
    sessions = Sessions()
    ids = {sessions.open("2025-11-25").id for _ in range(200)}
    assert len(ids) == 200
    assert all(re.fullmatch(r"[\x21-\x7e]{32}", session_id) for session_id in ids)


@pytest.mark.parametrize("session_id", ["", "x", "../..", "é", "0" * 10_000])
def test_an_unknown_id_finds_nothing(session_id: str) -> None:
    """The specification, 2025-11-25 transports: an unknown session is not there."""
    sessions = Sessions()
    sessions.open("2025-11-25")
    assert sessions.find(session_id) is None
    assert not sessions.close(session_id)
    assert len(sessions) == 1


def test_a_closed_session_is_gone() -> None:
    """The specification, 2025-11-25 transports: DELETE ends a session, once."""
    sessions = Sessions()
    session = sessions.open("2025-11-25")
    assert sessions.close(session.id)
    assert sessions.find(session.id) is None
    assert not sessions.close(session.id)
    assert len(sessions) == 0


def test_an_idle_session_ends_after_30_minutes_and_use_prolongs_it() -> None:
    """D-047: sessions idle for 30 minutes are dropped."""
    clock = Clock()
    sessions = Sessions(clock=clock)
    used, idle = begin(sessions), begin(sessions)
    clock.now += 29 * 60
    assert sessions.find(used.id) is used
    clock.now += 59
    assert len(sessions) == 2
    clock.now += 1
    assert sessions.find(idle.id) is None
    assert sessions.find(used.id) is used
    clock.now += 30 * 60
    assert not sessions.close(used.id)
    assert len(sessions) == 0


def test_when_all_are_in_use_a_new_one_is_refused_and_none_is_ended() -> None:
    """D-047: the number is bounded; an initialized session is never displaced."""
    clock = Clock()
    sessions = Sessions(most=2, idle_seconds=10, clock=clock)
    first, second = begin(sessions), begin(sessions)
    with pytest.raises(SessionsExhausted, match="2 sessions are open"):
        sessions.open("2025-11-25")
    assert sessions.find(second.id)
    clock.now += 9
    assert sessions.find(first.id)
    clock.now += 1
    third = sessions.open("2025-11-25")
    assert sessions.find(third.id)
    assert sessions.find(first.id)
    assert sessions.find(second.id) is None


def test_ten_thousand_sessions_are_held() -> None:
    """D-047: the limit is 10,000 sessions."""
    sessions = Sessions(clock=lambda: 0.0)
    for _ in range(10_000):
        begin(sessions)
    with pytest.raises(SessionsExhausted):
        sessions.open("2025-11-25")
    assert len(sessions) == 10_000


def test_a_session_that_is_never_begun_ends_after_a_minute() -> None:
    """D-047: 60 seconds from `initialize`, however often it is used meanwhile."""
    clock = Clock()
    sessions = Sessions(clock=clock)
    begun, never = begin(sessions), sessions.open("2025-11-25")
    clock.now += HANDSHAKE_SECONDS - 1
    late = sessions.open("2025-11-25")
    assert sessions.find(never.id) is never
    clock.now += 1
    assert sessions.find(never.id) is None
    late.begin()
    clock.now += HANDSHAKE_SECONDS
    assert {*sessions} == {begun, late}


def test_where_there_is_no_room_the_oldest_that_was_never_begun_ends() -> None:
    """D-047: they are displaced first; initialized ones never are."""
    sessions = Sessions(most=3)
    oldest, begun, second = (sessions.open("2025-11-25") for _ in range(3))
    begun.begin()
    third = sessions.open("2025-11-25")
    assert {*sessions} == {begun, second, third}
    assert sessions.find(oldest.id) is None
    second.begin()
    third.begin()
    with pytest.raises(SessionsExhausted, match="3 sessions are open"):
        sessions.open("2025-11-25")


@pytest.mark.parametrize("by", [{"address": "a"}, {"principal": "a"}])
def test_one_client_has_its_share_and_no_more(by: dict[str, Any]) -> None:
    """D-047: a cap for each address and principal, with the same order."""
    sessions = Sessions(max_per_client=2)
    first, second = (sessions.open("2025-11-25", **by) for _ in range(2))
    third = sessions.open("2025-11-25", **by)
    assert {*sessions} == {second, third}
    second.begin()
    third.begin()
    with pytest.raises(SessionsExhausted, match="2 sessions of this client are open"):
        sessions.open("2025-11-25", **by)
    another: dict[str, Any] = dict.fromkeys(by, "b")
    other = sessions.open("2025-11-25", **another)
    assert sessions.close(third.id)
    fourth = sessions.open("2025-11-25", **by)
    assert {*sessions} == {second, other, fourth}
    assert not sessions.close(first.id)


def test_an_address_may_have_the_name_of_a_principal() -> None:
    """Names are the operator's, addresses are not."""
    sessions = Sessions(max_per_client=1)
    begin(sessions, principal="192.0.2.1")
    begin(sessions, address="192.0.2.1")
    assert len(sessions) == 2


def test_sessions_that_ended_are_counted_nowhere() -> None:
    """D-047: thousands of addresses that came once leave nothing."""
    clock = Clock()
    sessions = Sessions(clock=clock)
    for number in range(4):
        session = sessions.open("2025-11-25", address=str(number))
        if number % 2:
            session.begin()
            sessions.close(session.id)
    clock.now += HANDSHAKE_SECONDS
    assert len(sessions) == 0
    assert (vars(sessions)["_pending"], vars(sessions)["_by_client"]) == ({}, {})


def test_subscriptions_are_counted_for_each_client() -> None:
    """D-114: capped for each address and principal."""
    sessions = Sessions()
    first, second = (sessions.open("2025-11-25", address="a") for _ in range(2))
    other, uncounted = sessions.open("2025-11-25", address="b"), Session()
    for number, session in enumerate((first, second, second, other, uncounted)):
        session.pending_events.filter.add_uri(f"kb://{number}", f"kb://{number}")
    told = [sessions.count_subscriptions(each) for each in (first, other, uncounted)]
    assert told == [3, 1, 1]


async def test_a_new_session_wants_every_list_change_and_no_resource() -> None:
    """The specification, server: list changes need no subscription, updates do."""
    session = Sessions().open("2025-11-25")
    pending_events = session.pending_events
    feed = EventQueue(pending_events)
    pending_events.put(Events([ToolsChanged(), PromptsChanged(), ResourcesChanged()]))
    assert feed.take() == ([], 0)
    session.begin()
    assert len(await feed.next()) == 3
    assert pending_events.filter.uris == {}
    assert pending_events.filter is not Session().pending_events.filter


async def test_who_overhears_a_cancellation_gives_no_result() -> None:
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


async def test_a_task_that_its_door_cancels_is_cancelled() -> None:
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


@pytest.mark.parametrize("end", ["close", "expire"])
async def test_the_end_of_a_session_ends_its_streams(end: str) -> None:
    """No stream outlives its session."""
    clock = Clock()
    sessions = Sessions(idle_seconds=10, clock=clock)
    session, other = sessions.open("2025-11-25"), sessions.open("2025-11-25")
    feeds = {EventQueue(session.pending_events), EventQueue(session.pending_events)}
    session.feeds |= feeds
    if end == "close":
        assert sessions.close(session.id)
    else:
        clock.now += 9
        sessions.find(other.id)
        clock.now += 1
        assert len(sessions) == 1
    assert [await feed.next() for feed in feeds] == [[], []]


def test_a_channel_begins_without_a_version() -> None:
    """D-111: a stream of HTTP+SSE opens before its initialize."""
    sessions = Sessions()
    channel = sessions.open(None, is_channel=True)
    assert (channel.version, channel.is_channel) == (None, True)
    assert list(sessions) == [channel]
    assert not sessions.open("2025-11-25").is_channel
