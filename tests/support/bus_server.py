"""Redis and PostgreSQL between replicas, disturbed by tests in the same way."""

import signal
from binascii import a2b_base64, b2a_base64
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from threading import Timer
from typing import Final, Protocol, TypeAlias

import psycopg
from redis import Redis
from redis.client import PubSub
from store.postgres import PASSWORD as POSTGRES_PASSWORD
from store.postgres import PostgresServer, postgres_server

from asdlc_kb.cluster.postgres_transport import PostgresTransport, name_channel
from asdlc_kb.cluster.redis_transport import CHANNEL, RedisTransport
from asdlc_kb.store.database import connect
from asdlc_kb.store.schema import migrate
from support.processes import BOUND
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

    def empty(self) -> None:
        """Delete all that it stores."""

    def slow(self) -> None:
        """Answer nothing for 1.5 seconds."""

    def count_stored(self) -> int:
        """Return how many values of replicas it stores."""

    def tap(self, key: bytes) -> AbstractContextManager["BusTap"]:
        """Read the messages of the replicas with a key, and publish others."""


class BusTap(Protocol):
    """A program that knows the password and the channel of replicas."""

    def read(self, seconds: float = BOUND) -> bytes | None:
        """Return sender, NUL and data of the next message; None after some time."""

    def publish(self, message: bytes) -> None:
        """Publish sender, NUL and data."""

    def publish_garbage(self) -> None:
        """Publish what no replica would."""


class RedisTap:
    """A subscriber of Redis."""

    def __init__(self, client: Redis, pubsub: PubSub) -> None:
        self._client = client
        self._pubsub = pubsub

    def read(self, seconds: float = BOUND) -> bytes | None:
        """Return sender, NUL and data of the next message; None after some time."""
        message = self._pubsub.get_message(timeout=seconds)
        return None if message is None else message["data"]

    def publish(self, message: bytes) -> None:
        """Publish sender, NUL and data."""
        self._client.publish(CHANNEL, message)

    def publish_garbage(self) -> None:
        """Publish what no replica would."""
        for garbage in ("", "x", "other\0text", "other\0stext"):
            self._client.publish(CHANNEL, garbage)


class PostgresTap:
    """A listener of PostgreSQL, as the administrator."""

    def __init__(self, connection: psycopg.Connection, channel: str) -> None:
        self._connection = connection
        self._channel = channel

    def read(self, seconds: float = BOUND) -> bytes | None:
        """Return sender, NUL and data of the next message; None after some time."""
        for notification in self._connection.notifies(timeout=seconds, stop_after=1):
            key, _, text = notification.payload.partition(" ")
            return key.partition("/")[0].encode() + b"\0" + a2b_base64(text)
        return None

    def publish(self, message: bytes) -> None:
        """Publish sender, NUL and data."""
        sender, _, data = message.partition(b"\0")
        text = b2a_base64(data, newline=False).decode()
        self._notify(f"{sender.decode()}/1 {text}")

    def publish_garbage(self) -> None:
        """Publish what no replica would."""
        for garbage in ("", "x", "other/1 !", "other/1", "other/1 c3RleHQ="):
            self._notify(garbage)

    def _notify(self, payload: str) -> None:
        self._connection.execute("SELECT pg_notify(%s, %s)", (self._channel, payload))


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

    def empty(self) -> None:
        """Delete all that it stores."""
        self.server.ask("FLUSHALL")

    def slow(self) -> None:
        """Answer nothing for 1.5 seconds."""
        self.server.ask("CLIENT", "PAUSE", 1500, "ALL")

    def count_stored(self) -> int:
        """Return how many values of replicas it stores."""
        return int(self.server.ask("DBSIZE"))

    @contextmanager
    def tap(self, key: bytes) -> Iterator[RedisTap]:
        """Read the messages of all replicas, and publish others."""
        with Redis.from_url(self.url) as client, client.pubsub() as pubsub:
            pubsub.subscribe(CHANNEL)
            pubsub.get_message(timeout=BOUND)
            yield RedisTap(client, pubsub)


class PostgresBus:
    """A PostgreSQL with the schema, and a role that may send messages only."""

    name = "PostgreSQL"

    def __init__(self, server: PostgresServer) -> None:
        self.server = server
        self._resuming: Timer | None = None
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

    def empty(self) -> None:
        """Delete all that it stores."""
        self.server.query("TRUNCATE asdlc_kb.bus_messages")

    def slow(self) -> None:
        """Answer nothing for 1.5 seconds."""
        self.pause()
        self._resuming = Timer(1.5, self.resume)
        self._resuming.start()

    def close(self) -> None:
        """Wait until it is resumed."""
        if self._resuming is not None:
            self._resuming.join()

    def count_stored(self) -> int:
        """Return how many messages of replicas it stores."""
        return len(self.server.query("SELECT FROM asdlc_kb.bus_messages"))

    @contextmanager
    def tap(self, key: bytes) -> Iterator[PostgresTap]:
        """Read the messages of the replicas with a key, and publish others."""
        channel = name_channel(key)
        with psycopg.connect(self.server.url, autocommit=True) as connection:
            connection.execute(f"LISTEN {channel}".encode())
            yield PostgresTap(connection, channel)


@contextmanager
def bus_server(kind: str) -> Iterator[RedisBus | PostgresBus]:
    """Run one until the block ends."""
    if kind == "redis":
        with redis_server() as redis:
            yield RedisBus(redis)
    else:
        with postgres_server() as postgres:
            bus = PostgresBus(postgres)
            with closing(bus):
                yield bus
