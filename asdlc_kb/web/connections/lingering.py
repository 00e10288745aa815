"""Lingering close: reading on after the last answer, so that its reader gets it.

A connection that is closed while bytes of its peer are unread is reset, and a reset
discards what the peer has not read yet (RFC 9112, 9.6). Here the sending side is
closed, and what still comes is read and dropped, for a bounded time and size.
"""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from tornado.iostream import IOStream, UnsatisfiableReadError

from asdlc_kb.web.connections.rejections import BAD_REQUEST, TORNADO_BAD_REQUEST

MAX_LINGER_SECONDS: Final = 2.0
"""From the end of the answer to the close, if the peer does not close before."""

MAX_LINGER_BYTES: Final = 16 * 1024 * 1024
"""What is read of one peer."""

_CHUNK: Final = 64 * 1024


class Lingering:
    """The connections that are closed but for what their peers still send."""

    def __init__(self) -> None:
        self._closing: dict[socket.socket, Callable[[], None]] = {}

    def begin(self, connection: socket.socket, closed: Callable[[], None]) -> None:
        """Send no more; call `closed` when the connection is closed, once."""
        loop = asyncio.get_running_loop()
        left = MAX_LINGER_BYTES

        def close() -> None:
            timer.cancel()
            loop.remove_reader(connection)
            connection.close()
            del self._closing[connection]
            closed()

        def drain() -> None:
            nonlocal left
            try:
                count = len(connection.recv(_CHUNK))
            except BlockingIOError:
                return
            except OSError:
                count = 0
            left -= count
            if not count or left <= 0:
                close()

        timer = loop.call_later(MAX_LINGER_SECONDS, close)
        self._closing[connection] = close
        try:
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            # The peer was faster.
            close()
            return
        loop.add_reader(connection, drain)

    def close(self) -> None:
        """Wait for no peer any more."""
        for close in tuple(self._closing.values()):
            close()


class LingeringStream(IOStream):
    """A connection that is closed only when its peer could read why."""

    __slots__ = ("_is_lingering", "_lingering")

    def __init__(self, connection: socket.socket, lingering: Lingering) -> None:
        super().__init__(connection)
        self._lingering = lingering
        self._is_lingering = False

    def linger(self) -> None:
        """Have what the peer still sends read for a while after the close."""
        self._is_lingering = True

    def forget(self) -> None:
        """Note that the connection is closed, after lingering if it lingers."""

    def choose_refusal(self) -> bytes:
        """Return what is answered to a line or a header that does not end."""
        return BAD_REQUEST

    def has_waiting(self) -> bool:
        """Whether the peer has sent something that is not read yet, or has left."""
        try:
            self.socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            # It has left by a reset.
            return True
        return True

    def write(self, data: bytes | memoryview) -> "asyncio.Future[None]":
        """Write; a bare 400 of Tornado is replaced by one that says how long it is."""
        if data == TORNADO_BAD_REQUEST:
            self.linger()
            data = BAD_REQUEST
        return super().write(data)

    def close(self, exc_info: Any = False) -> None:
        """Close; a peer whose line or header is too long gets an answer before."""
        if isinstance(exc_info, UnsatisfiableReadError) and not self.closed():
            self.linger()
            with suppress(OSError):
                self.socket.send(self.choose_refusal())
        super().close(exc_info)
        if self.error is not None:
            # The frames of a traceback refer to the connection: thousands that are
            # reset together would stay until the garbage collector finds them.
            self.error.__traceback__ = None

    def close_fd(self) -> None:
        """Close the socket, or leave it to be read for a while."""
        if self._is_lingering:
            connection, self.socket = self.socket, None  # type: ignore[assignment]
            self._lingering.begin(connection, self.forget)
        else:
            super().close_fd()
            self.forget()
