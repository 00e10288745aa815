"""Which ids have ended, with clocks of the test's own."""

import pytest
from support.several import Clock

from asdlc_kb.mcp.sessions import session_lifetimes as module
from asdlc_kb.mcp.sessions.session_ids import SessionClaims
from asdlc_kb.mcp.sessions.session_lifetimes import MAX_AGE_SECONDS, SessionLifetimes
from asdlc_kb.mcp.sessions.session_store import IDLE_SECONDS


@pytest.fixture
def clock() -> Clock:
    """Both clocks."""
    return Clock()


@pytest.fixture
def lifetimes(clock: Clock) -> SessionLifetimes:
    """Lifetimes in one process."""
    return SessionLifetimes(clock, clock)


def claims(clock: Clock, number: int = 0) -> SessionClaims:
    """Return the claims of an id that is issued now."""
    nonce = number.to_bytes(16, "big")
    return SessionClaims("2025-11-25", int(clock.now), "", (), nonce)


@pytest.mark.parametrize("has_stream", [False, True])
def test_an_id_ends_after_a_day_unless_it_is_in_use(
    clock: Clock, lifetimes: SessionLifetimes, has_stream: bool
) -> None:
    """D-049: neither a stream nor a recent call is cut off."""
    issued = claims(clock)
    clock.now += MAX_AGE_SECONDS - 1
    assert lifetimes.use(issued, has_stream=has_stream)
    clock.now += IDLE_SECONDS - 1
    assert lifetimes.use(issued, has_stream=has_stream)
    clock.now += IDLE_SECONDS
    assert lifetimes.use(issued, has_stream=has_stream) == has_stream


def test_an_id_from_the_future_is_young(
    clock: Clock, lifetimes: SessionLifetimes
) -> None:
    """The clocks of machines differ."""
    issued = claims(clock)
    clock.now -= 3600
    assert lifetimes.use(issued, has_stream=False)


def test_an_ended_id_is_refused_as_long_as_it_could_be_valid(
    clock: Clock, lifetimes: SessionLifetimes
) -> None:
    """Also one that was in use at that age."""
    issued = claims(clock)
    clock.now += MAX_AGE_SECONDS - 10
    assert lifetimes.use(issued, has_stream=False)
    lifetimes.end(issued.nonce, issued.issued + MAX_AGE_SECONDS)
    assert lifetimes.has_ended(issued.nonce)
    for _ in range(3):
        assert not lifetimes.use(issued, has_stream=False)
        clock.now += 10
    old = claims(clock, 1)
    clock.now += MAX_AGE_SECONDS
    lifetimes.end(old.nonce, old.issued + MAX_AGE_SECONDS)
    assert not lifetimes.use(old, has_stream=False)
    assert old.nonce not in dict(lifetimes.ended)


def test_what_is_remembered_of_ids_is_bounded(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that ended or was used first is forgotten."""
    monkeypatch.setattr(module, "MAX_ENDED", 2)
    monkeypatch.setattr(module, "MAX_SESSIONS", 2)
    lifetimes = SessionLifetimes(clock, clock)
    issued = [claims(clock, number) for number in range(6)]
    for each in issued[:3]:
        lifetimes.end(each.nonce, each.issued + MAX_AGE_SECONDS)
    assert [key for key, _ in lifetimes.ended] == [each.nonce for each in issued[1:3]]
    clock.now += MAX_AGE_SECONDS - 1
    for each in issued[3:]:
        assert lifetimes.use(each, has_stream=False)
    clock.now += 1
    used = [lifetimes.use(each, has_stream=False) for each in issued[3:]]
    assert used == [False, True, True]
