"""The common base of the buses between replicas over a server on the network.

No request waits for the server. One connection publishes, one receives; queued messages
are sent in order, several at once. After a fault nothing is sent until a reconnect
succeeds.
"""

import asyncio
import logging
import os
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from time import monotonic
from typing import ClassVar, Final, Generic, TypeVar

from asdlc_kb.cluster.bus import (
    FLUSH_SECONDS,
    MAX_MESSAGE_BYTES,
    MAX_WAITING_BYTES,
    NAME_LENGTH,
    BusListener,
    random_name,
)

logger = logging.getLogger(__name__)

ConnectionT = TypeVar("ConnectionT")

MAX_BATCH: Final = 500
"""Messages that are sent at once."""

MAX_BATCH_BYTES: Final = 8 * 1024 * 1024
"""Bytes of the messages that are sent at once, unless one is longer."""

MIN_PAUSE_SECONDS: Final = 0.1
MAX_PAUSE_SECONDS: Final = 0.5
"""Pause between two attempts to connect."""

_STEADY_SECONDS: Final = 5.0
"""Uptime that resets the backoff."""

CANCEL_SECONDS: Final = 0.1
"""Time after which a task is cancelled again."""


class NetworkTransport(ABC, Generic[ConnectionT]):
    """The bus of one replica."""

    server: ClassVar[str]
    """The name of the server in the log."""
    faults: ClassVar[tuple[type[Exception], ...]]
    """Errors of a connection that a reconnect can solve."""
    refusals: ClassVar[tuple[type[Exception], ...]] = ()
    """Those of them that an operator has to solve."""
    reasons: ClassVar[Mapping[type[Exception], str]] = {}
    """What such an error means, the most specific type first."""

    answer_seconds: ClassVar = 2.0
    """Timeout of a reply."""
    quiet_seconds: ClassVar = 5.0
    """Idle time before a ping."""
    max_waiting_bytes: ClassVar = MAX_WAITING_BYTES

    def __init__(self, address: str, name: str | None) -> None:
        self.address = address
        """Where the server is, without user and password."""
        self.name = name or random_name()
        """The name of this process among the replicas."""
        self._listeners: list[BusListener] = []
        self._queue: deque[bytes] = deque()
        self._waiting = 0
        """Bytes in the queue, with the name of the sender in each message."""
        self._has_messages = asyncio.Event()
        self._is_sent = asyncio.Event()
        self.is_connected = False
        """Whether the publishing connection is open."""
        self._outages: set[str] = set()
        """Events of the present outage that were logged."""
        self.is_heard = asyncio.Event()
        """Set while messages can be received."""

    def require_usable(self) -> None:
        """Raise StoreMisconfigured if an operator has to act before a start.

        A server that cannot be reached is no error: the transport connects later.
        """

    @abstractmethod
    def open(self) -> AbstractAsyncContextManager[ConnectionT]:
        """Return a connection to open."""

    @abstractmethod
    async def ping(self, connection: ConnectionT) -> None:
        """Wait for a reply of the server."""

    @abstractmethod
    async def send_batch(
        self, connection: ConnectionT, messages: Sequence[bytes]
    ) -> None:
        """Send messages in order."""

    @abstractmethod
    async def receive(self, connection: ConnectionT) -> None:
        """Subscribe, then receive messages until the connection fails."""

    @property
    def is_usable(self) -> bool:
        """Whether messages can be published and received."""
        return self.is_connected and self.is_heard.is_set()

    def listen(self, listener: BusListener) -> None:
        """Call this listener for every message and event of the bus."""
        self._listeners.append(listener)

    def publish(self, data: bytes) -> bool:
        """Queue a message to all other replicas; False while the server is away."""
        size = NAME_LENGTH + 1 + len(data)
        is_possible = (
            self.is_connected
            and len(data) <= MAX_MESSAGE_BYTES
            and self._waiting + size <= self.max_waiting_bytes
        )
        if is_possible:
            self._queue.append(data)
            self._waiting += size
            self._is_sent.clear()
            self._has_messages.set()
        return is_possible

    async def flush(self) -> None:
        """Wait until what was published is sent."""
        if self.is_connected:
            with suppress(TimeoutError):
                async with asyncio.timeout(FLUSH_SECONDS):
                    await self._is_sent.wait()

    async def run(self) -> None:
        """Maintain both connections until cancelled."""
        uses = (self._send, self._listen)
        tasks = {asyncio.ensure_future(self._reconnect(use)) for use in uses}
        try:
            await asyncio.wait(tasks)
        finally:
            while tasks:
                for task in tasks:
                    # Repeat: the clients swallow some cancellations.
                    task.cancel()
                _, tasks = await asyncio.wait(tasks, timeout=CANCEL_SECONDS)

    async def find_fault(self) -> str | None:
        """Connect once; return why messages cannot be sent, None if they can."""
        try:
            async with self.open() as connection:
                await self.ping(connection)
        except self.faults as error:
            return self.describe_fault(error)
        return None

    async def _reconnect(self, use: Callable[[ConnectionT], Awaitable[None]]) -> None:
        """Reconnect whenever a connection fails, with exponential backoff."""
        pause = MIN_PAUSE_SECONDS
        while True:
            began = monotonic()
            try:
                async with self.open() as connection:
                    await use(connection)
            except self.faults as error:
                self._log_outage(error)
            except Exception:
                logger.exception(f"unexpected error on a connection to {self.server}")
            if monotonic() - began > _STEADY_SECONDS:
                pause = MIN_PAUSE_SECONDS
            await asyncio.sleep(pause)
            pause = min(MAX_PAUSE_SECONDS, 2 * pause)

    async def _send(self, connection: ConnectionT) -> None:
        """Publish queued messages until the connection fails."""
        try:
            await self.ping(connection)
            self.is_connected = True
            self._begin()
            while True:
                if not self._queue:
                    await self._wait_for_messages(connection)
                if batch := self._next_batch():
                    await self.send_batch(connection, batch)
        finally:
            self.is_connected = False
            self._queue.clear()
            self._waiting = 0

    async def _wait_for_messages(self, connection: ConnectionT) -> None:
        """Wait for messages, and ping an idle connection."""
        self._is_sent.set()
        self._has_messages.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(self.quiet_seconds):
                await self._has_messages.wait()
        if not self._queue:
            await self.ping(connection)

    def _next_batch(self) -> Sequence[bytes]:
        """Remove messages from the queue, and return them."""
        batch: list[bytes] = []
        size = 0
        while self._queue and len(batch) < MAX_BATCH:
            size += len(self._queue[0])
            if batch and size > MAX_BATCH_BYTES:
                break
            message = self._queue.popleft()
            self._waiting -= NAME_LENGTH + 1 + len(message)
            batch.append(message)
        return batch

    async def _listen(self, connection: ConnectionT) -> None:
        try:
            await self.receive(connection)
        finally:
            self.is_heard.clear()
            # Wake the sender: it does not notice the fault by itself.
            self._has_messages.set()

    def begin_receiving(self) -> None:
        """Note that the server has confirmed the subscription."""
        self.is_heard.set()
        self._begin()

    def deliver(self, sender: str, data: bytes) -> None:
        """Pass a message of another process to the listeners."""
        if sender != self.name:
            for listener in self._listeners:
                listener.receive(sender, data)

    def _begin(self) -> None:
        """Join the others, once both connections are open."""
        if self.is_usable:
            if self._outages:
                self._outages.clear()
                logger.warning(f"{self.server} reachable again")
            for listener in self._listeners:
                listener.joined()

    def describe_fault(self, error: Exception) -> str:
        """Return the cause of a fault, without its text: it may contain a secret."""
        cause = error.__cause__ or error.__context__ or error
        if isinstance(cause, TimeoutError):
            reason = f"no answer within {self.answer_seconds:g} seconds"
        elif isinstance(cause, OSError):
            number = cause.errno or 0
            # The text of asyncio repeats the address. Those of resolvers are negative.
            reason = os.strerror(number) if number > 0 else cause.strerror or str(cause)
        else:
            texts = (self.reasons[k] for k in self.reasons if isinstance(error, k))
            reason = next(texts, type(error).__name__)
        return f"{self.address}: {reason}"

    def _log_outage(self, error: Exception) -> None:
        """Log the first of many failures."""
        extra = {"reason": self.describe_fault(error)}
        event = f"{self.server} unreachable"
        if isinstance(error, self.refusals):
            event = f"{self.server} refuses this server"
            extra["advice"] = "check user, password and database in bus_url"
        if event not in self._outages:
            self._outages.add(event)
            logger.warning(event, extra=extra)
