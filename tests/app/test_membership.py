"""What makes a process one of several: the key, the bus, sessions and limits."""

import asyncio
import json
import sys
from pathlib import Path

import pytest
from support.knowledge import KnowledgeBase
from support.peers import message, open_app
from support.post import MessageExchange
from support.resp import fake_redis
from support.wire import BOUND, until

from asdlc_kb.app import Runtime
from asdlc_kb.app.http_service import HttpService, load
from asdlc_kb.app.membership import find_bus_fault, open_membership
from asdlc_kb.cluster.redis_transport import CHANNEL
from asdlc_kb.exceptions import OperationalError, SettingsError
from asdlc_kb.mcp.protocol.inbound import McpHeaders
from asdlc_kb.ops.metrics import definitions
from asdlc_kb.ops.metrics.counters import Metrics, encode_key
from asdlc_kb.settings import Settings
from asdlc_kb.web.http_server import open_sockets
from asdlc_kb.web.monitoring.metrics import read_gauges

KEY = b"the key that processes of this test have"
SECRET = "hush-hush"


def write_key(folder: Path, key: bytes = KEY) -> str:
    """Write a key; return its path."""
    path = folder / "session.key"
    path.write_bytes(key)
    return str(path)


def test_nothing_makes_a_process_one_alone() -> None:
    """The default: one process needs no other."""
    assert open_membership(Settings(), Metrics()) is None


async def test_a_bus_that_cannot_be_used_is_in_the_metrics(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """AsdlcKbBusAway: 0 from the start, until it is reached; no series without one."""
    key = encode_key(definitions.BUS.series())
    async with fake_redis() as server:
        server.refusal = "WRONGPASS invalid username-password pair"
        settings = Settings(bus_url=server.url, session_key_file=write_key(tmp_path))
        member = open_membership(settings, Metrics())
        assert member is not None
        app = open_app(knowledge, sessions=member.sessions)
        await load(app)
        service = HttpService(app, open_sockets("127.0.0.1", 0), member)

        def measure() -> float:
            return read_gauges(service._context)[key]

        try:
            await until(lambda: len(server.commands) > 4)
            assert measure() == 0
            server.refusal = None
            await until(lambda: measure() == 1)
            await server.stop()
            await until(lambda: measure() == 0)
            await server.start()
        finally:
            await asyncio.wait_for(service.stop(), BOUND)
    alone = HttpService(app, open_sockets("127.0.0.1", 0))
    assert key not in read_gauges(alone._context)
    await asyncio.wait_for(alone.stop(), BOUND)


@pytest.mark.parametrize(
    "url",
    [
        f"redis://:{SECRET}@host:port/0",
        f"redis://:{SECRET}@host:99999/0",
        f"redis://host:port/0?username=me&password={SECRET}",
        f"redis://host/0?db=x&password={SECRET}",
        f"postgresql://me:{SECRET}@host:port/kb",
        f"postgresql://me:{SECRET}@h/kb,postgresql://me:{SECRET}@replica/kb",
    ],
)
def test_an_address_that_is_none_is_refused_unseen(url: str) -> None:
    """Its password is in no message."""
    with pytest.raises(SettingsError) as caught:
        open_membership(Settings(bus_url=url), Metrics())
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "extra", "package"),
    [
        ("redis://127.0.0.1", "redis", "redis.asyncio"),
        ("postgresql://127.0.0.1/kb", "postgres", "psycopg"),
    ],
)
def test_a_missing_package_is_named(
    monkeypatch: pytest.MonkeyPatch, url: str, extra: str, package: str
) -> None:
    """The extra is for deployments that need it."""
    module = f"asdlc_kb.cluster.{extra}_transport"
    monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(OperationalError, match=f"needs the extra `{extra}`"):
        open_membership(Settings(bus_url=url), Metrics())


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        (None, None),
        (f"redis://:{SECRET}@127.0.0.1:1", "127.0.0.1:1: Connection refused"),
        (f"postgresql://me:{SECRET}@127.0.0.1:1/kb", "the database at 127.0.0.1:1/kb"),
    ],
)
def test_the_fault_of_a_bus_is_found_by_one_connection(
    url: str | None, fault: str | None
) -> None:
    """For `doctor`: the address and the reason, without the password."""
    found = find_bus_fault(Settings(bus_url=url))
    assert (found is None) == (fault is None)
    assert found is None or (found.startswith(str(fault)) and SECRET not in found)


async def shake_hands(app: Runtime) -> McpHeaders:
    """Open a session; return the headers of its requests."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
    text = json.dumps(message("initialize", hello)).encode()
    reply = await app.server.answer(app.server.receive(text, McpHeaders()))
    return McpHeaders(session=reply.session)


async def test_workers_share_their_sessions(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """A bus and a key between them are enough; a key that is set wins."""
    given = (Settings(), Settings(session_key_file=write_key(tmp_path)))
    for settings in given:
        messages, members = MessageExchange(), []
        for name in ("first", "second"):
            member = open_membership(
                settings, Metrics(), messages.end(name), b"the parent's key"
            )
            assert member is not None
            app = open_app(knowledge, sessions=member.sessions)
            member.follow(app.admission.limits.meters)
            members.append((member, app))
        (_, home), (_, other) = members
        headers = await shake_hands(home)
        assert other.server.end_session(headers)
        await until(lambda: home.server.find_session(headers) is None)  # noqa: B023
        for member, _ in members:
            await member.leave()


async def test_without_a_key_sessions_are_nobody_elses(
    knowledge: KnowledgeBase, caplog: pytest.LogCaptureFixture
) -> None:
    """Limits are shared all the same; the log says that sessions are not."""
    async with fake_redis() as server:
        members = []
        for _ in range(2):
            member = open_membership(Settings(bus_url=server.url), Metrics())
            assert member is not None
            app = open_app(knowledge, sessions=member.sessions, rate_limit="9/min")
            member.follow(app.admission.limits.meters)
            members.append((member, app))
        (_, home), (second, other) = members
        await until(lambda: len(server.channels[CHANNEL.encode()]) == 2)
        headers = await shake_hands(home)
        assert home.server.find_session(headers) is not None
        assert other.server.find_session(headers) is None
        counted = second._counts._windows

        def is_counted() -> bool:
            assert home.admission.limits.try_call("192.0.2.1") is not None
            return bool(counted)

        await until(is_counted)
        for member, _ in members:
            await member.leave()
    assert "no session_key_file" in caplog.text
    assert "a-secret" not in caplog.text


async def test_replicas_share_their_sessions_over_redis(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """The same key for all, and one Redis."""
    async with fake_redis() as server:
        settings = Settings(bus_url=server.url, session_key_file=write_key(tmp_path))
        members = []
        for _ in range(2):
            member = open_membership(settings, Metrics())
            assert member is not None
            app = open_app(knowledge, sessions=member.sessions)
            member.follow(app.admission.limits.meters)
            members.append((member, app))
        (_, home), (_, other) = members
        headers = await shake_hands(home)
        assert other.server.find_session(headers) is not None
        await until(lambda: len(server.channels[CHANNEL.encode()]) == 2)
        ended = await shake_hands(home)

        def is_ended() -> bool:
            # What is published before both have joined is lost.
            session = other.server.find_session(ended)
            if session is not None:
                other.sessions.end(session)
                other.sessions.join()
            return home.server.find_session(ended) is None

        await until(is_ended)
        for member, _ in members:
            await member.leave()
