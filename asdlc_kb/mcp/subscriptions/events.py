"""Change events for notifications: a closed set of level triggers.

An event reports that something changed and may be requested again, never its new
value. So equal events coalesce, and a late one is still true.
"""

from collections.abc import Iterable
from typing import Final, TypeAlias

import msgspec

from asdlc_kb.mcp.protocol.jsonrpc import RequestId, write_notification

SUBSCRIPTION_KEY: Final = "io.modelcontextprotocol/subscriptionId"


class ToolsChanged(msgspec.Struct, frozen=True):
    """The tool list changed."""


class PromptsChanged(msgspec.Struct, frozen=True):
    """The prompt list changed."""


class ResourcesChanged(msgspec.Struct, frozen=True):
    """The resource list changed."""


class ResourceUpdated(msgspec.Struct, frozen=True):
    """The content of a resource changed."""

    uri: str


Event: TypeAlias = ToolsChanged | PromptsChanged | ResourcesChanged | ResourceUpdated


class Events:
    """The events of one change, indexed for filtering by many subscribers."""

    def __init__(self, events: Iterable[Event]) -> None:
        lists: dict[Event, None] = {}
        uris: set[str] = set()
        for event in events:
            if isinstance(event, ResourceUpdated):
                uris.add(event.uri)
            else:
                lists[event] = None
        self.lists = tuple(lists)
        """Events of changed lists."""
        self.uris = frozenset(uris)
        """URIs of changed resources."""


METHODS: Final = {
    ToolsChanged: "notifications/tools/list_changed",
    PromptsChanged: "notifications/prompts/list_changed",
    ResourcesChanged: "notifications/resources/list_changed",
    ResourceUpdated: "notifications/resources/updated",
}


def encode_event(event: Event, subscription: RequestId | None) -> bytes:
    """Return the notification, with the id of a subscription if there is one."""
    params: dict[str, object] = {}
    if subscription is not None:
        params["_meta"] = {SUBSCRIPTION_KEY: subscription}
    if isinstance(event, ResourceUpdated):
        params["uri"] = event.uri
    return write_notification(METHODS[type(event)], params)


_LIST_EVENTS: Final[dict[str, Event]] = {
    METHODS[kind]: kind() for kind in (ToolsChanged, PromptsChanged, ResourcesChanged)
}


def to_text(event: Event) -> str:
    """Return an event as text: a resource's URI, or the method of a list's change."""
    return event.uri if isinstance(event, ResourceUpdated) else METHODS[type(event)]


def from_text(text: str) -> Event:
    """Return the event of a text that `to_text` returned."""
    return _LIST_EVENTS.get(text) or ResourceUpdated(text)
