"""The result of connecting one client."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from asdlc_kb.connect.client_model import Client, Scope

ConnectStatus: TypeAlias = Literal[
    "connected",
    "unchanged",
    "removed",
    "absent",
    "offered",
    "planned",
    "shown",
    "by-hand",
    "refused",
]
"""Done; nothing to do; link opened; dry run; instructions only; left to the user;
refused."""

LEFT: Final[frozenset[ConnectStatus]] = frozenset({"by-hand", "refused"})
"""Statuses that require action by the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectResult:
    """The result for one client."""

    client: Client
    scope: Scope
    status: ConnectStatus
    message: str
    """One line: the action, or the reason and the remedy."""
    obstacle: str | None = None
    """The other server of that name, which only the user may replace or remove."""
    path: Path | None = None
    backup: Path | None = None
    command: tuple[str, ...] | None = None
    link: str | None = None
    snippet: str | None = None
    """Text to paste into the file by hand."""

    @property
    def hint(self) -> str | None:
        """What the user must do in the client, if it is connected now."""
        is_connected = self.status in ("connected", "unchanged")
        return self.client.hint or None if is_connected else None
