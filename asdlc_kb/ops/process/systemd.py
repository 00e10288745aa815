"""What a service manager hands over and wants to hear: two protocols of systemd.

Sockets that it listens on are inherited (`LISTEN_FDS`), so that nothing is lost while
one process takes over from another. What the service does is told by datagrams to the
socket that `NOTIFY_SOCKET` names. Without these variables nothing happens.
"""

import os
import socket
import time
from collections.abc import MutableMapping
from contextlib import suppress
from typing import Final

from asdlc_kb.exceptions import OperationalError

_FIRST: Final = 3
"""The descriptor of the first socket that is handed over."""

_HANDED_OVER: Final = ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES")


def inherited_sockets(environ: MutableMapping[str, str]) -> list[socket.socket]:
    """Return the listening sockets that were handed over to this process, if any.

    Whatever it starts is not to think that they are its own: the variables go. Raises
    OperationalError for what is not a listening stream socket.
    """
    pid, count, _ = (environ.pop(name, "") for name in _HANDED_OVER)
    if pid != str(os.getpid()) or not count.isdecimal():
        return []
    return [_take(number) for number in range(_FIRST, _FIRST + int(count))]


def _take(number: int) -> socket.socket:
    try:
        taken = socket.socket(fileno=number)
    except OSError as error:
        raise OperationalError(
            f"descriptor {number} is no socket: {error.strerror}"
        ) from None
    is_listening = taken.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    if taken.type != socket.SOCK_STREAM or not is_listening:
        taken.detach()
        raise OperationalError(
            f"descriptor {number} is no socket that listens for streams"
        )
    taken.setblocking(False)
    taken.set_inheritable(False)
    return taken


class SystemdNotifier:
    """Tells the service manager what the service does, if there is one that listens."""

    def __init__(self, environ: MutableMapping[str, str]) -> None:
        """Take the address; whatever this process starts is not to speak for it."""
        self._address = environ.pop("NOTIFY_SOCKET", "")
        usec = environ.pop("WATCHDOG_USEC", "")
        pid = environ.pop("WATCHDOG_PID", "") or str(os.getpid())
        is_watched = bool(self._address) and pid == str(os.getpid())
        self.pause: float | None = None
        """Seconds between two signs of life that are expected; None for no sign."""
        if is_watched and usec.isdecimal() and int(usec):
            self.pause = int(usec) / 1_000_000 / 2

    def tell_ready(self) -> None:
        """Say that requests are served, from the start or again after a reload."""
        self._send("READY=1")

    def tell_reloading(self) -> None:
        """Say that settings are read again; `tell_ready` ends it."""
        self._send(f"RELOADING=1\nMONOTONIC_USEC={time.monotonic_ns() // 1000}")

    def tell_stopping(self) -> None:
        """Say that the service is on its way out."""
        self._send("STOPPING=1")

    def tell_alive(self) -> None:
        """Give a sign of life."""
        self._send("WATCHDOG=1")

    def _send(self, state: str) -> None:
        """Send a datagram; a manager that does not listen holds up nobody."""
        if not self._address:
            return
        # An address without a file begins with a zero byte, which no variable can have.
        is_abstract = self._address.startswith("@")
        address = f"\0{self._address[1:]}" if is_abstract else self._address
        with (
            suppress(OSError),
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender,
        ):
            sender.setblocking(False)
            sender.sendto(state.encode(), address)
