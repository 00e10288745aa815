"""An LRU cache of encoded results, valid while their validators are equal.

The key is version, form, method and arguments, without the request id. The validator
describes the state that the result depends on, and is computed before the work.
Memory is bounded: the least recently used results are evicted.
"""

from collections.abc import Hashable
from operator import attrgetter
from typing import Final, NamedTuple, TypeAlias

from cachetools import LRUCache

from asdlc_kb.mcp.dispatch.provider import Validator
from asdlc_kb.mcp.protocol import jsonrpc
from asdlc_kb.mcp.protocol.inbound import Call

MAX_BYTES: Final = 16 * 1024 * 1024
"""Bytes of results and of their keys."""

MAX_SEARCH_BYTES: Final = 4 * 1024 * 1024
"""The same for calls with free text, most of which are never repeated."""

_ENTRY_DIVISOR: Final = 16
"""A result larger than the cache divided by this is not cached."""

_OVERHEAD: Final = 400
"""Bytes of an entry in addition to its key and result."""

CacheKey: TypeAlias = tuple[str, bool, str, bytes]


class CachedResult(NamedTuple):
    """A cached result."""

    state: Hashable
    """The validator's state."""
    result: bytes
    size: int
    """Bytes of the result and its key, with the overhead."""
    total: int | None = None
    """The total of the list or search, if it has one."""
    document: str | None = None
    """The URI of the document in the result, if it has one."""


class PreparedCall:
    """A call with its cache key, which takes longer to compute than to look up."""

    __slots__ = ("call", "key")

    def __init__(self, call: Call) -> None:
        self.call = call
        self.key = _key(call)


_Results: TypeAlias = LRUCache[CacheKey, CachedResult]


class ResultCache:
    """Cached results of one server, free-text calls apart from the others."""

    def __init__(
        self, max_bytes: int = MAX_BYTES, max_search_bytes: int = MAX_SEARCH_BYTES
    ) -> None:
        self._closed: _Results = LRUCache(max_bytes, attrgetter("size"))
        self._open: _Results = LRUCache(max_search_bytes, attrgetter("size"))

    def find(self, call: PreparedCall, validator: Validator) -> CachedResult | None:
        """Return the result of an equal call, if the validator is unchanged."""
        cached = self._select(validator).get(call.key)
        is_current = cached is not None and cached.state == validator.state
        return cached if is_current else None

    def store(
        self,
        call: PreparedCall,
        validator: Validator,
        result: bytes,
        *,
        total: int | None = None,
        document: str | None = None,
    ) -> None:
        """Store a result, replacing an older one."""
        results, key = self._select(validator), call.key
        size = len(key[-1]) + len(result) + _OVERHEAD
        if size * _ENTRY_DIVISOR > results.maxsize:
            results.pop(key, None)
        else:
            results[key] = CachedResult(validator.state, result, size, total, document)

    def _select(self, validator: Validator) -> _Results:
        return self._open if validator.is_open else self._closed


def _key(call: Call) -> CacheKey:
    """Return the cache key of a call: all but its id and `_meta`."""
    arguments = {k: value for k, value in call.params.items() if k != "_meta"}
    written = jsonrpc.write(arguments)
    return call.version, call.needs_structure, call.method, written
