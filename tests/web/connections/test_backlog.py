"""Unsent bytes of all connections."""

import pytest

from asdlc_kb.web.connections import backlog
from asdlc_kb.web.connections.backlog import UnsentBytes


def test_the_connection_whose_peer_took_nothing_for_longest_is_closed_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """D-060: never one in the middle of a write."""
    monkeypatch.setattr(backlog, "MAX_UNSENT_BYTES", 10)
    closed: list[str] = []
    unsent: UnsentBytes[str] = UnsentBytes(closed.append)
    unsent.record("a", 4)
    unsent.record("b", 4)
    unsent.record("a", 3, has_read=True)
    unsent.record("c", 4)
    assert (closed, unsent.size) == (["b"], 7)
    unsent.record("a", 9)
    assert (closed, unsent.size) == (["b", "c"], 9)
    unsent.record("a", 20)
    assert (closed, unsent.size) == (["b", "c"], 20)
    unsent.record("a", 0)
    unsent.release("a")
    assert unsent.size == 0
