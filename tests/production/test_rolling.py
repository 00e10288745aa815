"""A rolling restart of two replicas behind the shipped nginx, and a crash before it."""

import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

import pytest
from support.bus_server import KINDS, bus_server
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.replicas import KEY, balancing
from support.rolling import (
    Clients,
    Replica,
    asking,
    call_in_session,
    open_session,
)

pytestmark = pytest.mark.timeout(seconds=180)
"""Servers end and start eight times on a busy machine."""

ROUNDS = 2
REQUESTS = 100
"""Between two steps, so that each client was answered meanwhile."""


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Closed at the end of the test."""
    with ExitStack() as stack:
        yield stack


@asynccontextmanager
async def rolling(
    knowledge: KnowledgeBase,
    folder: Path,
    scanner: Scanner,
    stack: ExitStack,
    kind: str,
) -> AsyncIterator[tuple[tuple[Replica, Replica], Clients]]:
    """Run two replicas, a bus, nginx and the clients."""
    key = folder / "session.key"
    key.write_bytes(KEY)
    bus = stack.enter_context(bus_server(kind))
    env = {"ASDLC_KB_BUS_URL": bus.url, "ASDLC_KB_CACHE_DIR": "off"}
    options = ("--session-key-file", str(key), "--trusted-proxy", "127.0.0.1")
    first, second = (
        Replica(knowledge.root, options, env, scanner, stack) for _ in range(2)
    )
    for replica in (first, second):
        await replica.start()
    addresses = [f"127.0.0.1:{replica.port}" for replica in (first, second)]
    port = stack.enter_context(balancing(folder / "nginx", addresses))
    async with asking(port) as clients:
        await clients.reach(REQUESTS)
        yield (first, second), clients
        await clients.reach(REQUESTS)
    # With -s: the figures of docs/reliability.md.
    print(
        f"\n{dict(clients.answered)}, ended sessions: {clients.ended_sessions}, "
        f"cut: {len(clients.cut)}, failed: {len(clients.failures)}"
    )


async def stop_under_load(
    replica: Replica, port: int, number: int = signal.SIGTERM
) -> int:
    """End a replica while a session that it opened is used through nginx, on this port.

    Its client sees nothing of it: the other replica reads the id as well. Returns the
    exit code.
    """
    session = await open_session(replica.port)
    for _ in range(2):
        # One from each replica: nginx balances round-robin.
        assert (await call_in_session(port, session)).status == 200
    code = await replica.end(number)
    for _ in range(4):
        assert (await call_in_session(port, session)).status == 200
    return code


@pytest.mark.parametrize("kind", KINDS)
async def test_a_rolling_restart_fails_no_request(
    knowledge: KnowledgeBase,
    tmp_path: Path,
    scanner: Scanner,
    stack: ExitStack,
    kind: str,
) -> None:
    """docs/deploy.md: one after the other, each as soon as the former is ready."""
    async with rolling(knowledge, tmp_path, scanner, stack, kind) as (
        replicas,
        clients,
    ):
        for _ in range(ROUNDS):
            for replica in replicas:
                assert await stop_under_load(replica, clients.port) == 0
                await replica.start()
    assert clients.failures == []
    assert clients.ended_sessions == 0
    assert clients.cut == []


@pytest.mark.parametrize("kind", KINDS)
async def test_a_crash_before_a_restart_fails_no_request(
    knowledge: KnowledgeBase,
    tmp_path: Path,
    scanner: Scanner,
    stack: ExitStack,
    kind: str,
) -> None:
    """One is killed and restarted, then the other ends: one is always there."""
    async with rolling(knowledge, tmp_path, scanner, stack, kind) as (
        replicas,
        clients,
    ):
        for _ in range(ROUNDS):
            killed, ended = replicas
            code = await stop_under_load(killed, clients.port, signal.SIGKILL)
            assert code == -signal.SIGKILL
            await killed.start()
            assert await stop_under_load(ended, clients.port) == 0
            await clients.reach(REQUESTS)
            await ended.start()
    assert clients.failures == []
    assert clients.ended_sessions == 0
    # nginx cannot retry a response that was partly sent.
    assert len(clients.cut) <= 8 * ROUNDS
