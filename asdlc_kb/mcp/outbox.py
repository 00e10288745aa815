"""Events that wait for one peer: marks without repetition, in the order they came.

An outbox outlives the stream that empties it, so a change between two streams is not
lost. It holds at most one mark for each thing that can change, so it is bounded.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from asdlc_kb.mcp.events import (
    Event,
    PromptsChanged,
    ResourcesChanged,
    ResourceUpdated,
    ToolsChanged,
)

COALESCE_SECONDS: Final = 0.5
"""After events were taken, the next ones are gathered for so long."""

Wake: TypeAlias = Callable[[], None]


@dataclass(slots=True)
class Interest:
    """Which events a peer wants."""

    tools: bool = False
    prompts: bool = False
    resources: bool = False
    uris: set[str] = field(default_factory=set)

    def wants(self, event: Event) -> bool:
        """Whether the event is one of them."""
        match event:
            case ToolsChanged():
                return self.tools
            case PromptsChanged():
                return self.prompts
            case ResourcesChanged():
                return self.resources
            case ResourceUpdated(uri):
                return uri in self.uris


class Outbox:
    """Waiting events, and the readers that may take them: the newest one does."""

    def __init__(self, interest: Interest) -> None:
        self.interest = interest
        self._marks: dict[Event, None] = {}
        self._readers: list[Wake] = []
        self._taken = float("-inf")

    def put(self, event: Event) -> None:
        """Keep an event that the peer wants, once, and wake the newest reader."""
        if self.interest.wants(event):
            self._marks[event] = None
            self._wake()

    def open(self, wake: Wake) -> None:
        """Add a reader, which takes over from the one before."""
        self._readers.append(wake)
        self._wake()

    def close(self, wake: Wake) -> None:
        """Forget a reader; the one before it takes over again."""
        self._readers.remove(wake)
        self._wake()

    def take(self, wake: Wake, now: float) -> tuple[list[Event], float]:
        """Return all events, or none and the seconds until they may be taken.

        None and 0 when there are none, or when another reader is to take them.
        """
        if not self._marks or self._readers[-1] != wake:
            return [], 0
        pause = self._taken + COALESCE_SECONDS - now
        if pause > 0:
            return [], pause
        events, self._marks, self._taken = list(self._marks), {}, now
        return events, 0

    def _wake(self) -> None:
        if self._marks and self._readers:
            self._readers[-1]()
