"""The sessions that a process keeps."""

import pytest
from support.several import Clock

from asdlc_kb.mcp.sessions.session import Session
from asdlc_kb.mcp.sessions.session_store import (
    IDLE_SECONDS,
    SessionsExhausted,
    SessionStore,
    limit_key,
)
from asdlc_kb.mcp.subscriptions.subscription_bus import SubscriptionBus


def session(number: int, client: str | None = None) -> Session:
    """Return a session."""
    return Session("2025-11-25", key=b"%d" % number, client=client)


def test_a_kept_session_receives_events_and_a_forgotten_one_does_not() -> None:
    """Each is subscribed once, however often it is kept."""
    bus = SubscriptionBus()
    store = SessionStore(bus, Clock())
    first, second = session(1, "a"), session(2, "a")
    for each in (first, first, second):
        store.add(each)
    assert (len(store), len(bus), list(store)) == (2, 2, [first, second])
    assert store.get(first.key) is first
    assert first in store
    assert set(store.of_client("a")) == {first.key, second.key}
    for _ in range(2):
        store.remove(first)
    assert first not in store
    assert (len(store), len(bus)) == (1, 1)
    assert set(store.of_client("a")) == {second.key}


def test_sessions_with_a_stream_are_kept_and_the_others_for_a_while() -> None:
    """Wherever the stream is held."""
    clock = Clock()
    store = SessionStore(SubscriptionBus(), clock)
    remote, idle, used = (session(number) for number in range(3))
    remote.holder = "another process"
    for each in (remote, idle, used):
        store.add(each)
    clock.now += IDLE_SECONDS - 1
    store.touch(used)
    clock.now += 1
    assert len(store) == 2
    assert set(store) == {remote, used}


def test_ten_thousand_sessions_with_a_stream_are_kept() -> None:
    """D-047: the limit is 10,000 sessions, 1,000 of one client."""
    store = SessionStore(SubscriptionBus(), Clock())
    for number in range(10_000):
        each = session(number, str(number % 10))
        each.holder = "another process"
        store.add(each)
    for client in ("0", "new", None):
        with pytest.raises(SessionsExhausted):
            store.add(session(10_000, client))
    assert len(store) == 10_000


def test_a_principal_is_no_address() -> None:
    """Names are the operator's, addresses are not."""
    assert limit_key(None, None) is None
    assert limit_key(None, "192.0.2.1") == "192.0.2.1"
    assert limit_key("192.0.2.1", "192.0.2.1") == "principal 192.0.2.1"
