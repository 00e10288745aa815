"""Responses that continue as event streams: limited, logged, ended with the server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from support.knowledge import Drafts
from support.loglines import captured
from support.peers import Site, open_app, serving
from support.wire import Wire, ask, dial, until

PATH = "/-/events"


@asynccontextmanager
async def listening(site: Site) -> AsyncIterator[Wire]:
    """Open the live reload stream, and read its head and first event."""
    async with dial(site.port) as wire:
        await wire.request("GET", PATH)
        head = await wire.head()
        assert (head.status, head.headers["content-type"]) == (200, "text/event-stream")
        assert head.headers["x-accel-buffering"] == "no"
        assert await wire.notice() == {"number": 0, "problems": []}
        yield wire


async def test_a_stream_is_counted_until_its_client_leaves(tmp_path: Path) -> None:
    """It is no request in flight, and has one line in the access log, at its end."""
    app = open_app(Drafts(tmp_path / "mine"), dev=True)
    with captured("asdlc_kb.access") as lines:
        async with serving(app) as site:
            streams, in_flight = site.web.state.streams, site.web.state.in_flight
            async with listening(site):
                assert (len(streams), in_flight, lines.rows) == (1, set(), [])
            await until(lambda: not len(streams))
    assert [(row["path"], row["status"]) for row in lines.rows] == [(PATH, 200)]


async def test_a_stream_beyond_the_limit_is_503(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Live reload has the limits of the other streams."""
    app = open_app(Drafts(tmp_path / "mine"), dev=True)
    async with serving(app) as site:
        monkeypatch.setattr(site.web.state.streams, "_max_per_client", 1)
        async with listening(site):
            answer = await ask(site.port, "GET", PATH)
    assert (answer.status, answer.json) == (
        503,
        {"error": "too many streams are open"},
    )


async def test_a_stream_ends_complete_with_the_server(tmp_path: Path) -> None:
    """The client receives the last chunk of the response."""
    app = open_app(Drafts(tmp_path / "mine"), dev=True)
    async with serving(app) as site, listening(site) as wire:
        site.web.state.streams.end()
        assert await wire.notice() is None


async def test_a_stream_ends_when_live_reload_is_replaced(tmp_path: Path) -> None:
    """A reload of the settings ends it: the page reconnects to the new sources."""
    app = open_app(Drafts(tmp_path / "mine"), dev=True)
    async with serving(app) as site, listening(site) as wire:
        live = (await app.website.get()).live
        assert live is not None
        live.record_change()
        assert (await wire.notice())["number"] == 1
        live.end()
        assert await wire.notice() is None
