"""The subscription bus: delivers providers' events to every subscription.

It outlives the server object, which a reload of the settings replaces.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from asdlc_kb.mcp.subscriptions.events import Event, Events
from asdlc_kb.mcp.subscriptions.subscription import Subscription


@dataclass(slots=True)
class SubscriptionBus:
    """The subscriptions of one process: of streams, and of sessions without one."""

    is_quiet: bool = False
    """Whether events are dropped: the content being loaded is not in force yet."""
    _subscriptions: dict[Subscription, None] = field(default_factory=dict)
    """In the order of their start."""

    def __len__(self) -> int:
        return len(self._subscriptions)

    def subscribe(self, subscription: Subscription) -> None:
        """Deliver all further events to a subscription, which filters them."""
        self._subscriptions[subscription] = None

    def unsubscribe(self, subscription: Subscription) -> None:
        """Deliver no further event to a subscription, subscribed or not."""
        self._subscriptions.pop(subscription, None)

    def publish(self, events: Iterable[Event]) -> None:
        """Deliver the events of one change to every subscription."""
        if self.is_quiet:
            return
        indexed = Events(events)
        for subscription in tuple(self._subscriptions):
            subscription.put(indexed)
