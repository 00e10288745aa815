"""The era of `initialize`: versions up to 2025-11-25.

A translator in front of the dispatcher: it answers `initialize` and `ping`, and sends
every JSON-RPC error of a served request with HTTP 200 (2025-11-25 basic/transports).
"""

from typing import Any

from asdlc_kb.mcp import jsonrpc, methods
from asdlc_kb.mcp.dispatcher import CAPABILITIES, Dispatcher
from asdlc_kb.mcp.errors import (
    InternalError,
    InvalidParams,
    MethodNotFound,
    ProtocolError,
)
from asdlc_kb.mcp.inbound import Call
from asdlc_kb.mcp.provider import Context
from asdlc_kb.mcp.reply import Reply
from asdlc_kb.mcp.sessions import Sessions, SessionsExhausted
from asdlc_kb.mcp.shapes import encode, encode_error, encode_result
from asdlc_kb.mcp.types import Implementation


class Handshake:
    """Answers calls of the versions that begin with a handshake."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        identity: Implementation,
        instructions: str,
        sessions: Sessions,
    ) -> None:
        self._dispatcher = dispatcher
        self._identity = identity
        self._instructions = instructions
        self._sessions = sessions

    async def answer(self, call: Call, context: Context) -> Reply:
        """Return the answer to one call."""
        try:
            if methods.find(call.method, call.version) is None:
                raise MethodNotFound(call.method)
            if call.method == "initialize":
                return self._initialize(call)
            if call.method == "ping":
                result: Any = {}
            else:
                result = await self._dispatcher.dispatch(call.method, context)
        except ProtocolError as error:
            return self.fail(call, error)
        shaped = encode_result(result, call.version)
        return Reply(200, jsonrpc.write_result(call.id, shaped))

    def fail(self, call: Call, error: ProtocolError, status: int = 200) -> Reply:
        """Return an error answer."""
        described = encode_error(error, call.version)
        body = jsonrpc.write_error(call.id, described)
        return Reply(status, body, error=described["code"])

    def _initialize(self, call: Call) -> Reply:
        """Agree on a version; over HTTP, open a session for it."""
        if not isinstance(call.params.get("protocolVersion"), str):
            raise InvalidParams("Invalid params: protocolVersion must be a string")
        session_id = None
        if call.headers is not None:
            try:
                session_id = self._sessions.open(call.version).id
            except SessionsExhausted as error:
                return self.fail(call, InternalError(str(error)), status=503)
        result = {
            "protocolVersion": call.version,
            "capabilities": CAPABILITIES,
            "serverInfo": encode(self._identity, call.version),
            "instructions": self._instructions,
        }
        return Reply(
            200,
            jsonrpc.write_result(call.id, result),
            session=session_id,
            negotiated=call.version,
        )
