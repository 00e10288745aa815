"""Everybody who may be told of changes: sessions, and streams without one.

It outlives the server object that speaks with them, which other settings replace.
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
    """Whether nobody is told: what loads is not in force yet."""

    def publish(self, events: Iterable[Event]) -> None:
        """Tell everybody who wants to know."""
        if self.is_quiet:
            return
        arranged = Events(events)
        self.bus.publish(arranged)
        for session in self.sessions:
            session.outbox.put(arranged)
