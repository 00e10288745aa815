"""What goes back to a peer."""

from dataclasses import FrozenInstanceError

import pytest

from asdlc_kb.mcp.reply import Reply


def test_a_bare_reply_says_nothing_but_its_status() -> None:
    """JSON-RPC 2.0: a notification gets no answer, so a reply may be empty."""
    reply = Reply(202)
    assert (reply.status, reply.body) == (202, b"")
    assert (reply.error, reply.session, reply.feed) == (None, None, None)


def test_a_reply_does_not_change_after_it_was_made() -> None:
    """Design decision: what crosses a wall is immutable."""
    with pytest.raises(FrozenInstanceError):
        Reply(200).status = 500  # type: ignore[misc]
