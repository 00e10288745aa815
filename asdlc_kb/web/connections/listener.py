"""Taking connections, cheaply also where they are too many.

A server that is out of descriptors cannot take a connection, and cannot refuse it
either: the kernel would ask again and again. An idle connection gives way then. Where
none is idle, one descriptor is kept in reserve, with which such a newcomer is taken and
sent away.
"""

import asyncio
import errno
import os
import socket
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Final

from asdlc_kb.web.connections.connection_manager import ConnectionManager, find_peer
from asdlc_kb.web.connections.rejections import write_refusal

RETRY_SECONDS: Final = 5
"""When who is refused may come again: connections end sooner than servers do."""

PAUSE_SECONDS: Final = 0.1
"""Nobody is taken for so long where not even the reserve helps."""

SEND_BYTES: Final = 256 * 1024
"""What the kernel keeps of an answer for one reader, twice over. Left to itself it
keeps up to 4 MB, and so many that read nothing would have a machine's memory."""

_BATCH: Final = 16
"""Connections that are taken before other work gets its turn."""

_EXHAUSTED: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
"""What the kernel says when it has no room for one more."""

BUSY: Final = write_refusal(
    503,
    "too many connections",
    b"Retry-After: %d" % RETRY_SECONDS,
)
"""What is written to who is refused, whatever the request."""


class Listener:
    """Takes connections from listening sockets until it is stopped."""

    def __init__(
        self,
        sockets: Iterable[socket.socket],
        guard: ConnectionManager,
        take: Callable[[socket.socket, Any], None],
        *,
        is_shared: bool = False,
    ) -> None:
        """Take all that come; of those that `is_shared` leave some to the others."""
        self._batch = 1 if is_shared else _BATCH
        self._sockets = tuple(sockets)
        self._guard = guard
        self._take = take
        self._reserve: int | None = None
        self._pauses: dict[socket.socket, asyncio.TimerHandle] = {}
        self._is_stopped = False
        self._keep_reserve()
        for listening in self._sockets:
            listening.setblocking(False)
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BYTES)
            self._listen(listening)

    def take_waiting(self) -> None:
        """Take all that the kernel has taken: closing the sockets would reset it."""
        for listening in self._sockets:
            while self._accept(listening):
                pass

    def stop(self) -> None:
        """Listen no more."""
        if self._is_stopped:
            return
        self._is_stopped = True
        loop = asyncio.get_running_loop()
        for pause in self._pauses.values():
            pause.cancel()
        for listening in self._sockets:
            loop.remove_reader(listening)
            listening.close()
        self._spend_reserve()

    def _listen(self, listening: socket.socket) -> None:
        self._pauses.pop(listening, None)
        asyncio.get_running_loop().add_reader(listening, self._take_some, listening)

    def _take_some(self, listening: socket.socket) -> None:
        for _ in range(self._batch):
            if not self._accept(listening):
                return

    def _accept(self, listening: socket.socket) -> bool:
        """Take one connection or refuse it; return whether there may be another."""
        if not (self._keep_reserve() or self._keep_reserve_of_idle()):
            # Taken without it, this one may have the last descriptor until it leaves,
            # and who comes then can neither be taken nor sent away.
            self._pause(listening)
            return False
        try:
            connection, address = listening.accept()
        except BlockingIOError:
            return False
        except ConnectionAbortedError:
            # It left before it was taken.
            return True
        except OSError as error:
            if error.errno in _EXHAUSTED:
                return self._guard.close_idle() or self._shed(listening)
            self._pause(listening)
            return False
        peer = find_peer(connection, address)
        if reason := self._guard.refuse(peer):
            self._guard.refused.note(reason)
            _reject(connection)
        else:
            self._take(connection, address)
        return True

    def _shed(self, listening: socket.socket) -> bool:
        """Send one newcomer away with the descriptor that is kept for it."""
        self._spend_reserve()
        try:
            connection, _ = listening.accept()
            self._guard.refused.note("descriptors")
            _reject(connection)
        except BlockingIOError:
            return False
        except OSError:
            self._pause(listening)
            return False
        finally:
            self._keep_reserve()
        return True

    def _pause(self, listening: socket.socket) -> None:
        """Look away for a moment: the kernel would tell of the same one at once."""
        self._guard.refused.note("pauses")
        loop = asyncio.get_running_loop()
        loop.remove_reader(listening)
        if listening not in self._pauses:
            again = loop.call_later(PAUSE_SECONDS, self._listen, listening)
            self._pauses[listening] = again

    def _keep_reserve(self) -> bool:
        """Have the reserve; False if another thread was faster to open something."""
        if self._reserve is None:
            with suppress(OSError):
                self._reserve = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        return self._reserve is not None

    def _keep_reserve_of_idle(self) -> bool:
        """Have the descriptor of an idle connection for the reserve."""
        return self._guard.close_idle() and self._keep_reserve()

    def _spend_reserve(self) -> None:
        if self._reserve is not None:
            os.close(self._reserve)
            self._reserve = None


def _reject(connection: socket.socket) -> None:
    """Tell a newcomer to come again, if it can be told at once, and hang up."""
    with connection, suppress(OSError):
        connection.setblocking(False)
        connection.send(BUSY)
        # What is unread when a connection is closed resets it, our answer included.
        connection.shutdown(socket.SHUT_WR)
        connection.recv(64 * 1024)
