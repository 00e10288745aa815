"""Export of traces and metrics with OpenTelemetry."""
