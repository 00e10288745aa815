"""The HTTP server, with a graceful shutdown that loses no request."""

import asyncio
import errno
import logging
import socket
import ssl
from time import monotonic
from typing import Any, Final

from tornado.http1connection import HTTP1ServerConnection
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application

from asdlc_kb.exceptions import OperationalError
from asdlc_kb.web.admission.client_address import find_peer
from asdlc_kb.web.connections.connection_manager import ConnectionManager
from asdlc_kb.web.connections.listener import BUSY, Listener
from asdlc_kb.web.connections.monitored_stream import MonitoredStream
from asdlc_kb.web.current_application import CurrentApplication
from asdlc_kb.web.handler_context import ServerState

_general = logging.getLogger("tornado.general")

LAME_DUCK_SECONDS: Final = 0.2
"""Time in which a draining server still accepts, so that a balancer can notice."""

DRAIN_SECONDS: Final = 3.5
"""Time limit of requests in flight at a shutdown."""

TRANSIT_SECONDS: Final = 1.0
"""Time allowed for bytes in transit, in either direction, at a shutdown."""

_BACKLOG: Final = 1024
"""The kernel's accept queue; beyond it a client retries after a second. The kernel
allows no more than its own limit."""

_UNLIMITED_BYTES: Final = 1 << 40
"""Tornado's body limit; handlers limit bodies, with a better response than 400."""


def open_sockets(host: str, port: int) -> list[socket.socket]:
    """Return listening sockets; raise OperationalError if the address is taken."""
    try:
        return bind_sockets(port, host, backlog=_BACKLOG)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            hint = "stop the other server, or pick a free port with --port 0"
            raise OperationalError(f"port {port} of {host} is taken: {hint}") from None
        raise OperationalError(
            f"cannot listen on {host}:{port}: {error.strerror or error}"
        ) from None
    except UnicodeError:
        raise OperationalError(
            f"cannot listen on {host}:{port}: no such name"
        ) from None


def find_port(sockets: list[socket.socket]) -> int:
    """Return the port of listening sockets; 0 for a Unix socket."""
    address = sockets[0].getsockname()
    return int(address[1]) if isinstance(address, tuple) else 0


class MonitoredHttpServer(HTTPServer):
    """Tornado's HTTP server over monitored connections."""

    def initialize(self, *args: Any, **kwargs: Any) -> None:
        """Leave all time-outs to the connection manager."""
        self._manager: ConnectionManager = kwargs.pop("manager")
        self.tls: ssl.SSLContext | None = None
        """TLS of new connections, if any."""
        super().initialize(*args, **kwargs)
        # A timer for each request costs a tenth of a short one.
        self.conn_params.header_timeout = None

    def serve_connection(self, connection: socket.socket, address: Any) -> None:
        """Serve a new connection."""
        peer = find_peer(connection, address)
        if self.tls is None:
            stream = self._manager.watch(connection, peer)
        else:
            from asdlc_kb.web.connections.tls_stream import TlsStream, wrap_connection

            wrapped = wrap_connection(connection, self.tls)
            if wrapped is None:
                return
            stream = self._manager.watch(wrapped, peer, TlsStream)
        self.handle_stream(stream, address)

    def on_close(self, server_conn: object) -> None:
        """Release a connection that ended, or became a stream."""
        assert isinstance(server_conn, HTTP1ServerConnection)
        assert isinstance(server_conn.stream, MonitoredStream)
        self._manager.release(server_conn.stream)
        super().on_close(server_conn)


class _MalformedFilter(logging.Filter):
    """Counts Tornado's log records of malformed requests and of faulty TLS.

    A client can send many.
    """

    def __init__(self, manager: ConnectionManager) -> None:
        super().__init__()
        self._manager = manager

    def filter(self, record: logging.LogRecord) -> bool:
        """Pass records that are not a client's fault."""
        if record.levelno == logging.INFO:
            self._manager.malformed.record("malformed")
        elif isinstance(record.args, tuple) and any(
            isinstance(argument, ssl.SSLError) for argument in record.args
        ):
            self._manager.malformed.record("tls")
        else:
            return True
        return False


class HttpServer:
    """A listening application."""

    def __init__(
        self,
        application: Application | CurrentApplication,
        sockets: list[socket.socket],
        state: ServerState,
        *,
        is_shared: bool = False,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Listen; with `is_shared` other processes listen on the same sockets."""
        self.port = find_port(sockets)
        """Zero for a Unix socket."""
        self.state = state
        self.manager = state.manager
        self._server = MonitoredHttpServer(
            application,
            manager=self.manager,
            max_body_size=_UNLIMITED_BYTES,
            max_header_size=32 * 1024,
        )
        self._malformed_filter = _MalformedFilter(self.manager)
        _general.addFilter(self._malformed_filter)
        self._listener = Listener(
            sockets, self.manager, self._server.serve_connection, is_shared=is_shared
        )
        self.use_tls(tls)

    def use_tls(self, context: ssl.SSLContext | None) -> None:
        """Serve new connections with this context; None for unencrypted HTTP."""
        self._server.tls = context
        self._listener.rejection = BUSY if context is None else b""

    async def drain(self) -> None:
        """Report not ready, accept pending connections, finish requests, close."""
        self.state.is_draining = True
        await asyncio.sleep(LAME_DUCK_SECONDS)
        self._listener.accept_pending()
        self._listener.stop()
        started = monotonic()
        while self._is_busy() and monotonic() < started + DRAIN_SECONDS:
            is_late = monotonic() >= started + DRAIN_SECONDS - TRANSIT_SECONDS
            # Streams end last: responses may be sent on them.
            if not self.state.in_flight or is_late:
                self.state.streams.end()
            is_idle = not (self.state.in_flight or self.state.streams)
            if is_idle and monotonic() >= started + TRANSIT_SECONDS:
                break
            await asyncio.sleep(0.01)
        await self.close()

    async def close(self) -> None:
        """Stop at once, without waiting for requests in flight."""
        self._listener.stop()
        self.state.streams.disconnect()
        await self._server.close_all_connections()
        self.manager.close()
        _general.removeFilter(self._malformed_filter)

    def _is_busy(self) -> bool:
        return bool(self.manager.connections or self.state.streams)
