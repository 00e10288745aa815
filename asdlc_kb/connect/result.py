"""What came of a wish to connect one client, as a value."""

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
"""Done; nothing to do; a link was opened; what would be done; only asked to be shown;
left to the person; not done."""

LEFT: Final[frozenset[ConnectStatus]] = frozenset({"by-hand", "refused"})
"""Those after which something is left to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectResult:
    """One client's."""

    client: Client
    scope: Scope
    status: ConnectStatus
    said: str
    """What was done, or why not and what to do, in one line."""
    path: Path | None = None
    backup: Path | None = None
    command: tuple[str, ...] | None = None
    link: str | None = None
    snippet: str | None = None
    """What to put into the file, where a person has to."""
