"""Processes of one server, simulated within the process of the test."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from asdlc_kb.cluster.membership import ClusterMembership
from asdlc_kb.cluster.relay import ClusterRelay
from asdlc_kb.mcp.dispatch.provider import Provider
from asdlc_kb.mcp.eras.session_routing import SessionIds
from asdlc_kb.mcp.server import McpServer
from asdlc_kb.mcp.subscriptions.sessions import Sessions
from asdlc_kb.mcp.subscriptions.subscribers import Subscribers
from support.knowledge import KnowledgeBase
from support.post import MessageExchange
from support.shelf import make_server
from support.site import Site, open_app, serving

KEY = b"a key of this test"


@dataclass
class Process:
    """A server and its relay."""

    name: str
    server: McpServer
    relay: ClusterRelay


@dataclass
class Cluster:
    """Processes that know each other, with one clock."""

    post: MessageExchange = field(default_factory=MessageExchange)
    now: float = 1000.0

    def start(self, name: str, *providers: Provider) -> Process:
        """Start a process."""
        mail = self.post.end(name)
        ids = SessionIds(name, KEY)
        sessions = Sessions(make_id=ids.make, clock=lambda: self.now)
        server = make_server(*providers, audience=Subscribers(sessions))
        server.relay = relay = ClusterRelay(server, mail, KEY, clock=lambda: self.now)
        return Process(name, server, relay)


class NoSums:
    """Counts of a single process."""

    async def exchange(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        """Return no counts."""
        return {}


@asynccontextmanager
async def neighbours(
    knowledge: KnowledgeBase, **given: Any
) -> AsyncIterator[tuple[Site, Site]]:
    """Serve the same twice over HTTP; each one finds the sessions of the other."""
    post = MessageExchange()
    async with AsyncExitStack() as stack:
        sites = []
        for name in ("first", "second"):
            company = ClusterMembership(post.end(name), NoSums(), KEY)
            app = open_app(knowledge, audience=company.open_subscribers(), **given)
            company.follow(app.server, app.admission.limits.meters)
            stack.push_async_callback(company.leave)
            sites.append(await stack.enter_async_context(serving(app)))
        first, second = sites
        yield first, second
