"""Delivery of events to subscriptions."""

import gc
import weakref

from asdlc_kb.mcp.subscriptions.events import Event, PromptsChanged, ToolsChanged
from asdlc_kb.mcp.subscriptions.subscription import Subscription, SubscriptionFilter
from asdlc_kb.mcp.subscriptions.subscription_bus import EventPublisher, SubscriptionBus

EVENTS = (ToolsChanged(), PromptsChanged(), ToolsChanged())


def waiting(subscription: Subscription) -> list[Event]:
    """Return the pending events, and clear them."""
    events = list(subscription.pending)
    subscription.clear()
    return events


def test_every_subscription_gets_the_events_it_filters() -> None:
    """The specification, subscriptions: a change that matches two is sent on both."""
    bus = SubscriptionBus()
    subscriptions = [
        Subscription(SubscriptionFilter(tools=True)),
        Subscription(SubscriptionFilter(tools=True, prompts=True)),
        Subscription(SubscriptionFilter()),
    ]
    for subscription in subscriptions:
        bus.subscribe(subscription)
    bus.publish(EVENTS)
    assert [waiting(subscription) for subscription in subscriptions] == [
        [ToolsChanged()],
        [ToolsChanged(), PromptsChanged()],
        [],
    ]


def test_an_unsubscribed_reader_gets_nothing_and_is_released() -> None:
    """D-116: a stream that is gone leaves nothing."""
    bus, subscription = SubscriptionBus(), Subscription(SubscriptionFilter(tools=True))
    bus.subscribe(subscription)
    assert len(bus) == 1
    for _ in range(2):
        bus.unsubscribe(subscription)
    bus.publish(EVENTS)
    assert waiting(subscription) == []
    assert not len(bus)
    gone = weakref.ref(subscription)
    del subscription
    gc.collect()
    assert gone() is None


def test_a_subscription_that_is_added_twice_gets_each_event_once() -> None:
    """A session subscribes with its first stream or its first resource."""
    bus, subscription = SubscriptionBus(), Subscription(SubscriptionFilter(tools=True))
    for _ in range(2):
        bus.subscribe(subscription)
    bus.publish(EVENTS)
    assert waiting(subscription) == [ToolsChanged()]


def test_an_inactive_publisher_drops_its_events() -> None:
    """D-095: content loaded for a reload is not announced before it is served."""
    bus, subscription = SubscriptionBus(), Subscription(SubscriptionFilter(tools=True))
    publisher = EventPublisher(bus, is_active=False)
    bus.subscribe(subscription)
    publisher.publish(EVENTS)
    assert waiting(subscription) == []
    publisher.activate()
    publisher.publish(EVENTS)
    assert waiting(subscription) == [ToolsChanged()]
    publisher.deactivate()
    publisher.publish(EVENTS)
    assert waiting(subscription) == []
