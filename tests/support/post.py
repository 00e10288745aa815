"""A bus between processes of one test: plain objects that do what the test says."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from asdlc_kb.cluster.bus import BusListener


@dataclass
class MessageExchange:
    """Carries messages between ends in order, loses them, or alters them."""

    ends: "dict[str, End]" = field(default_factory=dict)
    is_down: bool = False
    """Whether nothing can be published."""
    carried: list[tuple[str, bytes]] = field(default_factory=list)
    """Sender and text of every message."""
    alter: Callable[[bytes], bytes] = bytes

    def end(self, name: str) -> "End":
        """Return the end of a new process."""
        self.ends[name] = End(name, self)
        return self.ends[name]

    def leave(self, name: str) -> None:
        """Let a process end without a word."""
        del self.ends[name]
        for end in self.ends.values():
            for listener in end.listeners:
                listener.left(name)


class End:
    """One process's end."""

    def __init__(self, name: str, exchange: MessageExchange) -> None:
        self.name = name
        self.listeners: list[BusListener] = []
        self._exchange = exchange

    def listen(self, listener: BusListener) -> None:
        """Hand messages to a listener."""
        self.listeners.append(listener)
        asyncio.get_running_loop().call_soon(listener.joined)

    def publish(self, data: bytes) -> bool:
        """Send through the exchange."""
        exchange = self._exchange
        if exchange.is_down:
            return False
        exchange.carried.append((self.name, data))
        for end in exchange.ends.values():
            if end is not self:
                for listener in end.listeners:
                    asyncio.get_running_loop().call_soon(
                        listener.receive, self.name, exchange.alter(data)
                    )
        return True

    async def flush(self) -> None:
        """Let the others receive."""
        await asyncio.sleep(0)
