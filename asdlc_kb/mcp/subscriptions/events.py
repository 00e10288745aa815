"""What can be told to a peer unasked: a closed set of level triggers.

An event says that something changed and may be asked for again, never what it is now.
So two of the same kind are one, and a late one is still true.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from asdlc_kb.mcp.protocol.jsonrpc import RequestId, write_notification

SUBSCRIPTION_KEY: Final = "io.modelcontextprotocol/subscriptionId"


@dataclass(frozen=True, slots=True)
class ToolsChanged:
    """The list of tools, or a tool's schema, is another one now."""


@dataclass(frozen=True, slots=True)
class PromptsChanged:
    """The list of prompts is another one now."""


@dataclass(frozen=True, slots=True)
class ResourcesChanged:
    """The list of resources is another one now."""


@dataclass(frozen=True, slots=True)
class ResourceUpdated:
    """Reading the resource gives something else now."""

    uri: str


Event: TypeAlias = ToolsChanged | PromptsChanged | ResourcesChanged | ResourceUpdated


class Events:
    """Everything that one change says, arranged for many outboxes to pick from."""

    def __init__(self, events: Iterable[Event]) -> None:
        lists: dict[Event, None] = {}
        uris: set[str] = set()
        for event in events:
            if isinstance(event, ResourceUpdated):
                uris.add(event.uri)
            else:
                lists[event] = None
        self.lists = tuple(lists)
        """Lists that are others now."""
        self.uris = frozenset(uris)
        """Resources that read as something else now."""


METHODS: Final = {
    ToolsChanged: "notifications/tools/list_changed",
    PromptsChanged: "notifications/prompts/list_changed",
    ResourcesChanged: "notifications/resources/list_changed",
    ResourceUpdated: "notifications/resources/updated",
}


def encode_event(event: Event, subscription: RequestId | None) -> bytes:
    """Return the notification; of a subscription, it carries its id."""
    params: dict[str, object] = {}
    if subscription is not None:
        params["_meta"] = {SUBSCRIPTION_KEY: subscription}
    if isinstance(event, ResourceUpdated):
        params["uri"] = event.uri
    return write_notification(METHODS[type(event)], params)
