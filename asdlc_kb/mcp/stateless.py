"""The era without sessions: 2026-07-28.

A translator in front of the dispatcher: it answers `server/discover`, checks mirrored
parameters, and writes what every result of this era carries: `resultType`, who served
it, and how long it may be cached (basic/index, server/utilities/caching).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from asdlc_kb.mcp import headers, jsonrpc, methods
from asdlc_kb.mcp.dispatcher import CAPABILITIES, Dispatcher
from asdlc_kb.mcp.errors import (
    HeaderMismatch,
    MissingCapability,
    ProtocolError,
)
from asdlc_kb.mcp.inbound import Call
from asdlc_kb.mcp.methods import CachedAs
from asdlc_kb.mcp.provider import Context
from asdlc_kb.mcp.reply import Reply
from asdlc_kb.mcp.shapes import encode, encode_error, encode_result
from asdlc_kb.mcp.types import Implementation
from asdlc_kb.mcp.versions import SUPPORTED

SERVER_KEY: Final = "io.modelcontextprotocol/serverInfo"

_BAD_REQUEST: Final = (HeaderMismatch, MissingCapability)
"""Errors found after the ladder that still mean HTTP 400; all others mean 200."""


@dataclass(frozen=True, slots=True)
class CachingHints:
    """How long a client may keep a result, in milliseconds by kind, and for whom."""

    ttl_ms: Mapping[CachedAs, int]
    scope: Literal["public", "private"] = "public"


class Stateless:
    """Answers calls that carry their own version."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        identity: Implementation,
        instructions: str,
        hints: CachingHints,
    ) -> None:
        self._dispatcher = dispatcher
        self._identity = identity
        self._instructions = instructions
        self._hints = hints

    async def answer(self, call: Call, context: Context) -> Reply:
        """Return the answer to one call that passed the ladder of `inbound`."""
        try:
            if call.method == "server/discover":
                result: Any = self._discover()
            else:
                self._check_parameters(call)
                result = await self._dispatcher.dispatch(call.method, context)
        except ProtocolError as error:
            return self.fail(call, error)
        finished = self._finish(result, call)
        return Reply(200, jsonrpc.write_result(call.id, finished))

    def fail(self, call: Call, error: ProtocolError) -> Reply:
        """Return an error answer; errors of the call itself travel with HTTP 200."""
        described = encode_error(error, call.version)
        status = 400 if isinstance(error, _BAD_REQUEST) else 200
        body = jsonrpc.write_error(call.id, described)
        return Reply(status, body, error=described["code"])

    def _discover(self) -> dict[str, Any]:
        return {
            "supportedVersions": list(SUPPORTED),
            "capabilities": CAPABILITIES,
            "instructions": self._instructions,
        }

    def _check_parameters(self, call: Call) -> None:
        """Compare `Mcp-Param-*` headers with a tool's mirrored arguments."""
        if call.method != "tools/call" or call.headers is None or not call.target:
            return
        found = self._dispatcher.find_tool(call.target)
        if found is not None:
            headers.require_parameters(
                found[1].input_schema,
                call.params.get("arguments") or {},
                call.headers.parameters,
            )

    def _finish(self, result: Any, call: Call) -> dict[str, Any]:
        """Add what every result of this era carries, unless the provider said it."""
        finished: dict[str, Any] = {"resultType": "complete"}
        cached = methods.METHODS[call.method].cached
        if cached is not None:
            finished["ttlMs"] = self._hints.ttl_ms[cached]
            finished["cacheScope"] = self._hints.scope
        shaped = encode_result(result, call.version)
        served_by = {SERVER_KEY: encode(self._identity, call.version)}
        meta = {**served_by, **shaped.pop("_meta", {})}
        return {**finished, **shaped, "_meta": meta}
