"""Unsent bytes of all connections, bounded together."""

from collections.abc import Callable
from typing import Final, Generic, TypeVar

MAX_UNSENT_BYTES: Final = 256 * 1024 * 1024
"""Maximum number of bytes buffered for all peers; above, the connection without
progress for longest is closed first."""

T = TypeVar("T")


class UnsentBytes(Generic[T]):
    """Bytes that each connection has not sent yet.

    The bound is enforced when bytes are recorded, so that many answers made in one
    turn of the event loop cannot exceed it. The connection that records them is never
    closed: it is in the middle of a write.
    """

    def __init__(self, close: Callable[[T], None]) -> None:
        self.size = 0
        """Bytes of all connections."""
        self._close = close
        self._sizes: dict[T, int] = {}
        """Bytes by connection, ordered by the last progress of the peer."""

    def record(self, connection: T, size: int, *, has_read: bool = False) -> None:
        """Set the bytes of a connection; close others while above the limit.

        With `has_read` its peer has just read enough to be last in the order.
        """
        if has_read or not size:
            self.release(connection)
        if not size:
            return
        self.size += size - self._sizes.get(connection, 0)
        self._sizes[connection] = size
        while self.size > MAX_UNSENT_BYTES:
            slowest = next(
                (other for other in self._sizes if other is not connection), None
            )
            if slowest is None:
                return
            self.release(slowest)
            self._close(slowest)

    def release(self, connection: T) -> None:
        """Forget the bytes of a connection: they were sent or dropped."""
        self.size -= self._sizes.pop(connection, 0)
