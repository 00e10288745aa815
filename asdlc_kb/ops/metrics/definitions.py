"""The metrics of `/metrics`: names, types, labels and help texts.

The docs, the dashboard and the alerts are tested against this table.
"""

from typing import Final, Literal, TypeAlias

import msgspec

PREFIX: Final = "asdlc_kb_"

MetricKey: TypeAlias = tuple[str, ...]
"""A family's name and the values of its labels."""


class MetricFamily(msgspec.Struct, frozen=True):
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
    "Messages answered by the MCP endpoint",
    ("method", "tool", "era", "version", "outcome", "remembered"),
)
CALL_SECONDS: Final = MetricFamily(
    f"{PREFIX}call_seconds",
    "histogram",
    "Time from the header of such a request to the last byte of its response",
    ("method", "tool"),
    of=CALLS,
)
REQUESTS: Final = MetricFamily(
    f"{PREFIX}http_requests_total",
    "counter",
    "HTTP requests of every kind",
    ("route", "verb", "status"),
)
REQUEST_SECONDS: Final = MetricFamily(
    f"{PREFIX}http_request_seconds",
    "histogram",
    "Duration of HTTP requests, without streams",
    ("route",),
    of=REQUESTS,
)
SEARCHES: Final = MetricFamily(
    f"{PREFIX}searches_total",
    "counter",
    "Searches, with and without results",
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
    "Connections refused",
    ("reason",),
)
CUT: Final = MetricFamily(
    f"{PREFIX}connections_cut_total",
    "counter",
    "Connections closed for a time-out or a limit",
    ("reason",),
)
SETTINGS_RELOADS: Final = MetricFamily(
    f"{PREFIX}settings_reloads_total",
    "counter",
    "Reloads of the settings",
    ("outcome",),
)
DROPPED: Final = MetricFamily(
    f"{PREFIX}peer_messages_dropped_total",
    "counter",
    "Messages and counts of other processes that were dropped",
    ("reason",),
)
LATENESS: Final = MetricFamily(
    f"{PREFIX}loop_lateness_seconds",
    "histogram",
    "Lag of the event loop",
)
LINES_LOST: Final = MetricFamily(
    f"{PREFIX}log_lines_lost_total",
    "counter",
    "Access log lines lost: stderr is not read in time, or its disk is full",
)
CONTENT_RELOADS: Final = MetricFamily(
    f"{PREFIX}content_reloads_total",
    "counter",
    "Times that changed content was loaded",
    ("source",),
    aggregation="max",
)
ENTRIES: Final = MetricFamily(
    f"{PREFIX}entries",
    "gauge",
    "Visible entries of a source",
    ("source", "status"),
    aggregation="max",
)
PROBLEMS: Final = MetricFamily(
    f"{PREFIX}problems",
    "gauge",
    "Missing folders and faults found when files are read, without those of links "
    "and pictures, which asdlc-kb check reports too",
    ("source",),
    aggregation="max",
)
STORE_SNAPSHOT: Final = MetricFamily(
    f"{PREFIX}store_snapshot",
    "gauge",
    "Snapshot that is served of a source of the store",
    ("source",),
    aggregation="min",
)
STORE_CONTACT: Final = MetricFamily(
    f"{PREFIX}store_contact_age_seconds",
    "gauge",
    "Time since the store was reached",
    aggregation="max",
)
STORE_UPDATES: Final = MetricFamily(
    f"{PREFIX}store_updates_total",
    "counter",
    "Snapshots of the store written to the mirror on disk, and failures",
    ("outcome",),
)
BUS: Final = MetricFamily(
    f"{PREFIX}bus_connected",
    "gauge",
    "1 if the bus between replicas (bus_url) can be used, otherwise 0",
    aggregation="min",
)
CERTIFICATE: Final = MetricFamily(
    f"{PREFIX}tls_certificate_not_after_seconds",
    "gauge",
    "End of the certificate (tls_cert), in seconds since 1970",
    aggregation="min",
)
READY: Final = MetricFamily(
    f"{PREFIX}ready",
    "gauge",
    "1 if the server accepts requests (/ready), otherwise 0",
    aggregation="min",
)
CONNECTIONS: Final = MetricFamily(
    f"{PREFIX}connections", "gauge", "Open connections, including streams"
)
STREAMS: Final = MetricFamily(f"{PREFIX}streams", "gauge", "Open event streams")
SESSIONS: Final = MetricFamily(
    f"{PREFIX}sessions",
    "gauge",
    "Sessions of clients before 2026-07-28 with a stream or a subscription",
)
INFO: Final = MetricFamily(
    f"{PREFIX}info",
    "gauge",
    "Version of the server and of Python; always 1",
    ("version", "python"),
    aggregation="max",
)
MEMORY: Final = MetricFamily(
    "process_resident_memory_bytes",
    "gauge",
    "Resident memory of the process",
    ("process",),
    aggregation="each",
)
DESCRIPTORS: Final = MetricFamily(
    "process_open_fds",
    "gauge",
    "Open file descriptors",
    ("process",),
    aggregation="each",
)
MAX_FDS: Final = MetricFamily(
    "process_max_fds",
    "gauge",
    "Maximum number of open file descriptors",
    ("process",),
    aggregation="each",
)
CPU: Final = MetricFamily(
    "process_cpu_seconds_total",
    "counter",
    "CPU time of the process",
    ("process",),
    aggregation="each",
)
START: Final = MetricFamily(
    "process_start_time_seconds",
    "gauge",
    "Start time of the process, in seconds since 1970",
    ("process",),
    aggregation="each",
)

FAMILIES: Final = tuple(
    value for value in vars().values() if isinstance(value, MetricFamily)
)
"""All metrics, in the order of the exposition."""
