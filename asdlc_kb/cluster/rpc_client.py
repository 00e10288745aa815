"""The end that asks: puts questions to the homes of sessions, and reads their streams.

A home answers in time or says that it is still at it; else it counts as silent. What
can be answered here as well is given up on sooner, and at once as long as the post
itself is late.
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
"""A home that was silent for so long is not waited for if others can answer."""

SLOW_TIMEOUT_SECONDS: Final = 5.0
"""The same if nobody else can: a busy machine is no dead one."""

DELIVERY_SECONDS: Final = 0.05
"""The post takes no longer while all is well."""

ALIVE_SECONDS: Final = 10.0
"""Both ends of a stream say so often that they are there."""

SILENT_SECONDS: Final = 30.0
"""A stream ends when its other end was silent for so long."""

MAX_LISTED: Final = 10_000
"""Exchanges that one letter lists."""


@dataclass(slots=True, eq=False)
class _PendingRequest:
    """A question that waits for its answer."""

    home: str
    answer: "asyncio.Future[RpcResponse | None]"
    emit: Callable[[bytes], None] | None
    heard: float
    patience: float

    def hear(self, letter: RpcResponse | RpcNotification) -> None:
        """Take what the home says to it."""
        if isinstance(letter, RpcNotification):
            if self.emit is not None:
                self.emit(letter.text)
        elif not self.answer.done():
            self.answer.set_result(letter)


@dataclass(slots=True, eq=False)
class _RemoteStream:
    """A stream that is read from afar."""

    home: str
    feed: EventQueue
    heard: float
    told: float
    """When the home was last told that it is read."""

    def carry(self, messages: Iterable[bytes]) -> None:
        """Take messages on."""
        for message in messages:
            self.feed.post(message)


class RemoteSessionClient:
    """The questions and streams of this process."""

    def __init__(self, office: MessageSender, clock: Callable[[], float]) -> None:
        self._office = office
        self._clock = clock
        self._numbers = count(1)
        self._asked: dict[int, _PendingRequest] = {}
        self._lines: dict[int, _RemoteStream] = {}
        self._overdue: set[asyncio.Task[bool]] = set()
        """Letters that the post still has."""

    async def ask(
        self,
        home: str,
        question: RpcRequest,
        emit: Callable[[bytes], None] | None = None,
        *,
        hurries: bool = False,
    ) -> RpcResponse:
        """Return a home's answer; raise SessionHostGone or SessionHostTimeout.

        One that hurries can do without: it is not kept waiting by late post.
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
        """Return a stream that a home carries here; None if there is no session."""
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
        # Only now does it begin: a question that came late opens nothing.
        self._office.post(home, ReaderKeepalive(exchanges=(number,)))
        return RemoteStream(feed, lambda: number in self._lines)

    def take(self, sender: str, letter: object) -> bool:
        """Take a letter from a home; False if it is none for an asker."""
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
        """Give up on silent homes, and tell the others what is read of theirs."""
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
        """Return a question that waits for this sender, who was heard."""
        asked = self._asked.get(number)
        if asked is None or asked.home != sender:
            return None
        asked.heard = self._clock()
        return asked

    def _find_line(self, sender: str, number: int) -> _RemoteStream | None:
        """Return a stream of this sender, who was heard."""
        line = self._lines.get(number)
        if line is None or line.home != sender:
            return None
        line.heard = self._clock()
        return line

    def _end(self, number: int) -> None:
        """End a stream that its home has no more."""
        self._lines.pop(number).feed.end()

    def _leave(self, number: int) -> None:
        """Tell the home that nobody reads a stream any more."""
        if line := self._lines.pop(number, None):
            self._office.post(line.home, StreamCancel(exchange=number))

    async def _tell(self, home: str, numbers: tuple[int, ...]) -> None:
        """Tell a home what is read of it; where there is none, it is over."""
        try:
            is_there = await self._office.send(home, ReaderKeepalive(exchanges=numbers))
        except PeerUnreachable:
            return
        if not is_there:
            for number in numbers:
                if number in self._lines:
                    self._end(number)


def split_numbers(numbers: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield numbers in parts that a letter may list."""
    for start in range(0, len(numbers), MAX_LISTED):
        yield tuple(numbers[start : start + MAX_LISTED])
