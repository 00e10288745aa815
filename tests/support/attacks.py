"""Attackers: many connections from many addresses of this machine."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final

BOUND: Final = 60.0
"""Seconds that an attack may take."""

DRIP_SECONDS: Final = 0.1
"""Between two bytes of a slow sender."""

HOST: Final = b"Host: localhost\r\nContent-Type: application/json\r\n"


class Attacker:
    """One connection."""

    def __init__(self, connection: socket.socket) -> None:
        self.received = b""
        """The first bytes from the server."""
        self.connection = connection

    async def send(self, data: bytes) -> None:
        """Send as much as the server accepts; it may have closed the connection."""
        loop = asyncio.get_running_loop()
        with suppress(OSError):
            await loop.sock_sendall(self.connection, data)

    async def read_first(self) -> bytes:
        """Return the first bytes from the server; empty once it disconnected."""
        loop = asyncio.get_running_loop()
        with suppress(ConnectionError):
            self.received = await loop.sock_recv(self.connection, 4096)
        return self.received

    async def wait_for_end(self) -> None:
        """Read until the server closes the connection."""
        loop = asyncio.get_running_loop()
        with suppress(ConnectionError):
            while await loop.sock_recv(self.connection, 4096):
                pass

    def reset(self) -> None:
        """Disconnect by a reset."""
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.connection.close()

    async def drip(self, data: bytes) -> None:
        """Send slowly, a byte at a time, until the server closes the connection."""
        ending = asyncio.ensure_future(self.wait_for_end())
        number = 0
        while not ending.done():
            await self.send(data[number % len(data) :][:1])
            number += 1
            await asyncio.wait((ending,), timeout=DRIP_SECONDS)
        await ending


@asynccontextmanager
async def attacking(
    port: int,
    count: int,
    first: bytes = b"",
    *,
    each: int = 1,
    net: int = 1,
    window: int | None = None,
) -> AsyncIterator[Sequence[Attacker]]:
    """Open connections that begin with the same bytes, so many from each of 127.NET/16.

    A small window keeps little on the wire. A refused connection is no failure here.
    """
    loop = asyncio.get_running_loop()
    opened = []

    async def open_one(number: int) -> Attacker:
        connection = socket.socket()
        opened.append(connection)
        if window is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        connection.setblocking(False)
        high, low = divmod(number // each, 250)
        # The kernel assigns ports per address if the peer is known first.
        connection.setsockopt(socket.IPPROTO_IP, _BIND_NO_PORT, 1)
        connection.bind((f"127.{net}.{high}.{low + 1}", 0))
        with suppress(ConnectionError):
            await loop.sock_connect(connection, ("127.0.0.1", port))
        attacker = Attacker(connection)
        await attacker.send(first)
        return attacker

    try:
        yield await asyncio.wait_for(
            asyncio.gather(*(open_one(number) for number in range(count))), BOUND
        )
    finally:
        for connection in opened:
            connection.close()


_BIND_NO_PORT: Final = 24
"""IP_BIND_ADDRESS_NO_PORT of Linux."""


async def each(
    attackers: Sequence[Attacker], act: Callable[[Attacker], Awaitable[object]]
) -> None:
    """Run an action for all of them at once, in bounded time."""
    await asyncio.wait_for(asyncio.gather(*map(act, attackers)), BOUND)


async def reach(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds, in bounded time."""
    async with asyncio.timeout(BOUND):
        while not condition():
            await asyncio.sleep(0.01)
