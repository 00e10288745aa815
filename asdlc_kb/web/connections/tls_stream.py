"""TLS connections: a monitored stream with a handshake and a proper end."""

import errno
import socket
import ssl
from contextlib import suppress
from typing import Any, Final

from tornado.iostream import SSLIOStream

from asdlc_kb.web.connections.direct_stream import FastPath
from asdlc_kb.web.connections.monitored_stream import MonitoredStream
from asdlc_kb.web.connections.private_tornado import awaits_handshake
from asdlc_kb.web.connections.rejections import write_rejection

HANDSHAKE_SECONDS: Final = 10.0
"""Deadline of the handshake, from the start of the connection."""

PLAIN_HTTP: Final = write_rejection(
    400, "this port serves HTTPS: begin the address with https://"
)
"""The unencrypted response to an unencrypted request."""


def wrap_connection(
    connection: socket.socket, context: ssl.SSLContext
) -> ssl.SSLSocket | None:
    """Return a connection that will begin with a handshake; None if it has ended."""
    try:
        return context.wrap_socket(
            connection, server_side=True, do_handshake_on_connect=False
        )
    except OSError:
        # Reset by the peer before it was accepted.
        connection.close()
        return None


class TlsStream(MonitoredStream, SSLIOStream):
    """A monitored stream over TLS.

    Until the handshake has ended, nothing of a request is read.
    """

    __slots__ = ()

    @property
    def fast_path(self) -> FastPath | None:
        """None: the fast path reads the bytes of the socket, which are encrypted."""
        return None

    def timeout_reason(self, now: float) -> str | None:
        """Return the time-out that its peer has exceeded, if any."""
        if not awaits_handshake(self):
            return super().timeout_reason(now)
        is_late = now - self._since >= HANDSHAKE_SECONDS
        return "slow_handshake" if is_late else None

    def read_from_fd(self, buf: bytearray | memoryview) -> int | None:
        """Read and decrypt available bytes; a broken record ends the connection."""
        try:
            return super().read_from_fd(buf)
        except ssl.SSLError as error:
            # Tornado would log it, and a client can send many.
            self._manager.malformed.record("tls")
            raise ConnectionResetError(errno.ECONNRESET, str(error)) from None
        finally:
            del buf

    def close(self, exc_info: Any = False) -> None:
        """Close; answer a request without TLS, unencrypted, first."""
        is_plain = isinstance(exc_info, ssl.SSLError) and (
            exc_info.reason == "HTTP_REQUEST"
        )
        if is_plain and not self.closed():
            self.linger()
            with suppress(OSError):
                socket.socket.send(self.socket, PLAIN_HTTP)
        super().close(exc_info)

    def close_fd(self) -> None:
        """Close the socket, after a close_notify if all was sent (RFC 8446, 6.1)."""
        if not awaits_handshake(self) and not self.writing():
            # The peer's close_notify is not awaited.
            with suppress(OSError, ValueError):
                self.socket.unwrap()
        super().close_fd()
