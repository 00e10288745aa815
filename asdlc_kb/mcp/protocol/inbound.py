"""Classification of inbound messages. Pure: no I/O, no state.

The body decides the era (2026-07-28 basic/versioning): a request whose `_meta` names a
protocol version is stateless, `initialize` begins a handshake, the rest belongs to an
earlier handshake. Headers are checked against the body, never the other way round.
"""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import msgspec

from asdlc_kb.mcp.protocol import jsonrpc, methods, param_headers
from asdlc_kb.mcp.protocol.errors import (
    HeaderMismatch,
    InvalidParams,
    InvalidRequest,
    MethodNotFound,
    ProtocolError,
    UnsupportedVersion,
    clip,
)
from asdlc_kb.mcp.protocol.jsonrpc import RequestId
from asdlc_kb.mcp.protocol.versions import (
    BATCHING,
    HANDSHAKE,
    LATEST_HANDSHAKE,
    STATELESS,
    SUPPORTED,
    UNSTATED,
    negotiate,
)

MAX_LOGGED_CHARS: Final = 2_000
"""Characters of a query in the log, if queries are logged."""

VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"
CLIENT_KEY: Final = "io.modelcontextprotocol/clientInfo"

MAX_CLIENT_NAME_CHARS: Final = 40
"""Characters of a client's name that are used."""

_INITIALIZE: Final = "initialize"

GEMINI_CLI: Final = "gemini-cli-mcp-client"
"""The name of Gemini CLI, which parses the first text of a result without
`structuredContent` as JSON, takes the value for it, and rejects all but objects."""


class McpHeaders(msgspec.Struct, frozen=True):
    """The MCP headers of an HTTP request, unparsed; None if absent."""

    version: str | None = None
    session: str | None = None
    method: str | None = None
    name: str | None = None
    parameters: Mapping[str, str] = msgspec.field(default_factory=dict)
    """`Mcp-Param-*` by lower-case name without the prefix."""
    trace: str | None = None
    """`traceparent` (W3C Trace Context), not an MCP header."""
    principal: str | None = None
    """The owner of the sender's sessions, if any; not from an MCP header."""
    address: str | None = None
    """The client address for limits; not from an MCP header either."""
    sources: frozenset[str] | None = None
    """The names of the sources that the sender may see; None for all."""


class InboundContext(msgspec.Struct, frozen=True):
    """The transport's context of a message: headers and session state."""

    headers: McpHeaders | None = None
    """None on a channel without headers (stdio)."""
    negotiated: str | None = None
    """The negotiated version of the live session or of this channel."""
    accepts_envelope: bool = True
    """False on HTTP+SSE, which no stateless version specifies."""
    client_name: str = ""
    """The name that the session's client sent in `initialize`."""


class Call(msgspec.Struct, frozen=True):
    """A valid request."""

    id: RequestId
    method: str
    params: dict[str, Any]
    version: str
    headers: McpHeaders | None = None
    client_name: str = ""
    """The name that the client gives itself, if it does."""

    @property
    def needs_structure(self) -> bool:
        """Whether the client rejects results without `structuredContent` (D-146)."""
        return self.client_name == GEMINI_CLI

    @property
    def is_stateless(self) -> bool:
        """Whether the request has its own version (2026-07-28), not a handshake's."""
        return self.version in STATELESS

    @property
    def is_cancellable(self) -> bool:
        """Whether a notification of its session may cancel it.

        Not `initialize` (2025-11-25 basic/utilities/cancellation), and not a stateless
        request over HTTP, where closing the stream does.
        """
        is_stateless_http = self.is_stateless and self.headers is not None
        return not is_stateless_http and self.method != _INITIALIZE

    @property
    def meta(self) -> Mapping[str, Any]:
        """The request's `_meta`, empty if absent or not an object."""
        meta = self.params.get("_meta")
        return meta if isinstance(meta, dict) else {}

    @property
    def target(self) -> str | None:
        """The tool, prompt or resource that the body names."""
        row = methods.METHODS.get(self.method)
        value = self.params.get(row.mirrored) if row and row.mirrored else None
        return value if isinstance(value, str) else None

    @property
    def tool(self) -> str | None:
        """The name of the called tool."""
        name = self.params.get("name") if self.method == "tools/call" else None
        return name if isinstance(name, str) else None

    @property
    def query(self) -> str | None:
        """The query of a search; None for other calls."""
        arguments = self.params.get("arguments") if self.tool else None
        query = arguments.get("query") if isinstance(arguments, dict) else None
        return query if isinstance(query, str) and query.strip() else None

    @property
    def trace(self) -> str | None:
        """The W3C traceparent of the call, or else of its HTTP request."""
        sent = self.headers.trace if self.headers else None
        return param_headers.read_trace(self.meta.get("traceparent")) or sent

    def describe(self, *, with_query: bool = False) -> dict[str, Any]:
        """Return the call's fields in the access log, for any transport.

        Queries are private: they are included only if the operator enables it.
        """
        query = self.query if with_query else None
        return {
            "method": self.method[:100],
            "tool": self.tool[:100] if self.tool else None,
            "query": query and query[:MAX_LOGGED_CHARS],
            "version": self.version,
            "client": self.client_name or None,
            "trace": self.trace,
        }


class InboundNotification(msgspec.Struct, frozen=True):
    """A notification that is accepted."""

    method: str
    params: dict[str, Any]
    headers: McpHeaders | None = None
    """The headers of its HTTP request, if it belongs to a session."""


class Ignored(msgspec.Struct, frozen=True):
    """A client's response; accepted and dropped: this server sends no requests."""


class Rejection(msgspec.Struct, frozen=True):
    """An error response to an invalid message, with its HTTP status."""

    error: ProtocolError
    status: int
    id: RequestId | None = None
    version: str = LATEST_HANDSHAKE


Inbound: TypeAlias = Call | InboundNotification | Ignored | Rejection


class Batch(msgspec.Struct, frozen=True):
    """Messages with one common response (2025-03-26 basic/index)."""

    members: tuple[Inbound, ...]


def ends_handshake(message: Inbound) -> bool:
    """Whether a message implies that the client got the response to `initialize`.

    True for a first request as well as for the notification: some clients race them.
    """
    match message:
        case InboundNotification(method=method):
            return method == "notifications/initialized"
        case Call(method=method, is_stateless=False):
            return method not in {_INITIALIZE, "ping"}
    return False


MAX_BATCH_MEMBERS: Final = 50
"""Messages of one batch."""


def route(message: Any, context: InboundContext) -> Inbound | Batch:
    """Classify a parsed message, and determine the version of its response."""
    if isinstance(message, list):
        return _route_batch(message, context)
    return _route_one(message, context)


def _route_batch(messages: list[Any], context: InboundContext) -> Batch | Rejection:
    """Classify an array; reject it if the version in force has no batches."""
    header_version = context.headers.version if context.headers else None
    if (context.negotiated or header_version or UNSTATED) not in BATCHING:
        return Rejection(
            InvalidRequest(data={"reason": "a message is one object"}), 400
        )
    if rejection := _check_session(context, None):
        return rejection
    if not 1 <= len(messages) <= MAX_BATCH_MEMBERS:
        reason = f"a batch has 1 to {MAX_BATCH_MEMBERS} messages"
        return Rejection(InvalidRequest(data={"reason": reason}), 400)
    return Batch(tuple(_route_member(message, context) for message in messages))


def _route_member(message: Any, context: InboundContext) -> Inbound:
    """Classify one message of a batch; reject one that must be sent alone."""
    routed = _route_one(message, context)
    if isinstance(routed, (Call, Rejection)) and _must_be_alone(message):
        reason = "initialize, and a request with its own version, is sent alone"
        return Rejection(InvalidRequest(data={"reason": reason}), 400, routed.id)
    return routed


def _must_be_alone(message: Any) -> bool:
    """Whether a message is `initialize` or names its own version."""
    match message:
        case {"method": "initialize"}:
            return True
        case {"params": dict(params)}:
            return _envelope(params) is not None
    return False


def _route_one(message: Any, context: InboundContext) -> Inbound:
    try:
        parsed = jsonrpc.read(message)
    except InvalidRequest as error:
        return Rejection(error, 400, jsonrpc.extract_id(message))
    header_version = context.headers.version if context.headers else None
    if isinstance(parsed, jsonrpc.JsonRpcResponse):
        if header_version in STATELESS:
            return Rejection(InvalidRequest(data={"reason": "nothing was asked"}), 400)
        return Ignored()
    envelope = _envelope(parsed.params)
    if isinstance(parsed, jsonrpc.JsonRpcNotification):
        is_sessionful = (
            header_version not in STATELESS or context.negotiated is not None
        )
        if envelope is not None or not is_sessionful:
            return InboundNotification(parsed.method, parsed.params)
        notification = InboundNotification(
            parsed.method, parsed.params, context.headers
        )
        return _check_session(context, None) or notification
    if envelope is not None and not context.accepts_envelope:
        return Rejection(MethodNotFound(parsed.method), 404, parsed.id)
    if envelope is not None:
        return _route_stateless(parsed, envelope, context.headers)
    if parsed.method == _INITIALIZE:
        return _route_initialize(parsed, context)
    return _route_handshake(parsed, context, header_version)


def _envelope(params: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the `_meta` of a message that names its own version."""
    meta = params.get("_meta")
    return meta if isinstance(meta, dict) and VERSION_KEY in meta else None


def _route_initialize(request: jsonrpc.JsonRpcRequest, context: InboundContext) -> Call:
    """Classify `initialize`, ignoring the headers: clients leak old ones."""
    requested = request.params.get("protocolVersion")
    version = negotiate(requested) if isinstance(requested, str) else LATEST_HANDSHAKE
    return Call(
        request.id,
        request.method,
        request.params,
        version,
        context.headers,
        read_client_name(request.params.get("clientInfo")),
    )


def read_client_name(info: Any) -> str:
    """Return the name in the `clientInfo` of a client, or nothing."""
    name = info.get("name") if isinstance(info, dict) else None
    return name[:MAX_CLIENT_NAME_CHARS] if isinstance(name, str) else ""


def _route_handshake(
    request: jsonrpc.JsonRpcRequest, context: InboundContext, header_version: str | None
) -> Call | Rejection:
    if header_version in STATELESS and context.negotiated is None:
        reason = f"_meta must have {VERSION_KEY} and {CAPABILITIES_KEY}"
        return Rejection(
            InvalidParams(f"Invalid params: {reason}"), 400, request.id, STATELESS[-1]
        )
    if rejection := _check_session(context, request.id):
        return rejection
    stated_handshake = header_version if header_version in HANDSHAKE else None
    version = context.negotiated or stated_handshake or UNSTATED
    return Call(
        request.id,
        request.method,
        request.params,
        version,
        context.headers,
        context.client_name,
    )


def _check_session(
    context: InboundContext, request_id: RequestId | None
) -> Rejection | None:
    """Reject an unknown version header (400) or an unknown session (404)."""
    if context.headers is None:
        return None
    header_version = context.headers.version
    if header_version is not None and header_version not in SUPPORTED:
        return Rejection(_unsupported(header_version), 400, request_id)
    if context.headers.session is not None and context.negotiated is None:
        # The client must initialize again.
        return Rejection(InvalidRequest("Session not found"), 404, request_id)
    return None


def _route_stateless(
    request: jsonrpc.JsonRpcRequest, meta: Mapping[str, Any], sent: McpHeaders | None
) -> Call | Rejection:
    """Validate a request of 2026-07-28; the first failed check is the response."""
    version = meta[VERSION_KEY]
    error_version = version if version in STATELESS else STATELESS[-1]

    def reject(error: ProtocolError, status: int = 400) -> Rejection:
        return Rejection(error, status, request.id, error_version)

    if not isinstance(version, str):
        return reject(InvalidParams(f"Invalid params: {VERSION_KEY} must be a string"))
    if not isinstance(meta.get(CAPABILITIES_KEY), dict):
        return reject(
            InvalidParams(f"Invalid params: {CAPABILITIES_KEY} must be an object")
        )
    if sent is not None and sent.version != version:
        return reject(param_headers.mismatch("MCP-Protocol-Version", sent.version))
    if version not in STATELESS:
        return reject(_unsupported(version))
    # This header is never encoded.
    if sent is not None and sent.method != request.method:
        return reject(param_headers.mismatch("Mcp-Method", sent.method))
    if methods.find_method(request.method, version) is None:
        return reject(
            MethodNotFound(request.method, {"supported": list(SUPPORTED)}), 404
        )
    client_name = read_client_name(meta.get(CLIENT_KEY))
    call = Call(request.id, request.method, request.params, version, sent, client_name)
    if sent is not None and call.target is not None:
        try:
            param_headers.require_equal("Mcp-Name", sent.name, call.target)
        except HeaderMismatch as error:
            return reject(error)
    return call


def _unsupported(version: str) -> UnsupportedVersion:
    data = {"supported": list(SUPPORTED), "requested": clip(version)}
    return UnsupportedVersion(data=data)
