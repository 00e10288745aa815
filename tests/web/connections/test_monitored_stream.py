"""Deadlines of a connection: what its peer has to send or to read in time."""

import asyncio
from time import monotonic

from support.streams import joined
from support.wire import BOUND, until

from asdlc_kb.web.connections.monitored_stream import (
    BODY_RATE,
    BODY_SECONDS,
    HEAD_SECONDS,
    IDLE_SECONDS,
    STALL_BYTES,
    STALL_SECONDS,
    MonitoredStream,
)


def fault(stream: MonitoredStream, seconds: float) -> str | None:
    """Return the reason of its deadline, if any, after so much time."""
    return stream.timeout_reason(monotonic() + seconds)


async def test_a_request_has_ten_seconds_from_its_first_byte() -> None:
    """D-058: before that it is an idle connection, which may stay for 75."""
    with joined() as (_, stream, peer):
        reading = asyncio.ensure_future(stream.read_until_regex(b"\r\n\r\n"))
        assert fault(stream, IDLE_SECONDS - 1) is None
        assert fault(stream, IDLE_SECONDS) == "idle"
        peer.send(b"G")
        await until(lambda: fault(stream, HEAD_SECONDS) == "slow_header")
        assert fault(stream, HEAD_SECONDS - 1) is None
        began = monotonic()
        for _ in range(20):
            # More bytes do not buy more time.
            peer.send(b"E")
            await asyncio.sleep(0)
        assert stream.timeout_reason(began + HEAD_SECONDS) == "slow_header"
        peer.send(b"\r\n\r\n")
        await asyncio.wait_for(reading, BOUND)
        assert fault(stream, 1_000) is None


async def test_the_rest_of_a_packet_has_begun_a_request() -> None:
    """Several requests may come at once, the last one in part."""
    with joined() as (_, stream, peer):
        peer.sendall(b"GET / HTTP/1.1\r\n\r\nGE")
        await asyncio.wait_for(stream.read_until_regex(b"\r\n\r\n"), BOUND)
        reading = asyncio.ensure_future(stream.read_until_regex(b"\r\n\r\n"))
        assert fault(stream, HEAD_SECONDS) == "slow_header"
        peer.sendall(b"\r\n\r\n")
        await asyncio.wait_for(reading, BOUND)


async def test_a_body_may_take_longer_only_while_it_comes() -> None:
    """D-058: a large one over a slow line is no attack, a byte a second is."""
    with joined() as (_, stream, peer):
        size = 2 * BODY_RATE
        reading = asyncio.ensure_future(stream.read_bytes(10 * size))
        assert fault(stream, BODY_SECONDS - 1) is None
        assert fault(stream, BODY_SECONDS) == "slow_body"
        peer.setblocking(False)
        loop = asyncio.get_running_loop()
        await asyncio.wait_for(loop.sock_sendall(peer, b"x" * size), BOUND)
        await until(lambda: fault(stream, BODY_SECONDS) is None)
        await until(lambda: fault(stream, BODY_SECONDS + 1.5) is None)
        assert fault(stream, BODY_SECONDS + 2) == "slow_body"
        reading.cancel()


async def test_a_body_of_chunks_is_a_body() -> None:
    """D-058: its deadline does not restart with each chunk."""
    with joined() as (_, stream, peer):
        began = monotonic()
        peer.sendall(b"1\r\nx\r\n")
        await asyncio.wait_for(stream.read_until(b"\r\n"), BOUND)
        await asyncio.wait_for(stream.read_bytes(3), BOUND)
        reading = asyncio.ensure_future(stream.read_until(b"\r\n"))
        latest = began + BODY_SECONDS + 0.5
        assert (
            monotonic() < began + 0.4
            or stream.timeout_reason(latest + 9) == "slow_body"
        )
        assert stream.timeout_reason(latest + 1) == "slow_body"
        reading.cancel()


async def test_an_answer_may_take_any_time_to_make() -> None:
    """The peer is not awaited then."""
    with joined() as (_, stream, _peer):
        assert fault(stream, 1_000_000) is None


async def test_a_reader_must_take_something_worth_the_wait() -> None:
    """D-058: all that is pending for it, or 64 KiB in 20 seconds, not a byte."""
    with joined() as (_, stream, peer):
        peer.setblocking(False)

        async def take(size: int) -> None:
            """Read what is there, and let the stream write as much as fits."""
            loop = asyncio.get_running_loop()
            assert await asyncio.wait_for(loop.sock_recv(peer, size), BOUND)
            await asyncio.sleep(0)

        stream.write(b"x" * 300_000)
        unsent, began = stream.unsent, monotonic()
        assert unsent > 200_000
        assert fault(stream, STALL_SECONDS - 1) is None
        assert fault(stream, STALL_SECONDS) == "slow_reader"
        while stream.unsent == unsent:
            await take(1024)
        # It took something, and too little of it.
        assert unsent - stream.unsent < STALL_BYTES
        assert stream.timeout_reason(began + STALL_SECONDS) == "slow_reader"
        while unsent - stream.unsent < STALL_BYTES:
            await take(1024)
        assert stream.timeout_reason(began + STALL_SECONDS) is None
        assert fault(stream, STALL_SECONDS) == "slow_reader"
        while stream.writing():
            await take(64 * 1024)
        assert (stream.unsent, stream.stalled_since) == (0, None)
