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
"""Versions this server serves from the request's own envelope, oldest first."""

SUPPORTED: Final = tuple(reversed(HANDSHAKE + STATELESS))
"""What `server/discover` and errors name, newest first."""

LATEST_HANDSHAKE: Final = HANDSHAKE[-1]
"""The answer to an `initialize` that asks for anything unknown."""

UNSTATED: Final = "2025-03-26"
"""What a request without a session and without a version header is taken for: that
version has no such header (2025-06-18 basic/transports, protocol version header)."""

BATCHING: Final = ("2024-11-05", "2025-03-26")
"""Versions in which a message may be an array of messages."""

ERAS: Final = {
    **dict.fromkeys(HANDSHAKE, "handshake"),
    **dict.fromkeys(STATELESS, "stateless"),
}
"""The era of each version, as it is counted."""


def is_at_least(version: str, minimum: str) -> bool:
    """Whether `version` is known and not older than `minimum`, a known one."""
    return version in KNOWN and KNOWN.index(version) >= KNOWN.index(minimum)


def negotiate(requested: str) -> str:
    """The version that answers `initialize` (2025-11-25 basic/lifecycle)."""
    return requested if requested in HANDSHAKE else LATEST_HANDSHAKE
