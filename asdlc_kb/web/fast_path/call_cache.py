"""Calls by the bytes of their messages, without their ids.

A client repeats a call with another id. The second time that a message comes with
other bytes for its id only, the place of the id is proved: the message is parsed with a
third id in that place, and must be the same call with that id. From then on it is not
parsed.
"""

import re
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

import msgspec

from asdlc_kb.mcp.dispatch.result_cache import PreparedCall
from asdlc_kb.mcp.protocol import jsonrpc
from asdlc_kb.mcp.protocol.inbound import Call, McpHeaders
from asdlc_kb.web.fast_path.bounded_cache import BoundedCache

MAX_BYTES: Final = 4 * 1024 * 1024
"""Bytes of the cached calls, estimated."""

MAX_MESSAGE_BYTES: Final = 4 * 1024
"""Largest message that is cached, in bytes."""

_MAX_SEEN: Final = 4_096
"""Messages that are remembered as seen once; most searches never come again."""

_OVERHEAD: Final = 2_560
_EXPANSION: Final = 5
"""Bytes of a parsed message, and for each byte of its text."""

_ID: Final = re.compile(rb'"id": ?("[0-9A-Za-z_.-]{1,64}"|0|[1-9][0-9]{0,14})(?=[ ,}])')
"""A plain id; it may be one of the arguments."""

_PROBES: Final = (918_273_645_546_372, 918_273_645_546_373)


class Routing(NamedTuple):
    """All that decides of a call besides its message."""

    version: str | None
    method: str | None
    name: str | None
    """MCP headers of the request."""
    negotiated: str | None = None
    """The version of its session."""
    client_name: str = ""
    """The name of its session's client."""


class ReceivedCall(NamedTuple):
    """A call, and the id of its message."""

    prepared: PreparedCall
    """Its own id, session and address may be those of another request."""
    id: bytes
    """The id of this message, as JSON."""
    is_known: bool
    """Whether the same object is returned for equal messages."""


Parse: TypeAlias = Callable[[bytes], Call | None]
_Key: TypeAlias = tuple[Routing, bytes, bytes]


class CallCache:
    """The parsed calls of one server."""

    def __init__(self) -> None:
        self._calls: BoundedCache[_Key, PreparedCall] = BoundedCache(MAX_BYTES)
        self._seen: set[int] = set()
        """Hashes of keys; a collision costs a proof."""

    def read(self, body: bytes, routing: Routing, parse: Parse) -> ReceivedCall | None:
        """Return the call of a message, parsed if necessary; None if it is no call."""
        match = _ID.search(body) if len(body) <= MAX_MESSAGE_BYTES else None
        if match is not None:
            start, end = match.span(1)
            key = routing, body[:start], body[end:]
            known = self._calls.find(key)
            if known is not None:
                return ReceivedCall(known, match[1], is_known=True)
        call = parse(body)
        if call is None:
            return None
        if match is not None:
            self._learn(key, call, parse)
        written = jsonrpc.write(call.id)
        return ReceivedCall(PreparedCall(call), written, is_known=False)

    def _learn(self, key: _Key, call: Call, parse: Parse) -> None:
        """Cache a call that came before, if the place of its id is certain."""
        digest = hash(key)
        if digest not in self._seen:
            if len(self._seen) >= _MAX_SEEN:
                self._seen.clear()
            self._seen.add(digest)
            return
        routing, before, after = key
        probe = _PROBES[call.id == _PROBES[0]]
        if parse(b"%b%d%b" % (before, probe, after)) == msgspec.structs.replace(
            call, id=probe
        ):
            headers = McpHeaders(routing.version, None, routing.method, routing.name)
            size = _OVERHEAD + _EXPANSION * (len(before) + len(after))
            known = PreparedCall(msgspec.structs.replace(call, headers=headers))
            self._calls.store(key, known, size)
