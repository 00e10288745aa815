"""Attacks on the limits of one client, and of all of them."""

import asyncio
import json
from typing import Final

import pytest
from support.attacked import BAD, GET, HEAD, Attacked, ask, attacked, post
from support.attacks import BOUND, Attacker, attacking, each, reach
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.processes import serve_process

pytestmark = pytest.mark.timeout(seconds=240)

COUNT: Final = 8_000
CONNECTION_KIB: Final = 16
ALL_CONNECTIONS: Final = ("--max-connections", "5000")
HELLO: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "attacker", "version": "1"},
    },
}


@pytest.mark.parametrize("opening", [b"", HEAD, post(BAD), GET], ids=str)
async def test_connections_that_are_reset_leave_little_behind(
    site: KnowledgeBase, scanner: Scanner, opening: bytes
) -> None:
    """8,000 send nothing, half a header, a call, or open a stream; four times."""
    options = ("--max-connections", "10000")
    growth = []
    async with attacked(site, scanner, *options) as (target, _left):
        for _ in "1234":
            await reset(target, opening)
            growth.append(target.count_rss() - target.rss)
            print(f"\n{COUNT} reset: {growth[-1]:+} KiB")
    # Python keeps the memory of small objects for reuse: at most this per connection,
    # however often they come. It differs by some 20 MB from time to time.
    assert growth[-1] < COUNT * CONNECTION_KIB


@pytest.mark.parametrize("opening", [b"", HEAD, post(BAD), GET], ids=str)
async def test_the_allocator_of_the_system_gives_memory_back(
    site: KnowledgeBase, scanner: Scanner, opening: bytes
) -> None:
    """`PYTHONMALLOC=malloc`: within 20 MB of before, after 8,000 resets."""
    options, malloc = ("--max-connections", "10000"), ("env", "PYTHONMALLOC=malloc")
    async with attacked(site, scanner, *options, before=malloc) as (target, _left):
        await reset(target, opening)
        print(f"\n{COUNT} reset: {target.count_rss() - target.rss:+} KiB")
        await reach(lambda: target.count_rss() < target.rss + 20 * 1024)


async def reset(target: Attacked, opening: bytes) -> None:
    """Open connections, reset them, and wait until their memory may be given back."""
    async with attacking(target.port, COUNT, opening, each=20) as attackers:
        if opening not in (b"", HEAD):
            await each(attackers, lambda one: one.read_first())
        await reach(lambda: target.count_fds() >= target.fds + COUNT * 9 // 10)
        for one in attackers:
            one.reset()
    await reach(lambda: target.count_fds() <= target.fds + 5)
    # Memory is released some rounds later.
    for _ in range(8):
        await target.go_on()


async def is_answered(port: int) -> bool:
    """Whether a call on a connection of its own is answered, rather than rejected."""
    async with attacking(port, 1, post(BAD), net=2) as (late,):
        await each([late], lambda one: one.read_first())
    return late.received.startswith(b"HTTP/1.1 200 ")


async def test_idle_connections_give_way_where_descriptors_are_few(
    site: KnowledgeBase, scanner: Scanner
) -> None:
    """`ulimit -n 256`, 1,000 idle ones from 16 addresses, and others that only call."""
    limited = ("sh", "-c", 'ulimit -n 256 && exec "$@"', "sh")
    async with attacked(site, scanner, before=limited) as (target, _left):
        async with attacking(target.port, 1_000, each=64):
            # New ones are left open for a moment: they may be about to send.
            async with asyncio.timeout(BOUND):
                while not await is_answered(target.port):
                    pass
            for _ in range(100):
                assert await is_answered(target.port)
        await target.is_as_before()


async def test_batches_are_no_way_around_the_limit(
    site: KnowledgeBase, scanner: Scanner
) -> None:
    """Ten addresses with 20 batches of 50 searches: 2 of each fit into 120 an hour."""
    call = {"name": "search_articles", "arguments": {"query": "long"}}
    request = {"jsonrpc": "2.0", "method": "tools/call", "params": call}
    batch = json.dumps([{**request, "id": number} for number in range(50)]).encode()
    responses: list[bytes] = []

    options = ("--rate-limit", "120/hour")
    with serve_process(site.root, *options, scanner=scanner) as served:
        for _ in range(20):
            async with attacking(served.port, 10, post(batch)) as attackers:
                await each(attackers, lambda one: one.read_first())
                responses.extend(one.received[:12] for one in attackers)
    assert responses.count(b"HTTP/1.1 200") == 2 * 10
    assert responses.count(b"HTTP/1.1 429") == 18 * 10


async def test_sessions_that_are_never_begun_do_not_exclude_clients(
    site: KnowledgeBase, scanner: Scanner
) -> None:
    """10,000 times `initialize` of one address, and of a hundred."""
    hello = post(json.dumps(HELLO).encode())
    for sharing in (10, 1):

        async def begin(one: Attacker) -> None:
            for _ in range(100):
                await ask(one, hello)
                assert one.received.startswith(b"HTTP/1.1 200 ")

        async with attacked(site, scanner) as (target, _left):
            async with attacking(target.port, 100 // sharing, each=sharing) as all_of:
                for _ in range(sharing):
                    await each(all_of, begin)
            for first in (hello, GET):
                async with attacking(target.port, 1, first, net=3) as (other,):
                    await each([other], lambda one: one.read_first())
                assert other.received.startswith(b"HTTP/1.1 200 ")
            await target.is_as_before()


async def test_what_is_too_long_is_answered(
    site: KnowledgeBase, scanner: Scanner
) -> None:
    """Thousands of headers, addresses and chunk sizes, 50 at once: none is reset."""
    chunks = HEAD + b"Transfer-Encoding: chunked\r\n\r\n2;" + b"x" * 20_000
    kinds = {
        b"HTTP/1.1 431": HEAD + b"X-A: " + b"x" * 70_000,
        b"HTTP/1.1 414": b"GET /" + b"x" * 70_000,
        b"HTTP/1.1 400": chunks,
    }
    async with attacked(site, scanner, *ALL_CONNECTIONS) as (target, _left):
        for _ in range(20):
            for status, raw in kinds.items():
                async with attacking(target.port, 50) as attackers:
                    await each(attackers, lambda one, raw=raw: ask(one, raw))  # type: ignore[misc]
                    assert {one.received[:12] for one in attackers} == {status}
        await target.is_as_before()
