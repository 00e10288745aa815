"""Accepting connections, at a bounded cost also beyond the limits.

A server without free file descriptors can neither accept nor reject a connection, and
the kernel would report it again and again. An idle connection is closed then. If none
is idle, the connection is accepted with a reserved descriptor and rejected.
"""

import asyncio
import errno
import os
import socket
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Final

from asdlc_kb.web.admission.client_address import find_peer
from asdlc_kb.web.connections.connection_manager import ConnectionManager
from asdlc_kb.web.connections.rejections import write_rejection

RETRY_SECONDS: Final = 5
"""Retry-After of a rejected connection: connections end sooner than servers."""

PAUSE_SECONDS: Final = 0.1
"""Pause in accepting when the reserved descriptor does not help either."""

SEND_BYTES: Final = 256 * 1024
"""Size of the kernel's send buffer, which it doubles. By default it grows to 4 MB, and
many clients that read nothing would exhaust the machine's memory."""

_BATCH: Final = 16
"""Connections accepted in one turn of the event loop."""

_EXHAUSTED: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
"""Errors of accept() for lack of descriptors or memory."""

BUSY: Final = write_rejection(
    503,
    "too many connections",
    b"Retry-After: %d" % RETRY_SECONDS,
)
"""The response to a rejected connection, whatever the request."""


class Listener:
    """Accepts connections from listening sockets until it is stopped."""

    def __init__(
        self,
        sockets: Iterable[socket.socket],
        manager: ConnectionManager,
        serve: Callable[[socket.socket, Any], None],
        *,
        is_shared: bool = False,
    ) -> None:
        """Accept in batches; one at a time if the sockets are shared by processes."""
        self.rejection = BUSY
        """The response to a rejected connection; empty to close without one."""
        self._batch = 1 if is_shared else _BATCH
        self._sockets = tuple(sockets)
        self._manager = manager
        self._serve = serve
        self._reserve: int | None = None
        self._pauses: dict[socket.socket, asyncio.TimerHandle] = {}
        self._is_stopped = False
        self._open_reserve()
        for listening in self._sockets:
            listening.setblocking(False)
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BYTES)
            self._listen(listening)

    def accept_pending(self) -> None:
        """Accept all queued connections, which closing the sockets would reset."""
        for listening in self._sockets:
            while self._accept(listening):
                pass

    def stop(self) -> None:
        """Close the listening sockets."""
        if self._is_stopped:
            return
        self._is_stopped = True
        loop = asyncio.get_running_loop()
        for pause in self._pauses.values():
            pause.cancel()
        for listening in self._sockets:
            loop.remove_reader(listening)
            listening.close()
        self._close_reserve()

    def _listen(self, listening: socket.socket) -> None:
        self._pauses.pop(listening, None)
        asyncio.get_running_loop().add_reader(listening, self._accept_batch, listening)

    def _accept_batch(self, listening: socket.socket) -> None:
        for _ in range(self._batch):
            if not self._accept(listening):
                return

    def _accept(self, listening: socket.socket) -> bool:
        """Accept or reject one connection; return whether there may be another."""
        if not self._open_reserve() and not (
            self._manager.close_idle() and self._open_reserve()
        ):
            # Without the reserve this one may take the last descriptor until it closes,
            # and the next could be neither accepted nor rejected.
            self._pause(listening)
            return False
        try:
            connection, address = listening.accept()
        except BlockingIOError:
            return False
        except ConnectionAbortedError:
            # The peer closed before it was accepted.
            return True
        except OSError as error:
            if error.errno in _EXHAUSTED:
                return self._manager.close_idle() or self._reject_one(listening)
            self._pause(listening)
            return False
        peer = find_peer(connection, address)
        if reason := self._manager.find_rejection(peer):
            self._manager.rejected.record(reason)
            _reject(connection, self.rejection)
        else:
            self._serve(connection, address)
        return True

    def _reject_one(self, listening: socket.socket) -> bool:
        """Accept and reject one connection with the reserved descriptor."""
        self._close_reserve()
        try:
            connection, _ = listening.accept()
            self._manager.rejected.record("descriptors")
            _reject(connection, self.rejection)
        except BlockingIOError:
            return False
        except OSError:
            self._pause(listening)
            return False
        finally:
            self._open_reserve()
        return True

    def _pause(self, listening: socket.socket) -> None:
        """Stop accepting for a moment: the kernel would report the same one at once."""
        self._manager.rejected.record("pauses")
        loop = asyncio.get_running_loop()
        loop.remove_reader(listening)
        if listening not in self._pauses:
            again = loop.call_later(PAUSE_SECONDS, self._listen, listening)
            self._pauses[listening] = again

    def _open_reserve(self) -> bool:
        """Open the reserved descriptor; False if none is free."""
        if self._reserve is None:
            with suppress(OSError):
                self._reserve = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        return self._reserve is not None

    def _close_reserve(self) -> None:
        if self._reserve is not None:
            os.close(self._reserve)
            self._reserve = None


def _reject(connection: socket.socket, response: bytes) -> None:
    """Send a response, if that does not block, and close."""
    with connection, suppress(OSError):
        connection.setblocking(False)
        connection.send(response)
        # Closing with unread input resets the connection, and drops the response.
        connection.shutdown(socket.SHUT_WR)
        connection.recv(64 * 1024)
