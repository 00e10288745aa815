"""Redis and PostgreSQL between replicas, disturbed by tests in the same way."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Protocol, TypeAlias

from store.postgres import PASSWORD as POSTGRES_PASSWORD
from store.postgres import PostgresServer, postgres_server

from asdlc_kb.cluster.postgres_transport import PostgresTransport
from asdlc_kb.cluster.redis_transport import RedisTransport
from asdlc_kb.store.database import connect
from asdlc_kb.store.schema import migrate
from support.redis_server import PASSWORD as REDIS_PASSWORD
from support.redis_server import RedisServer, redis_server

Transport: TypeAlias = RedisTransport | PostgresTransport

PASSWORDS: Final = (POSTGRES_PASSWORD, REDIS_PASSWORD)
"""No log may have one."""

KINDS: Final = ("redis", "postgres")


class BusServer(Protocol):
    """A server that forwards the messages of replicas."""

    @property
    def url(self) -> str:
        """Its address, with the password of a role for this alone."""

    @property
    def name(self) -> str:
        """Its name in the log."""

    def open_transport(self, url: str | None = None) -> Transport:
        """Return a transport over it."""

    def count_connections(self) -> int:
        """Return how many connections of replicas can send or receive."""

    def kill(self) -> None:
        """Kill it."""

    def start(self) -> None:
        """Start it again."""

    def pause(self) -> None:
        """Stop it until `resume`: connections stay, nothing answers."""

    def resume(self) -> None:
        """Let it go on."""

    def cut(self) -> None:
        """Close all connections."""


class RedisBus:
    """A Redis."""

    name = "Redis"

    def __init__(self, server: RedisServer) -> None:
        self.server = server

    @property
    def url(self) -> str:
        """Its address."""
        return self.server.url

    def open_transport(self, url: str | None = None) -> RedisTransport:
        """Return a transport over it."""
        return RedisTransport(url or self.url)

    def count_connections(self) -> int:
        """Return how many connections of replicas can send or receive."""
        lines = self.server.ask("CLIENT LIST")
        commands = ("ping", "publish")
        return sum(
            line["sub"] == "1" or (line["sub"] == "0" and line["cmd"] in commands)
            for line in lines
        )

    def kill(self) -> None:
        """Kill it."""
        self.server.end()

    def start(self) -> None:
        """Start it again."""
        self.server.start()

    def pause(self) -> None:
        """Stop it."""
        self.server.signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        self.server.signal(signal.SIGCONT)

    def cut(self) -> None:
        """Close all connections."""
        self.server.ask("CLIENT", "KILL", "TYPE", "normal")
        self.server.ask("CLIENT", "KILL", "TYPE", "pubsub")


class PostgresBus:
    """A PostgreSQL with the schema, and a role that may send messages only."""

    name = "PostgreSQL"

    def __init__(self, server: PostgresServer) -> None:
        self.server = server
        with connect(server.url) as connection:
            migrate(connection)
        server.create_role("replica", "asdlc_bus")

    @property
    def url(self) -> str:
        """Its address for that role."""
        return self.server.url_for("replica")

    def open_transport(self, url: str | None = None) -> PostgresTransport:
        """Return a transport over it."""
        return PostgresTransport(url or self.url)

    def count_connections(self) -> int:
        """Return how many connections of replicas can send or receive."""
        ((count,),) = self.server.query(
            "SELECT count(*) FROM pg_stat_activity WHERE usename = 'replica'"
            " AND (query LIKE 'LISTEN%' OR query LIKE '%bus_messages%'"
            " OR query LIKE '%pg_notify%')"
        )
        assert isinstance(count, int)
        return count

    def kill(self) -> None:
        """Kill it."""
        self.server.kill()

    def start(self) -> None:
        """Start it again."""
        self.server.start()

    def pause(self) -> None:
        """Stop it."""
        self.server.pause()

    def resume(self) -> None:
        """Let it go on."""
        self.server.resume()

    def cut(self) -> None:
        """Close all connections."""
        self.server.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE usename = 'replica'"
        )


@contextmanager
def bus_server(kind: str) -> Iterator[RedisBus | PostgresBus]:
    """Run one until the block ends."""
    if kind == "redis":
        with redis_server() as redis:
            yield RedisBus(redis)
    else:
        with postgres_server() as postgres:
            yield PostgresBus(postgres)
