"""The bus between replicas over Redis or Valkey.

No request waits for it. One connection publishes, one subscribes; queued messages are
pipelined in order. After a fault nothing is sent until a reconnect succeeds. Nothing is
stored in Redis.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from time import monotonic
from typing import Any, Final

from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from asdlc_kb.cluster.bus import (
    FLUSH_SECONDS,
    MAX_MESSAGE_BYTES,
    BusListener,
    random_name,
)

logger = logging.getLogger(__name__)

CHANNEL: Final = "asdlc-kb:3:bus"
"""The channel of all messages; the number is the version of the format. A database of
Redis does not separate channels: sites are separated by their keys."""

ANSWER_SECONDS: Final = 2.0
"""Timeout of a reply."""

QUIET_SECONDS: Final = 5.0
"""Idle time before a ping."""

MIN_PAUSE_SECONDS: Final = 0.1
MAX_PAUSE_SECONDS: Final = 0.5
"""Pause between two attempts to connect."""

MAX_WAITING_BYTES: Final = 32 * 1024 * 1024
"""Bytes of queued messages; a message beyond them is lost."""

MAX_PIPELINED: Final = 500
"""Messages in one pipeline."""

_STEADY_SECONDS: Final = 5.0
"""Uptime that resets the backoff."""

_CANCEL_SECONDS: Final = 0.1
"""Time after which a task is cancelled again."""

_FAULTS: Final = (RedisError, OSError, TimeoutError)


class RedisTransport:
    """The bus of one replica."""

    def __init__(
        self,
        url: str,
        *,
        name: str | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Raise ValueError for an invalid URL."""
        self.name = name or random_name()
        """The name of this process among the replicas."""
        self._url = url
        self._clock = clock
        self._listeners: list[BusListener] = []
        self._queue: deque[bytes] = deque()
        self._waiting = 0
        """Bytes in the queue."""
        self._has_messages = asyncio.Event()
        self._is_sent = asyncio.Event()
        self.is_connected = False
        """Whether the publishing connection is open."""
        self._is_away = False
        self.is_heard = asyncio.Event()
        """Set while messages can be received."""
        self._open()

    def listen(self, listener: BusListener) -> None:
        """Call this listener for every message and event of the bus."""
        self._listeners.append(listener)

    def publish(self, data: bytes) -> bool:
        """Queue a message to all other replicas; False while Redis is away."""
        message = self.name.encode() + b"\0" + data
        is_possible = (
            self.is_connected
            and len(data) <= MAX_MESSAGE_BYTES
            and self._waiting + len(message) <= MAX_WAITING_BYTES
        )
        if is_possible:
            self._queue.append(message)
            self._waiting += len(message)
            self._is_sent.clear()
            self._has_messages.set()
        return is_possible

    async def flush(self) -> None:
        """Wait until what was published is sent."""
        if self.is_connected and self._queue:
            with suppress(TimeoutError):
                async with asyncio.timeout(FLUSH_SECONDS):
                    await self._is_sent.wait()

    async def run(self) -> None:
        """Maintain both connections until cancelled."""
        uses = (self._send, self._receive)
        tasks = {asyncio.ensure_future(self._reconnect(use)) for use in uses}
        try:
            await asyncio.wait(tasks)
        finally:
            while tasks:
                for task in tasks:
                    # Repeat: the client swallows some cancellations.
                    task.cancel()
                _, tasks = await asyncio.wait(tasks, timeout=_CANCEL_SECONDS)

    async def _reconnect(self, use: Callable[[Redis], Awaitable[None]]) -> None:
        """Reconnect whenever a connection fails, with exponential backoff."""
        pause = MIN_PAUSE_SECONDS
        while True:
            began = self._clock()
            try:
                async with self._open() as client:
                    await use(client)
            except _FAULTS as error:
                self._log_unreachable(error)
            except Exception:
                logger.exception("unexpected error on a connection to Redis")
            if self._clock() - began > _STEADY_SECONDS:
                pause = MIN_PAUSE_SECONDS
            await asyncio.sleep(pause)
            pause = min(MAX_PAUSE_SECONDS, 2 * pause)

    def _open(self) -> Redis:
        return Redis.from_url(
            self._url,
            protocol=2,
            decode_responses=False,
            socket_timeout=ANSWER_SECONDS,
            socket_connect_timeout=ANSWER_SECONDS,
            retry=Retry(NoBackoff(), 0),
        )

    async def _send(self, client: Redis) -> None:
        """Publish queued messages until the connection fails."""
        try:
            await client.ping()
            self.is_connected = True
            self._begin()
            while True:
                if not self._queue:
                    await self._wait_for_messages(client)
                await self._send_queued(client)
        finally:
            self.is_connected = False
            self._queue.clear()
            self._waiting = 0

    async def _wait_for_messages(self, client: Redis) -> None:
        """Wait for messages, and ping an idle connection."""
        self._is_sent.set()
        self._has_messages.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(QUIET_SECONDS):
                await self._has_messages.wait()
        if not self._queue:
            await client.ping()

    async def _send_queued(self, client: Redis) -> None:
        """Send queued messages as a pipeline."""
        async with client.pipeline(transaction=False) as pipeline:
            for _ in range(min(MAX_PIPELINED, len(self._queue))):
                message = self._queue.popleft()
                self._waiting -= len(message)
                pipeline.publish(CHANNEL, message)
            await pipeline.execute()

    async def _receive(self, client: Redis) -> None:
        """Receive messages until the connection fails."""
        async with client.pubsub() as pubsub:
            await pubsub.subscribe(CHANNEL)
            try:
                while True:
                    self._handle_message(await _read(pubsub))
            finally:
                self.is_heard.clear()
                # Wake the sender: it does not notice the fault by itself.
                self._has_messages.set()

    def _handle_message(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"type": "subscribe"}:
                self.is_heard.set()
                self._begin()
            case {"type": "message", "data": bytes(data)}:
                name, _, body = data.partition(b"\0")
                sender = name.decode("ascii", "replace")
                if sender != self.name:
                    for listener in self._listeners:
                        listener.receive(sender, body)

    def _begin(self) -> None:
        """Join the others, once both connections are open."""
        if self.is_connected and self.is_heard.is_set():
            if self._is_away:
                self._is_away = False
                logger.warning("Redis reachable again")
            for listener in self._listeners:
                listener.joined()

    def _log_unreachable(self, error: BaseException) -> None:
        """Log the first of many failures, without its text: it may contain a secret."""
        if not self._is_away:
            self._is_away = True
            reason = type(error.__cause__ or error).__name__
            logger.warning("Redis unreachable", extra={"reason": reason})


async def _read(pubsub: PubSub) -> Mapping[str, Any]:
    """Return the next message; ping after a while without one."""
    message: Mapping[str, Any] | None
    message = await pubsub.get_message(timeout=QUIET_SECONDS)
    if message is None:
        await pubsub.ping()
        message = await pubsub.get_message(timeout=ANSWER_SECONDS)
    if message is None:
        raise TimeoutError
    return message
