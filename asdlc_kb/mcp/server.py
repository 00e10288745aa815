"""The MCP server behind every transport: bytes of a message in, a response out.

Above: `web` and `stdio`, which move bytes. Below: the eras. Holds no connection, and
no state is keyed by a client's request id.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from time import monotonic, time
from traceback import format_exc
from typing import Any, Final, NamedTuple, TypeAlias

from asdlc_kb.mcp.batch_limits import BatchLimiter
from asdlc_kb.mcp.dispatch.dispatcher import Dispatcher, ToolErrors
from asdlc_kb.mcp.dispatch.list_digests import compare_digests
from asdlc_kb.mcp.dispatch.provider import CallContext, Provider, Report, Validator
from asdlc_kb.mcp.dispatch.response import AnsweredMember, Response
from asdlc_kb.mcp.dispatch.result_cache import CachedResult, PreparedCall, ResultCache
from asdlc_kb.mcp.eras.handshake import Handshake
from asdlc_kb.mcp.eras.stateless import CachingHints, Stateless
from asdlc_kb.mcp.event_limits import fit_event
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
from asdlc_kb.mcp.protocol.versioned_encoding import encode
from asdlc_kb.mcp.sessions.session import CallCancelled, Session
from asdlc_kb.mcp.sessions.sessions import Sessions
from asdlc_kb.mcp.subscriptions.events import Event, ResourcesChanged

logger = logging.getLogger(__name__)

Emit: TypeAlias = Callable[[bytes], None]
"""Sends a notification to the client of one call, before the response."""

ACCEPTED = Response(202)
"""The response to a message that has no JSON-RPC response."""

MAX_CHANNEL_WAIT_SECONDS: Final = 0.25
"""Maximum wait of a message for the announcement of its channel."""

_CHANNEL_PAUSE_SECONDS: Final = 0.01

OTHER: Final = "other"
"""Metric label of unknown methods and tools: clients can invent names."""

CANCELLED = Response(200, is_cancelled=True)
"""The response to a call that its client cancelled."""


class ReadyResult(NamedTuple):
    """The encoded result of a call that was answered without waiting."""

    result: bytes
    total: int | None
    """The total of a list or a search, if it has one."""
    document: str | None
    """The URI of the document in the result, if it has one."""
    is_cached: bool


class McpServer:
    """Serves its providers in every protocol version."""

    def __init__(
        self,
        providers: Sequence[Provider],
        identity: Implementation,
        *,
        instructions: Callable[[], str],
        hints: CachingHints,
        tool_errors: ToolErrors = "result",
        structured_results: bool = True,
        sessions: Sessions | None = None,
        shows_tracebacks: bool = False,
        results: ResultCache | None = None,
        since: float = 0.0,
    ) -> None:
        """`instructions` is called for each client that initializes or discovers.

        Events of its providers are published `since` a time, in seconds since 1970.
        """
        self._since = since
        self._shows_tracebacks = shows_tracebacks
        self.sessions = Sessions() if sessions is None else sessions
        """The sessions and subscriptions; they outlive this object."""
        self._results = results or ResultCache()
        self._batches = BatchLimiter()
        self._dispatcher = dispatcher = Dispatcher(
            providers, tool_errors, structured_results=structured_results
        )
        self._handshake = Handshake(dispatcher, identity, instructions, self.sessions)
        self._stateless = Stateless(
            dispatcher, identity, instructions, hints, self.sessions.bus
        )

    def receive(
        self,
        text: bytes,
        headers: McpHeaders | None = None,
        session: Session | None = None,
    ) -> Inbound | Batch:
        """Parse and classify a message.

        `headers` are those of an HTTP request; a channel without headers (stdio,
        HTTP+SSE) passes its session instead.
        """
        try:
            message = jsonrpc.parse(text)
        except ParseError as error:
            return Rejection(error, 400, jsonrpc.recover_id(text))
        if headers is not None:
            session = self.find_session(headers)
        routed = inbound.route(
            message,
            InboundContext(
                headers,
                negotiated=session.version if session else None,
                client_name=session.client_name if session else "",
                accepts_envelope=not (session and session.id and session.is_channel),
            ),
        )
        if session is not None and not session.is_initialized:
            members = routed.members if isinstance(routed, Batch) else (routed,)
            if any(inbound.ends_handshake(member) for member in members):
                self.sessions.begin(session)
        return routed

    def cached_response(self, message: Inbound | Batch) -> Response | None:
        """Return the cached response to a message; None: call `answer`.

        Never blocks, and takes a few microseconds.
        """
        if not isinstance(message, Call):
            return None
        try:
            prepared = PreparedCall(message)
            cached = self._find_cached(prepared, self._compute_validator(message))
        except Exception:
            # `answer` raises it again, and logs it.
            return None
        if cached is None:
            return None
        body = jsonrpc.write_with_id(message.id, cached.result)
        return Response(200, body, total=cached.total, document=cached.document)

    def answer_now(
        self, prepared: PreparedCall, may_compute: Callable[[], bool]
    ) -> ReadyResult | None:
        """Return the result of a call, whatever its id; None: call `answer`.

        It is the cached one, or that of a tool call that takes no waiting and succeeds;
        `may_compute` is asked before that is made. May raise what `answer` would log.
        """
        call = prepared.call
        validator = self._compute_validator(call)
        cached = self._find_cached(prepared, validator)
        if cached is not None:
            return ReadyResult(
                cached.result, cached.total, cached.document, is_cached=True
            )
        if call.method != "tools/call" or not may_compute():
            return None
        era = self._stateless if call.is_stateless else self._handshake
        reply = era.answer_now(call)
        if reply is None or not reply.result:
            return None
        if validator is not None:
            self._store(prepared, validator, reply)
        return ReadyResult(reply.result, reply.total, reply.document, is_cached=False)

    async def answer(
        self,
        message: Inbound | Batch,
        emit: Emit | None = None,
        session: Session | None = None,
    ) -> Response:
        """Return the response to a message; never raises for an invalid one."""
        if isinstance(message, Batch):
            return await self._answer_batch(message, emit, session)
        if (
            isinstance(message, (Call, InboundNotification))
            and message.headers is not None
        ):
            session = self.find_session(message.headers)
        if isinstance(message, Call):
            # A response that cannot be a stream is sent in any case
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
                self.sessions.cancel(session, message.params.get("requestId"))
            return ACCEPTED
        if isinstance(message, Rejection):
            return Response.of_error(
                message.error,
                message.id,
                status=message.status,
                version=message.version,
            )
        return ACCEPTED

    def has_target(self, method: str, name: str) -> bool:
        """Whether a method has a target of that name: a tool, or a prompt."""
        return self._dispatcher.has_target(method, name)

    def metric_labels(self, message: Inbound | Batch | None) -> tuple[str, str]:
        """Return the metric labels of a message: its method and tool, if known."""
        if isinstance(message, Batch):
            return "batch", ""
        if not isinstance(message, Call) or message.method not in METHODS:
            return OTHER, ""
        if message.method != "tools/call":
            return message.method, ""
        tool = message.tool or ""
        return message.method, tool if self._dispatcher.find_tool(tool) else OTHER

    def find_session(self, headers: McpHeaders) -> Session | None:
        """Return the live session that a request refers to, if any."""
        if not headers.session:
            return None
        session = self.sessions.find(
            headers.session, headers.principal, headers.address, headers.sources
        )
        return None if session is None or session.is_channel else session

    async def await_channel(
        self, session_id: str, principal: str | None = None
    ) -> Session | None:
        """Return a channel; wait a moment for one that another process just opened."""
        end = monotonic() + MAX_CHANNEL_WAIT_SECONDS
        while (channel := self.find_channel(session_id, principal)) is None:
            is_possible = self.sessions.ids.is_new_channel(session_id, principal)
            if not is_possible or monotonic() >= end:
                return None
            await asyncio.sleep(_CHANNEL_PAUSE_SECONDS)
        return channel

    def find_channel(
        self, session_id: str, principal: str | None = None
    ) -> Session | None:
        """Return the live session of an HTTP+SSE stream, whichever process holds it."""
        session = self.sessions.find(session_id, principal)
        return session if session is not None and session.is_channel else None

    def end_session(self, headers: McpHeaders) -> bool:
        """End the session of a request; False if there was none."""
        session = self.find_session(headers)
        if session is not None:
            self.sessions.end(session)
        return session is not None

    async def find_missed(self, session: Session) -> list[Event]:
        """Return the events of lists that changed since the issue of a session's id.

        The session is stored from now on, so that it receives further changes.
        """
        if session.claims is None or session.is_caught_up:
            return []
        self.sessions.store(session)
        after = await self._dispatcher.digest_lists()
        missed = compare_digests(session.claims.lists, after)
        if session.claims.issued < int(self._since):
            missed.append(ResourcesChanged())
        return missed

    async def answer_on_channel(
        self, channel: Session, message: Inbound | Batch
    ) -> Response:
        """Answer on a channel's stream; return the response to the message's POST."""
        if isinstance(message, Rejection) and isinstance(message.error, ParseError):
            return await self.answer(message)
        emit = partial(self.sessions.send, channel)
        reply = fit_event(message, await self.answer(message, emit, channel))
        if reply.body:
            self.sessions.send(channel, reply.body)
        return replace(reply, status=202, body=b"")

    async def _answer_batch(
        self, batch: Batch, emit: Emit | None, session: Session | None
    ) -> Response:
        members: list[AnsweredMember] = []

        async def answer(member: Inbound) -> Response:
            started = monotonic()
            reply = await self.answer(member, emit, session)
            kept = replace(reply, body=b"", result=b"")
            spent = monotonic() - started
            members.append(AnsweredMember(member, kept, spent, time()))
            return reply

        body = await self._batches.answer(batch, answer)
        return replace(
            Response(200, body) if body else ACCEPTED, members=tuple(members)
        )

    async def _answer_call(
        self, call: Call, emit: Emit | None, session: Session | None
    ) -> Response:
        capabilities = call.meta.get(inbound.CAPABILITIES_KEY, {})
        context = CallContext(call.version, call.params, capabilities)
        token: Any = call.meta.get("progressToken")
        if emit is not None and jsonrpc.is_id(token):
            report = _make_reporter(token, call.version, emit)
            context = CallContext(call.version, call.params, capabilities, report)
        era = self._stateless if call.is_stateless else self._handshake
        try:
            # Computed before the work: a change meanwhile invalidates the result.
            validator = self._compute_validator(call)
            if call.is_stateless:
                reply = await self._stateless.answer(call, context)
            else:
                reply = await self._handshake.answer(call, context, session)
            if validator is not None and reply.result:
                self._store(PreparedCall(call), validator, reply)
            return reply
        except Exception:
            # An unexpected failure of a provider: the details stay in the log.
            extra = {"method": call.method[:100], "trace": call.trace}
            logger.exception("unexpected error", extra=extra)
            trace = format_exc() if self._shows_tracebacks else None
            return era.fail(call, InternalError(data=trace and {"traceback": trace}))

    def _find_cached(
        self, prepared: PreparedCall, validator: Validator | None
    ) -> CachedResult | None:
        return None if validator is None else self._results.find(prepared, validator)

    def _store(
        self, prepared: PreparedCall, validator: Validator, reply: Response
    ) -> None:
        """Cache the result of a response."""
        self._results.store(
            prepared,
            validator,
            reply.result,
            total=reply.total,
            document=reply.document,
        )

    def _compute_validator(self, call: Call) -> Validator | None:
        """Return the validator of a call's result; None if it is not cacheable.

        Mirrored parameters must be compared with the call's, so they disable caching.
        """
        if call.headers is not None and call.headers.parameters:
            return None
        return self._dispatcher.validator(call.method, call.params)


def _make_reporter(token: str | int, version: str, emit: Emit) -> Report:
    """Return a callback that sends progress for `token`; it must increase."""
    last_progress: float | None = None

    async def report(progress: float, total: float | None, message: str | None) -> None:
        nonlocal last_progress
        if last_progress is not None and progress <= last_progress:
            return
        last_progress = progress
        progress_params = Progress(
            progress_token=token, progress=progress, total=total, message=message
        )
        params = encode(progress_params, version)
        emit(jsonrpc.write_notification("notifications/progress", params))

    return report
