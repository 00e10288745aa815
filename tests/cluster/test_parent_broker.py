"""The broker, with the ends of workers' channels as they are."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from asdlc_kb.cluster import parent_broker as module
from asdlc_kb.cluster.frames import (
    BusMessage,
    ChannelFrame,
    FrameDecoder,
    MetricsTotals,
    MetricsUpdate,
    WorkerLeft,
    WorkerReady,
    write,
)
from asdlc_kb.cluster.parent_broker import ParentBroker, WorkerLink

BOUND = 60.0


class Worker:
    """A worker's end, and its link."""

    def __init__(self, broker: ParentBroker, number: int, stack: ExitStack) -> None:
        theirs, self.channel = map(stack.enter_context, socket.socketpair())
        theirs.setblocking(False)
        self.channel.settimeout(BOUND)
        self.link: WorkerLink = broker.connect(number, theirs)
        self._frames = FrameDecoder()

    def say(self, frame: ChannelFrame) -> bool:
        """Say something, and have it read."""
        self.channel.sendall(write(frame))
        return self.link.read()

    def hear(self) -> ChannelFrame:
        """Return the only frame that waits."""
        while self.link.wants_to_write:
            self.link.write()
        (frame,) = self._frames.feed(self.channel.recv(1 << 20))
        return frame


@pytest.fixture
def banners() -> list[str]:
    """The banners of the broker when all workers are ready."""
    return []


@pytest.fixture
def broker(banners: list[str]) -> ParentBroker:
    """A broker of two workers."""
    return ParentBroker(banners.append, count=2)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """What is closed at the end."""
    with ExitStack() as opened:
        yield opened


@pytest.fixture
def workers(broker: ParentBroker, stack: ExitStack) -> tuple[Worker, Worker]:
    """Two that are ready."""
    first, second = (Worker(broker, number, stack) for number in range(2))
    first.say(WorkerReady("one"))
    second.say(WorkerReady("two"))
    return first, second


def test_all_are_ready_once_each_says_so(
    broker: ParentBroker, stack: ExitStack, banners: list[str]
) -> None:
    """D-124: the banner is printed once, when every worker serves."""
    first, second = (Worker(broker, number, stack) for number in range(2))
    first.say(WorkerReady("one"))
    first.say(WorkerReady("one"))
    assert (banners, broker.is_established) == ([], False)
    second.say(WorkerReady("two"))
    assert (banners, broker.is_established) == (["two"], True)


def test_after_a_reload_all_must_say_so_again(
    broker: ParentBroker, workers: tuple[Worker, Worker], banners: list[str]
) -> None:
    """systemd: READY=1 after RELOADING=1 means that no worker has the old settings."""
    broker.await_ready()
    for worker in workers:
        assert banners == ["two"]
        worker.say(WorkerReady("again"))
    assert banners == ["two", "again"]


def test_a_message_reaches_every_other_worker(
    broker: ParentBroker, workers: tuple[Worker, Worker], stack: ExitStack
) -> None:
    """With the name of its sender, which gets none."""
    first, second = workers
    third = Worker(broker, 2, stack)
    first.say(BusMessage("first", b"hello"))
    for worker in (second, third):
        assert worker.hear() == BusMessage("first", b"hello")
    assert not first.link.wants_to_write


@pytest.mark.parametrize("is_replaced", [False, True])
def test_the_others_are_told_who_left(
    broker: ParentBroker,
    workers: tuple[Worker, Worker],
    stack: ExitStack,
    is_replaced: bool,
) -> None:
    """So that its streams and channels are forgotten."""
    first, second = workers
    second.say(BusMessage("second", b"hello"))
    first.hear()
    if is_replaced:
        Worker(broker, 1, stack)
    second.link.close()
    assert first.hear() == WorkerLeft("second")


def test_a_worker_that_takes_nothing_gets_no_more(
    workers: tuple[Worker, Worker],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """What waits is bounded; the rest is lost for it, and the log says so."""
    monkeypatch.setattr(module, "MAX_WAITING_BYTES", 1000)
    first, second = workers
    for _ in range(3):
        first.say(BusMessage("first", b"x" * 400))
    assert second.link.waiting < 1000
    assert caplog.text.count("message to a worker dropped") == 1


def test_sums_outlive_a_worker_and_gauges_do_not(
    workers: tuple[Worker, Worker],
) -> None:
    """Metrics: what a dead worker counted happened; its open streams are no more."""
    first, second = workers
    for worker, level in ((first, 3.0), (second, 4.0), (second, 5.0)):
        worker.say(MetricsUpdate({"calls": 10}, {"streams": level}))
    first.say(MetricsTotals(1))
    gauges = {"0": {"streams": 3.0}, "1": {"streams": 5.0}}
    assert first.hear() == MetricsTotals(1, {"calls": 30}, gauges)
    second.link.close()
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
    assert first.link.read()
    first.channel.close()
    assert not first.link.read()
    second.channel.sendall(b"\xff\xff\xff\xff")
    assert not second.link.read()
