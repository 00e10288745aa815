"""Results that are remembered as bytes, while what they were made from is the same.

A result is found again by version, method and arguments, and only while its stamp is
equal: the stamp says what it was made from, and is taken before the work. The id of
the request is no part of it. Memory is bounded: what was not asked for longest goes.
"""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Final, NamedTuple, TypeAlias

from asdlc_kb.mcp.dispatch.provider import Validator
from asdlc_kb.mcp.protocol import jsonrpc
from asdlc_kb.mcp.protocol.inbound import Call

MAX_BYTES: Final = 16 * 1024 * 1024
"""Of results, and of the keys they are found by."""

MAX_SEARCH_BYTES: Final = 4 * 1024 * 1024
"""The same for calls with free text in them, most of which never come again."""

_SHARE: Final = 16
"""A result larger than this part of the memory is made anew each time."""

_OVERHEAD: Final = 400
"""What an entry costs beside its bytes."""

CacheKey: TypeAlias = tuple[str, str, bytes]


class CachedResult(NamedTuple):
    """A result that is remembered."""

    state: Hashable
    """What it was made from."""
    result: bytes
    found: int | None = None
    """How many it says that were found."""


class ResultCache:
    """The results of one server."""

    def __init__(
        self, most: int = MAX_BYTES, most_open: int = MAX_SEARCH_BYTES
    ) -> None:
        self._closed = _ByteLru(most)
        self._open = _ByteLru(most_open)

    def find(self, call: Call, stamp: Validator) -> CachedResult | None:
        """Return the result of the same call, if it was made from the same."""
        return self._shelf(stamp).find(_key(call), stamp.state)

    def keep(
        self, call: Call, stamp: Validator, result: bytes, *, found: int | None = None
    ) -> None:
        """Remember a result, in place of an older one."""
        kept = CachedResult(stamp.state, result, found)
        self._shelf(stamp).keep(_key(call), kept)

    def _shelf(self, stamp: Validator) -> "_ByteLru":
        return self._open if stamp.is_open else self._closed


class _ByteLru:
    """Results by key, the one used last behind the others."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._results: OrderedDict[CacheKey, CachedResult] = OrderedDict()

    def find(self, key: CacheKey, state: Hashable) -> CachedResult | None:
        kept = self._results.get(key)
        if kept is None or kept.state != state:
            return None
        self._results.move_to_end(key)
        return kept

    def keep(self, key: CacheKey, kept: CachedResult) -> None:
        self._forget(key)
        if _weigh(key, kept.result) * _SHARE > self._most:
            return
        self._results[key] = kept
        self._size += _weigh(key, kept.result)
        while self._size > self._most:
            self._forget(next(iter(self._results)))

    def _forget(self, key: CacheKey) -> None:
        kept = self._results.pop(key, None)
        if kept is not None:
            self._size -= _weigh(key, kept.result)


def _key(call: Call) -> CacheKey:
    """Return what tells a call from others: all but its id and its envelope."""
    arguments = {k: value for k, value in call.params.items() if k != "_meta"}
    return call.version, call.method, jsonrpc.write(arguments)


def _weigh(key: CacheKey, result: bytes) -> int:
    return len(key[2]) + len(result) + _OVERHEAD
