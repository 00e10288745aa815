"""The bus between the processes of a server: publish and subscribe.

Implementations of `Bus`: the sockets of a parent and its workers, and Redis or
PostgreSQL between machines. The messages of one process reach each other one in order,
or not at all.
"""

import secrets
from typing import Final, Protocol

MAX_MESSAGE_BYTES: Final = 8 * 1024 * 1024
"""Bytes of a message: Redis disconnects a subscriber with 32 MiB pending."""

MAX_WAITING_BYTES: Final = 32 * 1024 * 1024
"""Bytes of the messages that wait for one receiver; a message beyond them is lost."""

FLUSH_SECONDS: Final = 1.0
"""Time limit of `Bus.flush`."""

NAME_LENGTH: Final = 8
"""Characters of a process's name: 48 random bits."""


class BusListener(Protocol):
    """Callbacks of a process on the bus; run on the loop, must not raise or block."""

    def joined(self) -> None:
        """Messages can be published and received from now on, perhaps again."""

    def receive(self, sender: str, data: bytes) -> None:
        """Handle a message of another process."""

    def left(self, sender: str) -> None:
        """Handle the end of another process; not every bus notices one."""


class Bus(Protocol):
    """Messages from each process to all others."""

    @property
    def name(self) -> str:
        """The name of this process: see `random_name`."""

    def listen(self, listener: BusListener) -> None:
        """Call this listener, one of several; called before the first message."""

    def publish(self, data: bytes) -> bool:
        """Send a message to all others, without waiting; False if it is lost."""

    async def flush(self) -> None:
        """Wait for a short time until what was published is sent."""


def random_name() -> str:
    """Return a name for the life of this process, in URL-safe characters."""
    return secrets.token_urlsafe(NAME_LENGTH * 3 // 4)
