"""The bus between replicas over Redis or Valkey, which stores nothing."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final
from urllib.parse import urlsplit

from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import (
    AuthenticationError,
    InvalidResponse,
    NoPermissionError,
    RedisError,
    ResponseError,
)
from redis.exceptions import ConnectionError as RedisConnectionError

from asdlc_kb.cluster.network_transport import NetworkTransport

CHANNEL: Final = "asdlc-kb:3:bus"
"""The channel of all messages; the number is the version of the format. A database of
Redis does not separate channels: sites are separated by their keys."""


class RedisTransport(NetworkTransport[Redis]):
    """The bus of one replica."""

    server = "Redis"
    faults = (RedisError, OSError, TimeoutError)
    refusals = (AuthenticationError, ResponseError)
    reasons: ClassVar = {
        AuthenticationError: "it does not accept the user or password",
        NoPermissionError: "the user may not publish or subscribe",
        ResponseError: "it rejects a command, or has no database of this number",
        RedisConnectionError: "it closed the connection, or is not a Redis",
        InvalidResponse: "it is not a Redis",
    }

    def __init__(self, url: str, *, name: str | None = None) -> None:
        """Raise ValueError for an invalid URL."""
        parts = urlsplit(url)
        super().__init__(parts.netloc.rpartition("@")[2] or parts.path, name)
        self._url = url
        # The client ignores any other path, and uses database 0.
        if parts.scheme != "unix" and not re.fullmatch("/?[0-9]*", parts.path):
            raise ValueError("the database is not a number")
        self.open()

    def open(self) -> Redis:
        """Return a client, which connects with its first command."""
        return Redis.from_url(
            self._url,
            protocol=2,
            decode_responses=False,
            socket_timeout=self.answer_seconds,
            socket_connect_timeout=self.answer_seconds,
            retry=Retry(NoBackoff(), 0),
        )

    async def ping(self, connection: Redis) -> None:
        """Wait for a reply of Redis."""
        await connection.ping()

    async def send_batch(self, connection: Redis, messages: Sequence[bytes]) -> None:
        """Send messages as a pipeline."""
        prefix = self.name.encode() + b"\0"
        async with connection.pipeline(transaction=False) as pipeline:
            for message in messages:
                pipeline.publish(CHANNEL, prefix + message)
            await pipeline.execute()

    async def receive(self, connection: Redis) -> None:
        """Subscribe, then receive messages until the connection fails."""
        async with connection.pubsub() as pubsub:
            await pubsub.subscribe(CHANNEL)
            while True:
                self._handle_message(await self._read(pubsub))

    def _handle_message(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"type": "subscribe"}:
                self.begin_receiving()
            case {"type": "message", "data": bytes(data)}:
                name, _, body = data.partition(b"\0")
                self.deliver(name.decode("ascii", "replace"), body)

    async def _read(self, pubsub: PubSub) -> Mapping[str, Any]:
        """Return the next message; ping after a while without one."""
        message: Mapping[str, Any] | None
        message = await pubsub.get_message(timeout=self.quiet_seconds)
        if message is None:
            await pubsub.ping()
            message = await pubsub.get_message(timeout=self.answer_seconds)
        if message is None:
            raise TimeoutError
        return message
