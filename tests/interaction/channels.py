"""The channels on which a client gets notifications, each opened as its clients do."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from interaction.raw import compose, mirror
from support.canary import Scanner
from support.peers import (
    EVENTS,
    HANDSHAKE,
    JSON,
    STATELESS,
    STREAMABLE,
    HttpPeer,
    Site,
    SsePeer,
    serving,
    shake_hands,
    stdio_peer,
)
from support.wire import Wire, dial

from asdlc_kb.app import Runtime

LISTEN_ID: Final = 0
"""The id of a listen request: falsy, but a valid id."""

FLAGS: Final = ("toolsListChanged", "promptsListChanged", "resourcesListChanged")
KEEP_ALIVE: Final = b": keep-alive\n\n"

CELLS: Final = (
    *(("listen-http", version) for version in STATELESS),
    *(("listen-stdio", version) for version in STATELESS),
    *(("get", version) for version in STREAMABLE),
    *(("http+sse", version) for version in HANDSHAKE),
    *(("stdio", version) for version in HANDSHAKE),
)
"""Every channel in every version that has it."""


@dataclass
class Channel:
    """An open stream of notifications, and its subscription."""

    subscription: int | None
    """The id that each notification is tagged with, on a listen."""
    receive: Callable[[], Awaitable[dict[str, Any]]]
    """Wait for the next message of any kind."""

    async def read_until(self, last: str) -> list[tuple[str, str | None]]:
        """Return the notifications up to `resources/updated` of a URI, without it."""
        events: list[tuple[str, str | None]] = []
        while True:
            notice = await self.receive()
            assert notice.keys() == {"jsonrpc", "method", "params"}
            params = notice["params"]
            assert params.get("_meta") == self._meta
            kind = notice["method"].removeprefix("notifications/")
            if (kind, params.get("uri")) == ("resources/updated", last):
                return events
            events.append((kind, params.get("uri")))

    @property
    def _meta(self) -> dict[str, Any] | None:
        if self.subscription is None:
            return None
        return {"io.modelcontextprotocol/subscriptionId": self.subscription}


async def check_head(wire: Wire) -> None:
    """Read the head of a stream: no proxy may buffer or store it."""
    head = await wire.head()
    assert head.status == 200
    assert head.headers["content-type"] == "text/event-stream"
    assert head.headers["cache-control"] == "no-store, no-transform"
    assert head.headers["x-accel-buffering"] == "no"


def listen(uris: Sequence[str], flags: Sequence[str]) -> dict[str, Any]:
    """Return the parameters of a listen for kinds of lists and for resources."""
    wanted: dict[str, Any] = dict.fromkeys(flags, True)
    if uris:
        wanted["resourceSubscriptions"] = sorted(uris)
    return {"notifications": wanted}


def check_acknowledged(notice: dict[str, Any], requested: dict[str, Any]) -> None:
    """Check the first message of a listen: what is honoured, under its id."""
    assert notice == {
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {
            "_meta": {"io.modelcontextprotocol/subscriptionId": LISTEN_ID},
            "notifications": requested["notifications"],
        },
    }


@asynccontextmanager
async def open_channel(
    kind: str,
    version: str,
    app: Runtime,
    scanner: Scanner,
    uris: Sequence[str] = (),
    flags: Sequence[str] = FLAGS,
) -> AsyncIterator[Channel]:
    """Open a channel for changes of lists and of resources."""
    openers = {
        "listen-http": _listen_over_http,
        "get": _get_stream,
        "http+sse": _sse_stream,
    }
    if kind in openers:
        async with serving(app) as site, dial(site.port) as wire:
            yield await openers[kind](site, wire, version, uris, flags)
        return
    async with stdio_peer(app, version, scanner) as peer:
        if kind == "stdio":
            for uri in uris:
                assert await peer.result("resources/subscribe", {"uri": uri}) == {}
            yield Channel(None, peer.receive)
            return
        requested = listen(uris, flags)
        peer.send(compose(peer, "subscriptions/listen", requested, LISTEN_ID))
        check_acknowledged(await peer.receive(), requested)
        yield Channel(LISTEN_ID, peer.receive)


async def _listen_over_http(
    site: Site, wire: Wire, version: str, uris: Sequence[str], flags: Sequence[str]
) -> Channel:
    peer = HttpPeer(version, site=site)
    requested = listen(uris, flags)
    sent = compose(peer, "subscriptions/listen", requested, LISTEN_ID)
    headers = JSON | mirror(peer, sent) | EVENTS
    await wire.request("POST", headers=headers, body=json.dumps(sent).encode())
    await check_head(wire)
    check_acknowledged(await wire.notice(), requested)
    return Channel(LISTEN_ID, wire.notice)


async def _get_stream(
    site: Site, wire: Wire, version: str, uris: Sequence[str], flags: Sequence[str]
) -> Channel:
    peer = HttpPeer(version, site=site)
    await shake_hands(peer)
    for uri in uris:
        assert await peer.result("resources/subscribe", {"uri": uri}) == {}
    await wire.request("GET", headers=peer.headers({}) | EVENTS)
    await check_head(wire)
    assert await wire.frame() == ("", KEEP_ALIVE.strip())
    return Channel(None, wire.notice)


async def _sse_stream(
    site: Site, wire: Wire, version: str, uris: Sequence[str], flags: Sequence[str]
) -> Channel:
    await wire.request("GET", headers=EVENTS)
    await check_head(wire)
    frame = await wire.frame()
    assert frame is not None
    assert frame[0] == "endpoint"
    peer = SsePeer(version, site=site, wire=wire, path=frame[1].decode())
    await shake_hands(peer)
    for uri in uris:
        assert await peer.result("resources/subscribe", {"uri": uri}) == {}
    return Channel(None, peer.notice)
