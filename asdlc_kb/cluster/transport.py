"""How one process of several reaches another: short letters to a name.

Who carries them is behind `Transport`: the parent of workers on one machine, or Redis
between machines. Letters may be lost. Whoever can write into that Redis can repeat one,
which its number tells (`asdlc_kb.cluster.envelope`).
"""

import secrets
from collections.abc import Callable
from typing import Final, Protocol, TypeAlias

from asdlc_kb.exceptions import KnowledgeBaseError

MAX_MESSAGE_BYTES: Final = 8 * 1024 * 1024
"""The longest letter: Redis cuts off a subscriber with 32 MiB waiting."""

NAME_LENGTH: Final = 8
"""Characters of a name: 48 random bits."""

Receive: TypeAlias = Callable[[str, bytes], None]
"""Takes the sender's name and the letter, on the loop; must not raise or block."""


class PeerUnreachable(KnowledgeBaseError):
    """Raised where it cannot be known whether somebody of that name is there."""


class Transport(Protocol):
    """Letters between the processes."""

    @property
    def name(self) -> str:
        """What the others call this process: see `random_name`."""

    def listen(self, take: Receive) -> None:
        """Hand every letter that comes to `take`; called once, before any comes."""

    async def send(self, to: str, letter: bytes) -> bool:
        """Send a letter; False: nobody of that name is there.

        Raises Unreachable when that cannot be known. Letters to one name arrive in
        the order in which they were sent, also where no send awaited the one before.
        """


def random_name() -> str:
    """Return a name for the life of this process, in URL-safe characters."""
    return secrets.token_urlsafe(NAME_LENGTH * 3 // 4)
