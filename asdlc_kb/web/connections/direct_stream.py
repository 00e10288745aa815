"""A stream that answers requests while Tornado waits for the next header.

With nothing unsent, the stream reads, asks the fast path, and sends the response;
Tornado never learns of the request. A request that the fast path does not answer is
given to Tornado from its first byte. So each request of a connection may take either
path, in order.
"""

import socket
from typing import Final, NamedTuple, Protocol, TypeAlias

from asdlc_kb.web.connections.lingering import Lingering, LingeringStream

MAX_READ_BYTES: Final = 64 * 1024
"""Bytes that are read at once, as many as Tornado reads."""

Parts: TypeAlias = tuple[bytes, ...]
"""A response in pieces, sent without joining them."""


class Responder(Protocol):
    """Answers requests with one header block."""

    def respond(self, body: bytes, peer: str) -> Parts | None:
        """Return the response; None if Tornado is to answer.

        `peer` is the address of the socket's peer.
        """


class CheckedHead(NamedTuple):
    """A header block that the fast path accepts."""

    size: int
    """Bytes of the block, its empty line included."""
    length: int
    """Bytes of the body."""
    responder: Responder


class FastPath(Protocol):
    """Answers requests without Tornado."""

    def read_head(self, data: bytes) -> CheckedHead | None:
        """Return the header block at the start of `data`.

        None if it is incomplete, or if Tornado is to answer the request.
        """


class DirectStream(LingeringStream):
    """A stream that lets the fast path answer first."""

    __slots__ = ("_declined", "_held", "_peer", "awaits_header")

    def __init__(
        self, connection: socket.socket, lingering: Lingering, peer: str
    ) -> None:
        super().__init__(connection, lingering)
        self.awaits_header = False
        """Whether the latest read was that of a header."""
        self._peer = peer
        self._held = b""
        """A request with an incomplete body."""
        self._declined = b""
        """Bytes that were read here and are to be read by Tornado."""

    @property
    def fast_path(self) -> FastPath | None:
        """The fast path in use, if any."""
        return None

    def record_idle(self) -> None:
        """Record that no incomplete request is held."""

    def record_body(self, size: int) -> None:
        """Record the received bytes of the body of a held request."""

    def serve_readable(self) -> bool:
        """Read and answer requests; False if Tornado is to read."""
        fast_path = self.fast_path
        is_free = self.awaits_header and self.is_reading_only and not self._declined
        if fast_path is None or not is_free:
            if self._held:
                self._decline(self._held)
            return False
        try:
            data = self.socket.recv(MAX_READ_BYTES)
        except BlockingIOError:
            return True
        except OSError as error:
            self.close(exc_info=error)
            return True
        if not data:
            # Tornado reads the end of the input, after what is incomplete.
            self._decline(self._held)
            return False
        return self._serve(fast_path, self._held + data)

    def serve_unread(self) -> None:
        """Answer requests that arrived before Tornado waited for the next header."""
        fast_path = self.fast_path
        is_busy = self.closed() or self.writing()
        is_free = not (self._held or self._declined or is_busy)
        if fast_path is not None and self.unread_size and is_free:
            self._serve(fast_path, self.take_unread())

    def read_from_fd(self, buf: bytearray | memoryview) -> int | None:
        """Read for Tornado: nothing if the fast path answers what is there."""
        try:
            if not self._declined and self.serve_readable():
                return None
            if not self._declined:
                return super().read_from_fd(buf)
            count = min(len(buf), len(self._declined))
            buf[:count] = self._declined[:count]
            self._declined = self._declined[count:]
            return count
        finally:
            # The stream stores its error, and its frames would hold this 64 KiB buffer.
            del buf

    def close_fd(self) -> None:
        """Close the socket; an incomplete request is dropped."""
        self._decline(b"")
        super().close_fd()

    def _serve(self, fast_path: FastPath, data: bytes) -> bool:
        """Answer requests; False if Tornado is to read the rest."""
        while True:
            head = fast_path.read_head(data)
            if head is None:
                break
            end = head.size + head.length
            if len(data) < end:
                self._held = data
                self.record_body(len(data) - head.size)
                return True
            parts = head.responder.respond(data[head.size : end], self._peer)
            if parts is None:
                break
            self._held = b""
            self.record_idle()
            self.send_parts(parts)
            if len(data) == end or self.closed():
                return True
            data = data[end:]
            if self.writing():
                break
        self._decline(data)
        return False

    def send_parts(self, parts: Parts) -> None:
        """Send a response; what the socket does not take is buffered."""
        try:
            sent = self.socket.sendmsg(parts)
            if sent == sum(map(len, parts)):
                return
        except BlockingIOError:
            sent = 0
        except OSError as error:
            self.close(exc_info=error)
            return
        for part in parts:
            if sent < len(part) and not self.closed():
                self.write(memoryview(part)[sent:])
            sent = max(0, sent - len(part))

    def _decline(self, data: bytes) -> None:
        """Give bytes to Tornado, before all that follows them."""
        self._held, self._declined = b"", data
        self.record_idle()
