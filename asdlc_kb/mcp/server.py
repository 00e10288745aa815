"""The one object behind every door: bytes of a message in, a reply out.

Above: `web` and `stdio`, which move bytes. Below: the eras. Holds no connection, and
nothing is keyed by a client's request id.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from traceback import format_exc
from typing import Any, Final, TypeAlias

from asdlc_kb.mcp.batch_limits import BatchLimiter
from asdlc_kb.mcp.dispatch.dispatcher import Dispatcher, ToolErrors
from asdlc_kb.mcp.dispatch.provider import CallContext, Provider, Report, Validator
from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.dispatch.result_cache import ResultCache
from asdlc_kb.mcp.eras.handshake import Handshake
from asdlc_kb.mcp.eras.session_routing import (
    RemoteMessage,
    RemoteReply,
    RemoteStream,
    SessionHostGone,
    SessionHostTimeout,
    SessionLocation,
    SessionRelay,
    belongs_to_session,
)
from asdlc_kb.mcp.eras.stateless import CachingHints, Stateless
from asdlc_kb.mcp.protocol import inbound, jsonrpc
from asdlc_kb.mcp.protocol.errors import InternalError, ParseError
from asdlc_kb.mcp.protocol.inbound import (
    Batch,
    Call,
    Inbound,
    InboundContext,
    InboundNotification,
    McpHeaders,
    Rejection,
)
from asdlc_kb.mcp.protocol.methods import METHODS
from asdlc_kb.mcp.protocol.model import Implementation, Progress
from asdlc_kb.mcp.protocol.versioned_encoding import encode, encode_error
from asdlc_kb.mcp.subscriptions.event_queue import EventQueue
from asdlc_kb.mcp.subscriptions.sessions import CallCancelled, Session
from asdlc_kb.mcp.subscriptions.subscribers import Subscribers

logger = logging.getLogger(__name__)

Emit: TypeAlias = Callable[[bytes], None]
"""Sends a notification to the peer of one call, before its answer."""

ACCEPTED = Response(202)
"""The reply to a message that gets no answer."""

OTHER: Final = "other"
"""What a method or tool is counted as that there is not: anybody can make up names."""

CANCELLED = Response(200, is_cancelled=True)
"""The reply to a call that its client cancelled."""


class McpServer:
    """Serves what its providers offer, in every version."""

    def __init__(
        self,
        providers: Sequence[Provider],
        identity: Implementation,
        *,
        instructions: str,
        hints: CachingHints,
        tool_errors: ToolErrors = "result",
        audience: Subscribers | None = None,
        shows_tracebacks: bool = False,
    ) -> None:
        self.relay: SessionRelay | None = None
        """How sessions of other processes are reached, where there are any."""
        self._shows_tracebacks = shows_tracebacks
        self.audience = Subscribers() if audience is None else audience
        """Whoever may be told of changes: it outlives this object."""
        self._sessions = self.audience.sessions
        self._answers = ResultCache()
        self._batches = BatchLimiter()
        self._dispatcher = dispatcher = Dispatcher(providers, tool_errors)
        self._handshake = Handshake(dispatcher, identity, instructions, self._sessions)
        self._stateless = Stateless(
            dispatcher, identity, instructions, hints, self.audience.bus
        )

    def receive(
        self,
        text: bytes,
        headers: McpHeaders | None = None,
        session: Session | None = None,
    ) -> RemoteReply:
        """Tell what a message asks for.

        `headers` are those of an HTTP request; a channel without headers (stdio,
        HTTP+SSE) gives its session instead.
        """
        try:
            message = jsonrpc.parse(text)
        except ParseError as error:
            return Rejection(error, 400, jsonrpc.recover_id(text))
        origin = None
        if headers is not None:
            session = self.find_session(headers)
            if session is None:
                origin = self._locate(headers)
        agreed = session or origin
        routed = inbound.route(
            message,
            InboundContext(
                headers,
                negotiated=agreed.version if agreed else None,
                takes_envelope=not (session and session.id and session.is_channel),
            ),
        )
        if headers is not None and origin is not None and belongs_to_session(routed):
            assert isinstance(routed, (Call, InboundNotification, Batch))
            return RemoteMessage(routed, text, headers, origin)
        if session is not None and not session.is_begun:
            members = routed.members if isinstance(routed, Batch) else (routed,)
            if any(inbound.ends_handshake(member) for member in members):
                session.begin()
        return routed

    def ready(self, message: RemoteReply) -> Response | None:
        """Return the answer that is remembered for a message; None: ask `answer`.

        Never blocks, and costs a few microseconds.
        """
        if not isinstance(message, Call):
            return None
        try:
            stamp = self._stamp(message)
        except Exception:
            # `answer` meets it again, and tells of it.
            return None
        if stamp is None:
            return None
        kept = self._answers.find(message, stamp)
        if kept is None:
            return None
        return Response(
            200, jsonrpc.write_with_id(message.id, kept.result), found=kept.found
        )

    async def answer(
        self,
        message: RemoteReply,
        emit: Emit | None = None,
        session: Session | None = None,
    ) -> Response:
        """Return the reply to a received message; never raises for a bad one."""
        if isinstance(message, RemoteMessage):
            return await self._ask_home(message, emit)
        if isinstance(message, Batch):
            answer = partial(self.answer, emit=emit, session=session)
            body = await self._batches.answer(message, answer)
            return Response(200, body) if body else ACCEPTED
        if (
            isinstance(message, (Call, InboundNotification))
            and message.headers is not None
        ):
            session = self.find_session(message.headers)
        if isinstance(message, Call):
            # An answer that cannot be a stream comes whatever happens
            # (2025-11-25 basic/utilities/cancellation).
            is_fixed = message.headers is not None and emit is None
            if session is None or is_fixed or not message.is_cancellable:
                return await self._answer_call(message, emit, session)
            try:
                with session.running(message.id):
                    return await self._answer_call(message, emit, session)
            except CallCancelled:
                return CANCELLED
        if isinstance(message, InboundNotification):
            if session is not None and message.method == "notifications/cancelled":
                session.cancel(message.params.get("requestId"))
            return ACCEPTED
        if isinstance(message, Rejection):
            described = encode_error(message.error, message.version)
            body = jsonrpc.write_error(message.id, described)
            return Response(message.status, body, error=described["code"])
        return ACCEPTED

    def name(self, message: Inbound | Batch | None) -> tuple[str, str]:
        """Return the method and tool by which a message is counted: of those known."""
        if isinstance(message, Batch):
            return "batch", ""
        if not isinstance(message, Call) or message.method not in METHODS:
            return OTHER, ""
        if message.method != "tools/call":
            return message.method, ""
        tool = message.tool or ""
        return message.method, tool if self._dispatcher.find_tool(tool) else OTHER

    def find_session(self, headers: McpHeaders) -> Session | None:
        """Return the live session that a request names, if any."""
        if not headers.session:
            return None
        session = self._sessions.find(headers.session, headers.principal)
        return None if session is None or session.is_channel else session

    def find_channel(
        self, session_id: str, principal: str | None = None
    ) -> Session | None:
        """Return the live session of an HTTP+SSE stream."""
        session = self._sessions.find(session_id, principal)
        return session if session is not None and session.is_channel else None

    def open_channel(
        self, principal: str | None = None, address: str | None = None
    ) -> Session:
        """Begin the session of an HTTP+SSE stream; raise SessionsExhausted."""
        return self._sessions.open(None, principal, address=address, is_channel=True)

    def keep(self, session: Session) -> bool:
        """Mark a session as used; False if it has ended."""
        return self._sessions.keep(session)

    def close_session(self, session_id: str) -> bool:
        """End a session that is kept here; False if there was none."""
        return self._sessions.close(session_id)

    async def end_session(self, headers: McpHeaders) -> bool:
        """End the session that a request names, wherever; False if there was none."""
        if (session := self.find_session(headers)) is not None:
            return self.close_session(session.id)
        origin = self._locate(headers)
        if origin is None or self.relay is None or headers.session is None:
            return False
        try:
            return await self.relay.close_session(headers.session, origin)
        except (SessionHostGone, SessionHostTimeout):
            return False

    async def open_stream(self, headers: McpHeaders) -> RemoteStream | None:
        """Return a stream of the session that a request names, if there is one."""
        if (session := self.find_session(headers)) is not None:
            return RemoteStream(
                self.open_feed(session), partial(self._sessions.keep, session)
            )
        origin = self._locate(headers)
        if origin is None or self.relay is None or headers.session is None:
            return None
        try:
            return await self.relay.open_stream(headers.session, origin)
        except (SessionHostGone, SessionHostTimeout):
            return None

    async def answer_over(self, channel: Session, message: Inbound | Batch) -> Response:
        """Answer over the stream of a channel; return what the message's POST gets."""
        if isinstance(message, Rejection) and isinstance(message.error, ParseError):
            return await self.answer(message)
        (feed,) = channel.feeds
        reply = await self.answer(message, feed.post, channel)
        if reply.body:
            feed.post(reply.body)
        return replace(reply, status=202, body=b"")

    def receive_for_channel(
        self, session_id: str, text: bytes, principal: str | None = None
    ) -> Inbound | Batch | None:
        """Tell what a message asks for whose channel is kept elsewhere.

        None if there is no such channel. The version that it agreed on is not known
        here: its home tells again what is asked.
        """
        headers = McpHeaders(session=session_id, principal=principal)
        if self._locate(headers, is_channel=True) is None:
            return None
        message = self.receive(text)
        assert not isinstance(message, RemoteMessage)
        return message

    async def forward_to_channel(
        self, session_id: str, text: bytes, principal: str | None = None
    ) -> Response | None:
        """Hand a message to a channel that is kept elsewhere; None if there is none."""
        headers = McpHeaders(session=session_id, principal=principal)
        origin = self._locate(headers, is_channel=True)
        if origin is None or self.relay is None:
            return None
        try:
            return await self.relay.forward_to_channel(session_id, origin, text)
        except (SessionHostGone, SessionHostTimeout):
            return None

    def open_feed(self, session: Session) -> EventQueue:
        """Return what a stream of this session carries.

        A session without an id is in no store: its outbox is served for as long as
        its feed is open.
        """
        unsubscribe = (
            None if session.id else self.audience.bus.subscribe(session.outbox)
        )

        def release() -> None:
            session.feeds.discard(feed)
            if unsubscribe is not None:
                unsubscribe()

        feed = EventQueue(session.outbox, release=release)
        session.feeds.add(feed)
        return feed

    def _locate(
        self, headers: McpHeaders, *, is_channel: bool = False
    ) -> SessionLocation | None:
        """Return where else the session that is named is kept, if anywhere."""
        if headers.session is None or self.relay is None:
            return None
        origin = self.relay.locate(headers.session)
        if origin is None or origin.is_channel is not is_channel:
            return None
        return replace(origin, principal=headers.principal)

    async def _ask_home(self, message: RemoteMessage, emit: Emit | None) -> Response:
        """Return the reply of a session's home.

        What needs nothing of the session is answered here where that is silent.
        """
        assert self.relay is not None
        try:
            return await self.relay.forward(message, emit)
        except SessionHostTimeout:
            if not message.is_bound:
                return await self.answer(message.message, emit)
        except SessionHostGone:
            pass
        meant = message.message
        request_id = meant.id if isinstance(meant, Call) else None
        return await self.answer(inbound.refuse_session(request_id))

    async def _answer_call(
        self, call: Call, emit: Emit | None, session: Session | None
    ) -> Response:
        capabilities = call.meta.get(inbound.CAPABILITIES_KEY, {})
        context = CallContext(call.version, call.params, capabilities)
        token: Any = call.meta.get("progressToken")
        if emit is not None and jsonrpc.is_id(token):
            report = _reporter(token, call.version, emit)
            context = CallContext(call.version, call.params, capabilities, report)
        era = self._stateless if call.is_stateless else self._handshake
        try:
            # Taken before the work: what changes meanwhile makes it another stamp.
            stamp = self._stamp(call)
            if call.is_stateless:
                reply = await self._stateless.answer(call, context)
            else:
                reply = await self._handshake.answer(call, context, session)
            if stamp is not None and reply.result:
                self._answers.keep(call, stamp, reply.result, found=reply.found)
            return reply
        except Exception:
            # Whatever a provider failed to foresee: the details stay in the log.
            told = {"method": call.method[:100], "trace": call.trace}
            logger.exception("unforeseen failure", extra=told)
            trace = format_exc() if self._shows_tracebacks else None
            return era.fail(call, InternalError(data=trace and {"traceback": trace}))

    def _stamp(self, call: Call) -> Validator | None:
        """Return what the call's result is made from; None if it is made anew.

        Mirrored parameters are to be compared with the call's, so it is made anew.
        """
        if call.headers is not None and call.headers.parameters:
            return None
        return self._dispatcher.stamp(call.method, call.params)


def _reporter(token: str | int, version: str, emit: Emit) -> Report:
    """Return a report that sends progress for `token`, which must increase."""
    reached: float | None = None

    async def report(progress: float, total: float | None, message: str | None) -> None:
        nonlocal reached
        if reached is not None and progress <= reached:
            return
        reached = progress
        told = Progress(
            progress_token=token, progress=progress, total=total, message=message
        )
        params = encode(told, version)
        emit(jsonrpc.write_notification("notifications/progress", params))

    return report
