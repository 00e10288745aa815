"""Notifications as they are encoded."""

import json
from typing import Any

import pytest

from asdlc_kb.mcp.subscriptions.events import (
    Event,
    Events,
    PromptsChanged,
    ResourcesChanged,
    ResourceUpdated,
    ToolsChanged,
    encode_event,
)

WRITTEN: list[tuple[Event, str, dict[str, Any]]] = [
    (ToolsChanged(), "notifications/tools/list_changed", {}),
    (PromptsChanged(), "notifications/prompts/list_changed", {}),
    (ResourcesChanged(), "notifications/resources/list_changed", {}),
    (ResourceUpdated("kb:x"), "notifications/resources/updated", {"uri": "kb:x"}),
]


@pytest.mark.parametrize(("event", "method", "params"), WRITTEN)
def test_an_event_is_a_notification_of_its_kind(
    event: Event, method: str, params: dict[str, Any]
) -> None:
    """The specification, server/tools, prompts and resources."""
    assert json.loads(encode_event(event, None)) == {
        "jsonrpc": "2.0",
        "method": method,
        "params": params,
    }


@pytest.mark.parametrize(("event", "method", "params"), WRITTEN)
@pytest.mark.parametrize("subscription", [0, "", 7, "listen-1"])
def test_an_event_of_a_subscription_carries_its_id(
    event: Event, method: str, params: dict[str, Any], subscription: Any
) -> None:
    """The specification, basic/patterns/subscriptions: same JSON type, 0 and "" too."""
    notification = json.loads(encode_event(event, subscription))
    assert notification["method"] == method
    meta = {"io.modelcontextprotocol/subscriptionId": subscription}
    assert notification["params"] == {**params, "_meta": meta}
    (value,) = notification["params"]["_meta"].values()
    assert type(value) is type(subscription)


def test_two_events_of_one_kind_are_one() -> None:
    """D-038: events are level triggers, so a repetition adds nothing."""
    events = Events(
        [
            ResourceUpdated("kb:b"),
            ResourcesChanged(),
            ResourceUpdated("kb:a"),
            ToolsChanged(),
            ResourcesChanged(),
            ResourceUpdated("kb:b"),
        ]
    )
    assert events.lists == (ResourcesChanged(), ToolsChanged())
    assert events.uris == {"kb:a", "kb:b"}
