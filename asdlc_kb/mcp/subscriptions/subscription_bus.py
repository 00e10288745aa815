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
        indexed = Events(events)
        for subscription in tuple(self._subscriptions):
            subscription.put(indexed)


class EventPublisher:
    """Publishes the events of one configuration's content while it is in force."""

    def __init__(self, bus: SubscriptionBus, *, is_active: bool = True) -> None:
        self._bus = bus
        self._is_active = is_active

    def activate(self) -> None:
        """Publish the events from now on."""
        self._is_active = True

    def deactivate(self) -> None:
        """Drop the events from now on."""
        self._is_active = False

    def publish(self, events: Iterable[Event]) -> None:
        """Deliver the events of one change, or drop them."""
        if self._is_active:
            self._bus.publish(events)
