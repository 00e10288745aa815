"""Sessions of one process, with clocks of the test's own."""

import pytest
from support.several import KEY, LATEST, Clock, begin, list_delivered

from asdlc_kb.mcp.sessions.session import Session
from asdlc_kb.mcp.sessions.session_ids import SessionIds
from asdlc_kb.mcp.sessions.session_store import IDLE_SECONDS, SessionsExhausted
from asdlc_kb.mcp.sessions.sessions import Sessions
from asdlc_kb.mcp.subscriptions.events import (
    PromptsChanged,
    ResourcesChanged,
    ResourceUpdated,
    ToolsChanged,
)

TOOLS, PROMPTS, RESOURCES = ToolsChanged(), PromptsChanged(), ResourcesChanged()


def test_an_id_finds_its_version_and_nothing_is_kept() -> None:
    """The specification, 2025-11-25 transports: a session follows initialize."""
    sessions = Sessions()
    session = begin(sessions)
    assert (session.version, session.is_channel) == (LATEST, False)
    assert sessions.find(session.id) is session
    assert len(sessions) == 0
    assert not sessions.is_stored(session)


@pytest.mark.parametrize("session_id", ["", "x", "../..", "é", "0" * 10_000])
def test_an_unknown_id_finds_nothing(session_id: str) -> None:
    """The specification, 2025-11-25 transports: an unknown session is not there."""
    sessions = Sessions()
    begin(sessions)
    assert sessions.find(session_id) is None


def test_an_id_of_another_principal_finds_nothing() -> None:
    """D-045: an id belongs to the principal that opened it."""
    sessions = Sessions()
    session_id = sessions.ids.issue(LATEST, "alice")
    for principal in (None, "bob", "alic", ""):
        assert sessions.find(session_id, principal) is None
    assert sessions.find(session_id, "alice") is not None
    assert sessions.find(sessions.ids.issue(LATEST), "alice") is None


def test_a_session_has_one_object_while_requests_use_it() -> None:
    """A notification finds the request that it cancels, however many come between."""
    sessions = Sessions()
    session = begin(sessions)
    others = [begin(sessions) for _ in range(1_100)]
    assert sessions.find(session.id) is session
    assert len({id(each) for each in others}) == 1_100


def test_a_session_that_was_forgotten_catches_up_again() -> None:
    """Changes while it was not kept are sent on its next stream."""
    clock = Clock()
    sessions = Sessions(clock=clock, wall_clock=clock)
    session = begin(sessions)
    queue = sessions.open_queue(session)
    queue.close()
    clock.now += IDLE_SECONDS
    assert len(sessions) == 0
    sessions.bus.publish([TOOLS])
    queue = sessions.open_queue(session, [TOOLS])
    assert sorted(list_delivered(queue)) == [
        "resources/list_changed",
        "tools/list_changed",
    ]


def test_streams_and_subscriptions_are_kept_for_half_an_hour() -> None:
    """Then nothing is left of a session without a stream, and no event is delivered."""
    clock = Clock()
    sessions = Sessions(clock=clock, wall_clock=clock)
    with_stream, without = begin(sessions), begin(sessions)
    queue = sessions.open_queue(with_stream)
    sessions.subscribe(without, "kb://a", "kb://a")
    assert (len(sessions), len(sessions.bus)) == (2, 2)
    clock.now += IDLE_SECONDS
    assert (len(sessions), len(sessions.bus)) == (1, 1)
    queue.close()
    clock.now += IDLE_SECONDS - 1
    assert len(sessions) == 1
    clock.now += 1
    assert (len(sessions), len(sessions.bus)) == (0, 0)


def test_kept_sessions_are_bounded_and_those_with_a_stream_stay() -> None:
    """D-047: the least recently used one without a stream gives way."""
    sessions = Sessions(max_sessions=2)
    first, second, third = (begin(sessions) for _ in range(3))
    sessions.open_queue(first)
    sessions.subscribe(second, "kb://a", "kb://a")
    sessions.open_queue(third)
    assert list(sessions) == [first, third]
    with pytest.raises(SessionsExhausted, match="2 sessions are open"):
        sessions.subscribe(second, "kb://a", "kb://a")
    with pytest.raises(SessionsExhausted):
        sessions.open_channel()
    assert list(sessions) == [first, third]


@pytest.mark.parametrize("by", ["address", "principal"])
def test_one_client_has_its_share_and_no_more(by: str) -> None:
    """A cap for each address and principal."""
    sessions = Sessions(max_per_client=2)
    first, second, third = (begin(sessions, **{by: "a"}) for _ in range(3))
    other = begin(sessions, **{by: "b"})
    for session in (first, second):
        sessions.open_queue(session)
    with pytest.raises(SessionsExhausted, match="2 sessions of this client are open"):
        sessions.open_queue(third)
    sessions.open_queue(other)
    sessions.end(first)
    sessions.open_queue(third)
    assert list(sessions) == [second, other, third]


def test_an_address_may_have_the_name_of_a_principal() -> None:
    """Names are the operator's, addresses are not."""
    sessions = Sessions(max_per_client=1)
    sessions.open_queue(begin(sessions, principal="192.0.2.1"))
    sessions.open_queue(begin(sessions, address="192.0.2.1"))
    assert len(sessions) == 2


def test_sessions_that_are_forgotten_are_counted_nowhere() -> None:
    """Thousands of addresses that came once leave nothing behind."""
    clock = Clock()
    sessions = Sessions(clock=clock, wall_clock=clock)
    for number in range(4):
        sessions.subscribe(begin(sessions, address=str(number)), "kb://a", "kb://a")
    clock.now += IDLE_SECONDS
    assert len(sessions) == 0
    assert vars(vars(sessions)["_store"])["_by_client"] == {}


def test_subscriptions_are_counted_for_each_client() -> None:
    """Capped for each address and principal."""
    sessions = Sessions()
    first, second = (begin(sessions, address="a") for _ in range(2))
    other, uncounted = begin(sessions, address="b"), Session()
    for number, session in enumerate((first, second, second, other, uncounted)):
        sessions.subscribe(session, f"kb://{number}", f"kb://{number}")
    counted = [sessions.count_subscriptions(each) for each in (first, other, uncounted)]
    assert counted == [3, 1, 1]


def test_a_session_gets_every_list_change_and_what_it_subscribed_to() -> None:
    """The specification, server: list changes need no subscription, updates do."""
    sessions = Sessions()
    session = begin(sessions)
    sessions.subscribe(session, "kb://A", "kb://a")
    sessions.bus.publish([TOOLS, PROMPTS, RESOURCES, ResourceUpdated("kb://a")])
    queue = sessions.open_queue(session)
    lists = ["tools/list_changed", "prompts/list_changed", "resources/list_changed"]
    assert list_delivered(queue) == [*lists, "resources/updated", "kb://A"]
    sessions.unsubscribe(session, "kb://a")
    sessions.bus.publish([ResourceUpdated("kb://a")])
    queue.end()
    assert list_delivered(queue) == []


def test_the_first_stream_begins_with_the_changes_since_initialize() -> None:
    """A change between initialize and GET is not lost; it is delivered once."""
    sessions = Sessions()
    session = begin(sessions)
    queue = sessions.open_queue(session, [PROMPTS])
    assert list_delivered(queue) == ["prompts/list_changed"]
    queue.drain()
    queue.close()
    assert list_delivered(sessions.open_queue(session, [PROMPTS])) == []


def test_a_session_whose_subscriptions_were_forgotten_reads_again() -> None:
    """After half an hour without a stream or a call they are forgotten."""
    clock = Clock()
    sessions = Sessions(SessionIds(KEY, clock), clock=clock, wall_clock=clock)
    session_id = sessions.ids.issue(LATEST)
    clock.now += IDLE_SECONDS
    session = sessions.find(session_id)
    assert session is not None
    assert list_delivered(sessions.open_queue(session)) == ["resources/list_changed"]


def test_a_channel_begins_without_a_version() -> None:
    """A stream of HTTP+SSE opens before its initialize."""
    sessions = Sessions()
    channel = sessions.open_channel()
    assert (channel.version, channel.is_channel) == (None, True)
    assert list(sessions) == [channel]
    assert sessions.is_stored(channel)


def test_a_session_that_gave_way_reads_its_resources_again() -> None:
    """D-050: its subscriptions were forgotten, however young it is."""
    clock = Clock()
    sessions = Sessions(max_sessions=1, clock=clock, wall_clock=clock)
    first, second = begin(sessions), begin(sessions)
    for session in (first, second):
        clock.now += 1
        sessions.subscribe(session, "kb://a", "kb://a")
    assert not sessions.is_stored(first)
    assert list_delivered(sessions.open_queue(first)) == ["resources/list_changed"]


def test_the_least_recently_used_session_of_a_client_gives_way() -> None:
    """D-047: the same as among all sessions."""
    sessions = Sessions(max_per_client=2)
    first, second, third = (begin(sessions, address="a") for _ in range(3))
    for session in (first, second):
        sessions.subscribe(session, "kb://a", "kb://a")
    assert sessions.find(first.id) is first
    sessions.subscribe(third, "kb://a", "kb://a")
    assert list(sessions) == [first, third]


def test_a_session_whose_client_is_known_late_can_be_ended() -> None:
    """It was kept without one, so no client counts it."""
    sessions = Sessions()
    session = begin(sessions)
    sessions.open_queue(session)
    assert sessions.find(session.id, address="192.0.2.1") is session
    sessions.end(session)
    assert len(sessions) == 0


def test_opening_channels_caches_no_id() -> None:
    """D-116: thousands of ended channels leave nothing, not even in a cache."""
    sessions = Sessions()
    for _ in range(3):
        sessions.open_channel()
    assert sessions.ids._read_cached.cache_info().currsize == 0
