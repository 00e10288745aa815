"""Accepting connections, also beyond the limits."""

import asyncio
import errno
import json
import os
import socket
from collections import Counter
from contextlib import ExitStack, suppress
from typing import Any

import pytest
from support.canary import Scanner
from support.files import one_descriptor_left
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.peers import EVENTS, open_app, serving
from support.processes import serve_process
from support.wire import BOUND, Answer, Wire, ask, dial, until, write_request

from asdlc_kb.web.connections import listener
from asdlc_kb.web.connections.connection_limits import ConnectionLimits
from asdlc_kb.web.connections.connection_manager import ConnectionManager
from asdlc_kb.web.connections.listener import BUSY, SEND_BYTES, Listener

HEALTH = "/health"


async def greet(port: int) -> Answer:
    """Open a connection, send nothing, and return the server's response."""
    async with dial(port) as wire:
        return await wire.answer()


async def open_streams(*wires: Wire) -> None:
    """Open a stream on each connection."""
    for wire in wires:
        await wire.request("GET", headers=EVENTS)
        assert (await wire.head()).status == 200


async def assert_served(*wires: Wire) -> None:
    """Check that each connection accepts a request."""
    for wire in wires:
        await wire.request("GET", HEALTH)
        assert (await wire.answer()).status == 200


@pytest.mark.parametrize("setting", ["max_connections", "max_connections_per_client"])
async def test_one_too_many_is_told_to_come_again(
    knowledge: KnowledgeBase, setting: str
) -> None:
    """D-059: 503 with Retry-After, at once, and existing ones go on."""
    kind = "most" if setting == "max_connections" else "most_each"
    most: dict[str, Any] = {setting: 2}
    app = open_app(knowledge, **most)
    with captured("asdlc_kb.web.connections.connection_manager") as lines:
        async with serving(app) as site:
            async with dial(site.port) as one, dial(site.port) as two:
                if kind == "most":
                    # Idle ones would give way.
                    await open_streams(one, two)
                else:
                    await assert_served(one, two)
                for _ in range(5):
                    refused = await greet(site.port)
                    assert refused.status == 503
                    assert refused.headers["retry-after"] == "5"
                    assert refused.headers["connection"] == "close"
                    assert refused.json == {"error": "too many connections"}
                if kind == "most_each":
                    await assert_served(one, two)
            await until(lambda: not site.web.manager.connections)
            assert (await ask(site.port, "GET", HEALTH)).status == 200
    assert [row[kind] for row in lines.rows] == [1, 4]
    assert {row["event"] for row in lines.rows} == {"connections refused"}


async def test_a_request_that_is_there_already_sees_the_answer(
    knowledge: KnowledgeBase,
) -> None:
    """Unread bytes at the end would reset the connection."""
    async with serving(open_app(knowledge, max_connections=1)) as site:
        async with dial(site.port) as held:
            await open_streams(held)
            with socket.create_connection(("127.0.0.1", site.port)) as late:
                late.sendall(write_request(site.port, "GET", HEALTH))
                late.settimeout(BOUND)
                loop = asyncio.get_running_loop()
                late.setblocking(False)
                said = b""
                while part := await asyncio.wait_for(loop.sock_recv(late, 999), BOUND):
                    said += part
    assert said == BUSY


async def test_the_kernel_keeps_little_for_a_reader_that_does_not_read() -> None:
    """It would take megabytes for each of thousands."""
    taken: list[socket.socket] = []
    guarding = ConnectionManager(ConnectionLimits(10))
    with socket.create_server(("127.0.0.1", 0)) as listening, socket.socket() as peer:
        taking = Listener((listening,), guarding, lambda one, _: taken.append(one))
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        peer.connect(listening.getsockname())
        await until(lambda: bool(taken))
        taken[0].setblocking(False)
        sent = 0
        with suppress(BlockingIOError):
            while sent < 3 * SEND_BYTES:
                sent += taken[0].send(b"x" * 64 * 1024)
        assert sent < 3 * SEND_BYTES
        taken[0].close()
        taking.stop()
    guarding.close()


class Refusing(socket.socket):
    """A listening socket that fails with a given error."""

    code = 0
    tried = 0

    def accept(self) -> Any:
        """Fail, or accept."""
        self.tried += 1
        if self.code:
            raise OSError(self.code, os.strerror(self.code))
        return super().accept()


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ENOMEM, errno.EPERM])
async def test_where_nobody_can_be_taken_the_server_does_not_spin(
    monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """It pauses for a moment, then accepts the waiting ones."""
    monkeypatch.setattr(listener, "PAUSE_SECONDS", 0.05)
    taken: list[socket.socket] = []
    guarding = ConnectionManager(ConnectionLimits(10))
    with Refusing() as listening, socket.socket() as client:
        listening.code = code
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        open_before = len(os.listdir("/proc/self/fd"))
        taking = Listener((listening,), guarding, lambda one, _: taken.append(one))
        client.connect(listening.getsockname())
        await until(lambda: guarding.rejected.counts["pauses"] == 3)
        # Twice with the reserve, and once for each pause without.
        assert listening.tried <= 6
        assert taken == []
        listening.code = 0
        await until(lambda: bool(taken))
        taken[0].close()
        taking.stop()
        taking.stop()
        assert len(os.listdir("/proc/self/fd")) == open_before - 1
    guarding.close()


async def test_who_left_before_it_was_taken_is_passed_over() -> None:
    """The next one is accepted in the same turn."""
    guarding = ConnectionManager(ConnectionLimits(10))
    taken: list[socket.socket] = []
    with Refusing() as listening, socket.socket() as client:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        taking = Listener((listening,), guarding, lambda one, _: taken.append(one))
        listening.code = errno.ECONNABORTED
        client.connect(listening.getsockname())
        await until(lambda: listening.tried > 0)
        listening.code = 0
        await until(lambda: bool(taken))
        assert guarding.rejected.counts == {}
        taken[0].close()
        taking.stop()
    guarding.close()


class Raided(socket.socket):
    """A listening socket that loses its descriptor to another file during accept."""

    stolen: int | None = None

    def accept(self) -> Any:
        """Accept, after the other one is faster."""
        if self.stolen is None:
            with suppress(OSError):
                self.stolen = os.open(os.devnull, os.O_RDONLY)
        return super().accept()


async def test_a_reserve_that_another_took_is_back_before_anybody_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Descriptors run out: if the last one were used, others would wait in silence."""
    monkeypatch.setattr(listener, "PAUSE_SECONDS", 0.01)
    taken: list[socket.socket] = []
    guarding = ConnectionManager(ConnectionLimits(10))
    loop = asyncio.get_running_loop()
    with Raided() as listening, socket.socket() as one, socket.socket() as two:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        with one_descriptor_left():
            taking = Listener((listening,), guarding, lambda one, _: taken.append(one))
            for client in (one, two):
                client.connect(listening.getsockname())
                client.setblocking(False)
            await until(lambda: guarding.rejected.counts["pauses"] == 2)
            assert listening.stolen is not None
            os.close(listening.stolen)
            for client in (one, two):
                assert (
                    await asyncio.wait_for(loop.sock_recv(client, 999), BOUND) == BUSY
                )
        assert taken == []
        taking.stop()
    guarding.close()


def test_a_server_without_descriptors_refuses_and_recovers(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """D-059: `ulimit -n`: excess connections are refused, in a line or two of log."""
    limited = ("sh", "-c", 'ulimit -n 64 && exec "$@"', "sh")
    options = ("--max-connections", "1000", "--max-connections-per-client", "1000")
    with serve_process(
        knowledge.root, *options, scanner=scanner, prefix=limited
    ) as process:
        address = ("127.0.0.1", process.port)
        request = write_request(process.port, "GET", HEALTH)
        with ExitStack() as stack:
            held = []
            # Half a request is not idle: none of them gives way to a newer one.
            for _ in range(200):
                held.append(stack.enter_context(_open(address)))
                _say(held[-1], request[:-2])
            # The last is refused after all others were accepted or refused.
            told = Counter([_first(held.pop())])
            for connection in held:
                _say(connection, request[-2:])
            # A reset is a refusal whose response was lost.
            told.update(map(_first, held))
            assert process.running.process.poll() is None
        assert told[BUSY] + told[b""] >= 100
        for _ in range(20):
            with _open(address) as good:
                _say(good, request)
                said = _first(good)
            if said.startswith(b"HTTP/1.1 200 OK\r\n"):
                break
        else:
            raise AssertionError("it did not recover")
        left = process.stop()
    rows = [json.loads(line) for line in left.err.splitlines()]
    assert left.code == 0
    assert not [row for row in rows if "traceback" in row]
    refused = [row for row in rows if row["event"] == "connections refused"]
    assert 1 <= len(refused) <= 3
    assert sum(row.get("descriptors", 0) for row in refused) >= 100


def _open(address: tuple[str, int]) -> socket.socket:
    return socket.create_connection(address, BOUND)


def _say(connection: socket.socket, request: bytes) -> None:
    """Send a request, unless the server disconnected."""
    with suppress(ConnectionError):
        connection.sendall(request)


def _first(connection: socket.socket) -> bytes:
    """Return the first bytes from the server; empty if it disconnected."""
    with suppress(ConnectionError):
        return connection.recv(64 * 1024)
    return b""


@pytest.mark.parametrize(("is_shared", "taken"), [(True, [4, 4]), (False, [8, 0])])
async def test_who_shares_a_socket_leaves_some_to_the_others(
    is_shared: bool, taken: list[int]
) -> None:
    """Several processes: a burst of connections is shared."""
    with socket.create_server(("127.0.0.1", 0)) as bound, ExitStack() as stack:
        took: list[list[socket.socket]] = [[], []]

        def listen(number: int) -> Listener:
            def take(connection: socket.socket, address: object) -> None:
                took[number].append(stack.enter_context(connection))

            return Listener(
                [bound.dup()],
                ConnectionManager(ConnectionLimits(9)),
                take,
                is_shared=is_shared,
            )

        for _ in range(8):
            stack.enter_context(socket.create_connection(bound.getsockname()))
        listeners = [listen(number) for number in range(2)]
        await until(lambda: sum(map(len, took)) == 8)
        for each in listeners:
            each.stop()
    assert [len(each) for each in took] == taken
