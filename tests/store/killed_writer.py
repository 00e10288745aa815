"""A program that writes a snapshot and kills itself while it waits for the server."""

import os
import signal
import sys
from typing import Any, Final

from store.snapshots import WrittenSource

from asdlc_kb.store.database import BoundedConnection, connect

FIRST: Final = {"a": b"1", "b/c": b"2", "d": b"1"}
SECOND: Final = {"a": b"3", "e": b"4"}
HIDDEN: Final = {"b/c": b"2", "h": b"5"}

MAX_WAITS: Final = 24
"""More waits than a write of the second snapshot has."""


class _KilledConnection(BoundedConnection):
    remaining = 0

    def wait(self, *values: Any, **options: Any) -> Any:
        """Be killed before the statement of that number is sent."""
        self.remaining -= 1
        if self.remaining < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().wait(*values, **options)


def write(address: str, remaining: int) -> None:
    """Write the second snapshot, with so many waits for the server."""
    connection = connect(address)
    connection.__class__ = _KilledConnection
    assert isinstance(connection, _KilledConnection)
    connection.remaining = remaining
    with connection:
        WrittenSource(connection).write(SECOND, HIDDEN)


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]))
