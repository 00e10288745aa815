"""The one object behind every door: bytes of a message in, a reply out.

Above: `web` and `stdio`, which move bytes. Below: the eras. Holds no connection, and
nothing is keyed by a client's request id.
"""

import logging
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from asdlc_kb.mcp import inbound, jsonrpc
from asdlc_kb.mcp.dispatcher import Dispatcher, ToolErrors
from asdlc_kb.mcp.errors import InternalError, ParseError
from asdlc_kb.mcp.handshake import Handshake
from asdlc_kb.mcp.inbound import Call, Facts, Headers, Inbound, Refusal
from asdlc_kb.mcp.provider import Context, Provider, Report
from asdlc_kb.mcp.reply import Reply
from asdlc_kb.mcp.sessions import Sessions
from asdlc_kb.mcp.shapes import encode_error
from asdlc_kb.mcp.stateless import CachingHints, Stateless
from asdlc_kb.mcp.types import Implementation

logger = logging.getLogger(__name__)

Emit: TypeAlias = Callable[[bytes], None]
"""Sends a notification to the peer of one call, before its answer."""

ACCEPTED = Reply(202)
"""The reply to a message that gets no answer."""


class Server:
    """Serves what its providers offer, in every version."""

    def __init__(
        self,
        providers: Sequence[Provider],
        identity: Implementation,
        *,
        instructions: str,
        hints: CachingHints,
        tool_errors: ToolErrors = "result",
        sessions: Sessions | None = None,
    ) -> None:
        self._sessions = Sessions() if sessions is None else sessions
        dispatcher = Dispatcher(providers, tool_errors)
        self._handshake = Handshake(dispatcher, identity, instructions, self._sessions)
        self._stateless = Stateless(dispatcher, identity, instructions, hints)

    def receive(
        self, text: bytes, headers: Headers | None = None, negotiated: str | None = None
    ) -> Inbound:
        """Tell what a message asks for.

        `headers` are those of an HTTP request, None on a channel without headers;
        `negotiated` is the version agreed on such a channel, if any yet.
        """
        try:
            message = jsonrpc.parse(text)
        except ParseError as error:
            return Refusal(error, 400)
        if headers is not None and headers.session is not None:
            session = self._sessions.find(headers.session)
            negotiated = session.version if session else None
        return inbound.route(message, Facts(headers, negotiated))

    async def answer(self, message: Inbound, emit: Emit | None = None) -> Reply:
        """Return the reply to a received message; never raises for a bad one."""
        if isinstance(message, Call):
            return await self._answer_call(message, emit)
        if isinstance(message, Refusal):
            described = encode_error(message.error, message.version)
            body = jsonrpc.write_error(message.id, described)
            return Reply(message.status, body, error=described["code"])
        return ACCEPTED

    def close_session(self, session_id: str) -> bool:
        """End a session at its client's wish; False if there was none."""
        return self._sessions.close(session_id)

    async def _answer_call(self, call: Call, emit: Emit | None) -> Reply:
        era = self._stateless if call.is_stateless else self._handshake
        capabilities = call.meta.get(inbound.CAPABILITIES_KEY, {})
        context = Context(call.version, call.params, capabilities)
        token: Any = call.meta.get("progressToken")
        is_token = isinstance(token, (str, int)) and not isinstance(token, bool)
        if emit is not None and is_token:
            report = _reporter(token, emit)
            context = Context(call.version, call.params, capabilities, report)
        try:
            return await era.answer(call, context)
        except Exception:
            # Whatever a provider failed to foresee: the details stay in the log.
            logger.exception("unforeseen failure", extra={"method": call.method})
            return era.fail(call, InternalError())


def _reporter(token: str | int, emit: Emit) -> Report:
    """Return a report that sends progress for `token`, which must increase."""
    reached: float | None = None

    async def report(progress: float, total: float | None, message: str | None) -> None:
        nonlocal reached
        if reached is not None and progress <= reached:
            return
        reached = progress
        params = {"progressToken": token, "progress": progress}
        if total is not None:
            params["total"] = total
        if message is not None:
            params["message"] = message
        emit(jsonrpc.write_notification("notifications/progress", params))

    return report
