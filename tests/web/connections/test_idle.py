"""The choice of the connection that gives way to a new one."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from asdlc_kb.web.connections import idle
from asdlc_kb.web.connections.idle import (
    MIN_IDLE_SECONDS,
    RESCAN_SECONDS,
    IdleQueue,
)


@dataclass(eq=False)
class Connection:
    """A connection with the attributes that matter here."""

    idle_since: float | None


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """The time, which the test sets."""
    now = [1000.0]
    monkeypatch.setattr(idle, "monotonic", lambda: now[0])
    yield now


def test_the_longest_idle_one_comes_first(clock: list[float]) -> None:
    """D-059: the longest idle is closed; one that is busy never is."""
    late, busy, early = Connection(9.0), Connection(None), Connection(2.0)
    queue: IdleQueue[Connection] = IdleQueue()
    connections = {late, busy, early}
    assert queue.pop(connections) is early
    assert queue.pop({late, busy}) is late
    assert queue.pop({busy}) is None


def test_what_happened_after_the_scan_counts(clock: list[float]) -> None:
    """D-059: one that was used since, or is closed, is passed over."""
    connections = [Connection(float(number)) for number in range(4)]
    queue: IdleQueue[Connection] = IdleQueue()
    assert queue.pop(connections) is connections[0]
    connections[1].idle_since = None
    connections[2].idle_since = 99.0
    assert queue.pop(connections[1:]) is connections[3]
    # Only then is it looked for again.
    assert queue.pop(connections[1:3]) is connections[2]
    assert queue.pop([]) is None


def test_one_that_was_just_answered_is_left_open(clock: list[float]) -> None:
    """D-059: its client asks again, as in the handshake of MCP."""
    connection = Connection(clock[0] - MIN_IDLE_SECONDS / 2)
    queue: IdleQueue[Connection] = IdleQueue()
    assert queue.pop([connection]) is None
    clock[0] += RESCAN_SECONDS
    assert queue.pop([connection]) is connection


def test_one_that_was_used_since_the_scan_is_found_again(clock: list[float]) -> None:
    """D-059: if all that a scan found was used since, one more scan is made."""
    connections = [Connection(float(number)) for number in range(3)]
    queue: IdleQueue[Connection] = IdleQueue()
    assert queue.pop(connections) is connections[0]
    connections[1].idle_since, connections[2].idle_since = 99.0, 98.0
    assert queue.pop(connections[1:]) is connections[2]


def test_where_none_is_idle_none_is_looked_for_at_once(clock: list[float]) -> None:
    """D-059: a flood of new connections does not repeat the scan for each."""
    connection = Connection(None)
    queue: IdleQueue[Connection] = IdleQueue()
    assert queue.pop([connection]) is None
    connection.idle_since = 1.0
    assert queue.pop([connection]) is None
    clock[0] += RESCAN_SECONDS
    assert queue.pop([connection]) is connection
