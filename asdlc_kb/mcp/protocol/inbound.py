"""From what a door received to a call or a refusal. Pure: no I/O, no state.

The body decides the era (2026-07-28 basic/versioning): a request whose `_meta` names a
protocol version is stateless, `initialize` begins a handshake, the rest belongs to a
handshake made before. Headers are checked against the body, never the other way round.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

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

MAX_QUERY_CHARS: Final = 2_000
"""Characters of a query in the log, where it is there at all."""

VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"

_BEGIN: Final = "initialize"


@dataclass(frozen=True, slots=True)
class McpHeaders:
    """The MCP headers of an HTTP request, as they came; None where absent."""

    version: str | None = None
    session: str | None = None
    method: str | None = None
    name: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    """`Mcp-Param-*` by lower-case name without the prefix."""
    trace: str | None = None
    """`traceparent`, which is no header of MCP but may come with any request."""
    principal: str | None = None
    """Who sent the request, where the door had it proved; no header says so."""
    address: str | None = None
    """By what address its sender is counted; no header says so either."""


@dataclass(frozen=True, slots=True)
class InboundContext:
    """What a door knows of a message besides its text."""

    headers: McpHeaders | None = None
    """None on a channel without headers (stdio)."""
    negotiated: str | None = None
    """The version agreed before, by the live session or on this channel."""
    takes_envelope: bool = True
    """False on HTTP+SSE, which no stateless version defines."""


@dataclass(frozen=True, slots=True)
class Call:
    """A request that may be answered."""

    id: RequestId
    method: str
    params: dict[str, Any]
    version: str
    headers: McpHeaders | None = None

    @property
    def is_stateless(self) -> bool:
        """Whether the request stands alone (2026-07-28), without a handshake."""
        return self.version in STATELESS

    @property
    def is_cancellable(self) -> bool:
        """Whether a notification of its session may cancel it.

        Not `initialize` (2025-11-25 basic/utilities/cancellation), and not what stands
        alone over HTTP, where closing the stream does.
        """
        is_alone = self.is_stateless and self.headers is not None
        return not is_alone and self.method != _BEGIN

    @property
    def meta(self) -> Mapping[str, Any]:
        """The request's `_meta`, empty if absent or not an object."""
        meta = self.params.get("_meta")
        return meta if isinstance(meta, dict) else {}

    @property
    def target(self) -> str | None:
        """The tool, prompt or resource that is meant, as the body says."""
        row = methods.METHODS.get(self.method)
        value = self.params.get(row.mirrored) if row and row.mirrored else None
        return value if isinstance(value, str) else None

    @property
    def tool(self) -> str | None:
        """The name of the tool that is called."""
        name = self.params.get("name") if self.method == "tools/call" else None
        return name if isinstance(name, str) else None

    @property
    def query(self) -> str | None:
        """What a tool is to search for; None for all that is no search."""
        arguments = self.params.get("arguments") if self.tool else None
        query = arguments.get("query") if isinstance(arguments, dict) else None
        return query if isinstance(query, str) and query.strip() else None

    @property
    def trace(self) -> str | None:
        """The W3C traceparent: that of the call, or else of the request it came in."""
        sent = self.headers.trace if self.headers else None
        return param_headers.read_trace(self.meta.get("traceparent")) or sent

    def describe(self, *, with_query: bool = False) -> dict[str, Any]:
        """Return what a log says of the call, whichever door it came through.

        What was searched for is private, unless the operator wants it in the log.
        """
        query = self.query if with_query else None
        return {
            "method": self.method[:100],
            "tool": self.tool[:100] if self.tool else None,
            "query": query and query[:MAX_QUERY_CHARS],
            "version": self.version,
            "trace": self.trace,
        }


@dataclass(frozen=True, slots=True)
class InboundNotification:
    """A notification, to be accepted."""

    method: str
    params: dict[str, Any]
    headers: McpHeaders | None = None
    """Of one that belongs to a session over HTTP."""


@dataclass(frozen=True, slots=True)
class Ignored:
    """A response to nothing, to be accepted and dropped."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """A message that gets an error, and the HTTP status of that error."""

    error: ProtocolError
    status: int
    id: RequestId | None = None
    version: str = LATEST_HANDSHAKE


Inbound: TypeAlias = Call | InboundNotification | Ignored | Rejection


@dataclass(frozen=True, slots=True)
class Batch:
    """Several messages that are answered together (2025-03-26 basic/index)."""

    members: tuple[Inbound, ...]


def ends_handshake(message: Inbound) -> bool:
    """Whether a client that sends this has taken the answer to its `initialize`.

    A first request says so as well as the notification: some clients race them.
    """
    match message:
        case InboundNotification(method=method):
            return method == "notifications/initialized"
        case Call(method=method, is_stateless=False):
            return method not in {_BEGIN, "ping"}
    return False


MAX_BATCH_MEMBERS: Final = 50
"""Messages of one batch."""


def route(message: Any, facts: InboundContext) -> Inbound | Batch:
    """Tell what a parsed message asks for, and in which version it is answered."""
    if isinstance(message, list):
        return _route_batch(message, facts)
    return _route_one(message, facts)


def _route_batch(messages: list[Any], facts: InboundContext) -> Batch | Rejection:
    """Take an array where the version in force has batches."""
    stated = facts.headers.version if facts.headers else None
    if (facts.negotiated or stated or UNSTATED) not in BATCHING:
        return Rejection(
            InvalidRequest(data={"reason": "a message is one object"}), 400
        )
    if refusal := _check_session(facts, None):
        return refusal
    if not 1 <= len(messages) <= MAX_BATCH_MEMBERS:
        reason = f"a batch has 1 to {MAX_BATCH_MEMBERS} messages"
        return Rejection(InvalidRequest(data={"reason": reason}), 400)
    return Batch(tuple(_route_member(message, facts) for message in messages))


def _route_member(message: Any, facts: InboundContext) -> Inbound:
    """Route one message of a batch, which cannot be one that stands alone."""
    routed = _route_one(message, facts)
    if isinstance(routed, (Call, Rejection)) and _stands_alone(message):
        reason = "initialize, and a request with its own version, is sent alone"
        return Rejection(InvalidRequest(data={"reason": reason}), 400, routed.id)
    return routed


def _stands_alone(message: Any) -> bool:
    """Whether a message begins a handshake or names its own version."""
    match message:
        case {"method": "initialize"}:
            return True
        case {"params": dict(params)}:
            return _envelope(params) is not None
    return False


def _route_one(message: Any, facts: InboundContext) -> Inbound:
    try:
        parsed = jsonrpc.read(message)
    except InvalidRequest as error:
        return Rejection(error, 400, jsonrpc.extract_id(message))
    stated = facts.headers.version if facts.headers else None
    if isinstance(parsed, jsonrpc.JsonRpcResponse):
        if stated in STATELESS:
            return Rejection(InvalidRequest(data={"reason": "nothing was asked"}), 400)
        return Ignored()
    envelope = _envelope(parsed.params)
    if isinstance(parsed, jsonrpc.JsonRpcNotification):
        is_old = stated not in STATELESS or facts.negotiated is not None
        if envelope is not None or not is_old:
            return InboundNotification(parsed.method, parsed.params)
        notice = InboundNotification(parsed.method, parsed.params, facts.headers)
        return _check_session(facts, None) or notice
    if envelope is not None and not facts.takes_envelope:
        return Rejection(MethodNotFound(parsed.method), 404, parsed.id)
    if envelope is not None:
        return _route_stateless(parsed, envelope, facts.headers)
    if parsed.method == _BEGIN:
        return _route_initialize(parsed, facts)
    return _route_handshake(parsed, facts, stated)


def _envelope(params: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the `_meta` of a message that names its own version."""
    meta = params.get("_meta")
    return meta if isinstance(meta, dict) and VERSION_KEY in meta else None


def _route_initialize(request: jsonrpc.JsonRpcRequest, facts: InboundContext) -> Call:
    """Begin a handshake, whatever the headers say: clients leak old ones."""
    asked = request.params.get("protocolVersion")
    version = negotiate(asked) if isinstance(asked, str) else LATEST_HANDSHAKE
    return Call(request.id, request.method, request.params, version, facts.headers)


def _route_handshake(
    request: jsonrpc.JsonRpcRequest, facts: InboundContext, stated: str | None
) -> Call | Rejection:
    if stated in STATELESS and facts.negotiated is None:
        reason = f"_meta must have {VERSION_KEY} and {CAPABILITIES_KEY}"
        return Rejection(
            InvalidParams(f"Invalid params: {reason}"), 400, request.id, STATELESS[-1]
        )
    if refusal := _check_session(facts, request.id):
        return refusal
    stated_handshake = stated if stated in HANDSHAKE else None
    version = facts.negotiated or stated_handshake or UNSTATED
    return Call(request.id, request.method, request.params, version, facts.headers)


def _check_session(
    facts: InboundContext, request_id: RequestId | None
) -> Rejection | None:
    """Refuse an unknown version header (400) or an unknown session (404)."""
    if facts.headers is None:
        return None
    stated = facts.headers.version
    if stated is not None and stated not in SUPPORTED:
        return Rejection(_unsupported(stated), 400, request_id)
    if facts.headers.session is not None and facts.negotiated is None:
        return refuse_session(request_id)
    return None


def refuse_session(request_id: RequestId | None) -> Rejection:
    """Refuse a message of an unknown session, upon which a client begins anew."""
    return Rejection(InvalidRequest("Session not found"), 404, request_id)


def _route_stateless(
    request: jsonrpc.JsonRpcRequest, meta: Mapping[str, Any], sent: McpHeaders | None
) -> Call | Rejection:
    """Climb the ladder of 2026-07-28; the first rung that fails answers."""
    version = meta[VERSION_KEY]
    shape = version if version in STATELESS else STATELESS[-1]

    def refuse(error: ProtocolError, status: int = 400) -> Rejection:
        return Rejection(error, status, request.id, shape)

    if not isinstance(version, str):
        return refuse(InvalidParams(f"Invalid params: {VERSION_KEY} must be a string"))
    if not isinstance(meta.get(CAPABILITIES_KEY), dict):
        return refuse(
            InvalidParams(f"Invalid params: {CAPABILITIES_KEY} must be an object")
        )
    if sent is not None and sent.version != version:
        said = "is missing" if sent.version is None else "differs from the body"
        return refuse(
            HeaderMismatch(f"Header mismatch: MCP-Protocol-Version header {said}")
        )
    if version not in STATELESS:
        return refuse(_unsupported(version))
    try:
        if sent is not None:
            _require_plain("Mcp-Method", sent.method, request.method)
        row = methods.find_method(request.method, version)
        if row is None:
            return refuse(
                MethodNotFound(request.method, {"supported": list(SUPPORTED)}), 404
            )
        call = Call(request.id, request.method, request.params, version, sent)
        if sent is not None and call.target is not None:
            param_headers.require_equal("Mcp-Name", sent.name, call.target)
    except HeaderMismatch as error:
        return refuse(error)
    return call


def _require_plain(header: str, value: str | None, expected: str) -> None:
    """Raise HeaderMismatch unless a header that is never encoded says `expected`."""
    if value != expected:
        said = "is missing" if value is None else "differs from the body"
        raise HeaderMismatch(f"Header mismatch: {header} header {said}")


def _unsupported(version: str) -> UnsupportedVersion:
    data = {"supported": list(SUPPORTED), "requested": clip(version)}
    return UnsupportedVersion(data=data)
