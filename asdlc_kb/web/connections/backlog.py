"""Unsent bytes of all connections, bounded together."""

from collections.abc import Callable
from typing import Final, Generic, TypeVar

MAX_UNSENT_BYTES: Final = 256 * 1024 * 1024
"""Bytes kept for all peers; above, the connection whose peer has taken nothing for
longest is closed first."""

T = TypeVar("T")


class UnsentBytes(Generic[T]):
    """Bytes that each connection has not sent yet.

    The bound is enforced when bytes are recorded, so that many answers made in one
    turn of the event loop cannot pass it. The connection that records them is never
    closed: it is in the middle of a write.
    """

    def __init__(self, cut: Callable[[T], None]) -> None:
        self.size = 0
        """Bytes of all connections."""
        self._cut = cut
        self._sizes: dict[T, int] = {}
        """Bytes by connection; first the one whose peer took nothing for longest."""

    def record(self, connection: T, size: int, *, has_taken: bool = False) -> None:
        """Set the bytes of a connection; close others while there is no room.

        `has_taken`: its peer has just taken enough to be last in the order.
        """
        if has_taken or not size:
            self.release(connection)
        if not size:
            return
        self.size += size - self._sizes.get(connection, 0)
        self._sizes[connection] = size
        while self.size > MAX_UNSENT_BYTES:
            slowest = next(
                (each for each in self._sizes if each is not connection), None
            )
            if slowest is None:
                return
            self.release(slowest)
            self._cut(slowest)

    def release(self, connection: T) -> None:
        """Forget the bytes of a connection: they were sent or dropped."""
        self.size -= self._sizes.pop(connection, 0)
