"""The era without sessions: 2026-07-28.

A translator in front of the dispatcher: it answers `server/discover`, opens the streams
of `subscriptions/listen`, checks mirrored parameters, and adds the fields of every
result of this era: `resultType`, the server's identity and the caching hints
(basic/index, server/utilities/caching).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from asdlc_kb.mcp.dispatch.dispatcher import Dispatcher
from asdlc_kb.mcp.dispatch.provider import CallContext
from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.protocol import jsonrpc, methods, param_headers
from asdlc_kb.mcp.protocol.errors import (
    HeaderMismatch,
    InvalidParams,
    MethodNotFound,
    MissingCapability,
    ProtocolError,
)
from asdlc_kb.mcp.protocol.inbound import Call
from asdlc_kb.mcp.protocol.methods import CachedAs
from asdlc_kb.mcp.protocol.model import Implementation
from asdlc_kb.mcp.protocol.versioned_encoding import encode, encode_result
from asdlc_kb.mcp.protocol.versions import STATELESS, SUPPORTED
from asdlc_kb.mcp.sessions.sessions import MAX_SUBSCRIPTIONS
from asdlc_kb.mcp.subscriptions.event_queue import EventQueue
from asdlc_kb.mcp.subscriptions.events import SUBSCRIPTION_KEY
from asdlc_kb.mcp.subscriptions.subscription import Subscription, SubscriptionFilter
from asdlc_kb.mcp.subscriptions.subscription_bus import SubscriptionBus

SERVER_KEY: Final = "io.modelcontextprotocol/serverInfo"

ACKNOWLEDGED: Final = "notifications/subscriptions/acknowledged"

_FILTER_FLAGS: Final = (
    "toolsListChanged",
    "promptsListChanged",
    "resourcesListChanged",
)
"""The flags of a filter, in the order of `SubscriptionFilter`."""

_MAX_FILTER_BYTES: Final = 64 * 1024
"""Bytes of the URIs in one filter, stored while its stream is open."""

_STATUSES: Final[Mapping[type[ProtocolError], int]] = {
    HeaderMismatch: 400,
    MissingCapability: 400,
    MethodNotFound: 404,
}
"""HTTP statuses of errors after request validation (`inbound`); 200 for others."""


@dataclass(frozen=True, slots=True)
class CachingHints:
    """Cache lifetimes of results, in milliseconds by kind, and the cache scope."""

    ttl_ms: Mapping[CachedAs, int]
    scope: Literal["public", "private"] = "public"


class Stateless:
    """Answers calls that carry their own version."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        identity: Implementation,
        instructions: Callable[[], str],
        hints: CachingHints,
        bus: SubscriptionBus,
    ) -> None:
        self._bus = bus
        self._dispatcher = dispatcher
        self._server_info = {
            version: {SERVER_KEY: encode(identity, version)} for version in STATELESS
        }
        self._instructions = instructions
        self._hints = hints

    def answer_now(self, call: Call) -> Response | None:
        """Return the response to a tool call that takes no waiting; None: `answer`."""
        try:
            self._check_parameters(call)
        except ProtocolError:
            return None
        result = self._dispatcher.call_now(call.params)
        return None if result is None else self._respond(call, result)

    async def answer(self, call: Call, context: CallContext) -> Response:
        """Return the response to one call that `inbound` has validated."""
        try:
            if call.method == "subscriptions/listen":
                return self._listen(call)
            if call.method == "server/discover":
                result: Any = self._discover()
            else:
                self._check_parameters(call)
                result = await self._dispatcher.dispatch(call.method, context)
        except ProtocolError as error:
            return self.fail(call, error)
        return self._respond(call, result)

    def fail(self, call: Call, error: ProtocolError) -> Response:
        """Return an error response; errors of the method itself have HTTP 200."""
        status = _STATUSES.get(type(error), 200)
        return Response.of_error(error, call.id, status=status, version=call.version)

    def _discover(self) -> dict[str, Any]:
        return {
            "supportedVersions": list(SUPPORTED),
            "capabilities": self._dispatcher.capabilities,
            "instructions": self._instructions(),
        }

    def _listen(self, call: Call) -> Response:
        """Open a stream of the requested events (basic/patterns/subscriptions)."""
        event_filter = self._read_filter(call.params.get("notifications"))
        sources = None if call.headers is None else call.headers.sources
        subscription = Subscription(event_filter, sources=sources)
        params = {
            "_meta": {SUBSCRIPTION_KEY: call.id},
            "notifications": _write_filter(event_filter),
        }
        result = {"resultType": "complete", "_meta": {SUBSCRIPTION_KEY: call.id}}
        queue = EventQueue(
            subscription,
            listen_id=call.id,
            opening=jsonrpc.write_notification(ACKNOWLEDGED, params),
            closing=jsonrpc.write_result(call.id, result),
            release=lambda: self._bus.unsubscribe(subscription),
        )
        self._bus.subscribe(subscription)
        return Response(200, queue=queue)

    def _read_filter(self, requested: Any) -> SubscriptionFilter:
        """Return the supported part of a filter; raise InvalidParams."""
        if not isinstance(requested, dict):
            raise InvalidParams("Invalid params: notifications must be an object")
        flags = {key: requested.get(key, False) for key in _FILTER_FLAGS}
        uris = requested.get("resourceSubscriptions", [])
        if not all(isinstance(flag, bool) for flag in flags.values()):
            raise InvalidParams("Invalid params: a notification is true or false")
        if not isinstance(uris, list) or not all(isinstance(u, str) for u in uris):
            raise InvalidParams("Invalid params: resourceSubscriptions must be URIs")
        if len(uris) > MAX_SUBSCRIPTIONS:
            raise InvalidParams(f"at most {MAX_SUBSCRIPTIONS} resourceSubscriptions")
        if sum(len(uri.encode()) for uri in uris) > _MAX_FILTER_BYTES:
            size = f"{_MAX_FILTER_BYTES} bytes in all"
            reason = f"resourceSubscriptions are longer than {size}"
            raise InvalidParams(reason)
        tools, prompts, resources = (flags[key] for key in _FILTER_FLAGS)
        event_filter = SubscriptionFilter(tools, prompts, resources)
        for uri in uris:
            if self._dispatcher.handles(uri):
                event_filter.add_uri(uri, self._dispatcher.canonical_uri(uri))
        return event_filter

    def _check_parameters(self, call: Call) -> None:
        """Compare `Mcp-Param-*` headers with a tool's mirrored arguments."""
        if call.method != "tools/call" or call.headers is None or not call.target:
            return
        match = self._dispatcher.find_tool(call.target)
        if match is not None:
            param_headers.require_parameters(
                match[1].input_schema,
                call.params.get("arguments") or {},
                call.headers.parameters,
            )

    def _respond(self, call: Call, result: Any) -> Response:
        """Return the response with a result, not yet encoded."""
        return Response.of(call.id, self._add_common_fields(result, call), result)

    def _add_common_fields(self, result: Any, call: Call) -> dict[str, Any]:
        """Add the fields of every result of this era, unless the provider set them."""
        fields: dict[str, Any] = {"resultType": "complete"}
        encoded = encode_result(result, call.version)
        cached_as = methods.METHODS[call.method].cached
        if cached_as is not None and "resultType" not in encoded:
            is_cacheable = self._dispatcher.is_cacheable(call.method, call.params)
            fields["ttlMs"] = self._hints.ttl_ms[cached_as] if is_cacheable else 0
            fields["cacheScope"] = self._hints.scope if is_cacheable else "private"
        meta = {**self._server_info[call.version], **encoded.pop("_meta", {})}
        return {**fields, **encoded, "_meta": meta}


def _write_filter(event_filter: SubscriptionFilter) -> dict[str, Any]:
    """Return the supported part of a filter for the acknowledgement."""
    flags = (event_filter.tools, event_filter.prompts, event_filter.resources)
    written: dict[str, Any] = {
        key: True for key, flag in zip(_FILTER_FLAGS, flags, strict=True) if flag
    }
    if event_filter.uris:
        written["resourceSubscriptions"] = list(event_filter.uris.values())
    return written
