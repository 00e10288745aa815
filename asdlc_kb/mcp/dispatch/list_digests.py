"""Digests of the visible lists: they show whether a list changed since `initialize`.

Equal in all processes that serve the same content, as a session id carries them.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from hashlib import blake2b
from itertools import chain
from time import monotonic
from typing import Any, Final, TypeAlias

import msgspec

from asdlc_kb.mcp.protocol.pagination import Listed
from asdlc_kb.mcp.subscriptions.events import Event
from asdlc_kb.mcp.subscriptions.subscription_bus import EVERY_LIST

DIGEST_BYTES: Final = 4
"""Bytes of a digest: one change in 4 billion is not noticed."""

MAX_AGE_SECONDS: Final = 1.0
"""Age up to which `RecentDigests` returns digests again."""

ListDigests: TypeAlias = tuple[bytes, ...]
"""Digests of the lists of tools, prompts and resources, ordered as `EVERY_LIST`."""

_encode = msgspec.msgpack.Encoder().encode


class RecentDigests:
    """Digests that concurrent and frequent callers share.

    For sessions that begin: a digest from before a change causes a notification of the
    change, which is true then too (D-038).
    """

    def __init__(
        self,
        compute: Callable[[], Coroutine[Any, Any, ListDigests]],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._compute = compute
        self._clock = clock
        self._task: asyncio.Task[ListDigests] | None = None
        self._expires = 0.0

    async def get(self) -> ListDigests:
        """Return digests that are computed now, or were within `MAX_AGE_SECONDS`."""
        task = self._task
        if task is None or (task.done() and self._clock() >= self._expires):
            task = self._task = asyncio.ensure_future(self._update())
        # A caller that is cancelled does not cancel the others.
        return await asyncio.shield(task)

    async def _update(self) -> ListDigests:
        self._expires = 0.0
        digests = await self._compute()
        self._expires = self._clock() + MAX_AGE_SECONDS
        return digests


def digest_list(lists: Iterable[Sequence[Listed[Any]]]) -> bytes:
    """Return the digest of the items of several concatenated lists. Blocks."""
    digest = blake2b(digest_size=DIGEST_BYTES)
    for listed in chain.from_iterable(lists):
        digest.update(_encode(listed.item))
    return digest.digest()


def compare_digests(before: ListDigests, after: ListDigests) -> list[Event]:
    """Return the events of the lists whose digests differ."""
    pairs = zip(EVERY_LIST, before, after, strict=False)
    return [event for event, old, new in pairs if old != new]
