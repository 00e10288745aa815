"""Fixtures of the tests of the store: one PostgreSQL, a database for each test."""

from collections.abc import Iterator
from itertools import count

import pytest
from store.postgres import PostgresServer, postgres_server

from asdlc_kb.store.database import BoundedConnection, connect
from asdlc_kb.store.schema import migrate

_numbers = count(1)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A server that no test stops."""
    with postgres_server() as server:
        yield server


@pytest.fixture
def database(postgres: PostgresServer) -> str:
    """The address of an empty database."""
    return postgres.create_database(f"test{next(_numbers)}")


@pytest.fixture
def connection(database: str) -> Iterator[BoundedConnection]:
    """A connection of the owner to a database with the schema."""
    with connect(database) as opened:
        migrate(opened)
        yield opened
