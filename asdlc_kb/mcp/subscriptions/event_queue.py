"""What one stream carries: posted messages at once, events as its outbox allows.

Doors read a feed and write it to their peer; they need not know which era it is of.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Final

from asdlc_kb.mcp.protocol.jsonrpc import RequestId
from asdlc_kb.mcp.subscriptions.events import Event, encode_event
from asdlc_kb.mcp.subscriptions.pending_events import PendingEvents

MAX_WAITING_BYTES: Final = 4 * 1024 * 1024
"""Bytes of posted messages that may wait for a reader, or one message of any size."""


class EventQueue:
    """One reader of an outbox, and the messages that go to the same peer."""

    def __init__(
        self,
        outbox: PendingEvents,
        *,
        subscription: RequestId | None = None,
        opening: bytes = b"",
        closing: bytes = b"",
        release: Callable[[], None] | None = None,
    ) -> None:
        self.opening = opening
        """The first message, or nothing; dropped by who wrote it: it may be long."""
        self.closing = closing
        """The last message when the server ends the feed, or nothing."""
        self._outbox = outbox
        self._subscription = subscription
        self._release = release or _release_nothing
        self._messages: deque[bytes] = deque()
        self.waiting = 0
        """Bytes of posted messages that were not taken yet."""
        self._is_cut = False
        self._is_ended = False
        self._unconfirmed: list[Event] = []
        self._ring: Callable[[], None] | None = None
        outbox.open(self._wake)

    def listen(self, ring: Callable[[], None]) -> None:
        """Ring, now and whenever there may be something to take."""
        self._ring = ring
        ring()

    def post(self, message: bytes) -> None:
        """Send a message before any event that waits.

        A reader that is too far behind loses what waits for it: its feed ends.
        """
        if self._messages and self.waiting + len(message) > MAX_WAITING_BYTES:
            self._messages.clear()
            self.waiting = 0
            self._is_cut = self._is_ended = True
        if not self._is_cut:
            self._messages.append(message)
            self.waiting += len(message)
        self._wake()

    def end(self) -> None:
        """Let the reader finish: what was posted still comes, then nothing more."""
        self._is_ended = True
        self._wake()

    @property
    def is_drained(self) -> bool:
        """Whether the feed has ended and all that was posted was taken."""
        return self._is_ended and not self._messages

    def take(self) -> tuple[list[bytes], float]:
        """Return what is to be written now, or the seconds until there is something.

        Zero seconds: there will be a ring. Asking confirms that what was taken before
        was written.
        """
        self._unconfirmed = []
        if self._messages:
            messages = list(self._messages)
            self._messages.clear()
            self.waiting = 0
            return messages, 0
        if self._is_ended:
            return [], 0
        events, pause = self._outbox.take(self._wake, monotonic())
        self._unconfirmed = events
        return [encode_event(event, self._subscription) for event in events], pause

    async def next(self) -> list[bytes]:
        """Wait for messages and return them; none when the feed has ended."""
        bell = asyncio.Event()
        self.listen(bell.set)
        while True:
            bell.clear()
            messages, pause = self.take()
            if messages or self.is_drained:
                return messages
            with suppress(TimeoutError):
                async with asyncio.timeout(pause or None):
                    await bell.wait()

    def close(self) -> None:
        """Stop reading; called once, by the door, however the stream ended.

        Events that were not written wait for the next reader of the outbox.
        """
        self._outbox.close(self._wake)
        self._outbox.restore(self._unconfirmed)
        self._release()
        # Both refer to the feed: thousands that end together would wait for the
        # garbage collector, and stop the process for a second when it comes.
        self._ring, self._release = None, _release_nothing

    def _wake(self) -> None:
        if self._ring is not None:
            self._ring()


def _release_nothing() -> None:
    """Release nothing."""
