"""Events on their way to the outboxes of peers."""

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


def waiting(outbox: PendingEvents) -> list[Event]:
    """Return what waits in an outbox, once, for a reader of the test's own."""

    def wake() -> None:
        """Do nothing."""

    outbox.open(wake)
    events, _ = outbox.take(wake, float("inf"))
    outbox.close(wake)
    return events


def test_every_outbox_gets_what_it_wants() -> None:
    """The specification, subscriptions: a change that matches two is sent on both."""
    bus = EventBus()
    outboxes = [
        PendingEvents(SubscriptionFilter(tools=True)),
        PendingEvents(SubscriptionFilter(tools=True, prompts=True)),
        PendingEvents(SubscriptionFilter()),
    ]
    for outbox in outboxes:
        bus.subscribe(outbox)
    bus.publish(EVENTS)
    assert [waiting(outbox) for outbox in outboxes] == [
        [ToolsChanged()],
        [ToolsChanged(), PromptsChanged()],
        [],
    ]


def test_an_outbox_that_left_gets_nothing_and_is_forgotten() -> None:
    """Hostile input: a stream that is gone leaves nothing behind."""
    bus, outbox = EventBus(), PendingEvents(SubscriptionFilter(tools=True))
    stop = bus.subscribe(outbox)
    stop()
    stop()
    bus.publish(EVENTS)
    assert waiting(outbox) == []
    gone = weakref.ref(stop)
    del stop
    gc.collect()
    assert gone() is None


def test_an_outbox_that_came_twice_leaves_twice() -> None:
    """Design decision: two readers of one outbox do not end each other's events."""
    bus, outbox = EventBus(), PendingEvents(SubscriptionFilter(tools=True))
    first, second = bus.subscribe(outbox), bus.subscribe(outbox)
    first()
    bus.publish(EVENTS)
    assert waiting(outbox) == [ToolsChanged()]
    second()
    bus.publish(EVENTS)
    assert waiting(outbox) == []
