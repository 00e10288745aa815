"""One process of several, and the applications that it has one after another."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic

import msgspec
import pytest
from support.knowledge import KnowledgeBase
from support.peers import EVENTS, Site, message, open_app, serving
from support.post import MessageExchange
from support.wire import ask, dial, until

from asdlc_kb.app import Runtime, rebuild
from asdlc_kb.cluster.membership import MAX_SILENT_SECONDS, ClusterMembership
from asdlc_kb.mcp.sessions.session_messages import ChannelMessage
from asdlc_kb.ops.metrics.counters import Metrics
from asdlc_kb.ops.metrics.definitions import DROPPED

KEY = b"k" * 32
METRICS = Metrics()
VERSION = "2025-11-25"


@asynccontextmanager
async def member(
    knowledge: KnowledgeBase, post: MessageExchange, name: str, key: bytes | None = KEY
) -> AsyncIterator[tuple[Site, ClusterMembership]]:
    """Yield one process of a cluster, with a limit of five calls."""
    end = post.end(name)
    membership = ClusterMembership(end, end, key, METRICS)
    app = open_app(knowledge, sessions=membership.sessions, rate_limit="5/hour")
    membership.follow(app.admission.limits.meters)
    async with serving(app) as site:
        yield site, membership
    await membership.leave()


async def shake_hands(site: Site) -> str:
    """Open a session; return its id."""
    client = {"name": "tests", "version": "1"}
    params = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client}
    answer = await site.post(message("initialize", params))
    session: str = answer.headers["Mcp-Session-Id"]
    return session


async def test_a_session_of_one_is_served_by_the_other(
    knowledge: KnowledgeBase,
) -> None:
    """Its id describes it: nothing is asked of another process."""
    post = MessageExchange()
    async with (
        member(knowledge, post, "one") as (home, _),
        member(knowledge, post, "two") as (other, _),
    ):
        headers = {"Mcp-Session-Id": await shake_hands(home)}
        post.ends.clear()
        answer = await other.post(message("tools/list"), headers)
        assert answer.code == 200


async def test_a_stream_is_ended_by_the_process_that_is_asked(
    knowledge: KnowledgeBase,
) -> None:
    """DELETE at one ends the stream that another holds."""
    post = MessageExchange()
    async with (
        member(knowledge, post, "one") as (home, _),
        member(knowledge, post, "two") as (other, membership),
        dial(home.port) as wire,
    ):
        headers = {"Mcp-Session-Id": await shake_hands(other)}
        await wire.request("GET", headers={**EVENTS, **headers})
        assert (await wire.head()).status == 200
        await until(lambda: len(membership.sessions) == 1)
        ended = await ask(other.port, "DELETE", headers=headers)
        assert ended.status == 204
        assert await wire.notice() is None
        assert (await home.post(message("ping"), headers)).code == 404


async def test_without_a_key_a_process_shares_no_session(
    knowledge: KnowledgeBase,
) -> None:
    """Any client of Redis could forge the messages."""
    post = MessageExchange()
    async with (
        member(knowledge, post, "one", None) as (home, _),
        member(knowledge, post, "two", None) as (other, _),
    ):
        headers = {"Mcp-Session-Id": await shake_hands(home)}
        assert (await other.post(message("ping"), headers)).code == 404
        assert (await home.post(message("ping"), headers)).code == 200


async def test_a_message_for_a_channel_that_is_closed_is_dropped_and_counted(
    knowledge: KnowledgeBase,
) -> None:
    """Whichever process had it: its client left, and gets no answer."""

    def count_dropped() -> int:
        return METRICS.read().get(f"{DROPPED.name}\tchannel", 0)

    post = MessageExchange()
    async with (
        member(knowledge, post, "one") as (_, first),
        member(knowledge, post, "two") as (_, second),
        member(knowledge, post, "three") as (_, _third),
    ):
        before = count_dropped()
        for holder in ("one", None, "nobody"):
            gone = ChannelMessage(key=b"x" * 16, holder=holder, text=b"answer")
            second.sessions.publish(gone)
        await until(lambda: count_dropped() == before + 2)
        assert len(first.sessions) == 0


async def test_limits_are_counted_together_until_the_rate_is_another_one(
    knowledge: KnowledgeBase,
) -> None:
    """D-095: a reload resets no counts, but a new rate starts new ones."""
    post = MessageExchange()

    async def is_refused(app: Runtime) -> None:
        await until(lambda: app.admission.limits.consume_call("192.0.2.1") is not None)

    async with (
        member(knowledge, post, "one") as (site, membership),
        member(knowledge, post, "two") as (_, other),
    ):
        sums = other._counts._windows

        def add_up() -> int:
            return sum(total for total, _ in sums.values())

        await asyncio.wait_for(is_refused(site.app), 10)
        await until(lambda: add_up() == 5)
        given = site.app.settings
        same = rebuild(site.app, msgspec.structs.replace(given, dev=True))
        membership.follow(same.admission.limits.meters)
        assert same.admission.limits.meters == site.app.admission.limits.meters
        after = rebuild(same, msgspec.structs.replace(given, rate_limit="9/hour"))
        membership.follow(after.admission.limits.meters)
        assert after.admission.limits.consume_call("192.0.2.1") is None
        await until(lambda: add_up() == 6)


async def test_limits_are_counted_anew_only_if_they_change(
    knowledge: KnowledgeBase,
) -> None:
    """A reload: what was shared goes on being shared."""
    end = MessageExchange().end("one")
    membership = ClusterMembership(end, end, KEY, METRICS)
    app = open_app(knowledge, rate_limit="12/min")
    membership.follow(app.admission.limits.meters)
    sync = membership._sync
    membership.follow(app.admission.limits.meters)
    assert membership._sync is sync
    other = open_app(knowledge, rate_limit="13/min")
    membership.follow(other.admission.limits.meters)
    assert membership._sync is not sync
    await membership.leave()


async def test_the_streams_of_a_silent_process_are_forgotten(
    knowledge: KnowledgeBase,
) -> None:
    """Redis does not notice that a replica was killed."""
    post = MessageExchange()
    async with (
        member(knowledge, post, "one") as (home, membership),
        member(knowledge, post, "two") as (other, _),
        dial(other.port) as wire,
    ):
        headers = {"Mcp-Session-Id": await shake_hands(home)}
        await wire.request("GET", headers={**EVENTS, **headers})
        assert (await wire.head()).status == 200
        await until(lambda: len(membership.sessions) == 1)
        (session,) = membership.sessions
        membership.forget_silent(monotonic() + MAX_SILENT_SECONDS - 1)
        assert session.holder == "two"
        membership.forget_silent(monotonic() + MAX_SILENT_SECONDS + 1)
        assert not session.has_stream


async def test_a_process_repeats_its_state_on_a_network(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A lost message is made up for, and silence shows an end."""
    monkeypatch.setattr("asdlc_kb.cluster.membership.ANNOUNCE_SECONDS", 0.01)
    post = MessageExchange()
    one, two = post.end("one"), post.end("two")

    async def work() -> None:
        """Connect to nothing."""

    first = ClusterMembership(one, one, KEY, METRICS, work=work)
    second = ClusterMembership(two, two, KEY, METRICS)
    await asyncio.sleep(0.01)
    channel = first.sessions.open_channel()
    post.is_down = True
    first.sessions.open_queue(channel)
    post.is_down = False
    assert second.sessions.find(channel.id) is None
    first.follow(())
    await until(lambda: second.sessions.find(channel.id) is not None)
    await first.leave()
    await second.leave()
