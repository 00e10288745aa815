"""The server end of the relay: serves local sessions to other processes."""

import logging
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from asdlc_kb.cluster.envelope import (
    Keepalive,
    ReaderKeepalive,
    RpcNotification,
    RpcRequest,
    RpcResponse,
    StreamCancel,
    StreamData,
    StreamEnd,
)
from asdlc_kb.cluster.outgoing import MessageSender
from asdlc_kb.cluster.rpc_client import ALIVE_SECONDS, SILENT_SECONDS, split_numbers
from asdlc_kb.cluster.transport import PeerUnreachable
from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.eras.session_routing import RemoteMessage
from asdlc_kb.mcp.protocol.inbound import McpHeaders
from asdlc_kb.mcp.server import McpServer
from asdlc_kb.mcp.subscriptions.event_queue import EventQueue
from asdlc_kb.mcp.subscriptions.sessions import Session

logger = logging.getLogger(__name__)

MAX_REQUESTS: Final = 1_000
"""Concurrent requests; the requesters of more must answer by themselves."""

MAX_STREAMS: Final = 10_000
"""Concurrent streams to other processes."""

_NOT_FOUND: Final = Response(404)

StreamKey: TypeAlias = tuple[str, int]
"""The requester, and the number of the exchange."""


@dataclass(slots=True, eq=False)
class _StreamPump:
    """Forwards an event queue to its reader."""

    session: Session
    heard: float
    told: float
    """When the last keepalive was sent to the reader."""
    feed: EventQueue | None = None
    """Opened at the reader's first keepalive: it may have timed out by then."""


class RemoteSessionServer:
    """The requests of other processes to this one."""

    def __init__(
        self, server: McpServer, office: MessageSender, clock: Callable[[], float]
    ) -> None:
        self.server = server
        self._office = office
        self._clock = clock
        self._questions: set[StreamKey] = set()
        self._pumps: dict[StreamKey, _StreamPump] = {}

    def take(self, sender: str, letter: object) -> bool:
        """Handle a message of a requester; False if it is not from one."""
        match letter:
            case RpcRequest(exchange=number):
                key = sender, number
                if key not in self._questions and key not in self._pumps:
                    self._begin(key, letter)
            case StreamCancel(exchange=number):
                self._drop((sender, number))
            case ReaderKeepalive(exchanges=numbers):
                for number in numbers:
                    self._hear((sender, number))
            case _:
                return False
        return True

    def look_after(self) -> None:
        """Send keepalives to requesters, and drop silent readers."""
        now = self._clock()
        due: defaultdict[str, list[int]] = defaultdict(list)
        for sender, number in self._questions:
            due[sender].append(number)
        for (sender, number), pump in tuple(self._pumps.items()):
            if now - pump.heard >= SILENT_SECONDS:
                self._drop((sender, number))
            elif now - pump.told >= ALIVE_SECONDS:
                pump.told = now
                due[sender].append(number)
        for sender, numbers in due.items():
            for part in split_numbers(numbers):
                self._office.post(sender, Keepalive(exchanges=part))

    def stop(self) -> None:
        """End every stream."""
        for key, pump in tuple(self._pumps.items()):
            if pump.feed is None:
                # Its reader may have started to read.
                self._office.post(key[0], StreamEnd(exchange=key[1]))
            self._drop(key)

    def _begin(self, key: StreamKey, question: RpcRequest) -> None:
        if question.matter == "stream":
            self._carry(key, question)
        elif len(self._questions) < MAX_REQUESTS:
            self._questions.add(key)
            self._office.start(self._answer(key, question))
        else:
            self._tell(key, Response(0))

    async def _answer(self, key: StreamKey, question: RpcRequest) -> None:
        """Respond to a request, after its notifications."""
        try:
            reply = await self._serve(question, self._emitter(key, question))
        except Exception:
            logger.exception("unexpected error while answering a peer")
            reply = Response(0)
        finally:
            self._questions.discard(key)
        self._tell(key, reply)

    def _emitter(
        self, key: StreamKey, question: RpcRequest
    ) -> Callable[[bytes], None] | None:
        """Return a callback that sends notifications, if the requester accepts them."""
        to, number = key

        def emit(text: bytes) -> None:
            if self._office.has_room:
                self._office.post(to, RpcNotification(exchange=number, text=text))

        return emit if question.takes_notes else None

    async def _serve(
        self, question: RpcRequest, emit: Callable[[bytes], None] | None
    ) -> Response:
        """Handle a request as the transport would if the client were connected here."""
        server = self.server
        if question.matter == "message":
            message = server.receive(question.text, _read_headers(question))
            if isinstance(message, RemoteMessage):
                return _NOT_FOUND
            remembered = server.ready(message)
            return remembered or await server.answer(message, emit)
        if question.matter == "channel":
            channel = server.find_channel(question.session, question.principal)
            if channel is None:
                return _NOT_FOUND
            message = server.receive(question.text, session=channel)
            assert not isinstance(message, RemoteMessage)
            return await server.answer_on_channel(channel, message)
        session = server.find_session(_read_headers(question))
        if session is None or not server.close_session(session.id):
            return _NOT_FOUND
        return Response(204)

    def _tell(self, key: StreamKey, reply: Response) -> None:
        to, number = key
        self._office.start(self._send(to, number, reply))

    async def _send(self, to: str, number: int, reply: Response) -> None:
        answer = RpcResponse(
            exchange=number,
            status=reply.status,
            body=reply.body,
            error=reply.error,
            is_cancelled=reply.is_cancelled,
            found=reply.found,
            has_failed=reply.has_failed,
        )
        try:
            await self._office.send(to, answer)
        except PeerUnreachable:
            if reply.body:
                # It may be too long for a message.
                self._office.post(to, RpcResponse(exchange=number, status=0))

    def _carry(self, key: StreamKey, question: RpcRequest) -> None:
        """Prepare a stream."""
        session = self.server.find_session(_read_headers(question))
        if session is None:
            self._tell(key, _NOT_FOUND)
        elif len(self._pumps) >= MAX_STREAMS:
            self._tell(key, Response(503))
        else:
            now = self._clock()
            self._pumps[key] = _StreamPump(session, now, now)
            self._tell(key, Response(200))

    def _hear(self, key: StreamKey) -> None:
        """Start or continue a stream after a keepalive of its reader."""
        pump = self._pumps.get(key)
        if pump is None:
            return
        pump.heard = self._clock()
        is_there = self.server.keep(pump.session)
        if pump.feed is None and is_there:
            pump.feed = self.server.open_queue(pump.session)
            self._office.start(self._pump(key, pump.feed))
        elif pump.feed is None:
            del self._pumps[key]
            self._office.post(key[0], StreamEnd(exchange=key[1]))

    def _drop(self, key: StreamKey) -> None:
        """End a stream."""
        pump = self._pumps.get(key)
        if pump is not None and pump.feed is not None:
            pump.feed.end()
        elif pump is not None:
            del self._pumps[key]

    async def _pump(self, key: StreamKey, feed: EventQueue) -> None:
        """Forward a queue until it ends, or its reader is gone."""
        to, number = key
        try:
            while messages := await feed.next():
                letter = StreamData(exchange=number, messages=tuple(messages))
                if not await self._office.send(to, letter):
                    return
            await self._office.send(to, StreamEnd(exchange=number))
        except PeerUnreachable:
            # Unsent events wait for the session's next stream.
            pass
        finally:
            feed.close()
            del self._pumps[key]


def _read_headers(question: RpcRequest) -> McpHeaders:
    """Return the MCP headers of the client's request."""
    return McpHeaders(
        version=question.version,
        session=question.session,
        principal=question.principal,
    )
