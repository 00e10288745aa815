"""Listening, and leaving without losing a request."""

import asyncio
import errno
import socket
from time import monotonic
from typing import Final

from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application

from asdlc_kb.exceptions import HostError
from asdlc_kb.web.base import State

IDLE_SECONDS: Final = 75
"""An idle connection is closed after this; proxies give up at 60."""

BODY_SECONDS: Final = 10
"""A body must have arrived by then."""

LAME_DUCK_SECONDS: Final = 0.2
"""New connections are still taken, so that a balancer can notice."""

DRAIN_SECONDS: Final = 5.0
"""Requests under way may take so long."""

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


class WebServer:
    """A listening application."""

    def __init__(
        self, application: Application, sockets: list[socket.socket], state: State
    ) -> None:
        self.port: int = sockets[0].getsockname()[1]
        self._state = state
        self._server = HTTPServer(
            application,
            idle_connection_timeout=IDLE_SECONDS,
            body_timeout=BODY_SECONDS,
            max_body_size=_HUGE,
            max_header_size=32 * 1024,
        )
        self._server.add_sockets(sockets)

    async def drain(self) -> None:
        """Stop: say so, take what still arrives, finish what is under way, close."""
        self._state.is_draining = True
        await asyncio.sleep(LAME_DUCK_SECONDS)
        self._server.stop()
        deadline = monotonic() + DRAIN_SECONDS
        while self._state.in_flight and monotonic() < deadline:
            await asyncio.sleep(0.01)
        await self.close()

    async def close(self) -> None:
        """Stop at once, whatever is under way."""
        self._server.stop()
        await self._server.close_all_connections()
