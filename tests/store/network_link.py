"""A TCP proxy to a server of the tests, which drops what it forwards on demand."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Lock, Thread

from support.processes import BOUND


class NetworkLink:
    """Forwards connections to a port; paused, it forwards nothing and refuses nothing.

    Connections go on after a pause, as those of TCP do after lost packets.
    """

    def __init__(self, target: int) -> None:
        self.target = target
        """The port that new connections are forwarded to."""
        self.bytes_per_second = 0
        """Speed of each direction; 0 is no limit."""
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._is_open, self._is_closed = Event(), Event()
        self._is_open.set()
        self._sockets: set[socket.socket] = set()
        self._lock = Lock()
        Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        """The port it listens on."""
        port: int = self._listening.getsockname()[1]
        return port

    def pause(self) -> None:
        """Forward nothing until `resume`."""
        self._is_open.clear()

    def resume(self) -> None:
        """Forward again."""
        self._is_open.set()

    def cut(self) -> None:
        """Close all connections; new ones are forwarded."""
        with self._lock:
            sockets, self._sockets = self._sockets, set()
        for each in sockets:
            _shut_down(each)

    def close(self) -> None:
        """End all threads and connections."""
        self._is_closed.set()
        self._is_open.set()
        _shut_down(self._listening)
        self._listening.close()
        self.cut()

    def _accept(self) -> None:
        with suppress(OSError):
            while not self._is_closed.is_set():
                client, _ = self._listening.accept()
                Thread(target=self._connect, args=(client,), daemon=True).start()

    def _connect(self, client: socket.socket) -> None:
        self._is_open.wait(BOUND)
        with client, suppress(OSError):
            with socket.create_connection(("127.0.0.1", self.target)) as server:
                pair = {client, server}
                with self._lock:
                    self._sockets |= pair
                if self._is_closed.is_set():
                    return
                back = Thread(target=self._forward, args=(server, client), daemon=True)
                back.start()
                self._forward(client, server)
                back.join(BOUND)
                with self._lock:
                    self._sockets -= pair

    def _forward(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                self._is_open.wait(BOUND)
                if self.bytes_per_second:
                    self._is_closed.wait(len(data) / self.bytes_per_second)
                target.sendall(data)
        for each in (source, target):
            _shut_down(each)


def _shut_down(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def network_link(target: int) -> Iterator[NetworkLink]:
    """Forward to a port until the block ends."""
    link = NetworkLink(target)
    try:
        yield link
    finally:
        link.close()
