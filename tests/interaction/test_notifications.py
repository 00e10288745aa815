"""Notifications by change, channel and version: a table, cell by cell.

A change is made on disk and then scanned. Notifications are read up to a mark, the edit
of one more subscribed article, so that silence is seen without waiting for it.
"""

from collections.abc import Callable
from typing import Final

import pytest
from interaction.channels import CELLS, FLAGS, LISTEN_ID, check_head, open_channel
from interaction.raw import compose
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.peers import (
    EVENTS,
    HttpPeer,
    open_app,
    serving,
    shake_hands,
    stdio_peer,
)
from support.site import articles_of
from support.wire import dial

Events = list[tuple[str, str | None]]

TOOLS: Final = ("tools/list_changed", None)
PROMPTS: Final = ("prompts/list_changed", None)
RESOURCES: Final = ("resources/list_changed", None)
MARK: Final = "kb://article/zz-mark"
"""The last of all URIs, so its notification is the last of a scan."""

WATCHED: Final = "kb://article/watched"
UPDATED: Final = ("resources/updated", WATCHED)

CHANGES: Final[dict[str, tuple[Callable[[KnowledgeBase], object], Events]]] = {
    "a category appears": (lambda kb: kb.write("notes/first"), [TOOLS, RESOURCES]),
    "a category has its own prompt": (
        lambda kb: kb.write("patterns/first"),
        [TOOLS, PROMPTS, RESOURCES],
    ),
    "an article appears": (lambda kb: kb.write("concepts/new"), [RESOURCES]),
    "the text is edited": (
        lambda kb: kb.write("concepts/watched", body="Other text.\n"),
        [UPDATED],
    ),
    "the title is edited": (
        lambda kb: kb.write("concepts/watched", title="Other title"),
        [RESOURCES, UPDATED],
    ),
    "a draft is edited": (
        lambda kb: kb.write("concepts/draft", status="Draft", body="Other.\n"),
        [],
    ),
    "a draft appears": (lambda kb: kb.write("notes/x", status="Proposed"), []),
    "a draft is promoted": (lambda kb: kb.write("concepts/draft"), [RESOURCES]),
    "an article is demoted": (
        lambda kb: kb.write("concepts/watched", status="Draft"),
        [RESOURCES, UPDATED],
    ),
    "an article is deleted": (
        lambda kb: (kb.root / "concepts" / "watched.md").unlink(),
        [RESOURCES, UPDATED],
    ),
    "another article of the same slug appears": (
        lambda kb: kb.write("concepts-too/watched"),
        [TOOLS, RESOURCES, UPDATED],
    ),
    "an article that nobody subscribed to is edited": (
        lambda kb: kb.write("concepts/other", body="Other text.\n"),
        [],
    ),
}
"""A change, and its notifications in their order."""


@pytest.fixture
def content(knowledge: KnowledgeBase) -> KnowledgeBase:
    """One article to watch, one to mark the end with, one draft."""
    for name in ("zz-mark", "watched", "other"):
        knowledge.write(f"concepts/{name}")
    knowledge.write("concepts/draft", status="Draft")
    return knowledge


def mark(content: KnowledgeBase) -> None:
    """Edit the article that ends the notifications."""
    content.write("concepts/zz-mark", body="Marked.\n")


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(("channel", "version"), CELLS)
async def test_what_a_change_tells(
    content: KnowledgeBase, scanner: Scanner, channel: str, version: str, change: str
) -> None:
    """D-039: only visible changes are notified, on every channel, in every version."""
    make, expected = CHANGES[change]
    app = open_app(content)
    async with open_channel(channel, version, app, scanner, [MARK, WATCHED]) as opened:
        make(content)
        articles_of(app).load()
        mark(content)
        articles_of(app).load()
        assert await opened.read_until(MARK) == expected


@pytest.mark.parametrize(("channel", "version"), CELLS)
async def test_many_changes_at_once_are_told_once(
    content: KnowledgeBase, scanner: Scanner, channel: str, version: str
) -> None:
    """D-038: coalesced and deduplicated: neither the number nor the content is sent."""
    app = open_app(content)
    async with open_channel(channel, version, app, scanner, [MARK, WATCHED]) as opened:
        for number in range(5):
            content.write(f"concepts/new-{number}")
            content.write("concepts/watched", body=f"Edit {number}.\n")
            articles_of(app).load()
        mark(content)
        articles_of(app).load()
        assert await opened.read_until(MARK) == [RESOURCES, UPDATED]


KINDS = dict(zip(FLAGS, (TOOLS, PROMPTS, RESOURCES), strict=True))


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("channel", ["listen-http", "listen-stdio"])
async def test_a_listen_is_told_only_what_it_asked_for(
    content: KnowledgeBase, scanner: Scanner, channel: str, flag: str
) -> None:
    """2026-07-28 basic/patterns/subscriptions: other kinds MUST NOT be sent."""
    app = open_app(content)
    opening = open_channel(channel, "2026-07-28", app, scanner, [MARK], [flag])
    async with opening as opened:
        content.write("patterns/first")
        content.write("concepts/watched", body="Other text.\n")
        mark(content)
        articles_of(app).load()
        assert await opened.read_until(MARK) == [KINDS[flag]]


@pytest.mark.parametrize("version", ["2025-03-26", "2025-11-25"])
async def test_an_unsubscribed_resource_is_silent(
    content: KnowledgeBase, scanner: Scanner, version: str
) -> None:
    """The specification, server/resources, subscriptions; twice does no harm."""
    app = open_app(content)
    async with stdio_peer(app, version, scanner) as peer:
        for uri in (MARK, WATCHED, WATCHED):
            assert await peer.result("resources/subscribe", {"uri": uri}) == {}
        for _ in range(2):
            ended = await peer.result("resources/unsubscribe", {"uri": WATCHED})
            assert ended == {}
        content.write("concepts/watched", body="Other text.\n")
        mark(content)
        articles_of(app).load()
        assert (await peer.receive())["params"] == {"uri": MARK}


async def test_a_cancelled_listen_is_over(
    content: KnowledgeBase, scanner: Scanner
) -> None:
    """2026-07-28 basic/patterns/cancellation: nothing more, on stdio no answer."""
    app = open_app(content)
    async with stdio_peer(app, "2026-07-28", scanner) as peer:
        for request_id in (LISTEN_ID, "other"):
            params = {"notifications": {"resourcesListChanged": True}}
            peer.send(compose(peer, "subscriptions/listen", params, request_id))
            await peer.receive()
        cancelled = {"method": "notifications/cancelled", "params": {"requestId": 0}}
        peer.send({"jsonrpc": "2.0", **cancelled})
        assert await peer.result("tools/list")
        content.write("concepts/new")
        articles_of(app).load()
        meta = (await peer.receive())["params"]["_meta"]
        assert meta == {"io.modelcontextprotocol/subscriptionId": "other"}
        assert await peer.result("tools/list")


async def test_a_change_before_the_stream_is_told_when_it_opens(
    content: KnowledgeBase,
) -> None:
    """D-048: a change between initialize and GET is not lost."""
    app = open_app(content)
    async with serving(app) as site:
        peer = HttpPeer("2025-11-25", site=site)
        await shake_hands(peer)
        content.write("concepts/new")
        articles_of(app).load()
        async with dial(site.port) as wire:
            await wire.request("GET", headers=peer.headers({}) | EVENTS)
            await check_head(wire)
            notification = await wire.notice()
    assert notification["method"] == "notifications/resources/list_changed"
