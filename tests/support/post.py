"""Message transport between processes of one test, with faults that it sets."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from asdlc_kb.cluster.transport import PeerUnreachable, Receive


@dataclass
class MessageExchange:
    """Carries messages between ends at once, loses them, or delays them."""

    ends: "dict[str, End]" = field(default_factory=dict)
    is_down: bool = False
    """Whether no process can be reached."""
    is_lossy: bool = False
    """Whether messages are accepted and never arrive."""
    is_late: bool = False
    """Whether messages are accepted and senders get no confirmation."""
    carried: list[tuple[str, str, bytes]] = field(default_factory=list)
    """Sender, receiver and text of every message."""
    alter: Callable[[bytes], bytes] = bytes

    def end(self, name: str) -> "End":
        """Return the end of a new process."""
        self.ends[name] = End(name, self)
        return self.ends[name]


class End:
    """One process's end."""

    def __init__(self, name: str, office: MessageExchange) -> None:
        self.name = name
        self.takes: list[Receive] = []
        self._office = office

    def listen(self, take: Receive) -> None:
        """Pass messages to `take`."""
        self.takes.append(take)

    async def send(self, to: str, letter: bytes) -> bool:
        """Send through the exchange."""
        office = self._office
        if office.is_down:
            raise PeerUnreachable("down")
        if office.is_late:
            await asyncio.get_running_loop().create_future()
        end = office.ends.get(to)
        if end is None:
            return False
        office.carried.append((self.name, to, letter))
        if not office.is_lossy:
            for take in end.takes:
                asyncio.get_running_loop().call_soon(
                    take, self.name, office.alter(letter)
                )
        return True
