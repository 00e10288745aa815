"""Rate limit counts that processes share over a bus."""

import pytest
from support.post import MessageExchange
from support.wire import until

from asdlc_kb.cluster import rate_counts as module
from asdlc_kb.cluster.rate_counts import BusUnreachable, RateCounts
from asdlc_kb.ops.limits.rate_limit_sync import RateLimitSync
from asdlc_kb.ops.limits.rate_limiter import Rate, RateLimiter
from asdlc_kb.ops.metrics.counters import Metrics
from asdlc_kb.ops.metrics.definitions import DROPPED

KEY = b"a key of this test"
METRICS = Metrics()
WINDOW = 29_000_000
SECOND = 1_000_000_000


async def test_sums_are_those_of_all_processes() -> None:
    """For the windows that were asked."""
    messages = MessageExchange()
    first, second = (RateCounts(messages.end(name), KEY, METRICS) for name in "ab")
    assert await first.exchange({"x": 2, "y": 1}) == {"x": 2, "y": 1}
    await until(lambda: bool(second._windows))
    assert await second.exchange({"x": 3}) == {"x": 5}
    assert await second.exchange({}) == {}


async def test_counts_that_cannot_be_published_are_not_added() -> None:
    """The limiter counts by itself meanwhile, and says so."""
    messages = MessageExchange(is_down=True)
    counts = RateCounts(messages.end("a"), KEY, METRICS)
    with pytest.raises(BusUnreachable):
        await counts.exchange({"x": 1})
    messages.is_down = False
    assert await counts.exchange({"x": 1}) == {"x": 1}


async def test_windows_are_bounded_in_number_and_age(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Addresses that come and go must not fill the memory."""
    monkeypatch.setattr(module, "MAX_WINDOWS", 2)
    now = [0.0]
    counts = RateCounts(MessageExchange().end("a"), KEY, METRICS, clock=lambda: now[0])
    for key in "abc":
        await counts.exchange({key: 1})
    assert await counts.exchange({"a": 1, "c": 1}) == {"a": 1, "c": 2}
    now[0] += module.WINDOW_SECONDS
    await counts.exchange({"new": 1})
    assert await counts.exchange({"c": 1}) == {"c": 1}


@pytest.mark.parametrize("key", [None, KEY])
async def test_a_forged_count_needs_the_key_where_there_is_one(
    key: bytes | None,
) -> None:
    """Without one it uses up a rate, and no more than that."""
    messages = MessageExchange()
    counts = RateCounts(messages.end("a"), key, METRICS)
    forger = RateCounts(messages.end("forger"), None, METRICS)
    before = METRICS.read().get(f"{DROPPED.name}\tunauthenticated", 0)
    await forger.exchange({"x": 10**12, "y": 0, "z": -5})
    expected = 1 if key else 10**12 + 1
    dropped = before + (key is not None)

    await until(
        lambda: (
            METRICS.read().get(f"{DROPPED.name}\tunauthenticated", 0) == dropped
            and (key is not None or "x" in counts._windows)
        )
    )
    assert await counts.exchange({"x": 1, "z": 1}) == {"x": expected, "z": 1}


async def test_a_count_that_was_made_up_uses_up_a_rate_and_no_more() -> None:
    """D-057: the client is limited as after so many requests of its own."""
    now = [WINDOW * 60 * SECOND]
    meter = RateLimiter("calls", Rate(120, 60), clock=lambda: now[0])
    messages = MessageExchange()
    counts = RateCounts(messages.end("a"), None, METRICS)
    sharing = RateLimitSync([meter], counts)
    assert meter.consume("192.0.2.7") == 0
    forger = RateCounts(messages.end("forger"), None, METRICS)
    await forger.exchange({f"calls/60/{WINDOW}/192.0.2.7": 10**12})
    await until(lambda: bool(counts._windows))
    await sharing.exchange()
    assert meter.consume("192.0.2.7") > 0
    # Half of the next window later half of the rate is back.
    now[0] += 90 * SECOND
    assert sum(meter.consume("192.0.2.7") == 0 for _ in range(120)) == 60
