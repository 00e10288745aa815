"""Delivery of events to subscriptions."""

import gc
import weakref

from asdlc_kb.mcp.subscriptions.bus import EventBus
from asdlc_kb.mcp.subscriptions.events import (
    Event,
    Events,
    PromptsChanged,
    ToolsChanged,
)
from asdlc_kb.mcp.subscriptions.pending_events import PendingEvents, SubscriptionFilter

EVENTS = Events([ToolsChanged(), PromptsChanged()])


def waiting(pending: PendingEvents) -> list[Event]:
    """Drain pending events once, with a temporary reader."""

    def wake() -> None:
        """Do nothing."""

    pending.open(wake)
    events, _ = pending.take(wake, float("inf"))
    pending.close(wake)
    return events


def test_every_subscription_gets_the_events_it_filters() -> None:
    """The specification, subscriptions: a change that matches two is sent on both."""
    bus = EventBus()
    all_pending = [
        PendingEvents(SubscriptionFilter(tools=True)),
        PendingEvents(SubscriptionFilter(tools=True, prompts=True)),
        PendingEvents(SubscriptionFilter()),
    ]
    for pending in all_pending:
        bus.subscribe(pending)
    bus.publish(EVENTS)
    assert [waiting(pending) for pending in all_pending] == [
        [ToolsChanged()],
        [ToolsChanged(), PromptsChanged()],
        [],
    ]


def test_an_unsubscribed_reader_gets_nothing_and_is_released() -> None:
    """D-114: a stream that is gone leaves nothing."""
    bus, pending = EventBus(), PendingEvents(SubscriptionFilter(tools=True))
    stop = bus.subscribe(pending)
    stop()
    stop()
    bus.publish(EVENTS)
    assert waiting(pending) == []
    gone = weakref.ref(stop)
    del stop
    gc.collect()
    assert gone() is None


def test_two_subscriptions_of_one_client_end_separately() -> None:
    """Two readers of the same pending events do not end each other's delivery."""
    bus, pending = EventBus(), PendingEvents(SubscriptionFilter(tools=True))
    first, second = bus.subscribe(pending), bus.subscribe(pending)
    first()
    bus.publish(EVENTS)
    assert waiting(pending) == [ToolsChanged()]
    second()
    bus.publish(EVENTS)
    assert waiting(pending) == []
