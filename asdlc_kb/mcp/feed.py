"""What one stream carries: posted messages at once, events as its outbox allows.

Doors read a feed and write it to their peer; they need not know which era it is of.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from time import monotonic
from typing import Final

from asdlc_kb.mcp.events import Event, write
from asdlc_kb.mcp.jsonrpc import RequestId
from asdlc_kb.mcp.outbox import Outbox

MOST_WAITING: Final = 4 * 1024 * 1024
"""Bytes of posted messages that may wait for a reader, or one message of any size."""


class Feed:
    """One reader of an outbox, and the messages that go to the same peer."""

    def __init__(
        self,
        outbox: Outbox,
        *,
        subscription: RequestId | None = None,
        opening: bytes = b"",
        closing: bytes = b"",
        release: Callable[[], None] = lambda: None,
    ) -> None:
        self.opening = opening
        """The first message, or nothing."""
        self.closing = closing
        """The last message when the server ends the feed, or nothing."""
        self._outbox = outbox
        self._subscription = subscription
        self._release = release
        self._messages: deque[bytes] = deque()
        self._waiting = 0
        self._is_cut = False
        self._is_ended = False
        self._unconfirmed: list[Event] = []
        self._bell = asyncio.Event()
        self._wake = self._bell.set
        outbox.open(self._wake)

    def post(self, message: bytes) -> None:
        """Send a message before any event that waits.

        A reader that is too far behind loses what waits for it: its feed ends.
        """
        self._waiting += len(message)
        if self._messages and self._waiting > MOST_WAITING:
            self._messages.clear()
            self._is_cut = self._is_ended = True
        if not self._is_cut:
            self._messages.append(message)
        self._wake()

    def end(self) -> None:
        """Let the reader finish: what was posted still comes, then nothing more."""
        self._is_ended = True
        self._wake()

    async def next(self) -> list[bytes]:
        """Wait for messages and return them; none when the feed has ended.

        Asking for the next ones confirms that the last ones were written.
        """
        self._unconfirmed = []
        while True:
            self._bell.clear()
            if self._messages:
                messages = list(self._messages)
                self._messages.clear()
                self._waiting = 0
                return messages
            if self._is_ended:
                return []
            events, pause = self._outbox.take(self._wake, monotonic())
            if events:
                self._unconfirmed = events
                return [write(event, self._subscription) for event in events]
            await self._ring(pause)

    def close(self) -> None:
        """Stop reading; called once, by the door, however the stream ended.

        Events that were not written wait for the next reader of the outbox.
        """
        self._outbox.close(self._wake)
        self._outbox.restore(self._unconfirmed)
        self._release()

    async def _ring(self, pause: float) -> None:
        """Wait for the bell, which rings by itself after a pause if there is one."""
        loop = asyncio.get_running_loop()
        alarm = loop.call_later(pause, self._wake) if pause else None
        try:
            await self._bell.wait()
        finally:
            if alarm is not None:
                alarm.cancel()
