"""What one stream carries: posted messages at once, events as its outbox allows.

Doors read a feed and write it to their peer; they need not know which era it is of.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from time import monotonic

from asdlc_kb.mcp.events import write
from asdlc_kb.mcp.jsonrpc import RequestId
from asdlc_kb.mcp.outbox import Outbox


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
        self._is_ended = False
        self._bell = asyncio.Event()
        self._wake = self._bell.set
        outbox.open(self._wake)

    def post(self, message: bytes) -> None:
        """Send a message before any event that waits."""
        self._messages.append(message)
        self._wake()

    def end(self) -> None:
        """Let the reader finish: what was posted still comes, then nothing more."""
        self._is_ended = True
        self._wake()

    async def next(self) -> list[bytes]:
        """Wait for messages and return them; none when the feed has ended."""
        while True:
            self._bell.clear()
            if self._messages:
                messages = list(self._messages)
                self._messages.clear()
                return messages
            if self._is_ended:
                return []
            events, pause = self._outbox.take(self._wake, monotonic())
            if events:
                return [write(event, self._subscription) for event in events]
            if pause:
                asyncio.get_running_loop().call_later(pause, self._wake)
            await self._bell.wait()

    def close(self) -> None:
        """Stop reading; called once, by the door, however the stream ended."""
        self._outbox.close(self._wake)
        self._release()
