"""Signing and sending of messages, for both ends of an exchange."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Final, TypeVar

from asdlc_kb.cluster.envelope import AnyMessage, MessageSigner, count_dropped
from asdlc_kb.cluster.transport import MAX_MESSAGE_BYTES, PeerUnreachable, Transport

MAX_IN_FLIGHT: Final = 10_000
"""Above so many messages in flight, optional ones are not sent."""

T = TypeVar("T")


class MessageSender:
    """Sends messages, and owns the background tasks."""

    def __init__(self, mail: Transport, key: bytes) -> None:
        self.name = mail.name
        self._mail = mail
        self._seal = MessageSigner(mail.name, key)
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def has_room(self) -> bool:
        """Whether optional messages may be sent."""
        return len(self._tasks) < MAX_IN_FLIGHT

    def open(self, sender: str, data: bytes) -> AnyMessage | None:
        """Return a received message, if it is valid."""
        if len(data) > MAX_MESSAGE_BYTES:
            count_dropped("size")
            return None
        return self._seal.open(sender, data)

    async def send(self, to: str, letter: AnyMessage) -> bool:
        """Send a message; False: no such peer; raise PeerUnreachable."""
        data = self._seal.close(to, letter)
        if len(data) > MAX_MESSAGE_BYTES:
            raise PeerUnreachable(f"a message has more than {MAX_MESSAGE_BYTES} bytes")
        return await self._mail.send(to, data)

    def post(self, to: str, letter: AnyMessage) -> None:
        """Send a message in the background, ignoring failures."""
        self.start(self._send_somehow(to, letter))

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start a background task; tasks run in the order of their starts."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._finish)
        return task

    async def stop(self, seconds: float) -> None:
        """Wait for the background tasks, and then cancel them."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)
        for task in tuple(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _send_somehow(self, to: str, letter: AnyMessage) -> None:
        with suppress(PeerUnreachable):
            await self.send(to, letter)

    def _finish(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            # Mark the exception as retrieved: asyncio would log it.
            task.exception()
