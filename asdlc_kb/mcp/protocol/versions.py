"""The protocol versions: an enumerated set, in two eras.

Versions up to 2025-11-25 begin with a handshake (`initialize`); 2026-07-28 is
stateless: every request carries its version. An unknown version compares as older
than every known one.
"""

from typing import Final

KNOWN: Final = (
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
    "2026-07-28",
)
"""Every released version, oldest first."""

HANDSHAKE: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Versions this server negotiates with `initialize`, oldest first."""

STATELESS: Final = ("2026-07-28",)
"""Versions that each request names in its `_meta`, oldest first."""

SUPPORTED: Final = tuple(reversed(HANDSHAKE + STATELESS))
"""Versions in `server/discover` and in errors, newest first."""

LATEST_HANDSHAKE: Final = HANDSHAKE[-1]
"""The version in response to an `initialize` with an unknown one."""

UNSTATED: Final = "2025-03-26"
"""The version of a request without a session and without a version header, which this
version lacks (2025-06-18 basic/transports, protocol version header)."""

BATCHING: Final = ("2024-11-05", "2025-03-26")
"""Versions in which a message may be an array of messages."""

ERAS: Final = {
    **dict.fromkeys(HANDSHAKE, "handshake"),
    **dict.fromkeys(STATELESS, "stateless"),
}
"""The era of each version, a metric label."""


def is_at_least(version: str, minimum: str) -> bool:
    """Whether `version` is known and not older than `minimum`, a known one."""
    return version in KNOWN and KNOWN.index(version) >= KNOWN.index(minimum)


def negotiate(requested: str) -> str:
    """Return the version in response to `initialize` (2025-11-25 basic/lifecycle)."""
    return requested if requested in HANDSHAKE else LATEST_HANDSHAKE
