"""The session relay over messages: both ends of it, in every process."""

import asyncio
import logging
from collections.abc import Callable
from time import monotonic
from typing import Final

from asdlc_kb.cluster.envelope import RpcRequest, RpcResponse
from asdlc_kb.cluster.outgoing import MessageSender
from asdlc_kb.cluster.rpc_client import RemoteSessionClient
from asdlc_kb.cluster.rpc_server import RemoteSessionServer
from asdlc_kb.cluster.transport import Transport
from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.eras.session_routing import (
    RemoteMessage,
    RemoteStream,
    SessionHostGone,
    SessionIds,
    SessionLocation,
)
from asdlc_kb.mcp.server import McpServer

logger = logging.getLogger(__name__)

ROUND_SECONDS: Final = 0.5
"""Interval of the timeout checks and keepalives."""

STOP_SECONDS: Final = 1.0
"""Time limit of pending tasks at the end."""


class ClusterRelay:
    """Forwards requests to session hosts, and serves those for local sessions."""

    def __init__(
        self,
        server: McpServer,
        mail: Transport,
        key: bytes,
        *,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._ids = SessionIds(mail.name, key)
        self._office = MessageSender(mail, key)
        self._asking = RemoteSessionClient(self._office, clock)
        self._home = RemoteSessionServer(server, self._office, clock)
        self._has_warned = False
        mail.listen(self._take)

    def serve(self, server: McpServer) -> None:
        """Use another server from now on; pending requests continue."""
        self._home.server = server

    def locate(self, session_id: str) -> SessionLocation | None:
        """Return the location of a remote session, from its id."""
        origin = self._ids.read(session_id)
        is_here = origin is not None and origin.home == self._ids.home
        return None if is_here else origin

    async def forward(
        self, message: RemoteMessage, emit: Callable[[bytes], None] | None
    ) -> Response:
        """Return the host's response to a message."""
        assert message.headers.session is not None
        question = RpcRequest(
            exchange=self._asking.number(),
            matter="message",
            session=message.headers.session,
            version=message.headers.version,
            principal=message.origin.principal,
            text=message.text,
            takes_notes=emit is not None,
        )
        answer = await self._asking.ask(
            message.origin.home, question, emit, hurries=not message.is_bound
        )
        return _read(answer)

    async def forward_to_channel(
        self, session_id: str, origin: SessionLocation, text: bytes
    ) -> Response:
        """Forward a message to the host of an HTTP+SSE stream."""
        question = RpcRequest(
            exchange=self._asking.number(),
            matter="channel",
            session=session_id,
            principal=origin.principal,
            text=text,
        )
        return _read(await self._asking.ask(origin.home, question))

    async def close_session(self, session_id: str, origin: SessionLocation) -> bool:
        """End a session; False if there was none."""
        question = RpcRequest(
            exchange=self._asking.number(),
            matter="close",
            session=session_id,
            principal=origin.principal,
        )
        return (await self._asking.ask(origin.home, question)).status == 204

    async def open_stream(
        self, session_id: str, origin: SessionLocation
    ) -> RemoteStream | None:
        """Return a stream of a session; None if there is no such session."""
        question = RpcRequest(
            exchange=self._asking.number(),
            matter="stream",
            session=session_id,
            principal=origin.principal,
        )
        return await self._asking.open_stream(origin.home, question)

    async def run(self) -> None:
        """Check timeouts and send keepalives until cancelled."""
        while True:
            await asyncio.sleep(ROUND_SECONDS)
            self.look_after()

    def look_after(self) -> None:
        """Expire silent exchanges, and send keepalives for the others."""
        self._asking.look_after()
        self._home.look_after()

    async def stop(self) -> None:
        """End every stream, at both ends."""
        self._home.stop()
        self._asking.stop()
        await self._office.stop(STOP_SECONDS)

    def _take(self, sender: str, data: bytes) -> None:
        """Handle a received message; must not raise, whatever it contains."""
        try:
            letter = self._office.open(sender, data)
            if letter is not None:
                if not self._asking.take(sender, letter):
                    self._home.take(sender, letter)
                return
        except Exception:
            logger.exception("unexpected error while handling a message")
            return
        if not self._has_warned:
            self._has_warned = True
            logger.warning(
                "dropped peer messages: malformed, replayed or authenticated with "
                "another session key"
            )


def _read(answer: RpcResponse) -> Response:
    """Return a response; raise SessionHostGone if its process has no such session."""
    if answer.status == 404 and not answer.body:
        raise SessionHostGone
    return Response(
        answer.status,
        answer.body,
        error=answer.error,
        is_cancelled=answer.is_cancelled,
        found=answer.found,
        has_failed=answer.has_failed,
    )
