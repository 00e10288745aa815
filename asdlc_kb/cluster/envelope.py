"""Signed envelopes of the messages on a bus.

A bus could read, change, forge or replay a message, so each has a MAC over its topic,
its sender and its sequence number, made with the key that signs session ids. Messages
of one sender arrive in order: a receiver accepts only increasing sequence numbers. No
clock is read, so those of the machines may differ by any amount.

Malformed, forged and replayed messages are dropped, and counted by reason.
"""

import hmac
from itertools import count
from typing import Final

from cachetools import LRUCache

from asdlc_kb.cluster.bus import MAX_MESSAGE_BYTES
from asdlc_kb.ops.metrics.counters import Metrics
from asdlc_kb.ops.metrics.definitions import DROPPED

MAX_SENDERS: Final = 10_000
"""Senders whose last number is stored; beyond, the least recent one is evicted.

A process has one name for its life: only captured messages of a sender could be
replayed after messages of so many other processes.
"""

_MAC_BYTES: Final = 16
_NUMBER_BYTES: Final = 8


class MessageSigner:
    """Signs the messages of one process on a topic, and verifies those of others."""

    def __init__(self, name: str, key: bytes, topic: bytes, metrics: Metrics) -> None:
        self._metrics = metrics
        self._name = name
        self._key = key
        self._topic = topic
        self._numbers = count(1)
        self._last: LRUCache[str, int] = LRUCache(MAX_SENDERS)
        """The last number of each sender."""

    def sign(self, text: bytes) -> bytes:
        """Return the envelope of a message: its topic, MAC, number and text."""
        numbered = next(self._numbers).to_bytes(_NUMBER_BYTES, "big") + text
        return self._topic + self._sign(self._name, numbered) + numbered

    def is_addressed(self, data: bytes) -> bool:
        """Whether an envelope has this topic."""
        return data.startswith(self._topic)

    def verify(self, sender: str, data: bytes) -> bytes | None:
        """Return the text of an envelope; None if it is invalid or replayed."""
        if len(data) > MAX_MESSAGE_BYTES:
            count_dropped(self._metrics, "size")
            return None
        start = len(self._topic)
        mac, numbered = data[start : start + _MAC_BYTES], data[start + _MAC_BYTES :]
        if not hmac.compare_digest(mac, self._sign(sender, numbered)):
            count_dropped(self._metrics, "unauthenticated")
            return None
        number = int.from_bytes(numbered[:_NUMBER_BYTES], "big")
        if number <= self._last.get(sender, 0):
            count_dropped(self._metrics, "repeated")
            return None
        self._last[sender] = number
        return numbered[_NUMBER_BYTES:]

    def _sign(self, sender: str, numbered: bytes) -> bytes:
        name = sender.encode("utf-8", "surrogatepass")
        data = b"message\0%b%d\0%b%b" % (self._topic, len(name), name, numbered)
        return hmac.digest(self._key, data, "sha256")[:_MAC_BYTES]


def count_dropped(metrics: Metrics, reason: str) -> None:
    """Count a dropped message of another process."""
    metrics.count(DROPPED.series(reason))
