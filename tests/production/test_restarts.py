"""Reload, restart and death under load, as clients see it."""

import asyncio
import os
import signal
from contextlib import AsyncExitStack, ExitStack
from functools import partial
from pathlib import Path

import pytest
from support.canary import Scanner
from support.inherited import managing
from support.knowledge import KnowledgeBase
from support.load import loading
from support.processes import Served, serve_process
from support.wire import BOUND, Wire, dial
from support.workers import STRICT, find_workers

QUIET = ("--cache-dir", "off", "--log-level", "info")
WORKERS = pytest.mark.parametrize("workers", ["1", "2"])


async def finish(served: Served) -> int:
    """Wait for the end of a server while others go on; return its exit code."""
    done = await asyncio.to_thread(served.running.wait)
    return done.code


def count_reloads(served: Served) -> int:
    """Return how many times a process of a server was reloaded since the start."""
    return served.running.read_stderr().count(b'"event": "reloaded"')


@WORKERS
@pytest.mark.timeout(seconds=120)
async def test_twenty_reloads_lose_no_request(
    knowledge: KnowledgeBase, scanner: Scanner, tmp_path: Path, workers: str
) -> None:
    """D-095: 0 failed of 10,000 requests over 20 reloads, content swapped in some."""
    other = KnowledgeBase(tmp_path / "other")
    file = tmp_path / "kb.toml"
    texts = [
        f'content = "{knowledge.root}"\n',
        f'content = "{other.root}"\ninstructions = "Read me."\n',
        f'content = "{other.root}"\n',
        f'content = "{knowledge.root}"\nmax_body = 2048\n',
    ]
    file.write_text(texts[0])
    options = ("--config", str(file), "--workers", workers, *QUIET)
    with serve_process(
        None, *options, scanner=scanner, cwd=tmp_path, env=STRICT
    ) as served:

        def has_reloaded(times: int) -> bool:
            return count_reloads(served) >= times

        async with loading(served.port) as load:
            for number in range(1, 21):
                file.write_text(texts[number % len(texts)])
                served.running.signal(signal.SIGHUP)
                expected = number * int(workers)
                await load.until(partial(has_reloaded, expected))
                await load.reach(500)
        assert load.failures == []
        assert load.answered >= 10_000
        assert served.stop().code == 0


@WORKERS
@pytest.mark.timeout(seconds=120)
@pytest.mark.parametrize("overlaps", [True, False])
async def test_restarts_on_an_inherited_socket_lose_no_request(
    knowledge: KnowledgeBase, scanner: Scanner, workers: str, overlaps: bool
) -> None:
    """D-094: whether the next server starts before or after the end of the last one.

    In between, as with systemd, connections wait in the kernel.
    """
    options = ("--workers", workers, *QUIET)
    with managing(scanner) as manager, ExitStack() as stack:
        served = stack.enter_context(manager.serve(knowledge.root, options))
        assert served.port == manager.port
        async with loading(manager.port) as load:
            for _ in range(5):
                await load.reach(300)
                before = served
                if not overlaps:
                    before.running.signal(signal.SIGTERM)
                    assert await finish(before) == 0
                opening = manager.serve(knowledge.root, options)
                served = await asyncio.to_thread(stack.enter_context, opening)
                if overlaps:
                    before.running.signal(signal.SIGTERM)
                    assert await finish(before) == 0
            await load.reach(300)
        assert load.failures == []
        assert served.stop().code == 0


@pytest.mark.timeout(120)
async def test_a_server_that_ends_before_the_next_begins_loses_no_request(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """docs/deploy.md: a socket unit holds the port, and calls meanwhile wait."""
    with managing(scanner) as manager, ExitStack() as stack:
        served = stack.enter_context(manager.serve(knowledge.root, QUIET))
        async with loading(manager.port) as load:
            for _ in range(4):
                await load.reach(300)
                served.running.signal(signal.SIGTERM)
                assert await finish(served) == 0
                opening = manager.serve(knowledge.root, QUIET)
                served = await asyncio.to_thread(stack.enter_context, opening)
            await load.reach(300)
        assert load.failures == []
        assert served.stop().code == 0


@WORKERS
@pytest.mark.timeout(seconds=120)
async def test_a_drain_with_streams_loses_no_request(
    knowledge: KnowledgeBase, scanner: Scanner, workers: str
) -> None:
    """D-094: SIGTERM ends streams with a whole last chunk, and answers what arrives."""
    options = ("--workers", workers, *QUIET)
    with managing(scanner) as manager, ExitStack() as stack:
        served = stack.enter_context(manager.serve(knowledge.root, options))
        async with AsyncExitStack() as opened:
            streams = [await open_stream(manager.port, opened) for _ in range(20)]
            async with loading(manager.port) as load:
                await load.reach(300)
                opening = manager.serve(knowledge.root, options)
                await asyncio.to_thread(stack.enter_context, opening)
                served.running.signal(signal.SIGTERM)
                ends = [asyncio.ensure_future(read_to_end(wire)) for wire in streams]
                async with asyncio.timeout(2 * BOUND):
                    await asyncio.gather(*ends)
                assert await finish(served) == 0
                await load.reach(300)
            assert load.failures == []


async def open_stream(port: int, opened: AsyncExitStack) -> Wire:
    """Open an HTTP+SSE stream."""
    wire = await opened.enter_async_context(dial(port))
    await wire.request("GET", headers={"Accept": "text/event-stream"})
    assert (await wire.head()).status == 200
    return wire


async def read_to_end(wire: Wire) -> None:
    """Read a stream up to its last chunk; EOFError if it is cut."""
    while await wire.chunk():
        pass


@pytest.mark.timeout(seconds=120)
async def test_a_worker_that_is_killed_loses_its_own_requests_alone(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """D-125: kill -9 of one; a retry is answered by the others at once."""
    options = ("--workers", "2", *QUIET)
    with serve_process(knowledge.root, *options, scanner=scanner) as served:
        async with loading(served.port, kept=4, fresh=2) as load:
            for _ in range(3):
                await load.reach(300)
                failed = len(load.failures)
                pids = find_workers(served, 2)
                os.kill(pids[0], signal.SIGKILL)
                find_workers(served, 2, gone=pids[:1])
                await load.reach(300)
                # Each sends one request at a time.
                assert len(load.failures) - failed <= 6
        assert served.stop().code == 0
