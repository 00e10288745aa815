"""Events that wait for one peer: marks without repetition, in the order they came.

An outbox outlives the stream that empties it, so a change between two streams is not
lost. It holds at most one mark for each thing that can change, so it is bounded.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from asdlc_kb.mcp.subscriptions.events import (
    Event,
    Events,
    PromptsChanged,
    ResourcesChanged,
    ResourceUpdated,
    ToolsChanged,
)

COALESCE_SECONDS: Final = 0.5
"""After events were taken, the next ones are gathered for so long."""

Wake: TypeAlias = Callable[[], None]


@dataclass(slots=True)
class SubscriptionFilter:
    """Which events a peer wants."""

    tools: bool = False
    prompts: bool = False
    resources: bool = False
    uris: dict[str, str] = field(default_factory=dict)
    """Resources by the spelling that events have, each as the peer spelt it."""

    def want(self, uri: str, spelt: str) -> None:
        """Want a resource's events too; of several spellings the first one is told."""
        # One string where both are equal: there may be many, and long ones.
        self.uris.setdefault(uri if spelt == uri else spelt, uri)

    def pick(self, events: Events) -> list[Event]:
        """Return the events that are wanted, URIs as the peer spelt them.

        Costs no more than the shorter of what happened and what is wanted.
        """
        lists = {
            ToolsChanged: self.tools,
            PromptsChanged: self.prompts,
            ResourcesChanged: self.resources,
        }
        picked: list[Event] = [e for e in events.lists if lists.get(type(e))]
        both = sorted(events.uris & self.uris.keys())
        return picked + [ResourceUpdated(self.uris[uri]) for uri in both]


class PendingEvents:
    """Waiting events, and the readers that may take them: the newest one does."""

    def __init__(self, interest: SubscriptionFilter, *, is_held: bool = False) -> None:
        self.interest = interest
        self._is_held = is_held
        self._marks: dict[Event, None] = {}
        self._readers: list[Wake] = []
        self._taken = float("-inf")

    def put(self, events: Events) -> None:
        """Keep what the peer wants of them, each once, and wake the newest reader."""
        self.restore(self.interest.pick(events))

    def restore(self, events: Iterable[Event]) -> None:
        """Keep events, taken but not delivered ones too, for the newest reader."""
        self._marks |= dict.fromkeys(events)
        self._wake()

    def release(self) -> None:
        """Hold back events no more: those that wait may be taken."""
        self._is_held = False
        self._wake()

    def unsubscribe(self, uri: str) -> None:
        """Want no more events of a resource, and forget one that waits."""
        spelt = self.interest.uris.pop(uri, None)
        if spelt is not None:
            self._marks.pop(ResourceUpdated(spelt), None)

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

        None and 0 when there are none, when another reader is to take them, or while
        they are held.
        """
        if self._is_held or not self._marks or self._readers[-1:] != [wake]:
            return [], 0
        pause = self._taken + COALESCE_SECONDS - now
        if pause > 0:
            return [], pause
        events, self._marks, self._taken = list(self._marks), {}, now
        return events, 0

    def _wake(self) -> None:
        if self._marks and self._readers:
            self._readers[-1]()
