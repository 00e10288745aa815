"""The metrics of `/metrics`: names, types, labels and help texts.

The docs, the dashboard and the alerts are tested against this table.
"""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

PREFIX: Final = "asdlc_kb_"

MetricKey: TypeAlias = tuple[str, ...]
"""A family's name and the values of its labels."""


@dataclass(frozen=True, slots=True)
class MetricFamily:
    """A metric and its labels."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    help: str
    labels: tuple[str, ...] = ()
    aggregation: Literal["sum", "max", "min", "each"] = "sum"
    """Aggregation across processes; `each` has one series per process, with the label
    `process`."""
    of: "MetricFamily | None" = None
    """The counter whose events a histogram times; it has the first of its labels."""

    def series(self, *labels: str) -> MetricKey:
        """Return the key of the series with these label values."""
        return self.name, *labels


CALLS: Final = MetricFamily(
    f"{PREFIX}calls_total",
    "counter",
    "Messages to the MCP endpoint that were answered",
    ("method", "tool", "era", "version", "outcome", "remembered"),
)
CALL_SECONDS: Final = MetricFamily(
    f"{PREFIX}call_seconds",
    "histogram",
    "From the head of such a request to the last byte of its answer",
    ("method", "tool"),
    of=CALLS,
)
REQUESTS: Final = MetricFamily(
    f"{PREFIX}http_requests_total",
    "counter",
    "Requests over HTTP, of every kind",
    ("route", "verb", "status"),
)
REQUEST_SECONDS: Final = MetricFamily(
    f"{PREFIX}http_request_seconds",
    "histogram",
    "How long they took, streams left out",
    ("route",),
    of=REQUESTS,
)
SEARCHES: Final = MetricFamily(
    f"{PREFIX}searches_total",
    "counter",
    "Searches, and whether they found anything",
    ("source", "found"),
)
LIMITED: Final = MetricFamily(
    f"{PREFIX}rate_limited_total",
    "counter",
    "Requests beyond a rate limit",
    ("limit",),
)
REFUSED: Final = MetricFamily(
    f"{PREFIX}connections_refused_total",
    "counter",
    "Newcomers that were sent away",
    ("reason",),
)
CUT: Final = MetricFamily(
    f"{PREFIX}connections_cut_total",
    "counter",
    "Connections that were ended because their peers took too long, or gave way",
    ("reason",),
)
SETTINGS_RELOADS: Final = MetricFamily(
    f"{PREFIX}settings_reloads_total",
    "counter",
    "How often the settings were read again",
    ("outcome",),
)
DROPPED: Final = MetricFamily(
    f"{PREFIX}peer_messages_dropped_total",
    "counter",
    "Messages and sums of other processes that were not accepted",
    ("reason",),
)
LATENESS: Final = MetricFamily(
    f"{PREFIX}loop_lateness_seconds",
    "histogram",
    "How long the event loop took to answer when it was asked",
)
LINES_LOST: Final = MetricFamily(
    f"{PREFIX}log_lines_lost_total",
    "counter",
    "Lines of the access log that could not be written in time",
)
CONTENT_RELOADS: Final = MetricFamily(
    f"{PREFIX}content_reloads_total",
    "counter",
    "How often changed files were read since the start",
    ("source",),
    aggregation="max",
)
ENTRIES: Final = MetricFamily(
    f"{PREFIX}entries",
    "gauge",
    "What can be seen of a source",
    ("source", "status"),
    aggregation="max",
)
PROBLEMS: Final = MetricFamily(
    f"{PREFIX}problems",
    "gauge",
    "Problems with files, as the command check reports them",
    ("source",),
    aggregation="max",
)
READY: Final = MetricFamily(
    f"{PREFIX}ready",
    "gauge",
    "1 while requests are welcome, else 0, as /ready says",
    aggregation="min",
)
CONNECTIONS: Final = MetricFamily(
    f"{PREFIX}connections", "gauge", "Connections that are open, streams among them"
)
STREAMS: Final = MetricFamily(
    f"{PREFIX}streams", "gauge", "Event streams that are open"
)
SESSIONS: Final = MetricFamily(
    f"{PREFIX}sessions", "gauge", "Sessions of clients before 2026-07-28 that are held"
)
INFO: Final = MetricFamily(
    f"{PREFIX}info",
    "gauge",
    "Always 1; what runs",
    ("version", "python"),
    aggregation="max",
)
MEMORY: Final = MetricFamily(
    "process_resident_memory_bytes",
    "gauge",
    "Memory of the process",
    ("process",),
    aggregation="each",
)
DESCRIPTORS: Final = MetricFamily(
    "process_open_fds",
    "gauge",
    "File descriptors that are open",
    ("process",),
    aggregation="each",
)
MAX_FDS: Final = MetricFamily(
    "process_max_fds",
    "gauge",
    "File descriptors that may be open",
    ("process",),
    aggregation="each",
)
CPU: Final = MetricFamily(
    "process_cpu_seconds_total",
    "counter",
    "Time that the process computed",
    ("process",),
    aggregation="each",
)
START: Final = MetricFamily(
    "process_start_time_seconds",
    "gauge",
    "When it was started",
    ("process",),
    aggregation="each",
)

FAMILIES: Final = tuple(
    value for value in vars().values() if isinstance(value, MetricFamily)
)
"""All metrics, in the order of the exposition."""
