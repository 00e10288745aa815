"""Digests of the visible lists: they show whether a list changed since `initialize`.

Equal in all processes that serve the same content, as a session id carries them.
"""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from itertools import chain
from typing import Any, Final, TypeAlias

import msgspec

from asdlc_kb.mcp.protocol.pagination import Listed
from asdlc_kb.mcp.subscriptions.events import Event
from asdlc_kb.mcp.subscriptions.subscription_bus import EVERY_LIST

DIGEST_BYTES: Final = 4
"""Bytes of a digest: one change in 4 billion is not noticed."""

ListDigests: TypeAlias = tuple[bytes, ...]
"""Digests of the lists of tools, prompts and resources, ordered as `EVERY_LIST`."""

_encode = msgspec.msgpack.Encoder().encode


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
