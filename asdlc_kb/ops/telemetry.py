"""Telemetry of one process: metrics and access log."""

from dataclasses import dataclass, field

from asdlc_kb.ops.logs.access_log import AccessLog
from asdlc_kb.ops.metrics.counters import Metrics


@dataclass(frozen=True, slots=True)
class Telemetry:
    """The metrics and the access log of a process; they outlive a reload."""

    metrics: Metrics = field(default_factory=Metrics)
    access_log: AccessLog = field(default_factory=AccessLog)
