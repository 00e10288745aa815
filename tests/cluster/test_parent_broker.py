"""The hub, with the ends of workers' channels as they are."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from asdlc_kb.cluster import parent_broker as module
from asdlc_kb.cluster.frames import (
    ChannelFrame,
    CounterUpdate,
    DeliveryStatus,
    FrameDecoder,
    MetricsTotals,
    MetricsUpdate,
    RoutedMessage,
    WorkerReady,
    write,
)
from asdlc_kb.cluster.parent_broker import ParentBroker, WorkerLink

BOUND = 60.0


class Worker:
    """A worker's end, and its line."""

    def __init__(self, hub: ParentBroker, number: int, stack: ExitStack) -> None:
        theirs, self.channel = map(stack.enter_context, socket.socketpair())
        theirs.setblocking(False)
        self.channel.settimeout(BOUND)
        self.line: WorkerLink = hub.connect(number, theirs)
        self._frames = FrameDecoder()

    def say(self, frame: ChannelFrame) -> bool:
        """Say something, and have it read."""
        self.channel.sendall(write(frame))
        return self.line.read()

    def hear(self) -> ChannelFrame:
        """Return the only frame that waits."""
        while self.line.wants_to_write:
            self.line.write()
        (frame,) = self._frames.feed(self.channel.recv(1 << 20))
        return frame


@pytest.fixture
def told() -> list[str]:
    """What the hub says when all are ready."""
    return []


@pytest.fixture
def hub(told: list[str]) -> ParentBroker:
    """A hub of two workers."""
    return ParentBroker(told.append, count=2)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """What is closed at the end."""
    with ExitStack() as opened:
        yield opened


@pytest.fixture
def workers(hub: ParentBroker, stack: ExitStack) -> tuple[Worker, Worker]:
    """Two that are ready."""
    first, second = (Worker(hub, number, stack) for number in range(2))
    first.say(WorkerReady("first", "one"))
    second.say(WorkerReady("second", "two"))
    return first, second


def test_all_are_ready_once_each_says_so(
    hub: ParentBroker, stack: ExitStack, told: list[str]
) -> None:
    """D-122: the banner is printed once, when every worker serves."""
    first, second = (Worker(hub, number, stack) for number in range(2))
    first.say(WorkerReady("first", "one"))
    first.say(WorkerReady("first", "one"))
    assert (told, hub.is_established) == ([], False)
    second.say(WorkerReady("second", "two"))
    assert (told, hub.is_established) == (["two"], True)


def test_after_a_reload_all_must_say_so_again(
    hub: ParentBroker, workers: tuple[Worker, Worker], told: list[str]
) -> None:
    """systemd: READY=1 after RELOADING=1 means that no worker has the old settings."""
    hub.await_ready()
    for worker in workers:
        assert told == ["two"]
        worker.say(WorkerReady("any", "again"))
    assert told == ["two", "again"]


def test_a_letter_comes_with_the_name_of_its_sender(
    workers: tuple[Worker, Worker],
) -> None:
    """`take` gets the sender's name, and the sender learns that the receiver exists."""
    first, second = workers
    first.say(RoutedMessage(7, "second", b"hello"))
    assert first.hear() == DeliveryStatus(7, True)
    assert second.hear() == RoutedMessage(0, "first", b"hello")


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_letter_to_nobody_is_told(
    hub: ParentBroker,
    workers: tuple[Worker, Worker],
    stack: ExitStack,
    is_replaced: bool,
) -> None:
    """False: no process of that name exists, so its sessions are gone."""
    first, second = workers
    second.line.close()
    if is_replaced:
        Worker(hub, 1, stack).say(WorkerReady("third", ""))
    first.say(RoutedMessage(7, "second", b"hello"))
    assert first.hear() == DeliveryStatus(7, False)


def test_a_worker_that_takes_nothing_gets_no_more(
    workers: tuple[Worker, Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Waiting messages are bounded, and their delivery is then unknown."""
    monkeypatch.setattr(module, "MAX_WAITING_BYTES", 1000)
    first, second = workers
    for ticket, was_there in enumerate((True, True, None)):
        first.say(RoutedMessage(ticket, "second", b"x" * 400))
        assert first.hear() == DeliveryStatus(ticket, was_there)
    assert second.line.waiting < 1000


def test_windows_are_added_up(workers: tuple[Worker, Worker]) -> None:
    """Rates: the answer has the sums over all workers, for the keys that were asked."""
    first, second = workers
    first.say(CounterUpdate(1, {"a": 2, "b": 1}))
    assert first.hear() == CounterUpdate(1, {"a": 2, "b": 1})
    second.say(CounterUpdate(2, {"a": 3}))
    assert second.hear() == CounterUpdate(2, {"a": 5})


def test_windows_are_bounded_in_number_and_age(
    stack: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Addresses that come and go must not fill the parent's memory."""
    monkeypatch.setattr(module, "MAX_WINDOWS", 2)
    now = [0.0]
    hub = ParentBroker(count=1, clock=lambda: now[0])
    worker = Worker(hub, 0, stack)
    for key in "abc":
        worker.say(CounterUpdate(0, {key: 1}))
        worker.hear()
    worker.say(CounterUpdate(0, {"a": 1, "c": 1}))
    assert worker.hear() == CounterUpdate(0, {"a": 1, "c": 2})
    now[0] += module.WINDOW_SECONDS
    worker.say(CounterUpdate(0, {"new": 1}))
    worker.hear()
    worker.say(CounterUpdate(0, {"c": 1}))
    assert worker.hear() == CounterUpdate(0, {"c": 1})


def test_sums_outlive_a_worker_and_levels_do_not(
    workers: tuple[Worker, Worker],
) -> None:
    """Metrics: what a dead worker counted happened; its open streams are no more."""
    first, second = workers
    for worker, level in ((first, 3.0), (second, 4.0), (second, 5.0)):
        worker.say(MetricsUpdate({"calls": 10}, {"streams": level}))
    first.say(MetricsTotals(1))
    levels = {"0": {"streams": 3.0}, "1": {"streams": 5.0}}
    assert first.hear() == MetricsTotals(1, {"calls": 30}, levels)
    second.line.close()
    first.say(MetricsTotals(2))
    assert first.hear() == MetricsTotals(2, {"calls": 30}, {"0": {"streams": 3.0}})


def test_sums_are_bounded(
    workers: tuple[Worker, Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mistake in counting must not fill the parent's memory."""
    monkeypatch.setattr(module, "MAX_COUNTS", 1)
    first, _ = workers
    first.say(MetricsUpdate({"a": 1}, {}))
    first.say(MetricsUpdate({"a": 1, "b": 1}, {}))
    first.say(MetricsTotals(1))
    answer = first.hear()
    assert isinstance(answer, MetricsTotals)
    assert answer.counts == {"a": 2}


def test_a_worker_that_went_away_is_noticed(workers: tuple[Worker, Worker]) -> None:
    """The reader learns that nothing more comes."""
    first, second = workers
    assert first.line.read()
    first.channel.close()
    assert not first.line.read()
    second.channel.sendall(b"\xff\xff\xff\xff")
    assert not second.line.read()
