"""Carries events from providers to the outboxes of peers, within one process."""

from collections.abc import Callable, Iterable

from asdlc_kb.mcp.events import Event
from asdlc_kb.mcp.outbox import Outbox


class Bus:
    """The outboxes that events go to."""

    def __init__(self) -> None:
        self._outboxes: set[Outbox] = set()

    def subscribe(self, outbox: Outbox) -> Callable[[], None]:
        """Send every event to the outbox from now on; return how to stop it."""
        self._outboxes.add(outbox)
        return lambda: self._outboxes.discard(outbox)

    def publish(self, events: Iterable[Event]) -> None:
        """Put events into every outbox that wants them."""
        gathered = tuple(events)
        for outbox in self._outboxes:
            for event in gathered:
                outbox.put(event)
