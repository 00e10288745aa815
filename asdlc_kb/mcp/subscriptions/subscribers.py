"""The recipients of change notifications: sessions, and streams without one.

They outlive the server object, which a reload of the settings replaces.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from asdlc_kb.mcp.subscriptions.bus import EventBus
from asdlc_kb.mcp.subscriptions.events import Event, Events
from asdlc_kb.mcp.subscriptions.sessions import Sessions


@dataclass(slots=True)
class Subscribers:
    """The sessions and the streams of one process."""

    sessions: Sessions = field(default_factory=Sessions)
    bus: EventBus = field(default_factory=EventBus)

    is_quiet: bool = False
    """Whether events are dropped: the content being loaded is not in force yet."""

    def publish(self, events: Iterable[Event]) -> None:
        """Deliver events to all streams and sessions, which filter them."""
        if self.is_quiet:
            return
        indexed = Events(events)
        self.bus.publish(indexed)
        for session in self.sessions:
            session.pending_events.put(indexed)
