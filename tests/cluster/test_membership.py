"""One process of several, and the applications that it has one after another."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import msgspec
from support.knowledge import KnowledgeBase
from support.peers import Site, message, open_app, serving
from support.post import MessageExchange
from support.wire import until

from asdlc_kb.app import Runtime, rebuild
from asdlc_kb.cluster.membership import ClusterMembership

KEY = b"k" * 32
VERSION = "2025-11-25"


class Sheet:
    """Sums of all processes of a test."""

    def __init__(self) -> None:
        self.sums: Counter[str] = Counter()

    async def exchange(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        """Add up."""
        self.sums.update(counted)
        return {key: self.sums[key] for key in counted}


@asynccontextmanager
async def member(
    knowledge: KnowledgeBase, post: MessageExchange, sheet: Sheet, name: str
) -> AsyncIterator[tuple[Site, ClusterMembership]]:
    """Yield one process of a company, with a limit of five calls."""
    company = ClusterMembership(post.end(name), sheet, KEY)
    app = open_app(knowledge, audience=company.open_subscribers(), rate_limit="5/hour")
    company.follow(app.server, app.admission.limits.meters)
    async with serving(app) as site:
        yield site, company
    await company.leave()


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
    """D-049: its id names its process, which answers."""
    post, sheet = MessageExchange(), Sheet()
    async with (
        member(knowledge, post, sheet, "one") as (home, _),
        member(knowledge, post, sheet, "two") as (other, _),
    ):
        headers = {"Mcp-Session-Id": await shake_hands(home)}
        answer = await other.post(message("tools/list"), headers)
        assert answer.code == 200
        assert [(sender, to) for sender, to, _ in post.carried] == [
            ("two", "one"),
            ("one", "two"),
        ]


async def test_others_are_answered_by_the_application_in_force(
    knowledge: KnowledgeBase,
) -> None:
    """D-095: requests of other processes get the current runtime."""
    post, sheet = MessageExchange(), Sheet()
    async with (
        member(knowledge, post, sheet, "one") as (home, company),
        member(knowledge, post, sheet, "two") as (other, _),
    ):
        headers = {"Mcp-Session-Id": await shake_hands(home)}
        settings = msgspec.structs.replace(home.app.settings, tool_errors="protocol")
        after = rebuild(home.app, settings)
        company.follow(after.server, after.admission.limits.meters)
        assert after.server.relay is home.app.server.relay
        params = {"name": "get_article", "arguments": {"slug": "none"}}
        answer = await other.post(message("tools/call", params), headers)
        assert b'"error"' in answer.body


async def test_limits_are_counted_together_until_the_rate_is_another_one(
    knowledge: KnowledgeBase,
) -> None:
    """D-095: a reload resets no counts, but a new rate starts new ones."""
    post, sheet = MessageExchange(), Sheet()

    async def is_refused(app: Runtime) -> None:
        await until(lambda: app.admission.limits.consume_call("192.0.2.1") is not None)

    async with member(knowledge, post, sheet, "one") as (site, company):
        await asyncio.wait_for(is_refused(site.app), 10)
        await until(lambda: sum(sheet.sums.values()) == 5)
        given = site.app.settings
        same = rebuild(site.app, msgspec.structs.replace(given, dev=True))
        company.follow(same.server, same.admission.limits.meters)
        assert same.admission.limits.meters == site.app.admission.limits.meters
        after = rebuild(same, msgspec.structs.replace(given, rate_limit="9/hour"))
        company.follow(after.server, after.admission.limits.meters)
        assert after.admission.limits.consume_call("192.0.2.1") is None
        await until(lambda: sum(sheet.sums.values()) == 6)


async def test_limits_are_counted_anew_only_if_they_change(
    knowledge: KnowledgeBase,
) -> None:
    """A reload: what was shared goes on being shared."""
    company = ClusterMembership(MessageExchange().end("one"), Sheet(), KEY)
    app = open_app(knowledge, rate_limit="12/min")
    company.follow(app.server, app.admission.limits.meters)
    sharing = company._sharing
    company.follow(app.server, app.admission.limits.meters)
    assert company._sharing is sharing
    other = open_app(knowledge, rate_limit="13/min")
    company.follow(other.server, other.admission.limits.meters)
    assert company._sharing is not sharing
    await company.leave()
