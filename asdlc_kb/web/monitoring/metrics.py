"""/metrics: the numbers of this server, for those who watch it and nobody else."""

import asyncio
from collections.abc import Mapping
from platform import python_version
from typing import Final

from asdlc_kb.ops.logs.access_log import access
from asdlc_kb.ops.metrics import definitions
from asdlc_kb.ops.metrics.counters import GaugeValues, MetricValues
from asdlc_kb.ops.metrics.definitions import MetricFamily
from asdlc_kb.ops.metrics.process_metrics import measure_process
from asdlc_kb.web.admission.rate_limit import RateLimitExceeded
from asdlc_kb.web.handler import HandlerContext
from asdlc_kb.web.site.pages import PageHandler

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
`metrics_allow` are observers (`asdlc_kb.app.access_policy`).
"""


class MetricsHandler(PageHandler):
    """Sends the metrics to addresses that may see them; to others it is not there."""

    route = "metrics"

    def initialize(self, door: HandlerContext) -> None:
        """Ask no token of who may see them."""
        super().initialize(door)
        self.is_open = self.is_probe = self.may_see()

    def meter(self) -> RateLimitExceeded | None:
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


def _write(
    numbers: MetricValues, levels: Mapping[str, GaugeValues], accept: str
) -> tuple[bytes, str]:
    """Return the exposition and its media type."""
    # Loads prometheus_client, which takes megabytes: with the first scrape.
    from asdlc_kb.ops.metrics.exposition import write_exposition

    return write_exposition(numbers, levels, accept)


def read_levels(door: HandlerContext) -> GaugeValues:
    """Return what is so right now."""
    levels: dict[str, float] = {
        definitions.READY.name: int(door.is_ready),
        definitions.CONNECTIONS.name: door.state.count_connections(),
        definitions.STREAMS.name: len(door.state.streams),
        definitions.SESSIONS.name: len(door.server.audience.sessions),
        definitions.LINES_LOST.name: access.lost,
        _name(definitions.INFO, door.version, python_version()): 1,
    }
    for source in door.corpus:
        catalog, kind = source.catalog, source.kind
        problems = catalog.snapshot.all_problems()
        levels[_name(definitions.CONTENT_RELOADS, kind)] = catalog.snapshot.generation
        levels[_name(definitions.PROBLEMS, kind)] = len(problems)
        for status, number in catalog.statuses.items():
            levels[_name(definitions.ENTRIES, kind, status)] = number
    return levels | {family.name: value for family, value in measure_process().items()}


def _name(family: MetricFamily, *labels: str) -> str:
    return "\t".join((family.name, *labels))
