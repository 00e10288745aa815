"""Membership in a cluster: the key, the transport, sessions and limits."""

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from support.knowledge import KnowledgeBase
from support.peers import open_app
from support.post import End, MessageExchange
from support.resp import fake_redis
from support.wire import until

from asdlc_kb.app.membership import (
    MIN_KEY_BYTES,
    MIN_KEY_VALUES,
    open_membership,
    read_key,
)
from asdlc_kb.cluster.redis_transport import RedisTransport
from asdlc_kb.exceptions import OperationalError, SettingsError
from asdlc_kb.mcp.protocol.inbound import McpHeaders
from asdlc_kb.settings import Settings

KEY = b"the key that processes of this test have"
SECRET = "hush-hush"


class Adding(End):
    """A transport that has sums too."""

    async def exchange(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        """Report ten more counted by others."""
        return {key: number + 10 for key, number in counted.items()}


def hub(office: MessageExchange, name: str) -> Adding:
    """Return one worker's settings of a broker."""
    end = Adding(name, office)
    office.ends[name] = end
    return end


def write_key(folder: Path, key: bytes = KEY) -> str:
    """Write a key; return its path."""
    path = folder / "session.key"
    path.write_bytes(key)
    return str(path)


def test_nothing_makes_a_process_one_alone() -> None:
    """The default: one process needs no other."""
    assert open_membership(Settings()) is None


def test_a_key_is_what_its_file_holds(tmp_path: Path) -> None:
    """Editors end a file with a newline."""
    assert read_key(None) is None
    assert read_key(write_key(tmp_path, KEY + b"\n")) == KEY
    shortest = (bytes(range(48, 48 + MIN_KEY_VALUES)) * 4)[:MIN_KEY_BYTES]
    assert read_key(write_key(tmp_path, shortest)) == shortest


@pytest.mark.parametrize(
    "key",
    [
        b"",
        SECRET.encode(),
        b"0123456789abcdef0123456789abcde" + b"\n" * 20,
        b"0" * 64,
        b"\1\0" * 32,
        b"hush-" * 20,
    ],
)
def test_a_short_key_is_refused_with_advice(tmp_path: Path, key: bytes) -> None:
    """The message contains no secret and states what to do."""
    path = write_key(tmp_path, key)
    with pytest.raises(SettingsError) as caught:
        read_key(path)
    assert SECRET not in str(caught.value)
    assert path in str(caught.value)
    assert "openssl rand" in str(caught.value)


def test_a_key_file_that_cannot_be_read_is_said_so(tmp_path: Path) -> None:
    """Exit code 3."""
    with pytest.raises(OperationalError, match="No such file"):
        open_membership(Settings(session_key_file=str(tmp_path / "none")))
    with pytest.raises(OperationalError, match="Is a directory"):
        open_membership(Settings(session_key_file=str(tmp_path)))


@pytest.mark.parametrize(
    "url",
    [
        f"redis://:{SECRET}@host:port/0",
        f"redis://:{SECRET}@host:99999/0",
        f"redis://host:port/0?username=me&password={SECRET}",
        f"redis://host/0?db=x&password={SECRET}",
    ],
)
def test_an_address_that_is_none_is_refused_unseen(url: str) -> None:
    """Its password is in no message."""
    with pytest.raises(SettingsError) as caught:
        open_membership(Settings(redis_url=url))
    assert SECRET not in str(caught.value)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is for deployments that need it."""
    monkeypatch.delitem(sys.modules, "asdlc_kb.cluster.redis_transport", raising=False)
    monkeypatch.setitem(sys.modules, "redis.asyncio", None)
    with pytest.raises(OperationalError, match=r"pip install 'asdlc-kb\[redis\]'"):
        open_membership(Settings(redis_url="redis://127.0.0.1"))


async def test_workers_find_each_others_sessions(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """A broker and a key are enough; a configured key takes precedence."""
    office = MessageExchange()
    for settings in (Settings(), Settings(session_key_file=write_key(tmp_path))):
        companies = []
        for name in ("first", "second"):
            company = open_membership(settings, hub(office, name), b"the parent's key")
            assert company is not None
            app = open_app(knowledge, audience=company.open_subscribers())
            company.follow(app.server, app.admission.limits.meters)
            companies.append((company, app))
        (_, home), (_, other) = companies
        session = home.server._sessions.open("2025-11-25")
        assert await other.server.end_session(McpHeaders(session=session.id))
        for company, _ in companies:
            await company.leave()


async def test_without_a_key_sessions_are_nobody_elses(
    knowledge: KnowledgeBase, caplog: pytest.LogCaptureFixture
) -> None:
    """Limits are shared all the same; the log says that sessions are not."""
    async with fake_redis() as server:
        company = open_membership(Settings(redis_url=server.url))
        assert company is not None
        app = open_app(
            knowledge, audience=company.open_subscribers(), rate_limit="9/min"
        )
        company.follow(app.server, app.admission.limits.meters)
        assert app.server.relay is None
        post = company._mail
        assert isinstance(post, RedisTransport)
        await until(lambda: post.is_connected)
        assert app.admission.limits.try_call("192.0.2.1")
        await until(lambda: bool(server.values))
        await company.leave()
    assert "no session_key_file" in caplog.text
    assert "a-secret" not in caplog.text


async def test_replicas_find_each_others_sessions_over_redis(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """The same key for all, and one Redis."""
    async with fake_redis() as server:
        settings = Settings(redis_url=server.url, session_key_file=write_key(tmp_path))
        companies = []
        for _ in range(2):
            company = open_membership(settings)
            assert company is not None
            app = open_app(knowledge, audience=company.open_subscribers())
            company.follow(app.server, app.admission.limits.meters)
            companies.append((company, app))
        mails = [company._mail for company, _ in companies]
        posts = [mail for mail in mails if isinstance(mail, RedisTransport)]
        assert len(posts) == 2
        await until(lambda: len(server.channels) == 2)
        (_, home), (_, other) = companies
        session = home.server._sessions.open("2025-11-25")

        await until(lambda: all(post.is_connected for post in posts))
        assert await other.server.end_session(McpHeaders(session=session.id))
        for company, _ in companies:
            await company.leave()
