"""An LRU cache of encoded results, valid while their validators are equal.

The key is version, method and arguments, without the request id. The validator
describes the state that the result depends on, and is computed before the work.
Memory is bounded: the least recently used results are evicted.
"""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Final, NamedTuple, TypeAlias

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

CacheKey: TypeAlias = tuple[str, str, bytes]


class CachedResult(NamedTuple):
    """A cached result."""

    state: Hashable
    """The validator's state."""
    result: bytes
    found: int | None = None
    """The total of the list or search, if it has one."""


class ResultCache:
    """Cached results of one server, free-text calls apart from the others."""

    def __init__(
        self, max_bytes: int = MAX_BYTES, max_search_bytes: int = MAX_SEARCH_BYTES
    ) -> None:
        self._closed = _ByteLru(max_bytes)
        self._open = _ByteLru(max_search_bytes)

    def find(self, call: Call, validator: Validator) -> CachedResult | None:
        """Return the result of an equal call, if the validator is unchanged."""
        return self._lru(validator).find(_key(call), validator.state)

    def store(
        self,
        call: Call,
        validator: Validator,
        result: bytes,
        *,
        found: int | None = None,
    ) -> None:
        """Store a result, replacing an older one."""
        cached = CachedResult(validator.state, result, found)
        self._lru(validator).store(_key(call), cached)

    def _lru(self, validator: Validator) -> "_ByteLru":
        return self._open if validator.is_open else self._closed


class _ByteLru:
    """Results by key, the most recently used last."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._size = 0
        self._results: OrderedDict[CacheKey, CachedResult] = OrderedDict()

    def find(self, key: CacheKey, state: Hashable) -> CachedResult | None:
        cached = self._results.get(key)
        if cached is None or cached.state != state:
            return None
        self._results.move_to_end(key)
        return cached

    def store(self, key: CacheKey, cached: CachedResult) -> None:
        self._evict(key)
        if _measure(key, cached.result) * _ENTRY_DIVISOR > self._max_bytes:
            return
        self._results[key] = cached
        self._size += _measure(key, cached.result)
        while self._size > self._max_bytes:
            self._evict(next(iter(self._results)))

    def _evict(self, key: CacheKey) -> None:
        cached = self._results.pop(key, None)
        if cached is not None:
            self._size -= _measure(key, cached.result)


def _key(call: Call) -> CacheKey:
    """Return the cache key of a call: all but its id and `_meta`."""
    arguments = {k: value for k, value in call.params.items() if k != "_meta"}
    return call.version, call.method, jsonrpc.write(arguments)


def _measure(key: CacheKey, result: bytes) -> int:
    return len(key[2]) + len(result) + _OVERHEAD
