"""Limits on the number of connections: in total and per client address."""

import resource
from dataclasses import dataclass
from typing import Final

MAX_PER_CLIENT: Final = 64
"""Connections of one address: a browser opens 6, an agent one or two."""

RESERVED_FDS: Final = 64
"""Descriptors that connections leave to files, watchers and logs."""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """How many connections there may be."""

    most: int
    most_each: int = MAX_PER_CLIENT


def max_connections() -> int:
    """Return the number of connections that the file descriptor limit allows."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(most - RESERVED_FDS, most // 2)
