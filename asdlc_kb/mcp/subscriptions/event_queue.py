"""The queue of one stream: posted messages at once, events once they are due.

Transports read it and write to the client, independent of the protocol era.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Final

from asdlc_kb.mcp.protocol.jsonrpc import RequestId
from asdlc_kb.mcp.subscriptions.events import Event, encode_event
from asdlc_kb.mcp.subscriptions.subscription import Subscription

MAX_WAITING_BYTES: Final = 4 * 1024 * 1024
"""Bytes of posted messages in a queue, or one message of any size."""


class EventQueue:
    """A reader of a subscription, and the messages to the same client."""

    def __init__(
        self,
        subscription: Subscription,
        *,
        listen_id: RequestId | None = None,
        opening: bytes = b"",
        closing: bytes = b"",
        release: Callable[[], None] | None = None,
    ) -> None:
        self.opening = opening
        """The first message, or nothing; the transport clears it: it may be long."""
        self.closing = closing
        """The last message when the server ends the stream, or nothing."""
        self._subscription = subscription
        self._listen_id = listen_id
        self._release = release or _release_nothing
        self._messages: deque[bytes] = deque()
        self.waiting = 0
        """Bytes of posted messages that were not read yet."""
        self._has_overflowed = False
        self._is_ended = False
        self._unconfirmed: list[Event] = []
        self._notify: Callable[[], None] | None = None
        subscription.open(self)

    def listen(self, notify: Callable[[], None]) -> None:
        """Call `notify`, now and whenever there may be messages to read."""
        self._notify = notify
        notify()

    def post(self, message: bytes) -> None:
        """Queue a message before any pending event.

        A reader that is too far behind loses its messages: the stream ends.
        """
        if self._messages and self.waiting + len(message) > MAX_WAITING_BYTES:
            self._messages.clear()
            self.waiting = 0
            self._has_overflowed = self._is_ended = True
        if not self._has_overflowed:
            self._messages.append(message)
            self.waiting += len(message)
        self.wake()

    def end(self) -> None:
        """End the stream after the messages that are already queued."""
        self._is_ended = True
        self.wake()

    @property
    def is_drained(self) -> bool:
        """Whether the stream has ended and all posted messages were read."""
        return self._is_ended and not self._messages

    def drain(self) -> tuple[list[bytes], float]:
        """Return messages to write now, or the seconds until there are some.

        Zero seconds: the listener will be called. A call confirms that the previous
        messages were written.
        """
        self._unconfirmed = []
        if self._messages:
            messages = list(self._messages)
            self._messages.clear()
            self.waiting = 0
            return messages, 0
        if self._is_ended:
            return [], 0
        events, pause = self._subscription.drain(self, monotonic())
        self._unconfirmed = events
        return [encode_event(event, self._listen_id) for event in events], pause

    async def next(self) -> list[bytes]:
        """Wait for messages and return them; none when the stream has ended."""
        wakeup = asyncio.Event()
        self.listen(wakeup.set)
        while True:
            wakeup.clear()
            messages, pause = self.drain()
            if messages or self.is_drained:
                return messages
            with suppress(TimeoutError):
                async with asyncio.timeout(pause or None):
                    await wakeup.wait()

    def close(self) -> None:
        """Stop reading; called once, by the transport, however the stream ended.

        Events that were not written stay pending for the next reader.
        """
        self._subscription.close(self)
        self._subscription.restore(self._unconfirmed)
        self._release()
        # Break reference cycles: thousands of streams that end together would need
        # the garbage collector, which would block the process for a second.
        self._notify, self._release = None, _release_nothing

    def wake(self) -> None:
        """Notify the transport that there may be messages to read."""
        if self._notify is not None:
            self._notify()


def _release_nothing() -> None:
    """Release nothing."""
