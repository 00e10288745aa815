"""HTTP by hand: bytes that no client library would send, raw responses."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any

from support.canary import Scanner

BOUND = 60.0
"""Seconds that any one wait may take."""

JSON = {"Content-Type": "application/json", "Accept": "application/json"}


@dataclass(frozen=True)
class Answer:
    """One HTTP response."""

    status: int
    headers: Mapping[str, str]
    """Keyed by lower-case name."""
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class Wire:
    """One connection to a server."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        port: int,
        scanner: Scanner | None,
    ) -> None:
        self.port = port
        self._reader = reader
        self._writer = writer
        self._scanner = scanner
        self._frames: list[bytes] = []

    async def send(self, data: bytes) -> None:
        """Send bytes as they are; a connection already closed is no failure here."""
        try:
            self._writer.write(data)
            await asyncio.wait_for(self._writer.drain(), BOUND)
        except ConnectionError:
            pass

    async def request(
        self,
        method: str,
        path: str = "/mcp",
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> None:
        """Send a request; Host and Content-Length are added unless given."""
        await self.send(write_request(self.port, method, path, headers, body))

    async def answer(self, *, is_head: bool = False) -> Answer:
        """Return the next response; EOFError if the connection is closed instead."""
        return await asyncio.wait_for(self._read_answer(is_head), BOUND)

    async def exchange(
        self,
        method: str,
        path: str = "/mcp",
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> Answer:
        """Send a request; return the response."""
        await self.request(method, path, headers, body)
        return await self.answer(is_head=method == "HEAD")

    async def event(self) -> Any:
        """Return the message of the next server-sent event of a chunked response."""
        chunk = await self.chunk()
        assert chunk.startswith(b"event: message\ndata: ")
        assert chunk.endswith(b"\n\n")
        return json.loads(chunk.removeprefix(b"event: message\ndata: "))

    async def frame(self) -> tuple[str, bytes] | None:
        """Return the name and data of the next event of a stream; None at its end.

        A comment is an event without a name.
        """
        if not self._frames:
            chunk = await self.chunk()
            if not chunk:
                return None
            assert chunk.endswith(b"\n\n")
            self._frames += chunk.removesuffix(b"\n\n").split(b"\n\n")
        first = self._frames.pop(0)
        if first.startswith(b":"):
            return "", first
        name, data = first.split(b"\n")
        assert name.startswith(b"event: ")
        assert data.startswith(b"data: ")
        return name.removeprefix(b"event: ").decode(), data.removeprefix(b"data: ")

    async def notice(self) -> Any:
        """Return the message of the next event, past comments; None at the end."""
        while (frame := await self.frame()) is not None:
            name, data = frame
            if name:
                assert name == "message"
                return json.loads(data)
        return None

    async def chunk(self) -> bytes:
        """Return the next chunk of a response; empty at its end."""
        return await asyncio.wait_for(self._read_chunk(), BOUND)

    async def head(self) -> Answer:
        """Return a response's status and headers, its body still to come."""
        return await asyncio.wait_for(self._read_head(), BOUND)

    async def rest(self) -> bytes:
        """Return everything until the server closes the connection."""
        try:
            return self._scan(await asyncio.wait_for(self._reader.read(), BOUND))
        except ConnectionError:
            return b""

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Read nothing from the server meanwhile."""
        transport = self._writer.transport
        assert isinstance(transport, asyncio.ReadTransport)
        transport.pause_reading()
        yield
        transport.resume_reading()

    def end_input(self) -> None:
        """Shut down the sending side, and keep reading."""
        self._writer.write_eof()

    def close(self) -> None:
        """Close the connection."""
        self._writer.close()

    def _scan(self, data: bytes) -> bytes:
        if self._scanner is not None:
            self._scanner.scan(data, ("wire", id(self)))
        return data

    async def _read_head(self) -> Answer:
        head = self._scan(await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.removesuffix("\r\n\r\n").split("\r\n")
        pairs = (line.partition(": ") for line in lines)
        headers = {name.lower(): value for name, _, value in pairs}
        return Answer(int(first.split(" ")[1]), headers, b"")

    async def _read_answer(self, is_head: bool) -> Answer:
        head = await self._read_head()
        if is_head or head.status in (204, 304) or head.status < 200:
            return head
        return Answer(head.status, head.headers, await self._read_body(head.headers))

    async def _read_body(self, headers: Mapping[str, str]) -> bytes:
        if "content-length" in headers:
            length = int(headers["content-length"])
            return self._scan(await self._reader.readexactly(length))
        if headers.get("transfer-encoding") != "chunked":
            return self._scan(await self._reader.read())
        body = b""
        while chunk := await self._read_chunk():
            body += chunk
        return body

    async def _read_chunk(self) -> bytes:
        size = int(await self._reader.readline(), 16)
        return self._scan(await self._reader.readexactly(size + 2))[:-2]


def write_request(
    port: int,
    method: str,
    path: str = "/mcp",
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
) -> bytes:
    """Return the bytes of a request."""
    defaults = {"Host": f"127.0.0.1:{port}"}
    if body is not None:
        defaults["Content-Length"] = str(len(body))
    lines = [
        f"{name}: {value}" for name, value in {**defaults, **(headers or {})}.items()
    ]
    head = "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "", ""])
    return head.encode("latin-1") + (body or b"")


def chunked(*parts: bytes) -> bytes:
    """Return a whole chunked body."""
    chunks = [b"%x\r\n%b\r\n" % (len(part), part) for part in parts]
    return b"".join([*chunks, b"0\r\n\r\n"])


async def until(condition: Callable[[], bool]) -> None:
    """Run the loop until a condition holds, at most BOUND seconds."""
    deadline = monotonic() + BOUND
    while not condition():
        assert monotonic() < deadline, "it never came to be"
        await asyncio.sleep(0.001)


@asynccontextmanager
async def dial(
    port: int, scanner: Scanner | None = None, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Wire]:
    """Open a connection to a server on this machine, over TLS if given a context.

    A server in this process is scanned at its own end; one in another process needs a
    scanner here.
    """
    opening = asyncio.open_connection(
        "127.0.0.1",
        port,
        limit=64 * 1024 * 1024,
        ssl=tls,
        server_hostname=None if tls is None else "localhost",
    )
    reader, writer = await asyncio.wait_for(opening, BOUND)
    wire = Wire(reader, writer, port, scanner)
    try:
        yield wire
    finally:
        wire.close()
        try:
            await asyncio.wait_for(writer.wait_closed(), BOUND)
        except ConnectionError:
            pass


async def ask(
    port: int,
    method: str,
    path: str = "/mcp",
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
) -> Answer:
    """Make one request on a connection of its own."""
    async with dial(port) as wire:
        return await wire.exchange(method, path, headers, body)
