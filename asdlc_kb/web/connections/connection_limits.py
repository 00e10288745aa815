"""Limits on the number of connections: in total and per client address."""

import resource
from typing import Final

import msgspec

MAX_PER_CLIENT: Final = 64
"""Maximum connections per client address: a browser opens 6, an agent one or two."""

RESERVED_FDS: Final = 64
"""File descriptors reserved for files, watchers and logs."""


class ConnectionLimits(msgspec.Struct, frozen=True):
    """Limits on open connections."""

    max_total: int
    max_per_client: int = MAX_PER_CLIENT


def max_connections() -> int:
    """Return the number of connections that the file descriptor limit allows."""
    max_total, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(max_total - RESERVED_FDS, max_total // 2)
