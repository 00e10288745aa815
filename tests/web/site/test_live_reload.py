"""The event stream of pages in development."""

import asyncio
import json
from pathlib import Path

from support.knowledge import Drafts
from support.peers import open_app, serving

BOUND = 60


async def read_event(reader: asyncio.StreamReader) -> dict[str, object]:
    """Return the data of the next event."""
    async with asyncio.timeout(BOUND):
        while True:
            line = await reader.readline()
            assert line, "the stream ended"
            if line.startswith(b"data: "):
                told: dict[str, object] = json.loads(line.removeprefix(b"data: "))
                return told


async def test_a_page_is_told_at_once_and_of_each_change(tmp_path: Path) -> None:
    """The first event has the current state, the next one makes the page reload."""
    knowledge = Drafts(tmp_path / "mine")
    app = open_app(knowledge, dev=True)
    async with serving(app) as site:
        reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
        writer.write(b"GET /-/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        async with asyncio.timeout(BOUND):
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        first = await read_event(reader)
        knowledge.write("concepts/new", title="New")
        articles = app.sources.articles
        assert articles is not None
        articles.publish(await asyncio.to_thread(articles.scan))
        assert (await read_event(reader))["number"] != first["number"]
        writer.close()
        await writer.wait_closed()
