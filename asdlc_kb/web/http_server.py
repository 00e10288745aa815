"""Listening, and leaving without losing a request."""

import asyncio
import errno
import logging
import socket
from time import monotonic
from typing import Any, Final

from tornado.http1connection import HTTP1ServerConnection
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application

from asdlc_kb.exceptions import OperationalError
from asdlc_kb.web.connections.connection_manager import (
    ConnectionManager,
    MonitoredStream,
    find_peer,
)
from asdlc_kb.web.connections.listener import Listener
from asdlc_kb.web.handler import ServerState
from asdlc_kb.web.mcp.fast_path import FastPath

_general = logging.getLogger("tornado.general")

LAME_DUCK_SECONDS: Final = 0.2
"""New connections are still taken, so that a balancer can notice."""

DRAIN_SECONDS: Final = 3.5
"""Requests under way may take so long."""

WIRE_SECONDS: Final = 1.0
"""What is on the wire, in either direction, may take so long to arrive."""

_BACKLOG: Final = 1024
"""Connections that the kernel keeps for us; beyond that a newcomer tries again after a
second. It allows no more than its own limit."""

_HUGE: Final = 1 << 40
"""Our handlers limit bodies themselves, and answer better than a bare 400."""


def open_sockets(host: str, port: int) -> list[socket.socket]:
    """Return listening sockets; raise OperationalError if the address is taken."""
    try:
        return bind_sockets(port, host, backlog=_BACKLOG)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            advice = "stop the other server, or pick a free port with --port 0"
            raise OperationalError(
                f"port {port} of {host} is taken: {advice}"
            ) from None
        raise OperationalError(f"cannot listen on {host}:{port}: {error}") from None
    except UnicodeError:
        raise OperationalError(
            f"cannot listen on {host}:{port}: no such name"
        ) from None


class MonitoredHttpServer(HTTPServer):
    """Speaks HTTP over guarded connections."""

    def initialize(self, *args: Any, **kwargs: Any) -> None:
        """Leave all deadlines to the guard, which is given too."""
        self._guard: ConnectionManager = kwargs.pop("guard")
        super().initialize(*args, **kwargs)
        # A timer for each request costs a tenth of a short one.
        self.conn_params.header_timeout = None

    def take(self, connection: socket.socket, address: Any) -> None:
        """Serve a new connection."""
        peer = find_peer(connection, address)
        self.handle_stream(self._guard.watch(connection, peer), address)

    def on_close(self, server_conn: object) -> None:
        """Forget a connection that ended, or became a stream."""
        assert isinstance(server_conn, HTTP1ServerConnection)
        assert isinstance(server_conn.stream, MonitoredStream)
        self._guard.release(server_conn.stream)
        super().on_close(server_conn)


class _ClientFaults(logging.Filter):
    """Counts what Tornado says of malformed requests: anybody can send many."""

    def __init__(self, guard: ConnectionManager) -> None:
        super().__init__()
        self._guard = guard

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep what is more than the fault of a client."""
        is_fault = record.levelno == logging.INFO
        if is_fault:
            self._guard.malformed.note("malformed")
        return not is_fault


class HttpServer:
    """A listening application."""

    def __init__(
        self,
        application: Application | FastPath,
        sockets: list[socket.socket],
        state: ServerState,
        guard: ConnectionManager | None = None,
        *,
        is_shared: bool = False,
    ) -> None:
        """Listen; `is_shared` tells that other processes do on the same sockets."""
        address = sockets[0].getsockname()
        self.port: int = address[1] if isinstance(address, tuple) else 0
        """Zero for a socket that is a file."""
        self.state = state
        self.guard = guard or ConnectionManager()
        state.count_connections = lambda: self.guard.connections
        self._server = MonitoredHttpServer(
            application,
            guard=self.guard,
            max_body_size=_HUGE,
            max_header_size=32 * 1024,
        )
        self._faults = _ClientFaults(self.guard)
        _general.addFilter(self._faults)
        self._listener = Listener(
            sockets, self.guard, self._server.take, is_shared=is_shared
        )

    async def drain(self) -> None:
        """Stop: say so, take what still arrives, finish what is under way, close."""
        self.state.is_draining = True
        await asyncio.sleep(LAME_DUCK_SECONDS)
        self._listener.take_waiting()
        self._listener.stop()
        started = monotonic()
        while self._is_busy() and monotonic() < started + DRAIN_SECONDS:
            is_late = monotonic() >= started + DRAIN_SECONDS - WIRE_SECONDS
            # Streams last, for answers may go over them.
            if not self.state.in_flight or is_late:
                self.state.streams.end()
            is_idle = not (self.state.in_flight or self.state.streams)
            if is_idle and monotonic() >= started + WIRE_SECONDS:
                break
            await asyncio.sleep(0.01)
        await self.close()

    async def close(self) -> None:
        """Stop at once, whatever is under way."""
        self._listener.stop()
        self.state.streams.cut()
        await self._server.close_all_connections()
        self.guard.close()
        _general.removeFilter(self._faults)

    def _is_busy(self) -> bool:
        return bool(self.guard.connections or self.state.streams)
