"""Connections, their time limits, and errors without secrets."""

import socket
from pathlib import Path
from time import monotonic

import pytest
from store.postgres import PASSWORD, PostgresServer, postgres_server

from asdlc_kb.exceptions import StoreMisconfigured, StoreUnavailable
from asdlc_kb.store.database import (
    APPLICATION_NAME,
    BoundedConnection,
    StoreAddress,
    connect,
    describe,
    translated_errors,
)


def test_an_address_names_a_primary_and_replicas() -> None:
    """Commas also separate the hosts of one address."""
    address = StoreAddress.parse(
        "postgresql://kb:s3cret@a:5432,b:5433/kb?target_session_attrs=read-write"
        ", postgres://kb:s3cret@[::1]:5434/kb,postgresql://"
    )
    assert len(address.replicas) == 2
    assert str(address) == "a,b:5432,5433/kb, ::1:5434/kb, the default host"
    assert "s3cret" not in repr(address)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a-database",
        "mysql://u:s3cret@h/d",
        "postgresql://u:s3@cret@h/d",
        "postgresql://u:s3/cret@h/d",
        "postgresql://u:s3?cret@h/d",
        "postgresql://u:s3%zzcret@h/d",
        "postgresql://u:s3 cret@h/d",
        "postgresql://s3cret:port/d",
        "postgresql://h/d?s3cret=1",
        "postgresql://h/d,postgresql://u:s3@cret@h/d",
    ],
)
def test_a_wrong_address_is_refused_without_its_text(text: str) -> None:
    """Each has a password where libpq would show it as a host, port or option."""
    with pytest.raises(ValueError, match="percent-encoded") as caught:
        StoreAddress.parse(text)
    assert "s3" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_a_session_has_time_limits(connection: BoundedConnection) -> None:
    """And names only what it means, whatever schemas the database has."""
    rows = connection.execute(
        "SELECT name, setting FROM pg_settings WHERE name IN ('statement_timeout',"
        " 'lock_timeout', 'idle_in_transaction_session_timeout', 'search_path',"
        " 'application_name')"
    ).fetchall()
    assert dict(rows) == {
        "statement_timeout": "60000",
        "lock_timeout": "60000",
        "idle_in_transaction_session_timeout": "300000",
        "search_path": "pg_catalog",
        "application_name": APPLICATION_NAME,
    }


@pytest.mark.parametrize(
    ("user", "database", "reason"),
    [
        ("absent", "postgres", 'password authentication failed for user "absent"'),
        ("postgres", "absent", 'database "absent" does not exist'),
    ],
)
def test_a_refusal_is_for_the_operator(
    postgres: PostgresServer, user: str, database: str, reason: str
) -> None:
    """The message names the server and the reason, and shows no password."""
    url = postgres.url_for(user, database)
    with pytest.raises(StoreMisconfigured, match=reason) as caught:
        connect(url)
    assert PASSWORD not in str(caught.value)
    assert f"127.0.0.1:{postgres.port}/{database}" in str(caught.value)
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        ("sslmode=bogus", 'invalid sslmode value: "bogus"'),
        ("sslmode=require", "server does not support SSL"),
        ("port=99999", "invalid port number"),
    ],
)
def test_a_wrong_option_is_for_the_operator(
    postgres: PostgresServer, option: str, reason: str
) -> None:
    """To wait would not help."""
    with pytest.raises(StoreMisconfigured, match=reason):
        connect(f"{postgres.url}?{option}")


def test_no_statement_is_prepared(connection: BoundedConnection) -> None:
    """A pooler may run the next one on a connection that has not prepared it."""
    for _ in range(20):
        connection.execute("SELECT 1 + %s", (1,))
    prepared = connection.execute("SELECT count(*) FROM pg_prepared_statements")
    assert prepared.fetchone() == (0,)


def test_a_missing_password_is_for_the_operator(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The server asks for one, and libpq has none."""
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "absent"))
    monkeypatch.delenv("PGPASSWORD", raising=False)
    url = f"postgresql://postgres@127.0.0.1:{postgres.port}/postgres"
    with pytest.raises(StoreMisconfigured, match="no password supplied"):
        connect(url)


def test_a_refused_connection_is_reported() -> None:
    """A port at which nothing listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        address = f"postgresql://u:s3cret@127.0.0.1:{bound.getsockname()[1]}/d"
        with pytest.raises(StoreUnavailable, match="refused") as caught:
            connect(address)
    assert "s3cret" not in str(caught.value)


def test_a_slow_statement_ends(database: str) -> None:
    """The server ends it."""
    with (
        connect(database, statement_seconds=0.1) as connection,
        pytest.raises(StoreUnavailable, match="took too long"),
        translated_errors(database),
    ):
        connection.execute("SELECT pg_sleep(60)")


def test_a_server_that_ends_a_connection_cannot_be_reached(
    postgres: PostgresServer, database: str
) -> None:
    """As one that stops does, if it has time to say so."""
    with connect(database) as connection:
        pid = connection.info.backend_pid
        postgres.query("SELECT pg_terminate_backend(%s, 10000)", pid)
        with (
            pytest.raises(StoreUnavailable, match="cannot be reached"),
            translated_errors(database),
        ):
            connection.execute("SELECT 1")


def test_a_server_that_does_not_answer_is_cut_off() -> None:
    """Its connections stay open, so only this process can end the wait."""
    with postgres_server() as server, connect(server.url) as connection:
        connection.max_seconds = 0.2
        server.pause()
        began = monotonic()
        try:
            with (
                pytest.raises(StoreUnavailable, match="cannot be reached"),
                translated_errors(server.url),
            ):
                connection.execute("SELECT 1")
        finally:
            server.resume()
        assert monotonic() - began < 30
        assert connection.closed


def test_an_error_quotes_no_stored_text(connection: BoundedConnection) -> None:
    """PostgreSQL quotes values in messages; hidden ones must not reach a log."""
    with (
        pytest.raises(
            StoreUnavailable, match=r"InvalidTextRepresentation \(22P02\)"
        ) as caught,
        translated_errors(connection.address),
    ):
        connection.execute("SELECT 'hidden text'::text::integer")
    assert "hidden" not in str(caught.value)


def test_a_missing_privilege_says_what_to_grant(
    connection: BoundedConnection, postgres: PostgresServer
) -> None:
    """The operator reads which role is needed."""
    postgres.create_role("unprivileged")
    database = connection.info.dbname
    url = postgres.url_for("unprivileged", database)
    with (
        connect(url) as other,
        pytest.raises(StoreMisconfigured, match="grant it asdlc_ingest"),
        translated_errors(url),
    ):
        other.execute("SELECT * FROM asdlc_kb.sources")


def test_a_description_has_no_user() -> None:
    """Only what is needed to find the server."""
    assert describe("postgresql://me:pw@h:1/d?sslmode=require") == "h:1/d"
