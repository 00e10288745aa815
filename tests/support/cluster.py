"""Processes of one server, simulated within the process of the test."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from asdlc_kb.cluster.membership import ClusterMembership
from asdlc_kb.ops.metrics.counters import Metrics
from support.knowledge import KnowledgeBase
from support.post import MessageExchange
from support.site import Site, open_app, serving

KEY = b"a key of this test"


@asynccontextmanager
async def neighbours(
    knowledge: KnowledgeBase, post: MessageExchange | None = None, **settings: Any
) -> AsyncIterator[tuple[Site, Site]]:
    """Serve the same twice over HTTP; each one finds the sessions of the other."""
    exchange = post or MessageExchange()
    async with AsyncExitStack() as stack:
        sites = []
        for name in ("first", "second"):
            end = exchange.end(name)
            membership = ClusterMembership(end, end, KEY, Metrics())
            app = open_app(knowledge, sessions=membership.sessions, **settings)
            membership.follow(app.admission.limits.meters)
            stack.push_async_callback(membership.leave)
            sites.append(await stack.enter_async_context(serving(app)))
        first, second = sites
        yield first, second
