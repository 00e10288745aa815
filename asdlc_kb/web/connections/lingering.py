"""Lingering close: reading on after the last response, so that the peer receives it.

A connection that is closed with unread input is reset, and a reset discards what the
peer has not read yet (RFC 9112, 9.6). Here the sending side is closed, and input is
read and dropped, up to a limit of time and size.
"""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from tornado.iostream import UnsatisfiableReadError

from asdlc_kb.web.connections.private_tornado import TornadoStream
from asdlc_kb.web.connections.rejections import BAD_REQUEST, TORNADO_BAD_REQUEST

MAX_LINGER_SECONDS: Final = 2.0
"""Maximum duration of a lingering close."""

MAX_LINGER_BYTES: Final = 16 * 1024 * 1024
"""Maximum number of bytes read from one peer."""

_CHUNK: Final = 64 * 1024


class Lingering:
    """Half-closed connections, drained until their peers close."""

    def __init__(self) -> None:
        self._closing: dict[socket.socket, Callable[[], None]] = {}

    def begin(self, connection: socket.socket, closed: Callable[[], None]) -> None:
        """Shut down the sending side; call `closed` once, after the close."""
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
            # The peer has closed.
            close()
            return
        loop.add_reader(connection, drain)

    def close(self) -> None:
        """Close all lingering connections."""
        for close in tuple(self._closing.values()):
            close()


class LingeringStream(TornadoStream):
    """A stream with a lingering close on request."""

    __slots__ = ("_is_lingering", "_lingering")

    def __init__(self, connection: socket.socket, lingering: Lingering) -> None:
        super().__init__(connection)
        self._lingering = lingering
        self._is_lingering = False

    def linger(self) -> None:
        """Drain the peer's input for a while after the close."""
        self._is_lingering = True

    def forget(self) -> None:
        """Handle the close of the socket, after lingering if it lingers."""

    def choose_rejection(self) -> bytes:
        """Return the response to an oversized line or header."""
        return BAD_REQUEST

    def has_waiting(self) -> bool:
        """Whether the peer has sent unread bytes, or has closed."""
        try:
            # Of a TLS connection the encrypted bytes; its own method takes no flags.
            socket.socket.recv(self.socket, 1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            # Reset by the peer.
            return True
        return True

    def write(self, data: bytes | memoryview) -> "asyncio.Future[None]":
        """Write; replace Tornado's bare 400 by a response with a Content-Length."""
        if data == TORNADO_BAD_REQUEST:
            self.linger()
            data = BAD_REQUEST
        return super().write(data)

    def close(self, exc_info: Any = False) -> None:
        """Close; send an error first if the line or header was too long."""
        if isinstance(exc_info, UnsatisfiableReadError) and not self.closed():
            self.linger()
            with suppress(OSError):
                self.socket.send(self.choose_rejection())
        super().close(exc_info)
        if self.error is not None:
            # The frames of a traceback refer to the connection: thousands that are
            # reset together would stay until the garbage collector finds them.
            self.error.__traceback__ = None

    def close_fd(self) -> None:
        """Close the socket, or begin to linger."""
        if self._is_lingering:
            connection, self.socket = self.socket, None  # type: ignore[assignment]
            self._lingering.begin(connection, self.forget)
        else:
            super().close_fd()
            self.forget()
