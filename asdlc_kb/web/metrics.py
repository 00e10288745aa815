"""/metrics: the numbers of this server, for those who watch it and nobody else."""

import asyncio
from importlib import import_module
from platform import python_version
from typing import Final

from asdlc_kb.ops import families
from asdlc_kb.ops.access import access
from asdlc_kb.ops.families import Family
from asdlc_kb.ops.metrics import Levels
from asdlc_kb.ops.process import measure
from asdlc_kb.web.base import Door
from asdlc_kb.web.limits import Excess
from asdlc_kb.web.pages import PageHandler

PATH: Final = "/metrics"

_FORWARDED: Final = (
    "X-Forwarded-For",
    "X-Forwarded-Host",
    "X-Forwarded-Proto",
    "X-Real-Ip",
    "Forwarded",
    "Via",
)
"""What proxies add, as Tornado spells it: a peer that sends one speaks for another.

That one sends none proves nothing. Where proxies are expected, only the addresses of
`metrics_allow` are observers (`asdlc_kb.app.admission`).
"""


class MetricsHandler(PageHandler):
    """Sends the metrics to addresses that may see them; to others it is not there."""

    route = "metrics"

    def initialize(self, door: Door) -> None:
        """Ask no token of who may see them."""
        super().initialize(door)
        self.is_open = self.is_probe = self.may_see()

    def meter(self) -> Excess | None:
        """Count only who asks for what is not there: others ask often."""
        return None if self.is_open else super().meter()

    async def get(self) -> None:
        """Send all numbers, or what is sent for any address that there is not."""
        if not self.is_open:
            await super().get()
            return
        figures = self.door.state.figures
        numbers, levels = await figures.add_up(read_levels(self.door))
        accept = self.request.headers.get("Accept", "")
        body, media_type = await asyncio.to_thread(_write, numbers, levels, accept)
        self.set_header("Content-Type", media_type)
        self.finish(body)

    head = get

    def may_see(self) -> bool:
        """Whether the request comes from an address that may see the metrics.

        The request of a proxy counts only if a trusted proxy names its client. A
        trusted proxy is a proxy whether or not it adds a header.
        """
        by_proxy = self.door.proxies.trusts(self.request.remote_ip) or any(
            name in self.request.headers for name in _FORWARDED
        )
        if by_proxy and not self.is_vouched_for():
            return False
        return self.address in self.door.observers

    def is_vouched_for(self) -> bool:
        """Whether a trusted proxy says whose request it is."""
        forwarded = self.request.headers.get("X-Forwarded-For")
        return self.door.proxies.vouches(self.request.remote_ip, forwarded)


def _write(*told: object) -> tuple[bytes, str]:
    """Write the numbers; what does it is loaded with the first scrape."""
    written: tuple[bytes, str] = import_module("asdlc_kb.ops.exposition").write(*told)
    return written


def read_levels(door: Door) -> Levels:
    """Return what is so right now."""
    levels: dict[str, float] = {
        families.READY.name: int(door.is_ready),
        families.CONNECTIONS.name: door.state.count_connections(),
        families.STREAMS.name: len(door.state.streams),
        families.SESSIONS.name: len(door.server.audience.sessions),
        families.LINES_LOST.name: access.lost,
        _name(families.INFO, door.version, python_version()): 1,
    }
    for source in door.corpus:
        catalog, kind = source.catalog, source.kind
        problems = catalog.snapshot.all_problems()
        levels[_name(families.CONTENT_RELOADS, kind)] = catalog.snapshot.generation
        levels[_name(families.PROBLEMS, kind)] = len(problems)
        for status, number in catalog.statuses.items():
            levels[_name(families.ENTRIES, kind, status)] = number
    return levels | {family.name: value for family, value in measure().items()}


def _name(family: Family, *labels: str) -> str:
    return "\t".join((family.name, *labels))
