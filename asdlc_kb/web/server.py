"""Listening, and leaving without losing a request."""

import asyncio
import errno
import socket
from contextlib import suppress
from time import monotonic
from typing import Any, Final

from tornado.httpserver import HTTPServer
from tornado.iostream import IOStream
from tornado.netutil import bind_sockets
from tornado.web import Application

from asdlc_kb.exceptions import HostError
from asdlc_kb.web.base import State
from asdlc_kb.web.shortcut import Front

IDLE_SECONDS: Final = 75
"""An idle connection is closed after this; proxies give up at 60."""

LAME_DUCK_SECONDS: Final = 0.2
"""New connections are still taken, so that a balancer can notice."""

DRAIN_SECONDS: Final = 5.0
"""Requests under way may take so long."""

WIRE_SECONDS: Final = 1.0
"""What is on the wire, in either direction, may take so long to arrive."""

_HUGE: Final = 1 << 40
"""Our handlers limit bodies themselves, and answer better than a bare 400."""


def bind(host: str, port: int) -> list[socket.socket]:
    """Return listening sockets; raise HostError when the address cannot be had."""
    try:
        return bind_sockets(port, host)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            advice = "stop the other server, or pick a free port with --port 0"
            raise HostError(f"port {port} of {host} is taken: {advice}") from None
        raise HostError(f"cannot listen on {host}:{port}: {error}") from None
    except UnicodeError:
        raise HostError(f"cannot listen on {host}:{port}: no such name") from None


class CountingServer(HTTPServer):
    """Knows how many connections are open."""

    def initialize(self, *args: Any, **kwargs: Any) -> None:
        """Start without a connection."""
        super().initialize(*args, **kwargs)
        self.connections = 0

    def handle_stream(self, stream: IOStream, address: tuple[Any, ...]) -> None:
        """Serve a new connection."""
        self.connections += 1
        super().handle_stream(stream, address)

    def on_close(self, server_conn: object) -> None:
        """Forget a connection that ended."""
        self.connections -= 1
        super().on_close(server_conn)


class WebServer:
    """A listening application."""

    def __init__(
        self,
        application: Application | Front,
        sockets: list[socket.socket],
        state: State,
    ) -> None:
        address = sockets[0].getsockname()
        self.port: int = address[1] if isinstance(address, tuple) else 0
        """Zero for a socket that is a file."""
        self.state = state
        self._sockets = sockets
        self._server = CountingServer(
            application,
            idle_connection_timeout=IDLE_SECONDS,
            max_body_size=_HUGE,
            max_header_size=32 * 1024,
        )
        self._server.add_sockets(sockets)

    async def drain(self) -> None:
        """Stop: say so, take what still arrives, finish what is under way, close."""
        self.state.is_draining = True
        await asyncio.sleep(LAME_DUCK_SECONDS)
        self._take_waiting()
        self._server.stop()
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
        self._server.stop()
        self.state.streams.cut()
        await self._server.close_all_connections()

    def _is_busy(self) -> bool:
        return bool(self._server.connections or self.state.streams)

    def _take_waiting(self) -> None:
        """Accept what the kernel has accepted: closing would reset it."""
        for listening in self._sockets:
            with suppress(OSError):
                while True:
                    connection, address = listening.accept()
                    self._server.handle_stream(IOStream(connection), address)
