"""Where letters are sealed and sent, for both ends of an exchange."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Final, TypeVar

from asdlc_kb.cluster.envelope import AnyMessage, MessageSigner, count_dropped
from asdlc_kb.cluster.transport import MAX_MESSAGE_BYTES, PeerUnreachable, Transport

MAX_IN_FLIGHT: Final = 10_000
"""Above so many letters under way, those that can be spared are not sent."""

T = TypeVar("T")


class MessageSender:
    """Sends letters, and keeps what goes on in the background."""

    def __init__(self, mail: Transport, key: bytes) -> None:
        self.name = mail.name
        self._mail = mail
        self._seal = MessageSigner(mail.name, key)
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def has_room(self) -> bool:
        """Whether a letter that can be spared may be sent."""
        return len(self._tasks) < MAX_IN_FLIGHT

    def open(self, sender: str, data: bytes) -> AnyMessage | None:
        """Return a letter that came, if it is one."""
        if len(data) > MAX_MESSAGE_BYTES:
            count_dropped("size")
            return None
        return self._seal.open(sender, data)

    async def send(self, to: str, letter: AnyMessage) -> bool:
        """Send a letter; False: nobody of that name is there; raise Unreachable."""
        data = self._seal.close(to, letter)
        if len(data) > MAX_MESSAGE_BYTES:
            raise PeerUnreachable(f"a letter has more than {MAX_MESSAGE_BYTES} bytes")
        return await self._mail.send(to, data)

    def post(self, to: str, letter: AnyMessage) -> None:
        """Send a letter when its turn comes, and care no more."""
        self.start(self._send_somehow(to, letter))

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Do something in the background, in the order of the starts."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._finish)
        return task

    async def stop(self, seconds: float) -> None:
        """Let what is under way end, and then end it."""
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
            # Whoever wants to know has the task; nobody else must hear of it.
            task.exception()
