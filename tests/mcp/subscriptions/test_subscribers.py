"""All recipients of change notifications."""

from asdlc_kb.mcp.subscriptions.events import PromptsChanged, ToolsChanged
from asdlc_kb.mcp.subscriptions.pending_events import PendingEvents, SubscriptionFilter
from asdlc_kb.mcp.subscriptions.sessions import Sessions
from asdlc_kb.mcp.subscriptions.subscribers import Subscribers


def take(pending: PendingEvents) -> list[object]:
    """Return the pending events."""

    def wake() -> None:
        """Do nothing."""

    pending.open(wake)
    return list(pending.take(wake, float("inf"))[0])


def test_sessions_and_streams_are_told() -> None:
    """One change reaches every subscriber."""
    audience = Subscribers(Sessions())
    session = audience.sessions.open("2025-11-25")
    session.begin()
    stream = PendingEvents(SubscriptionFilter(prompts=True))
    audience.bus.subscribe(stream)
    audience.publish([ToolsChanged(), PromptsChanged(), ToolsChanged()])
    assert take(session.pending_events) == [ToolsChanged(), PromptsChanged()]
    assert take(stream) == [PromptsChanged()]


def test_what_is_not_in_force_is_told_to_nobody() -> None:
    """D-095: content loaded for a reload is not announced before it is served."""
    audience = Subscribers(is_quiet=True)
    stream = PendingEvents(SubscriptionFilter(prompts=True))
    audience.bus.subscribe(stream)
    audience.publish([PromptsChanged()])
    assert take(stream) == []
