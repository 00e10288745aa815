"""The message transport between processes, addressed by name.

Implementations of `Transport`: the parent of workers on one machine, or Redis between
machines. Messages may be lost. An attacker that can write to that Redis can replay one,
which its sequence number detects (`asdlc_kb.cluster.envelope`).
"""

import secrets
from collections.abc import Callable
from typing import Final, Protocol, TypeAlias

from asdlc_kb.exceptions import KnowledgeBaseError

MAX_MESSAGE_BYTES: Final = 8 * 1024 * 1024
"""Bytes of a message: Redis disconnects a subscriber with 32 MiB pending."""

NAME_LENGTH: Final = 8
"""Characters of a name: 48 random bits."""

Receive: TypeAlias = Callable[[str, bytes], None]
"""Called with sender name and message, on the loop; must not raise or block."""


class PeerUnreachable(KnowledgeBaseError):
    """Raised if it is unknown whether a peer exists."""


class Transport(Protocol):
    """Messages between processes."""

    @property
    def name(self) -> str:
        """The name of this process in the cluster: see `random_name`."""

    def listen(self, take: Receive) -> None:
        """Pass every received message to `take`; called once, before the first."""

    async def send(self, to: str, letter: bytes) -> bool:
        """Send a message; False: no such peer.

        Raises PeerUnreachable if that is unknown. Messages to one name arrive in the
        order in which they were sent, even if no send awaited the one before.
        """


def random_name() -> str:
    """Return a name for the life of this process, in URL-safe characters."""
    return secrets.token_urlsafe(NAME_LENGTH * 3 // 4)
