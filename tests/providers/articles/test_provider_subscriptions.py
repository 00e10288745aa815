"""Subscriptions to `kb://article/{slug}`: their conditions, the spelling of events."""

import asyncio
import json
from typing import Any

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.library import index_articles
from support.peers import open_app
from support.shelf import DirectPeer
from support.site import articles_of
from support.wire import BOUND

from asdlc_kb.app import Runtime
from asdlc_kb.mcp.protocol.versions import HANDSHAKE
from asdlc_kb.providers.articles.provider import ArticleProvider

UPDATED = "notifications/resources/updated"
RELISTED = "notifications/resources/list_changed"


def updated(uri: str) -> dict[str, Any]:
    """Return the notification of a changed resource."""
    return {"jsonrpc": "2.0", "method": UPDATED, "params": {"uri": uri}}


async def notifications(app: Runtime, peer: DirectPeer) -> list[dict[str, Any]]:
    """Return the next notification to a peer, after a scan of the disk."""
    feed = app.server.sessions.open_queue(peer.session)
    try:
        articles_of(app).load()
        messages = await asyncio.wait_for(feed.next(), BOUND)
    finally:
        feed.close()
    return [json.loads(message) for message in messages]


def connect(app: Runtime, scanner: Scanner, version: str = "2025-11-25") -> DirectPeer:
    """Return a peer of an application."""
    return DirectPeer(version, server=app.server, scanner=scanner)


@pytest.mark.parametrize("version", HANDSHAKE)
@pytest.mark.parametrize("name", ["prune", "practices/prune", "%70rune"])
async def test_a_subscriber_is_notified_of_an_edit_in_its_own_spelling(
    small_base: KnowledgeBase, scanner: Scanner, version: str, name: str
) -> None:
    """The specification, resources: updated names the URI that was subscribed to."""
    app = open_app(small_base, structured_results=True)
    peer = connect(app, scanner, version)
    uri = f"kb://article/{name}"
    assert await peer.result("resources/subscribe", {"uri": uri}) == {}
    small_base.write("practices/prune", body="Other\n", lastUpdated="2025-02-01")
    assert updated(uri) in await notifications(app, peer)


async def test_a_name_of_any_script_may_be_spelt_plainly(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """RFC 3986: spellings of one resource are one subscription."""
    knowledge.write("concepts/größe")
    app = open_app(knowledge, structured_results=True)
    peer = connect(app, scanner)
    await peer.result("resources/subscribe", {"uri": "kb://article/größe"})
    knowledge.write("concepts/größe", body="Other\n")
    assert await notifications(app, peer) == [updated("kb://article/größe")]


async def test_a_subscriber_is_notified_of_a_demotion_and_then_reads_nothing(
    small_base: KnowledgeBase, scanner: Scanner
) -> None:
    """D-039: demotion is list_changed and updated; the next subscribe is that of a
    missing article.
    """
    app = open_app(small_base, structured_results=True)
    peer = connect(app, scanner)
    uri = "kb://article/the-spec"
    await peer.result("resources/subscribe", {"uri": uri})
    small_base.write("concepts/context-engineering", body="Other\n", status="Draft")
    small_base.write("patterns/other")
    small_base.write("patterns/the-spec", status="Deprecated")
    events = await notifications(app, peer)
    assert [event["method"] for event in events] == [RELISTED, UPDATED]
    assert events[1] == updated(uri)
    assert (await peer.error("resources/subscribe", {"uri": uri}))["code"] == -32002


@pytest.mark.parametrize(
    "name", ["nope", "known-draft", "concepts/known-draft", "twice", "", "%ff", "../x"]
)
async def test_what_reads_no_article_cannot_be_subscribed_to(
    small_base: KnowledgeBase, scanner: Scanner, name: str
) -> None:
    """D-002: hidden is the same as missing; -32002 with the URI."""
    app = open_app(small_base, structured_results=True)
    peer = connect(app, scanner)
    uri = f"kb://article/{name}"
    assert await peer.error("resources/subscribe", {"uri": uri}) == {
        "code": -32002,
        "message": "Resource not found",
        "data": {"uri": uri},
    }
    assert peer.session.subscription.filter.uris == {}


async def test_subscribing_to_a_draft_gives_no_notification(
    small_base: KnowledgeBase, scanner: Scanner
) -> None:
    """D-039: editing a draft is silent, also for a client that guesses its name."""
    app = open_app(small_base, structured_results=True)
    peer = connect(app, scanner)
    await peer.error("resources/subscribe", {"uri": "kb://article/known-draft"})
    small_base.write("concepts/known-draft", status="Draft", body="Other\n")
    feed = app.server.sessions.open_queue(peer.session)
    articles_of(app).load()
    feed.end()
    assert await feed.next() == []


@pytest.mark.parametrize(
    ("uri", "spelt"),
    [
        ("kb://article/the-spec", "kb://article/the-spec"),
        ("kb://article/%74he%2Dspec", "kb://article/the-spec"),
        ("kb://article/patterns%2Fthe-spec", "kb://article/patterns/the-spec"),
        ("kb://article/größe", "kb://article/gr%C3%B6%C3%9Fe"),
        ("kb://article/", "kb://article/"),
        ("kb://article/%ff", "kb://article/%ff"),
    ],
)
def test_a_uri_has_one_spelling_whether_it_is_there_or_not(
    small_base: KnowledgeBase, uri: str, spelt: str
) -> None:
    """D-117: events use the spelling of resources/list."""
    library = articles_of(open_app(small_base, structured_results=True))
    provider = ArticleProvider(library, index_articles(library))
    assert provider.canonical_uri(uri) == provider.canonical_uri(spelt) == spelt
