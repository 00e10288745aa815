"""The era of `initialize`: versions up to 2025-11-25.

A translator in front of the dispatcher: it answers `initialize` and `ping`, stores
a session's subscriptions, and sends every JSON-RPC error of an accepted request with
HTTP 200 (2025-11-25 basic/transports).
"""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from asdlc_kb.mcp.dispatch.dispatcher import Dispatcher
from asdlc_kb.mcp.dispatch.provider import CallContext
from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.protocol import jsonrpc, methods
from asdlc_kb.mcp.protocol.errors import (
    InternalError,
    InvalidParams,
    InvalidRequest,
    MethodNotFound,
    ProtocolError,
    ResourceNotFound,
    clip,
)
from asdlc_kb.mcp.protocol.inbound import Call
from asdlc_kb.mcp.protocol.model import Implementation, ToolResult
from asdlc_kb.mcp.protocol.versioned_encoding import (
    encode,
    encode_capabilities,
    encode_result,
)
from asdlc_kb.mcp.sessions.session import Session
from asdlc_kb.mcp.sessions.session_store import SessionsExhausted
from asdlc_kb.mcp.sessions.sessions import (
    MAX_SUBSCRIPTIONS,
    MAX_SUBSCRIPTIONS_PER_CLIENT,
    Sessions,
)


class Handshake:
    """Answers calls of the versions that begin with a handshake."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        identity: Implementation,
        instructions: Callable[[], str],
        sessions: Sessions,
    ) -> None:
        self._dispatcher = dispatcher
        self._identity = identity
        self._instructions = instructions
        self._sessions = sessions

    def answer_now(self, call: Call) -> Response | None:
        """Return the response to a tool call that takes no waiting; None: `answer`."""
        result = self._dispatcher.call_now(call.params)
        return None if result is None else _respond(call, result)

    async def answer(
        self, call: Call, context: CallContext, session: Session | None
    ) -> Response:
        """Return the response to one call, with or without a session."""
        try:
            if methods.find_method(call.method, call.version) is None:
                raise MethodNotFound(call.method)
            match call.method:
                case "initialize":
                    return await self._initialize(call, session)
                case "ping":
                    result: Any = {}
                case "resources/subscribe":
                    result = await self._subscribe(call, session)
                case "resources/unsubscribe":
                    result = self._unsubscribe(call, session)
                case _:
                    result = await self._dispatcher.dispatch(call.method, context)
        except ProtocolError as error:
            return self.fail(call, error)
        return _respond(call, result)

    def fail(self, call: Call, error: ProtocolError) -> Response:
        """Return an error response."""
        return Response.of_error(error, call.id, version=call.version)

    async def _subscribe(self, call: Call, session: Session | None) -> dict[str, Any]:
        """Subscribe the session to updates of a resource."""
        session, uri = _require_session(call, session)
        if not await self._dispatcher.exists(uri):
            raise ResourceNotFound(data={"uri": clip(uri)})
        canonical = self._dispatcher.canonical_uri(uri)
        if canonical not in session.subscription.filter.uris:
            self._check_limits(session)
        try:
            self._sessions.subscribe(session, uri, canonical)
        except SessionsExhausted as error:
            raise InternalError(data={"reason": str(error)}) from None
        return {}

    def _check_limits(self, session: Session) -> None:
        """Raise InvalidParams if a session or its client has too many subscriptions."""
        if len(session.subscription.filter.uris) >= MAX_SUBSCRIPTIONS:
            raise InvalidParams(f"{MAX_SUBSCRIPTIONS} resources are subscribed to")
        if self._sessions.count_subscriptions(session) >= MAX_SUBSCRIPTIONS_PER_CLIENT:
            reason = f"{MAX_SUBSCRIPTIONS_PER_CLIENT} resources are subscribed to"
            raise InvalidParams(f"{reason} by all sessions of this client")

    def _unsubscribe(self, call: Call, session: Session | None) -> dict[str, Any]:
        """Unsubscribe the session, whether it was subscribed or not."""
        session, uri = _require_session(call, session)
        self._sessions.unsubscribe(session, self._dispatcher.canonical_uri(uri))
        return {}

    async def _initialize(self, call: Call, session: Session | None) -> Response:
        """Negotiate a version, for this channel or for a new session over HTTP."""
        if not isinstance(call.params.get("protocolVersion"), str):
            raise InvalidParams("Invalid params: protocolVersion must be a string")
        session_id = session.id if session is not None else ""
        if call.headers is not None or session is None:
            session_id = self._sessions.ids.issue(
                call.version,
                call.headers.principal if call.headers else None,
                client_name=call.client_name,
                lists=await self._dispatcher.digest_recent_lists(),
            )
        else:
            self._sessions.negotiate(session, call.version, call.client_name)
        result = {
            "protocolVersion": call.version,
            "capabilities": encode_capabilities(
                self._dispatcher.capabilities, call.version
            ),
            "serverInfo": encode(self._identity, call.version),
            "instructions": self._instructions(),
        }
        body = jsonrpc.write_result(call.id, result)
        return Response(200, body, session=session_id or None)


def _respond(call: Call, result: Any) -> Response:
    """Return the response with a result, not yet encoded."""
    if call.needs_structure and isinstance(result, ToolResult):
        result = replace(result, structured_content=result.structured_content or {})
    return Response.of(call.id, encode_result(result, call.version), result)


def _require_session(call: Call, session: Session | None) -> tuple[Session, str]:
    """Return the session and the URI parameter; raise if either is missing."""
    uri = call.params.get("uri")
    if not isinstance(uri, str):
        raise InvalidParams("Invalid params: uri must be a string")
    if session is None:
        reason = "subscriptions belong to a session: send initialize first"
        raise InvalidRequest(data={"reason": reason})
    return session, uri
