"""Lingering close of a connection whose peer is still sending."""

import asyncio
import socket

import pytest
from support.wire import BOUND, until

from asdlc_kb.web.connections import lingering
from asdlc_kb.web.connections.lingering import Lingering


class Ending:
    """A connection that is being closed, and its peer."""

    def __init__(self) -> None:
        self.closing = Lingering()
        self.ended = 0
        ours, self.peer = socket.socketpair()
        ours.setblocking(False)
        self.peer.setblocking(False)
        self.closing.begin(ours, self.count)

    def count(self) -> None:
        """Count the end."""
        self.ended += 1

    async def send(self, data: bytes) -> None:
        """Send bytes to it."""
        loop = asyncio.get_running_loop()
        await asyncio.wait_for(loop.sock_sendall(self.peer, data), BOUND)


async def test_it_ends_when_the_peer_closes() -> None:
    """RFC 9112, 9.6: until then the peer's bytes are read."""
    ending = Ending()
    assert ending.peer.recv(9) == b""
    await ending.send(b"x" * 3_000_000)
    assert ending.ended == 0
    ending.peer.close()
    await until(lambda: ending.ended == 1)
    ending.closing.close()
    assert ending.ended == 1


async def test_it_ends_after_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A peer that keeps its connection has two seconds."""
    assert lingering.MAX_LINGER_SECONDS == 2.0
    monkeypatch.setattr(lingering, "MAX_LINGER_SECONDS", 0.02)
    ending = Ending()
    await until(lambda: ending.ended == 1)
    ending.peer.close()


async def test_it_ends_after_so_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A peer that never stops is not read for ever."""
    monkeypatch.setattr(lingering, "MAX_LINGER_BYTES", 100_000)
    ending = Ending()
    with pytest.raises(ConnectionError):
        await ending.send(b"x" * 10_000_000)
    assert ending.ended == 1
    ending.peer.close()


async def test_all_end_with_the_server() -> None:
    """Nothing is awaited then."""
    ending = Ending()
    ending.closing.close()
    assert ending.ended == 1
    ending.peer.close()


async def test_a_peer_that_is_gone_is_not_waited_for() -> None:
    """Its socket cannot be shut down any more."""
    closing, ended = Lingering(), []
    with socket.socket() as never_connected:
        closing.begin(never_connected, lambda: ended.append(True))
    assert ended == [True]
