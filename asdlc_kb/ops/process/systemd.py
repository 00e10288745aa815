"""Two protocols of systemd: socket activation and service notifications.

Listening sockets are inherited (`LISTEN_FDS`), so that no connection is lost while one
process replaces another. State changes are sent as datagrams to the socket in
`NOTIFY_SOCKET`. Without these variables both do nothing.
"""

import os
import socket
import threading
import time
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager, suppress
from typing import Final

from asdlc_kb.exceptions import OperationalError

_FIRST: Final = 3
"""The descriptor of the first inherited socket."""

_LISTEN_VARIABLES: Final = ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES")


def inherited_sockets(environ: MutableMapping[str, str]) -> list[socket.socket]:
    """Return the listening sockets that this process inherited, if any.

    Removes the variables, so that child processes do not use the sockets. Raises
    OperationalError for a descriptor that is not a listening stream socket.
    """
    pid, count, _ = (environ.pop(name, "") for name in _LISTEN_VARIABLES)
    if pid != str(os.getpid()) or not count.isdecimal():
        return []
    return [_adopt_socket(number) for number in range(_FIRST, _FIRST + int(count))]


def _adopt_socket(number: int) -> socket.socket:
    try:
        inherited = socket.socket(fileno=number)
    except OSError as error:
        raise OperationalError(
            f"descriptor {number} is not a socket: {error.strerror}"
        ) from None
    is_listening = inherited.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    if inherited.type != socket.SOCK_STREAM or not is_listening:
        inherited.detach()
        raise OperationalError(f"descriptor {number} is not a listening stream socket")
    inherited.setblocking(False)
    inherited.set_inheritable(False)
    return inherited


class SystemdNotifier:
    """Notifies the service manager of state changes, if there is one."""

    def __init__(self, environ: MutableMapping[str, str]) -> None:
        """Read and remove the variables: child processes must not notify."""
        self._address = environ.pop("NOTIFY_SOCKET", "")
        usec = environ.pop("WATCHDOG_USEC", "")
        pid = environ.pop("WATCHDOG_PID", "") or str(os.getpid())
        self._alive = "WATCHDOG=1"
        is_watched = bool(self._address) and pid == str(os.getpid())
        self.pause: float | None = None
        """Seconds between two watchdog notifications; None if disabled."""
        if is_watched and usec.isdecimal() and int(usec):
            self.pause = int(usec) / 1_000_000 / 2
            # The start may take longer than the manager's limit, as long as it lives.
            self._alive += f"\nEXTEND_TIMEOUT_USEC={2 * int(usec)}"

    def notify_ready(self, banner: str = "") -> None:
        """Notify that requests are served, after the start or a reload.

        systemd has no use for the banner.
        """
        self._alive = "WATCHDOG=1"
        self._send("READY=1")

    def notify_reloading(self) -> None:
        """Notify that the settings are being reloaded, until `notify_ready`."""
        self._send(f"RELOADING=1\nMONOTONIC_USEC={time.monotonic_ns() // 1000}")

    def notify_stopping(self) -> None:
        """Notify that the service is stopping."""
        self._send("STOPPING=1")

    def notify_alive(self) -> None:
        """Send a watchdog notification; extend the time limit of the start."""
        self._send(self._alive)

    @contextmanager
    def staying_alive(self) -> Iterator[None]:
        """Send heartbeats from a thread while a block without an event loop runs."""
        if self.pause is None:
            yield
            return
        is_done = threading.Event()
        beating = threading.Thread(target=self._beat, args=(self.pause, is_done))
        beating.start()
        try:
            yield
        finally:
            is_done.set()
            beating.join()

    def _beat(self, pause: float, is_done: threading.Event) -> None:
        self.notify_alive()
        while not is_done.wait(pause):
            self.notify_alive()

    def _send(self, state: str) -> None:
        """Send a datagram without blocking; errors are ignored."""
        if not self._address:
            return
        # An abstract address begins with a zero byte, which no variable can contain.
        is_abstract = self._address.startswith("@")
        address = f"\0{self._address[1:]}" if is_abstract else self._address
        with (
            suppress(OSError),
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender,
        ):
            sender.setblocking(False)
            sender.sendto(state.encode(), address)
