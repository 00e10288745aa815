"""Carries events from providers to the outboxes of peers, within one process."""

from collections.abc import Callable

from asdlc_kb.mcp.subscriptions.events import Events
from asdlc_kb.mcp.subscriptions.pending_events import PendingEvents


class EventBus:
    """The outboxes that events go to."""

    def __init__(self) -> None:
        self._outboxes: dict[object, PendingEvents] = {}

    def subscribe(self, outbox: PendingEvents) -> Callable[[], None]:
        """Send every event to the outbox from now on; return how to stop it."""
        subscription = object()
        self._outboxes[subscription] = outbox

        def stop() -> None:
            self._outboxes.pop(subscription, None)

        return stop

    def publish(self, events: Events) -> None:
        """Put into every outbox those events that it wants."""
        for outbox in self._outboxes.values():
            outbox.put(events)
