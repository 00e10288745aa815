"""A client that sends requests one after the other over one connection."""

import json
import socket
from types import TracebackType
from typing import Any, Self

from benchmarks.failure import BenchFailure

BOUND = 120.0
"""Maximum seconds until a response."""


class Client:
    """A connection to a server; each of its requests is ready bytes."""

    def __init__(self, port: int, source: str = "127.0.0.1") -> None:
        address = ("127.0.0.1", port)
        self.socket = socket.create_connection(address, BOUND, (source, 0))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._rest = b""

    def __enter__(self) -> Self:
        """Return the client itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the connection."""
        self.socket.close()

    def ask(self, request: bytes) -> bytes:
        """Return the answer's body; raise BenchFailure unless its status is 2xx."""
        head, body = self.exchange(request)
        status = head.split(None, 2)[1]
        if not status.startswith(b"2"):
            raise BenchFailure(f"status {status.decode()}: {body[:500]!r}")
        return body

    def exchange(self, request: bytes) -> tuple[bytes, bytes]:
        """Return an answer's head and body, whatever it is."""
        self.socket.sendall(request)
        return self._read()

    def read(self) -> bytes:
        """Return the body of the next answer to a request that was sent."""
        return self._read()[1]

    def _read(self) -> tuple[bytes, bytes]:
        head = self.read_head()
        fields = _fields(head)
        if b"content-length" in fields:
            return head, self._take(int(fields[b"content-length"]))
        if fields.get(b"transfer-encoding", b"").lower() == b"chunked":
            return head, self._take_chunks()
        return head, b""

    def read_head(self) -> bytes:
        """Return the next answer up to its body."""
        while b"\r\n\r\n" not in self._rest:
            self._receive()
        head, _, self._rest = self._rest.partition(b"\r\n\r\n")
        return head

    def _take_chunks(self) -> bytes:
        body = b""
        while True:
            while b"\r\n" not in self._rest:
                self._receive()
            size, _, self._rest = self._rest.partition(b"\r\n")
            chunk = self._take(int(size, 16) + 2)
            if len(chunk) == 2:
                return body
            body += chunk[:-2]

    def _take(self, length: int) -> bytes:
        while len(self._rest) < length:
            self._receive()
        body, self._rest = self._rest[:length], self._rest[length:]
        return body

    def _receive(self) -> None:
        data = self.socket.recv(256 * 1024)
        if not data:
            raise ConnectionResetError("the server closed the connection")
        self._rest += data


def header(head: bytes, name: bytes) -> str:
    """Return the value of a header of an answer."""
    return _fields(head)[name].decode()


def _fields(head: bytes) -> dict[bytes, bytes]:
    lines = (line.partition(b":") for line in head.split(b"\r\n")[1:])
    return {name.strip().lower(): value.strip() for name, _, value in lines}


def result_of(body: bytes, number: int) -> Any:
    """Return the result of a tool's call; raise BenchFailure if it is a failure."""
    answer = json.loads(body)
    result = answer.get("result")
    if answer.get("id") != number or result is None or result.get("isError"):
        raise BenchFailure(f"not the answer to {number}: {body[:500]!r}")
    return result
