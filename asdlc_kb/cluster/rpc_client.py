"""The client end of the relay: sends requests to session hosts, reads their streams.

A host responds in time or sends keepalives; else the request times out. Requests that
can be answered here as well time out sooner, and immediately while the transport itself
is late.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Final

from asdlc_kb.cluster.envelope import (
    Keepalive,
    ReaderKeepalive,
    RpcNotification,
    RpcRequest,
    RpcResponse,
    StreamCancel,
    StreamData,
    StreamEnd,
)
from asdlc_kb.cluster.outgoing import MessageSender
from asdlc_kb.cluster.transport import PeerUnreachable
from asdlc_kb.mcp.eras.session_routing import (
    RemoteStream,
    SessionHostGone,
    SessionHostTimeout,
)
from asdlc_kb.mcp.subscriptions.event_queue import EventQueue
from asdlc_kb.mcp.subscriptions.pending_events import PendingEvents, SubscriptionFilter

FAST_TIMEOUT_SECONDS: Final = 2.0
"""Timeout of a silent host if this process can answer instead."""

SLOW_TIMEOUT_SECONDS: Final = 5.0
"""The same if it cannot: a busy machine is not a dead one."""

DELIVERY_SECONDS: Final = 0.05
"""Normal delivery takes no longer."""

ALIVE_SECONDS: Final = 10.0
"""Interval of keepalives at both ends of a stream."""

SILENT_SECONDS: Final = 30.0
"""A stream ends when its peer was silent for so long."""

MAX_LISTED: Final = 10_000
"""Exchanges in one keepalive."""


@dataclass(slots=True, eq=False)
class _PendingRequest:
    """A request that waits for its response."""

    home: str
    answer: "asyncio.Future[RpcResponse | None]"
    emit: Callable[[bytes], None] | None
    heard: float
    patience: float

    def hear(self, letter: RpcResponse | RpcNotification) -> None:
        """Handle a message of the host."""
        if isinstance(letter, RpcNotification):
            if self.emit is not None:
                self.emit(letter.text)
        elif not self.answer.done():
            self.answer.set_result(letter)


@dataclass(slots=True, eq=False)
class _RemoteStream:
    """A remote stream that is read here."""

    home: str
    feed: EventQueue
    heard: float
    told: float
    """When the last keepalive was sent to the host."""

    def carry(self, messages: Iterable[bytes]) -> None:
        """Queue messages for the reader."""
        for message in messages:
            self.feed.post(message)


class RemoteSessionClient:
    """The pending requests and remote streams of this process."""

    def __init__(self, office: MessageSender, clock: Callable[[], float]) -> None:
        self._office = office
        self._clock = clock
        self._numbers = count(1)
        self._asked: dict[int, _PendingRequest] = {}
        self._lines: dict[int, _RemoteStream] = {}
        self._overdue: set[asyncio.Task[bool]] = set()
        """Sends that exceeded the delivery time."""

    async def ask(
        self,
        home: str,
        question: RpcRequest,
        emit: Callable[[bytes], None] | None = None,
        *,
        hurries: bool = False,
    ) -> RpcResponse:
        """Return a host's response; raise SessionHostGone or SessionHostTimeout.

        With `hurries` the request fails at once while the transport is late.
        """
        if hurries and self._overdue:
            raise SessionHostTimeout
        future = asyncio.get_running_loop().create_future()
        patience = FAST_TIMEOUT_SECONDS if hurries else SLOW_TIMEOUT_SECONDS
        asked = _PendingRequest(home, future, emit, self._clock(), patience)
        self._asked[question.exchange] = asked
        sending = self._office.start(self._office.send(home, question))
        try:
            return await self._await_answer(asked, sending, hurries=hurries)
        except PeerUnreachable:
            raise SessionHostTimeout from None
        finally:
            del self._asked[question.exchange]

    def number(self) -> int:
        """Return the number of a new exchange."""
        return next(self._numbers)

    async def open_stream(self, home: str, question: RpcRequest) -> RemoteStream | None:
        """Return a stream from a host; None if there is no such session."""
        number, now = question.exchange, self._clock()
        feed = EventQueue(
            PendingEvents(SubscriptionFilter()), release=partial(self._leave, number)
        )
        self._lines[number] = _RemoteStream(home, feed, now, now)
        is_there = False
        try:
            is_there = (await self.ask(home, question)).status == 200
        finally:
            if not is_there:
                feed.close()
        if not is_there:
            return None
        # The stream starts only now: a late request must not open one.
        self._office.post(home, ReaderKeepalive(exchanges=(number,)))
        return RemoteStream(feed, lambda: number in self._lines)

    def take(self, sender: str, letter: object) -> bool:
        """Handle a message of a host; False if it is not for the client end."""
        match letter:
            case RpcResponse(exchange=number) | RpcNotification(exchange=number):
                if asked := self._find(sender, number):
                    asked.hear(letter)
            case StreamData(exchange=number, messages=messages):
                if line := self._find_line(sender, number):
                    line.carry(messages)
            case StreamEnd(exchange=number):
                if self._find_line(sender, number):
                    self._end(number)
            case Keepalive(exchanges=numbers):
                for number in numbers:
                    self._find(sender, number)
                    self._find_line(sender, number)
            case _:
                return False
        return True

    def look_after(self) -> None:
        """Time out silent hosts, and send keepalives for read streams."""
        now = self._clock()
        for asked in self._asked.values():
            is_silent = now - asked.heard >= asked.patience
            if is_silent and not asked.answer.done():
                asked.answer.set_result(None)
        due: defaultdict[str, list[int]] = defaultdict(list)
        for number, line in tuple(self._lines.items()):
            if now - line.heard >= SILENT_SECONDS:
                self._end(number)
            elif now - line.told >= ALIVE_SECONDS:
                line.told = now
                due[line.home].append(number)
        for home, numbers in due.items():
            for part in split_numbers(numbers):
                self._office.start(self._tell(home, part))

    def stop(self) -> None:
        """End every stream."""
        for number in tuple(self._lines):
            self._lines[number].feed.end()

    async def _await_answer(
        self, asked: _PendingRequest, sending: "asyncio.Task[bool]", *, hurries: bool
    ) -> RpcResponse:
        patience = DELIVERY_SECONDS if hurries else SLOW_TIMEOUT_SECONDS
        await asyncio.wait(
            (sending, asked.answer),
            timeout=patience,
            return_when=asyncio.FIRST_COMPLETED,
        )
        if not asked.answer.done():
            if not sending.done():
                self._overdue.add(sending)
                sending.add_done_callback(self._overdue.discard)
                raise SessionHostTimeout
            if not sending.result():
                raise SessionHostGone
        answer = await asked.answer
        if answer is None or answer.status == 0:
            raise SessionHostTimeout
        return answer

    def _find(self, sender: str, number: int) -> _PendingRequest | None:
        """Return a request that waits for this sender, and record its activity."""
        asked = self._asked.get(number)
        if asked is None or asked.home != sender:
            return None
        asked.heard = self._clock()
        return asked

    def _find_line(self, sender: str, number: int) -> _RemoteStream | None:
        """Return a stream of this sender, and record its activity."""
        line = self._lines.get(number)
        if line is None or line.home != sender:
            return None
        line.heard = self._clock()
        return line

    def _end(self, number: int) -> None:
        """End a stream that its host closed."""
        self._lines.pop(number).feed.end()

    def _leave(self, number: int) -> None:
        """Notify the host that a stream is closed."""
        if line := self._lines.pop(number, None):
            self._office.post(line.home, StreamCancel(exchange=number))

    async def _tell(self, home: str, numbers: tuple[int, ...]) -> None:
        """Send a keepalive to a host; end its streams if it is gone."""
        try:
            is_there = await self._office.send(home, ReaderKeepalive(exchanges=numbers))
        except PeerUnreachable:
            return
        if not is_there:
            for number in numbers:
                if number in self._lines:
                    self._end(number)


def split_numbers(numbers: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield numbers in parts that fit one keepalive."""
    for start in range(0, len(numbers), MAX_LISTED):
        yield tuple(numbers[start : start + MAX_LISTED])
