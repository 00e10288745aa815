"""The subscription bus: delivers providers' events to every subscription.

It outlives the server object, which a reload of the settings replaces.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from asdlc_kb.mcp.subscriptions.events import (
    Event,
    Events,
    PromptsChanged,
    ResourcesChanged,
    ToolsChanged,
)
from asdlc_kb.mcp.subscriptions.subscription import Subscription

Audience: TypeAlias = Callable[[frozenset[str] | None], bool]
"""Whether events are for subscriptions to these sources; None for all sources."""

EVERY_LIST: Final[tuple[Event, ...]] = (
    ToolsChanged(),
    PromptsChanged(),
    ResourcesChanged(),
)
"""The events after which a client reads everything again."""


def sees_everything(sources: frozenset[str] | None) -> bool:
    """Whether a subscription is not limited to some sources."""
    return sources is None


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

    def publish(
        self, events: Iterable[Event], is_for: Audience = sees_everything
    ) -> None:
        """Deliver the events of one change to the subscriptions of an audience."""
        indexed = Events(events)
        for subscription in tuple(self._subscriptions):
            if is_for(subscription.sources):
                subscription.put(indexed)

    def has_stream(self, is_for: Audience) -> bool:
        """Whether a stream of an audience is open."""
        return any(
            subscription.has_reader and is_for(subscription.sources)
            for subscription in self._subscriptions
        )

    def restart(self, is_for: Audience) -> None:
        """End the streams of an audience; its clients read all lists again."""
        for subscription in tuple(self._subscriptions):
            if is_for(subscription.sources):
                subscription.put(Events(EVERY_LIST))
                subscription.end()


class EventPublisher:
    """Publishes the events of one configuration's content while it is in force."""

    def __init__(
        self,
        bus: SubscriptionBus,
        *,
        is_active: bool = True,
        is_for: Audience = sees_everything,
    ) -> None:
        self._bus = bus
        self._is_active = is_active
        self._is_for = is_for

    def activate(self) -> None:
        """Publish the events from now on."""
        self._is_active = True

    def deactivate(self) -> None:
        """Drop the events from now on."""
        self._is_active = False

    def publish(self, events: Iterable[Event]) -> None:
        """Deliver the events of one change, or drop them."""
        if self._is_active:
            self._bus.publish(events, self._is_for)
