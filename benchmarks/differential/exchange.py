"""One connection: sends the pieces of a case, and reads all answers."""

import asyncio
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

PAUSE: Final = 0.0005
"""Seconds between two pieces, so that the server reads them one by one."""

_LENGTH_OF_MISSING: Final = re.compile(
    rb"(HTTP/1\.1 404 Not Found\r\n"
    rb"(?=(?:[^\r\n]+\r\n)*?Content-Type: text/html)"
    rb"(?:[^\r\n]+\r\n)*?Content-Length: )\d+"
)
_VOLATILE: Final = (
    (re.compile(rb"(?im)^(date|x-request-id|mcp-session-id): [^\r\n]*"), rb"\1: *"),
    (re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00"), b"*"),
    (re.compile(rb'("request_?id": ?)"[0-9a-f]{16}"', re.IGNORECASE), rb'\1"*"'),
    (re.compile(rb"<p>Did you mean:</p>\n<ul.*?</ul>", re.DOTALL), b""),
    (_LENGTH_OF_MISSING, rb"\1*"),
)
"""What is random or a time, and what it is replaced by.

Pages that do not exist have suggestions only as often as a time limit allows.
"""


@dataclass(frozen=True)
class Answers:
    """All bytes of a server, and whether it closed the connection."""

    data: bytes
    is_closed: bool

    def normalise(self) -> "Answers":
        """Return them without what may differ."""
        data = self.data
        for pattern, replacement in _VOLATILE:
            data = pattern.sub(replacement, data)
        return Answers(data, self.is_closed)


async def exchange(
    port: int, pieces: Iterable[bytes], source: str, patience: float
) -> Answers:
    """Send the pieces, and read until the end, or `patience` seconds of silence."""
    reader, writer = await asyncio.open_connection(
        "127.0.0.1", port, local_addr=(source, 0)
    )
    try:
        async with asyncio.TaskGroup() as group:
            reading = group.create_task(_read(reader, patience))
            await _send(writer, pieces)
    finally:
        writer.transport.abort()
    return reading.result()


async def _send(writer: asyncio.StreamWriter, pieces: Iterable[bytes]) -> None:
    try:
        for number, piece in enumerate(pieces):
            if number:
                await asyncio.sleep(PAUSE)
            writer.write(piece)
            await writer.drain()
    except ConnectionError:
        # The server has refused the rest, and its answer says why.
        return


async def _read(reader: asyncio.StreamReader, patience: float) -> Answers:
    data = b""
    while True:
        try:
            async with asyncio.timeout(patience):
                received = await reader.read(1 << 18)
        except TimeoutError:
            return Answers(data, is_closed=False)
        except ConnectionError:
            return Answers(data, is_closed=True)
        if not received:
            return Answers(data, is_closed=True)
        data += received
