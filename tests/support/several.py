"""Sessions of several processes, with clocks of the test's own."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from asdlc_kb.mcp.sessions.session import Session
from asdlc_kb.mcp.sessions.session_ids import SessionIds
from asdlc_kb.mcp.sessions.session_messages import AnySessionMessage, ChannelMessage
from asdlc_kb.mcp.sessions.sessions import Sessions
from asdlc_kb.mcp.subscriptions.event_queue import EventQueue
from asdlc_kb.mcp.subscriptions.events import Event

KEY = b"a key of this test"
LATEST = "2025-11-25"


@dataclass
class Clock:
    """The time that a test sets; both clocks of sessions agree."""

    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Processes:
    """Processes of one server: each message is delivered at once, in order."""

    clock: Clock = field(default_factory=Clock)
    started: dict[str, Sessions] = field(default_factory=dict)
    dropped: int = 0
    """Messages for channels that are closed."""

    def start(self, name: str, **settings: Any) -> Sessions:
        """Start a process that joins the others."""
        sessions = Sessions(
            SessionIds(KEY, self.clock),
            clock=self.clock,
            wall_clock=self.clock,
            **settings,
        )
        self.started[name] = sessions
        sessions.publish = self._deliver_from(name)
        sessions.join()
        return sessions

    def _deliver_from(self, name: str) -> Callable[[AnySessionMessage], None]:
        def publish(message: AnySessionMessage, /) -> None:
            for other, sessions in tuple(self.started.items()):
                if other == name:
                    continue
                if isinstance(message, ChannelMessage) and message.holder != other:
                    continue
                self.dropped += not sessions.receive(name, message)

        return publish


def begin(sessions: Sessions, *, address: str | None = None, **by: Any) -> Session:
    """Return a new session."""
    session = sessions.find(
        sessions.ids.issue(LATEST, **by), by.get("principal"), address
    )
    assert session is not None
    return session


def again(sessions: Sessions, session: Session) -> Session:
    """Return the same session, found by its id."""
    found = sessions.find(session.id)
    assert found is not None
    return found


def list_delivered(queue: EventQueue) -> list[str]:
    """Return the methods and URIs of the messages that can be read now."""
    messages, _ = queue.drain()
    text = b"".join(messages).decode()
    found = re.findall(r"notifications/(\w+/\w+)|\"uri\":\"([^\"]*)\"", text)
    return [method or uri for method, uri in found]


def publish(processes: Processes, *events: Event) -> None:
    """Publish a change: each process sees it by itself."""
    for sessions in processes.started.values():
        sessions.bus.publish(events)
