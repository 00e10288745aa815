"""Exporters of traces and metrics, from the OTEL_* environment variables.

The SDK reads most of them: endpoints, headers, certificates, time-outs, sampler, batch
sizes, intervals and resource attributes. It logs an invalid one, and uses its default.
Here are those that select an exporter.
"""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, NamedTuple

from asdlc_kb.exceptions import SettingsError
from asdlc_kb.extras import missing_extra

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics.export import MetricExporter
    from opentelemetry.sdk.trace.export import SpanExporter

PROTOCOL: Final = "http/protobuf"
"""The protocol of OTLP in use."""

_SIGNALS: Final = ("TRACES", "METRICS")
_PROTOCOL_VARIABLE: Final = "OTEL_EXPORTER_OTLP_PROTOCOL"
_MODULES: Final = (
    "opentelemetry.sdk",
    "opentelemetry.exporter.otlp.proto.http",
)


class Exporters(NamedTuple):
    """The exporter of each signal; None for one that is not exported."""

    traces: "SpanExporter | None"
    metrics: "MetricExporter | None"


def open_exporters(environ: Mapping[str, str]) -> Exporters:
    """Return the exporters that the environment selects; connects to nothing yet.

    Raises OperationalError without the extra, and SettingsError for a value that is
    not supported.
    """
    wanted = [_is_exported(environ, signal) for signal in _SIGNALS]
    require_extra()
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import (
        OTLPMetricExporter,
    )
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return Exporters(
        OTLPSpanExporter() if wanted[0] else None,
        OTLPMetricExporter() if wanted[1] else None,
    )


def _is_exported(environ: Mapping[str, str], signal: str) -> bool:
    """Whether a signal is exported; raise SettingsError for an unknown exporter."""
    name = f"OTEL_{signal}_EXPORTER"
    exporter = environ.get(name, "").strip() or "otlp"
    if exporter not in ("otlp", "none"):
        raise SettingsError(f"{name}: '{exporter}' is not supported: use otlp or none")
    variables = (f"OTEL_EXPORTER_OTLP_{signal}_PROTOCOL", _PROTOCOL_VARIABLE)
    variable = next((v for v in variables if environ.get(v, "").strip()), "")
    protocol = environ.get(variable, "").strip() or PROTOCOL
    if exporter == "otlp" and protocol != PROTOCOL:
        raise SettingsError(
            f"{variable}: '{protocol}' is not supported: use {PROTOCOL}, to which "
            "collectors listen on port 4318"
        )
    return exporter == "otlp"


def require_extra() -> None:
    """Raise OperationalError unless the extra is installed."""
    for name in _MODULES:
        try:
            is_here = find_spec(name) is not None
        except ModuleNotFoundError:
            is_here = False
        if not is_here:
            raise missing_extra("OpenTelemetry", "otel", name)
