"""The event bus: delivers providers' events to subscribers in one process."""

from collections.abc import Callable

from asdlc_kb.mcp.subscriptions.events import Events
from asdlc_kb.mcp.subscriptions.pending_events import PendingEvents


class EventBus:
    """The subscriptions of one process."""

    def __init__(self) -> None:
        self._subscriptions: dict[object, PendingEvents] = {}

    def subscribe(self, pending: PendingEvents) -> Callable[[], None]:
        """Deliver all further events; return a function that unsubscribes."""
        subscription = object()
        self._subscriptions[subscription] = pending

        def unsubscribe() -> None:
            self._subscriptions.pop(subscription, None)

        return unsubscribe

    def publish(self, events: Events) -> None:
        """Deliver events to every subscription, which filters them."""
        for pending in self._subscriptions.values():
            pending.put(events)
