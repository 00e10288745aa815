"""A subscription: the filter of one client, and its pending events.

Pending events are coalesced, in order of arrival. They outlive the stream that drains
them, so a change between two streams is not lost. There is at most one event per list
and resource, so memory is bounded.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Protocol

from asdlc_kb.mcp.subscriptions.events import (
    Event,
    Events,
    PromptsChanged,
    ResourcesChanged,
    ResourceUpdated,
    ToolsChanged,
)

COALESCE_SECONDS: Final = 0.5
"""Minimum interval between two deliveries of events to a client."""


class EventReader(Protocol):
    """The reader of a subscription: the queue of one stream."""

    def wake(self) -> None:
        """Read again: there may be events."""

    def end(self) -> None:
        """End the stream: another reader replaced this one."""


@dataclass(slots=True)
class SubscriptionFilter:
    """The events that a client subscribed to."""

    tools: bool = False
    prompts: bool = False
    resources: bool = False
    uris: dict[str, str] = field(default_factory=dict)
    """Resource URIs as the client sent them, by canonical URI."""

    def add_uri(self, uri: str, canonical: str) -> None:
        """Subscribe to a resource; of several forms of a URI the first is reported."""
        # One string if both are equal: there may be many, and long ones.
        self.uris.setdefault(uri if canonical == uri else canonical, uri)

    def select(self, events: Events) -> list[Event]:
        """Return the events that match, with URIs as the client sent them.

        Takes time linear in the smaller of the events and the subscriptions.
        """
        lists = {
            ToolsChanged: self.tools,
            PromptsChanged: self.prompts,
            ResourcesChanged: self.resources,
        }
        selected: list[Event] = [e for e in events.lists if lists.get(type(e))]
        changed = sorted(events.uris & self.uris.keys())
        return selected + [ResourceUpdated(self.uris[uri]) for uri in changed]


class Subscription:
    """The filter and the pending events of a client, and the stream that reads them."""

    def __init__(
        self,
        event_filter: SubscriptionFilter,
        *,
        is_held: bool = False,
        sources: frozenset[str] | None = None,
    ) -> None:
        self.filter = event_filter
        self.sources = sources
        """The names of the sources that its client may see; None for all."""
        self._is_held = is_held
        self._events: dict[Event, None] = {}
        self._reader: EventReader | None = None
        self._drained_at = float("-inf")

    @property
    def pending(self) -> Iterable[Event]:
        """The events that wait to be read."""
        return self._events

    @property
    def has_reader(self) -> bool:
        """Whether a stream reads it."""
        return self._reader is not None

    def put(self, events: Events) -> None:
        """Add the events that match the filter, and wake the reader."""
        self.restore(self.filter.select(events))

    def restore(self, events: Iterable[Event]) -> None:
        """Add events, including undelivered ones, for the next reading."""
        self._events |= dict.fromkeys(events)
        self._wake()

    def clear(self) -> None:
        """Discard the pending events: another process delivered them."""
        self._events = {}

    def release(self) -> None:
        """Allow delivery of held events."""
        self._is_held = False
        self._wake()

    def unsubscribe(self, canonical: str) -> None:
        """Unsubscribe from a resource, and discard its pending event."""
        sent_uri = self.filter.uris.pop(canonical, None)
        if sent_uri is not None:
            self._events.pop(ResourceUpdated(sent_uri), None)

    def open(self, reader: EventReader) -> None:
        """Set the reader, and end the stream of the previous one."""
        previous, self._reader = self._reader, reader
        if previous is not None:
            previous.end()
        self._wake()

    def close(self, reader: EventReader) -> None:
        """Remove a reader, unless another one replaced it."""
        if self._reader is reader:
            self._reader = None

    def end(self) -> None:
        """End the stream that reads it, if any."""
        if self._reader is not None:
            self._reader.end()

    def drain(self, reader: EventReader, now: float) -> tuple[list[Event], float]:
        """Return all events, or none and the seconds until they are due.

        None and 0 if there are none, for a reader that was replaced, or while they are
        held.
        """
        if self._is_held or not self._events or self._reader is not reader:
            return [], 0
        pause = self._drained_at + COALESCE_SECONDS - now
        if pause > 0:
            return [], pause
        events, self._events, self._drained_at = list(self._events), {}, now
        return events, 0

    def _wake(self) -> None:
        if self._events and self._reader is not None:
            self._reader.wake()
