"""Messages about sessions between the processes of a server."""

import pytest
from support.several import Processes, again, begin, list_delivered, publish

from asdlc_kb.mcp.sessions.session_lifetimes import MAX_AGE_SECONDS
from asdlc_kb.mcp.sessions.session_messages import describe_stream
from asdlc_kb.mcp.sessions.session_store import IDLE_SECONDS
from asdlc_kb.mcp.subscriptions.events import (
    PromptsChanged,
    ResourcesChanged,
    ResourceUpdated,
    ToolsChanged,
)

TOOLS, PROMPTS, RESOURCES = ToolsChanged(), PromptsChanged(), ResourcesChanged()


@pytest.fixture
def processes() -> Processes:
    """Two processes: first and second."""
    running = Processes()
    running.start("first")
    running.start("second")
    return running


def test_an_ended_session_is_gone_in_all_processes(processes: Processes) -> None:
    """The specification, 2025-11-25 transports: DELETE ends a session."""
    first, second = processes.started.values()
    session, other = begin(first), begin(first)
    queue = second.open_queue(again(second, session))
    first.end(session)
    assert queue.is_drained
    queue.close()
    for sessions in (first, second, processes.start("third")):
        assert sessions.find(session.id) is None
        assert sessions.find(other.id) is not None
        assert len(sessions) == 0


def test_an_id_ends_after_a_day(processes: Processes) -> None:
    """Unless it is used: an idle session of that age is unknown to every process."""
    first, second = processes.started.values()
    session_id = begin(first).id
    processes.clock.now += MAX_AGE_SECONDS - 1
    assert second.find(session_id) is not None
    processes.clock.now += 1
    assert first.find(session_id) is None
    assert second.find(session_id) is not None
    for _ in range(3):
        processes.clock.now += IDLE_SECONDS - 1
        assert second.find(session_id) is not None
    processes.clock.now += IDLE_SECONDS
    assert second.find(session_id) is None


def test_an_id_does_not_end_while_it_has_a_stream(processes: Processes) -> None:
    """Whichever process holds the stream."""
    first, second = processes.started.values()
    session = begin(first)
    queue = first.open_queue(session)
    processes.clock.now += 3 * MAX_AGE_SECONDS
    assert second.find(session.id) is not None
    queue.close()
    processes.clock.now += IDLE_SECONDS
    assert first.find(session.id) is None
    assert second.find(session.id) is None


def test_an_ended_id_is_refused_until_it_would_have_ended(processes: Processes) -> None:
    """Also after a day in which the client used it."""
    first, second = processes.started.values()
    session = begin(first)
    processes.clock.now += MAX_AGE_SECONDS - 1
    again(second, session)
    first.end(session)
    for _ in range(3):
        assert second.find(session.id) is None
        processes.clock.now += 1


def test_an_older_stream_ends_in_whichever_process(processes: Processes) -> None:
    """A client may open one before its old one is known to be dead."""
    first, second = processes.started.values()
    session = begin(first)
    oldest = first.open_queue(session)
    older = first.open_queue(session)
    assert oldest.is_drained
    oldest.close()
    newest = second.open_queue(again(second, session))
    assert older.is_drained
    older.close()
    first.bus.publish([TOOLS])
    second.bus.publish([TOOLS])
    assert list_delivered(newest) == ["tools/list_changed"]
    back = first.open_queue(session)
    assert newest.is_drained
    newest.close()
    assert not back.is_drained


def test_a_stream_delivers_what_the_one_before_did_not(processes: Processes) -> None:
    """And nothing else, whichever processes hold them."""
    first, second = processes.started.values()
    session = begin(first)
    first.subscribe(session, "kb://a", "kb://a")
    queue = first.open_queue(session)
    publish(processes, TOOLS, ResourceUpdated("kb://a"))
    assert "tools/list_changed" in list_delivered(queue)
    assert list_delivered(queue) == []
    publish(processes, PROMPTS)
    queue.close()
    publish(processes, ResourceUpdated("kb://a"))
    moved = second.open_queue(again(second, session))
    assert list_delivered(moved) == [
        "prompts/list_changed",
        "resources/updated",
        "kb://a",
    ]


def test_undelivered_events_follow_to_a_newer_stream(processes: Processes) -> None:
    """A stream that breaks while it is replaced loses no event."""
    first, second = processes.started.values()
    session = begin(first)
    queue = first.open_queue(session)
    first.bus.publish([TOOLS])
    assert list_delivered(queue) == ["tools/list_changed"]
    moved = second.open_queue(again(second, session))
    queue.close()
    assert list_delivered(moved) == ["tools/list_changed"]


def test_a_process_that_ended_leaves_its_events_to_the_others(
    processes: Processes,
) -> None:
    """Delivered perhaps twice, but not lost."""
    first, second = processes.started.values()
    session = begin(first)
    first.open_queue(session)
    publish(processes, TOOLS)
    del processes.started["first"]
    second.forget_process("first")
    assert list_delivered(second.open_queue(again(second, session))) == [
        "tools/list_changed"
    ]


def test_a_process_that_stops_holds_no_stream(processes: Processes) -> None:
    """Its sessions go on in the others; its channels end."""
    first, second = processes.started.values()
    session, channel = begin(first), first.open_channel()
    first.open_queue(session)
    first.open_queue(channel)
    assert second.find(channel.id) is not None
    first.leave()
    assert second.find(channel.id) is None
    processes.clock.now += IDLE_SECONDS
    assert len(second) == 0


def test_a_later_process_has_the_client_read_its_resources_again(
    processes: Processes,
) -> None:
    """It was not there when the session subscribed."""
    first, _ = processes.started.values()
    session, quiet = begin(first), begin(first)
    first.subscribe(session, "kb://a", "kb://a")
    first.open_queue(session)
    processes.clock.now += 1
    third = processes.start("third")
    for each in (session, quiet):
        queue = third.open_queue(again(third, each))
        assert list_delivered(queue) == ["resources/list_changed"]
        queue.drain()
        queue.close()
        assert list_delivered(third.open_queue(again(third, each))) == []
    assert list_delivered(third.open_queue(begin(third))) == []


def test_subscriptions_reach_every_process_and_are_bounded(
    processes: Processes,
) -> None:
    """A session has 1,000 at most, however many processes it asks."""
    first, second = processes.started.values()
    session = begin(first, address="a")
    for number in range(1_001):
        first.subscribe(session, f"kb://{number}", f"kb://{number}")
    found = again(second, session)
    assert len(found.subscription.filter.uris) == 1_000
    assert second.count_subscriptions(found) == 1_000
    first.unsubscribe(session, "kb://0")
    assert second.count_subscriptions(found) == 999


def test_what_others_hold_is_bounded(processes: Processes) -> None:
    """A process keeps no more for others than for itself."""
    small = processes.start("small", max_sessions=1)
    first, _, _ = processes.started.values()
    for _ in range(2):
        first.open_queue(begin(first))
    assert (len(first), len(small)) == (2, 1)
    first.subscribe(begin(first), "kb://a", "kb://a")
    assert len(small) == 1


async def test_a_request_is_cancelled_in_the_process_that_runs_it(
    processes: Processes,
) -> None:
    """The specification, cancellation: within the session, wherever it arrives."""
    first, second = processes.started.values()
    session, other = begin(first), begin(first)
    cancelled: list[str] = []
    vars_of = {"mine": session, "other": other}
    for name, each in vars_of.items():
        each._running[1] = lambda name=name: cancelled.append(name)  # type: ignore[misc]
    second.cancel(again(second, session), 1)
    refused: tuple[object, ...] = (True, 1.0, None, [], 2)
    for bad in refused:
        second.cancel(again(second, session), bad)
    assert cancelled == ["mine"]


def test_a_channel_is_known_to_every_process_while_it_is_open(
    processes: Processes,
) -> None:
    """HTTP+SSE: messages may arrive anywhere, answers go to its stream."""
    first, second = processes.started.values()
    channel = first.open_channel(address="a")
    queue = first.open_queue(channel)
    third = processes.start("third")
    for sessions in (second, third):
        found = sessions.find(channel.id)
        assert found is not None
        assert (found.is_channel, found.version, found.holder) == (True, None, "first")
        assert not found.is_initialized
    remote = again(second, channel)
    second.negotiate(remote, "2024-11-05")
    first.bus.publish([TOOLS])
    assert list_delivered(queue) == []
    third.begin(again(third, channel))
    assert (channel.version, channel.is_initialized) == ("2024-11-05", True)
    assert list_delivered(queue) == ["tools/list_changed"]
    second.send(remote, b"answer")
    first.send(channel, b"another")
    assert queue.drain() == ([b"answer", b"another"], 0)
    queue.close()
    assert [sessions.find(channel.id) for sessions in (first, second, third)] == [
        None
    ] * 3
    assert processes.dropped == 0
    second.send(remote, b"too late")
    remote.holder = "first"
    second.send(remote, b"too late")
    assert processes.dropped == 1


def test_a_channel_is_bound_to_its_principal(processes: Processes) -> None:
    """D-045, in every process."""
    first, second = processes.started.values()
    channel = first.open_channel("alice")
    queue = first.open_queue(channel)
    for sessions in (first, second):
        assert sessions.find(channel.id, "bob") is None
        assert sessions.find(channel.id) is None
        assert sessions.find(channel.id, "alice") is not None
    queue.close()


def test_a_subscription_never_makes_a_session_of_a_channel(
    processes: Processes,
) -> None:
    """A process that does not know a channel finds none, whatever it received."""
    first, second = processes.started.values()
    channel = first.open_channel()
    first.subscribe(channel, "kb://a", "kb://a")
    assert second.find(channel.id) is None


def test_processes_that_were_apart_agree_again(processes: Processes) -> None:
    """Ended sessions are forgotten, open ones stay open."""
    first, second = processes.started.values()
    kept, ended, closed = (begin(first) for _ in range(3))
    queues = [first.open_queue(each) for each in (kept, ended, closed)]
    publishes = first.publish
    first.publish = lambda message: None
    queues[2].close()
    first.end(ended)
    first.publish = publishes
    assert again(second, closed).holder == "first"
    first.join()
    assert second.find(ended.id) is None
    assert again(second, closed).holder is None
    assert again(second, kept).holder == "first"
    assert not queues[0].is_drained


def test_a_late_message_ends_no_newer_stream(processes: Processes) -> None:
    """A bus that stood still delivers what was published before."""
    first, second = processes.started.values()
    session = begin(first)
    first.open_queue(session)
    late = describe_stream(session)
    processes.clock.now += 1
    queue = second.open_queue(again(second, session))
    second.receive("first", late)
    assert not queue.is_drained
    assert again(second, session).holder is None
    first.join()
    assert not queue.is_drained


def test_an_ended_id_beyond_its_age_is_refused_everywhere(
    processes: Processes,
) -> None:
    """A stream had kept it valid, which another process still remembers."""
    first, second = processes.start("first"), processes.start("second")
    session = begin(first)
    queue = first.open_queue(session)
    known = again(second, session)
    processes.clock.now += MAX_AGE_SECONDS + 1
    assert again(second, session) is known
    first.end(session)
    assert first.find(session.id) is None
    queue.close()
    for sessions in (first, second):
        assert sessions.find(session.id) is None


def test_a_newer_stream_is_newer_whatever_the_clocks(processes: Processes) -> None:
    """D-050: the clocks of the machines may differ."""
    ahead, behind = processes.start("ahead"), processes.start("behind")
    processes.clock.now += 60
    session = begin(ahead)
    older = ahead.open_queue(session)
    processes.clock.now -= 60
    newer = behind.open_queue(again(behind, session))
    assert (older.is_drained, newer.is_drained) == (True, False)
    last = ahead.open_queue(session)
    assert (newer.is_drained, last.is_drained) == (True, False)
