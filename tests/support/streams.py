"""A monitored stream, its connection manager and its peer."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

from asdlc_kb.web.connections.connection_limits import ConnectionLimits
from asdlc_kb.web.connections.connection_manager import ConnectionManager
from asdlc_kb.web.connections.monitored_stream import MonitoredStream

HERE = "127.0.0.1"


@contextmanager
def joined(
    **limits: int,
) -> Iterator[tuple[ConnectionManager, MonitoredStream, socket.socket]]:
    """Yield a connection manager, a stream that it monitors, and the stream's peer."""
    ours, theirs = socket.socketpair()
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8192)
    watching = ConnectionManager(ConnectionLimits(**{"max_total": 10, **limits}))
    stream = watching.watch(ours, HERE)
    with theirs:
        try:
            yield watching, stream, theirs
        finally:
            stream.close()
            watching.close()
