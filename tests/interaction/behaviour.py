"""A row of the table of behaviours."""

from dataclasses import dataclass
from typing import Final

from support.peers import VERSIONS

TRANSPORTS: Final = ("http", "stdio")
HTTP: Final = ("http",)
STDIO: Final = ("stdio",)


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One behaviour: its sources, one sentence, and where it applies."""

    id: str
    source: str
    says: str
    versions: tuple[str, ...] = VERSIONS
    doors: tuple[str, ...] = TRANSPORTS

    @property
    def runs(self) -> frozenset[tuple[str, str]]:
        """The (transport, version) pairs that the behaviour applies to."""
        return frozenset((d, v) for d in self.doors for v in self.versions)
