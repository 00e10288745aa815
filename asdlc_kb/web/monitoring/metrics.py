"""/metrics: Prometheus metrics of the server, for allowed addresses only."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from platform import python_version
from typing import Final

from asdlc_kb import __version__
from asdlc_kb.ops.metrics import definitions
from asdlc_kb.ops.metrics.counters import GaugeValues, MetricValues, encode_key
from asdlc_kb.ops.metrics.definitions import MetricKey
from asdlc_kb.ops.metrics.process_metrics import measure_process
from asdlc_kb.web.admission.client_address import Networks
from asdlc_kb.web.admission.rate_limit import RateLimitExceeded
from asdlc_kb.web.handler_context import HandlerContext
from asdlc_kb.web.monitoring.observers import ObserverHandler

PATH: Final = "/metrics"


class MetricsHandler(ObserverHandler):
    """Sends the metrics to observers."""

    route = "metrics"

    @property
    def observers(self) -> Networks:
        """The addresses that may see the metrics."""
        return self.context.metrics_observers

    @property
    def is_probe(self) -> bool:
        """Whether the metrics are sent: they contain no content."""
        return self.is_observer

    def check_rate_limit(self) -> RateLimitExceeded | None:
        """Count requests of other clients only: scrapes are frequent."""
        return None if self.is_observer else super().check_rate_limit()

    async def send_observed(self) -> None:
        """Send the metrics."""
        values, gauges = await self.context.metrics.add_up(read_gauges(self.context))
        accept = self.request.headers.get("Accept", "")
        body, media_type = await asyncio.to_thread(_write, values, gauges, accept)
        self.set_header("Content-Type", media_type)
        self.finish(body)


def _write(
    values: MetricValues, gauges: Mapping[str, GaugeValues], accept: str
) -> tuple[bytes, str]:
    """Return the exposition and its media type."""
    # Loads prometheus_client, which takes megabytes, with the first scrape.
    from asdlc_kb.ops.metrics.exposition import write_exposition

    return write_exposition(values, gauges, accept)


def read_gauges(context: HandlerContext) -> GaugeValues:
    """Return the current values of the gauges."""
    gauges: dict[MetricKey, float] = {
        definitions.READY.series(): int(context.is_ready),
        definitions.CONNECTIONS.series(): context.state.manager.connections,
        definitions.STREAMS.series(): len(context.state.streams),
        definitions.SESSIONS.series(): len(context.server.sessions),
        definitions.LINES_LOST.series(): context.access_log.lost,
        definitions.INFO.series(__version__, python_version()): 1,
    }
    # Several documentation trees are one kind.
    totals: Counter[MetricKey] = Counter()
    for source in context.corpus:
        catalog, kind = source.catalog, source.kind
        problems = catalog.snapshot.all_problems()
        totals[definitions.CONTENT_RELOADS.series(kind)] += catalog.snapshot.generation
        totals[definitions.PROBLEMS.series(kind)] += len(problems)
        for status, number in catalog.statuses.items():
            totals[definitions.ENTRIES.series(kind, status)] += number
    if context.corpus.projects:
        missing = context.corpus.count_missing_projects()
        totals[definitions.PROBLEMS.series("projects")] = missing
    gauges |= totals
    if (store := context.describe_store()) is not None:
        for name, snapshot in store.snapshots.items():
            gauges[definitions.STORE_SNAPSHOT.series(name)] = snapshot or 0
        if store.contact_age is not None:
            gauges[definitions.STORE_CONTACT.series()] = store.contact_age
    if (is_connected := context.state.is_bus_connected) is not None:
        gauges[definitions.BUS.series()] = int(is_connected())
    if context.state.certificate_ends is not None:
        gauges[definitions.CERTIFICATE.series()] = context.state.certificate_ends
    gauges |= {family.series(): value for family, value in measure_process().items()}
    return {encode_key(key): value for key, value in gauges.items()}
