"""Telemetry of one process: metrics, access log, and export with OpenTelemetry."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from asdlc_kb.ops.logs.access_log import AccessLog
from asdlc_kb.ops.metrics.counters import Metrics

if TYPE_CHECKING:
    from asdlc_kb.ops.otel.recorder import OtelRecorder


@dataclass(frozen=True, slots=True)
class Telemetry:
    """The metrics, the access log and the exporter; they outlive a reload."""

    metrics: Metrics = field(default_factory=Metrics)
    access_log: AccessLog = field(default_factory=AccessLog)
    recorder: "OtelRecorder | None" = None
    """Records spans and durations for OpenTelemetry, if the settings ask for it."""
