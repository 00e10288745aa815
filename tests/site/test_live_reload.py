"""Development: pages follow saved files."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support.knowledge import Drafts, KnowledgeBase
from support.peers import open_app, serving
from support.wire import ask

from asdlc_kb.app import Runtime
from asdlc_kb.corpus import Corpus
from asdlc_kb.exceptions import SettingsError
from asdlc_kb.site.live_reload import ChangeQueue, LiveReload


def read_numbers(queue: ChangeQueue) -> list[int]:
    """Return the number of each event that a page would get now."""
    return [json.loads(message)["number"] for message in queue.drain()[0]]


def test_each_page_gets_the_latest_change_once() -> None:
    """A page that reads late skips those in between; a closed one is not notified."""
    live = LiveReload(Corpus(()))
    woken: list[int] = []
    queues = [live.open_queue() for _ in range(3)]
    for at, queue in enumerate(queues):
        queue.listen(partial(woken.append, at))
    assert woken == [0, 1, 2]
    assert [read_numbers(queue) for queue in queues] == [[0]] * 3
    live.record_change()
    live.record_change()
    queues[2].close()
    live.record_change()
    assert sorted(woken[3:]) == [0, 0, 0, 1, 1, 1, 2, 2]
    assert read_numbers(queues[0]) == [3]
    assert queues[0].drain() == ([], 0)


def test_streams_end_when_the_instance_is_replaced() -> None:
    """Pages reconnect to its successor; one that was late to open ends at once."""
    live = LiveReload(Corpus(()))
    early = live.open_queue()
    live.end()
    late = live.open_queue()
    assert (early.is_drained, late.is_drained) == (True, True)
    assert (early.drain(), late.drain()) == (([], 0), ([], 0))


async def test_what_is_wrong_is_told_and_listed(tmp_path: Path) -> None:
    """With the position in the file; the last good version stays on the page."""
    knowledge = Drafts(tmp_path / "mine")
    knowledge.write("concepts/broken", lastUpdated="yesterday")
    app = open_app(knowledge, dev=True)
    live = (await app.website.get()).live
    assert live is not None
    problems = json.loads(live.describe())["problems"]
    location = f"{knowledge.root.name}/concepts/broken.md:"
    assert [p["code"] for p in problems if p["place"].startswith(location)] == ["KB012"]
    async with serving(app) as site:
        page = (await ask(site.port, "GET", "/problems")).body.decode()
    assert location in page
    assert "KB012" in page


async def test_without_development_there_is_nothing_of_it(app: Runtime) -> None:
    """D-086: problems name files that no other client may learn of."""
    async with serving(app) as site:
        for path in ("/problems", "/-/events"):
            assert (await ask(site.port, "GET", path)).status == 404
        assert b"data-events" not in (await ask(site.port, "GET", "/")).body


async def test_development_elsewhere_than_at_this_machine_shows_no_problems(
    knowledge: KnowledgeBase,
) -> None:
    """D-086: a server for others reveals nothing of its files."""
    app = open_app(knowledge, dev=True, host="0.0.0.0")
    assert (await app.website.get()).live is None


async def test_drafts_are_shown_marked_and_on_pages_only(tmp_path: Path) -> None:
    """D-086: they never leave over MCP; without the setting they are nowhere."""
    knowledge = Drafts(tmp_path / "mine")
    knowledge.write("concepts/not-yet", title="Not Yet", status="Draft")
    shown = open_app(knowledge, dev=True, drafts=True)
    async with serving(shown) as site:
        page = (await ask(site.port, "GET", "/concepts/not-yet")).body.decode()
        assert '<span class="badge draft">Draft</span>' in page
        body = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s"}}'
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        answer = await ask(site.port, "POST", "/mcp", headers, body % b"list_articles")
        assert answer.status == 200
        assert b"not-yet" not in answer.body
    hidden = open_app(knowledge, dev=True)
    async with serving(hidden) as site:
        assert (await ask(site.port, "GET", "/concepts/not-yet")).status == 404


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"dev": True, "host": "192.0.2.1"},
        {"dev": True, "base_url": "https://kb.example.com"},
        {"dev": True, "allow_host": ("kb.example.com",)},
    ],
)
def test_drafts_are_for_this_machine_in_development(
    knowledge: KnowledgeBase, settings: dict[str, Any]
) -> None:
    """D-086: the message names the required settings."""
    with pytest.raises(SettingsError, match="it needs --dev, a --host of this"):
        open_app(knowledge, drafts=True, **settings)
