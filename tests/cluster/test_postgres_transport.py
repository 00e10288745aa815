"""The bus over PostgreSQL, as far as no server is needed.

tests/production/test_bus_servers.py and test_postgres_bus.py use a real one.
"""

from binascii import b2a_base64
from typing import Any

import pytest
from psycopg import errors

from asdlc_kb.cluster.postgres_transport import (
    PostgresTransport,
    StandbyError,
    name_channel,
)
from asdlc_kb.exceptions import StoreUnavailable

KEY = b"a key of this test"
URL = "postgresql://me:a-secret@127.0.0.1/kb"


class Listener:
    """Records what arrives."""

    def __init__(self) -> None:
        self.received: list[tuple[str, bytes]] = []

    def joined(self) -> None:
        """Do nothing."""

    def receive(self, sender: str, data: bytes) -> None:
        """Record it."""
        self.received.append((sender, data))

    def left(self, sender: str) -> None:
        """Do nothing."""


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:a-secret@host:port/kb",
        "postgresql://me:a-secret@h@h/kb",
        "postgresql://me@h/kb?no_option=a-secret",
        "postgresql://me:a-secret@h/kb,postgresql://me:a-secret@replica/kb",
    ],
)
def test_an_invalid_address_is_refused_without_its_password(url: str) -> None:
    """At the start; a standby forwards no messages, so replicas are refused too."""
    with pytest.raises(ValueError) as caught:
        PostgresTransport(url)
    assert "a-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("error", "found"),
    [
        (StoreUnavailable("the database at h/kb cannot be reached"), "the database at"),
        (errors.AdminShutdown(), "the database at 127.0.0.1/kb cannot be reached"),
        (errors.UndefinedTable("a-secret"), "127.0.0.1/kb: it has no table"),
        (errors.InsufficientPrivilege("a-secret"), "127.0.0.1/kb: GRANT asdlc_bus to"),
        (StandbyError(), "127.0.0.1/kb: it is a standby"),
        (ConnectionResetError(104, "a-secret"), "127.0.0.1/kb: Connection reset"),
    ],
)
def test_a_fault_is_in_words_without_a_secret(error: Exception, found: str) -> None:
    """Texts of PostgreSQL may quote values."""
    fault = PostgresTransport(URL).describe_fault(error)
    assert fault.startswith(found)
    assert "a-secret" not in fault


def test_a_channel_cannot_be_guessed_without_the_key() -> None:
    """Any role of a database can listen on a channel that it knows."""
    names = [name_channel(None), name_channel(KEY), name_channel(b"another key")]
    assert len(set(names)) == 3
    assert name_channel(KEY) == name_channel(KEY)
    for name in names:
        assert len(name) < 64
        assert name.replace("_", "").isalnum()


@pytest.mark.parametrize(
    ("payload", "received"),
    [
        ("there/1 " + b2a_base64(b"\0data", newline=False).decode(), b"\0data"),
        ("there/1 ", b""),
        ("there " + b2a_base64(b"x", newline=False).decode(), b"x"),
        ("there/1 no base64!", None),
        ("there/1 eA", None),
        ("there/1 é", None),
        ("here/1 eA==", None),
        ("here/1", None),
    ],
)
async def test_a_malformed_notification_is_ignored(
    payload: str, received: bytes | None
) -> None:
    """Other programs may know the channel; a process ignores its own messages."""
    transport = PostgresTransport(URL, name="here")
    listener = Listener()
    transport.listen(listener)
    no_connection: Any = None
    await transport._handle_payload(no_connection, payload)
    expected = [] if received is None else [("there", received)]
    assert listener.received == expected
