"""A server in this process with as much of Redis's protocol as tests need.

Tests of faults that a real one does not show on demand use it; tests/production uses a
real one.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeAlias

Value: TypeAlias = int | bytes | str | list["Value"] | Exception | None


class FakeRedis:
    """Implements PING, PUBLISH, SUBSCRIBE, INCRBY and EXPIRE; OK to everything else."""

    def __init__(self) -> None:
        self.url = ""
        self.commands: list[tuple[bytes, ...]] = []
        """The commands of all connections."""
        self.pings = Counter[bool]()
        """PINGs of connections that have subscribed, and of others."""
        self.values: dict[bytes, int] = {}
        self.spoilt: set[bytes] = set()
        """Keys with a value of another type."""
        self.answers = asyncio.Event()
        """Set while it answers."""
        self.answers.set()
        self.refusal: str | None = None
        """The error that answers every command."""
        self.connections: set[asyncio.StreamWriter] = set()
        self.channels: defaultdict[bytes, set[asyncio.StreamWriter]]
        self.channels = defaultdict(set)
        self._server: asyncio.Server | None = None
        self._port = 0

    async def start(self) -> None:
        """Listen, on the same port as before if any."""
        self._server = await asyncio.start_server(
            self._serve, "127.0.0.1", self._port, limit=64 * 1024 * 1024
        )
        self._port = self._server.sockets[0].getsockname()[1]
        self.url = f"redis://:a-secret@127.0.0.1:{self._port}/0"

    async def stop(self) -> None:
        """Close every connection and the listening socket."""
        assert self._server is not None
        self._server.close()
        self.cut()

    def cut(self) -> None:
        """Close every connection."""
        for writer in tuple(self.connections):
            writer.close()

    def asked(self, name: bytes) -> list[tuple[bytes, ...]]:
        """Return the commands of a name."""
        return [command for command in self.commands if command[0] == name]

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.connections.add(writer)
        try:
            while True:
                command = await _read(reader)
                await self.answers.wait()
                self.commands.append(command)
                writer.write(_write(self._answer(command, writer)))
        except (EOFError, ConnectionError):
            pass
        finally:
            self.connections.discard(writer)
            for members in self.channels.values():
                members.discard(writer)
            writer.close()

    def _answer(
        self, command: tuple[bytes, ...], writer: asyncio.StreamWriter
    ) -> Value:
        if self.refusal is not None:
            return PermissionError(self.refusal)
        match command:
            case (b"PING",):
                is_subscribed = any(writer in each for each in self.channels.values())
                self.pings[is_subscribed] += 1
                return [b"pong", b""] if is_subscribed else "PONG"
            case (b"SUBSCRIBE", channel):
                self.channels[channel].add(writer)
                return [b"subscribe", channel, 1]
            case (b"PUBLISH", channel, data):
                for member in self.channels[channel]:
                    member.write(_write([b"message", channel, data]))
                return len(self.channels[channel])
            case (b"INCRBY", key, number):
                if key in self.spoilt:
                    return ValueError("WRONGTYPE it is a list")
                self.values[key] = self.values.get(key, 0) + int(number)
                return self.values[key]
            case (b"EXPIRE", *_):
                return 1
        return "OK"


async def _read(reader: asyncio.StreamReader) -> tuple[bytes, ...]:
    """Return the next command."""
    line = await reader.readuntil(b"\r\n")
    parts = []
    for _ in range(int(line[1:])):
        size = int((await reader.readuntil(b"\r\n"))[1:])
        parts.append((await reader.readexactly(size + 2))[:-2])
    return parts[0].upper(), *parts[1:]


def _write(value: Value) -> bytes:
    match value:
        case int():
            return b":%d\r\n" % value
        case bytes():
            return b"$%d\r\n%b\r\n" % (len(value), value)
        case str():
            return b"+%b\r\n" % value.encode()
        case list():
            return b"*%d\r\n" % len(value) + b"".join(map(_write, value))
        case Exception():
            return b"-%b\r\n" % str(value).encode()
    return b"$-1\r\n"


@asynccontextmanager
async def fake_redis() -> AsyncIterator[FakeRedis]:
    """Run one until the block ends."""
    server = FakeRedis()
    await server.start()
    try:
        yield server
    finally:
        await server.stop()
