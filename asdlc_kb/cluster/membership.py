"""The membership of a process in the cluster: session relay and shared rate limits.

It lasts from start to end; a reload may replace the server and the limits.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from asdlc_kb.cluster.relay import ClusterRelay
from asdlc_kb.cluster.transport import Transport
from asdlc_kb.mcp.eras.session_routing import SessionIds
from asdlc_kb.mcp.server import McpServer
from asdlc_kb.mcp.subscriptions.sessions import Sessions
from asdlc_kb.mcp.subscriptions.subscribers import Subscribers
from asdlc_kb.ops.limits.rate_limit_sync import CounterStore, RateLimitSync
from asdlc_kb.ops.limits.rate_limiter import RateLimiter


class ClusterMembership:
    """Connects one process to the cluster."""

    def __init__(
        self,
        mail: Transport,
        sums: CounterStore,
        key: bytes | None,
        work: Callable[[], Coroutine[Any, Any, None]] | None = None,
    ) -> None:
        """Without a key sessions are not shared; `work` runs in the background."""
        self._mail = mail
        self._sums = sums
        self._key = key
        self._work = work
        self._relay: ClusterRelay | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._meters: tuple[RateLimiter, ...] = ()
        self._sharing: asyncio.Task[None] | None = None

    def open_subscribers(self) -> Subscribers:
        """Return subscribers whose sessions all processes can reach."""
        if self._key is None:
            return Subscribers()
        ids = SessionIds(self._mail.name, self._key)
        return Subscribers(Sessions(make_id=ids.make))

    def follow(self, server: McpServer, meters: tuple[RateLimiter, ...]) -> None:
        """Use this server and these limiters from now on."""
        self._begin(server)
        if self._relay is not None:
            self._relay.serve(server)
        server.relay = self._relay
        if meters != self._meters:
            self._meters = meters
            if self._sharing is not None:
                self._sharing.cancel()
            sharing = RateLimitSync(meters, self._sums)
            self._sharing = asyncio.ensure_future(sharing.run())

    async def leave(self) -> None:
        """Stop synchronization, the relay and background tasks."""
        if self._sharing is not None:
            self._sharing.cancel()
            await asyncio.wait((self._sharing,))
        if self._relay is not None:
            await self._relay.stop()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _begin(self, server: McpServer) -> None:
        """Start the background tasks, once."""
        if self._relay is None and self._key is not None:
            self._relay = ClusterRelay(server, self._mail, self._key)
            self._tasks.add(asyncio.ensure_future(self._relay.run()))
        if self._work is not None:
            self._tasks.add(asyncio.ensure_future(self._work()))
            self._work = None
