"""Carries events from providers to the outboxes of peers, within one process."""

from collections.abc import Callable

from asdlc_kb.mcp.events import Events
from asdlc_kb.mcp.outbox import Outbox


class Bus:
    """The outboxes that events go to."""

    def __init__(self) -> None:
        self._outboxes: dict[object, Outbox] = {}

    def subscribe(self, outbox: Outbox) -> Callable[[], None]:
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
