"""Events that wait for one peer, with a clock of the test."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.mcp.subscriptions.events import (
    Event,
    Events,
    PromptsChanged,
    ResourcesChanged,
    ResourceUpdated,
    ToolsChanged,
)
from asdlc_kb.mcp.subscriptions.subscription import (
    COALESCE_SECONDS,
    Subscription,
    SubscriptionFilter,
)

TOOLS, PROMPTS, RESOURCES = ToolsChanged(), PromptsChanged(), ResourcesChanged()
LISTS: tuple[Event, ...] = (TOOLS, PROMPTS, RESOURCES)


class Reader:
    """Counts its wake-ups."""

    def __init__(self) -> None:
        self.woken = 0
        self.is_ended = False

    def wake(self) -> None:
        self.woken += 1

    def end(self) -> None:
        self.is_ended = True


def everything(*uris: str) -> Subscription:
    """Return pending events for all list changes and some resources."""
    return Subscription(
        SubscriptionFilter(True, True, True, {uri: uri for uri in uris})
    )


@pytest.mark.parametrize(
    ("event_filter", "picked"),
    [
        (SubscriptionFilter(), []),
        (SubscriptionFilter(tools=True), [TOOLS]),
        (SubscriptionFilter(prompts=True), [PROMPTS]),
        (SubscriptionFilter(resources=True), [RESOURCES]),
        (SubscriptionFilter(uris={"kb:a": "kb:a"}), [ResourceUpdated("kb:a")]),
        (SubscriptionFilter(uris={"kb:none": "kb:none"}), []),
        (
            SubscriptionFilter(True, True, True, {"kb:b": "kb:b", "kb:a": "kb:a"}),
            [*LISTS, ResourceUpdated("kb:a"), ResourceUpdated("kb:b")],
        ),
    ],
)
def test_only_what_is_wanted_is_picked(
    event_filter: SubscriptionFilter, picked: list[Event]
) -> None:
    """The specification, subscriptions: never a kind that was not requested."""
    uris = [ResourceUpdated(f"kb:{name}") for name in "cba"]
    assert event_filter.select(Events([*LISTS, *uris])) == picked


def test_a_resource_is_held_once_and_its_first_spelling_stays() -> None:
    """D-116: 1,000 long URIs are stored once each, not twice."""
    event_filter = SubscriptionFilter()
    uri, spelt = ("".join(["kb:", "a" * 100]) for _ in range(2))
    assert uri is not spelt
    event_filter.add_uri(uri, spelt)
    event_filter.add_uri("kb:%61", spelt)
    assert event_filter.uris == {spelt: uri}
    ((key, value),) = event_filter.uris.items()
    assert key is value


def test_a_resource_is_named_as_its_peer_spelt_it() -> None:
    """The specification, resources: the URI that was subscribed to."""
    event_filter = SubscriptionFilter(uris={"kb:%C3%B6": "kb:ö"})
    assert event_filter.select(Events([ResourceUpdated("kb:%C3%B6")])) == [
        ResourceUpdated("kb:ö")
    ]
    assert event_filter.select(Events([ResourceUpdated("kb:ö")])) == []


def test_a_change_of_everything_is_cheap_for_a_narrow_filter() -> None:
    """D-116: 10,000 peers and 2,000 resources are not multiplied."""
    events = Events(ResourceUpdated(f"kb:{number}") for number in range(2000))
    all_pending = [everything(f"kb:{number}") for number in range(10_000)]
    started = process_time()
    for pending in all_pending:
        pending.put(events)
    assert process_time() - started < 1.0
    reader = Reader()
    all_pending[7].open(reader)
    assert all_pending[7].drain(reader, 0.0) == ([ResourceUpdated("kb:7")], 0)


def test_events_wait_once_each_in_the_order_they_came() -> None:
    """D-048: deduplicated marks; a change between two streams is kept."""
    pending, reader = everything("kb:a"), Reader()
    page = ResourceUpdated("kb:a")
    each: list[list[Event]] = [[page], [TOOLS], [TOOLS, PROMPTS], [TOOLS]]
    for events in each:
        pending.put(Events(events))
    pending.open(reader)
    assert reader.woken == 1
    waiting = [ResourceUpdated("kb:a"), TOOLS, PROMPTS]
    assert pending.drain(reader, 0.0) == (waiting, 0)
    assert pending.drain(reader, 100.0) == ([], 0)


def test_what_no_filter_accepts_wakes_no_reader() -> None:
    """An idle stream costs nothing."""
    pending, reader = Subscription(SubscriptionFilter()), Reader()
    pending.open(reader)
    pending.put(Events(LISTS))
    assert reader.woken == 0
    assert pending.drain(reader, 0.0) == ([], 0)


def test_the_first_change_is_told_at_once_and_the_next_ones_together() -> None:
    """D-038: after a delivery, events of half a second are gathered."""
    assert COALESCE_SECONDS == 0.5
    pending, reader = everything(), Reader()
    pending.open(reader)
    pending.put(Events([TOOLS]))
    assert pending.drain(reader, 1000.0) == ([TOOLS], 0)
    pending.put(Events([TOOLS]))
    assert pending.drain(reader, 1000.25) == ([], 0.25)
    pending.put(Events([PROMPTS]))
    assert pending.drain(reader, 1000.5) == ([TOOLS, PROMPTS], 0)
    assert pending.drain(reader, 1000.6) == ([], 0)
    pending.put(Events([TOOLS]))
    assert pending.drain(reader, 1002.0) == ([TOOLS], 0)


def test_of_two_readers_the_newest_takes_and_the_older_ends() -> None:
    """The specification, transports: each message on one stream only; the newest,
    since a client may open one before its old one is known to be dead.
    """
    pending, old, new = everything(), Reader(), Reader()
    pending.open(old)
    pending.open(new)
    pending.put(Events([TOOLS]))
    assert (old.woken, new.woken) == (0, 1)
    assert (old.is_ended, new.is_ended) == (True, False)
    assert pending.drain(old, 0.0) == ([], 0)
    pending.close(old)
    assert pending.drain(new, 0.0) == ([TOOLS], 0)
    pending.end()
    assert new.is_ended


def test_a_reader_that_opens_takes_over_what_waits() -> None:
    """D-048: marks are not bound to the stream that was open."""
    pending, old, new = everything(), Reader(), Reader()
    pending.open(old)
    pending.put(Events([TOOLS]))
    pending.open(new)
    assert pending.drain(old, 0.0) == ([], 0)
    assert pending.drain(new, 0.0) == ([TOOLS], 0)
    pending.close(old)
    pending.put(Events([PROMPTS]))
    assert pending.drain(new, 1.0) == ([PROMPTS], 0)


def test_a_reader_that_closed_takes_nothing() -> None:
    """D-048: a queue that ended leaves pending events to the next one."""
    pending, reader = everything(), Reader()
    pending.open(reader)
    pending.close(reader)
    pending.put(Events([TOOLS]))
    assert reader.woken == 0
    assert pending.drain(reader, 0.0) == ([], 0)


def test_what_was_taken_but_not_delivered_can_be_restored() -> None:
    """D-048: a change is not lost with the stream that was to deliver it."""
    pending, reader = everything(), Reader()
    pending.open(reader)
    pending.put(Events([TOOLS, PROMPTS]))
    events, _ = pending.drain(reader, 0.0)
    pending.put(Events([PROMPTS]))
    pending.restore(events)
    assert pending.drain(reader, 1.0) == ([PROMPTS, TOOLS], 0)


def test_unsubscribing_forgets_what_waits() -> None:
    """The specification, resources: no more updates; D-116: no mark of an unwanted
    event stays, however often a peer comes and goes.
    """
    pending, reader = Subscription(SubscriptionFilter()), Reader()
    for number in range(100):
        uri = f"kb:{number}"
        pending.filter.uris[uri] = uri.upper()
        pending.put(Events([ResourceUpdated(uri)]))
        pending.unsubscribe(uri)
    pending.unsubscribe("kb:none")
    pending.open(reader)
    assert reader.woken == 0
    assert pending.drain(reader, 0.0) == ([], 0)


@given(st.lists(st.sampled_from([*LISTS, *map(ResourceUpdated, "abc")])))
def test_no_change_is_lost_and_none_is_told_twice(events: list[Event]) -> None:
    """D-048: what was put since the last delivery is delivered, each once."""
    pending, reader = everything(*"abc"), Reader()
    pending.open(reader)
    for event in events:
        pending.put(Events([event]))
    assert pending.drain(reader, 0.0) == (list(dict.fromkeys(events)), 0)


def test_what_another_process_delivered_is_discarded() -> None:
    """Another process may hold a session's stream, and sees the same changes."""
    pending, reader = everything("kb:a"), Reader()
    pending.end()
    pending.put(Events([TOOLS, ResourceUpdated("kb:a")]))
    assert list(pending.pending) == [TOOLS, ResourceUpdated("kb:a")]
    pending.clear()
    pending.restore([PROMPTS])
    pending.open(reader)
    assert pending.drain(reader, 0.0) == ([PROMPTS], 0)
