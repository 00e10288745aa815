"""A topic of the bus: typed messages, signed and verified.

Topics of one bus share its order; each has a one-byte tag and its own sequence
numbers.
"""

import logging
from collections.abc import Callable
from typing import Final, Generic, TypeVar

import msgspec

from asdlc_kb.cluster.bus import MAX_MESSAGE_BYTES, Bus
from asdlc_kb.cluster.envelope import MessageSigner, count_dropped
from asdlc_kb.ops.metrics.counters import Metrics

logger = logging.getLogger(__name__)

T = TypeVar("T")

SESSIONS: Final = b"s"
RATES: Final = b"r"

_encode = msgspec.msgpack.Encoder().encode


class BusTopic(Generic[T]):
    """Publishes messages of one type, and passes on those of other processes."""

    def __init__(
        self,
        bus: Bus,
        key: bytes,
        tag: bytes,
        messages: msgspec.msgpack.Decoder[T],
        receive: Callable[[str, T], None],
        metrics: Metrics,
        *,
        joined: Callable[[], None] = lambda: None,
        left: Callable[[str], None] = lambda sender: None,
    ) -> None:
        self.joined = joined
        """Called when messages can be published and received, perhaps again."""
        self.left = left
        """Called with the name of a process that ended."""
        self._bus = bus
        self._metrics = metrics
        self._signer = MessageSigner(bus.name, key, tag, metrics)
        self._decode = messages.decode
        self._receive = receive
        self._has_warned = False
        bus.listen(self)

    def publish(self, message: T) -> bool:
        """Send a message to all others; False if it is lost."""
        data = self._signer.sign(_encode(message))
        if len(data) > MAX_MESSAGE_BYTES:
            logger.warning("bus message too long", extra={"bytes": len(data)})
            count_dropped(self._metrics, "size")
            return False
        return self._bus.publish(data)

    def receive(self, sender: str, data: bytes) -> None:
        """Verify a received message and pass it on; never raises."""
        if not self._signer.is_addressed(data):
            return
        try:
            text = self._signer.verify(sender, data)
            if text is not None:
                self._receive(sender, self._decode(text))
                return
        except (msgspec.MsgspecError, UnicodeDecodeError):
            count_dropped(self._metrics, "unknown")
        except Exception:
            logger.exception("unexpected error while handling a message")
            return
        if not self._has_warned:
            self._has_warned = True
            logger.warning(
                "dropped peer messages: malformed, replayed or authenticated with "
                "another session key"
            )
