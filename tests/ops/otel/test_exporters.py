"""Selection of the exporters by the standard environment variables."""

from collections.abc import Mapping

import pytest

from asdlc_kb.exceptions import OperationalError, SettingsError
from asdlc_kb.ops.otel import exporters
from asdlc_kb.ops.otel.exporters import open_exporters


@pytest.mark.parametrize(
    ("environ", "traces", "metrics"),
    [
        ({}, True, True),
        ({"OTEL_TRACES_EXPORTER": "otlp", "OTEL_METRICS_EXPORTER": ""}, True, True),
        ({"OTEL_TRACES_EXPORTER": "none"}, False, True),
        ({"OTEL_METRICS_EXPORTER": "none"}, True, False),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, True, True),
        (
            {
                "OTEL_TRACES_EXPORTER": "none",
                "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "grpc",
            },
            False,
            True,
        ),
    ],
)
def test_each_signal_is_exported_unless_it_is_turned_off(
    environ: Mapping[str, str], *, traces: bool, metrics: bool
) -> None:
    """OTEL_TRACES_EXPORTER and OTEL_METRICS_EXPORTER, `otlp` by default."""
    opened = open_exporters(environ)
    assert [each is not None for each in opened] == [traces, metrics]


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        (
            {"OTEL_TRACES_EXPORTER": "jaeger"},
            "OTEL_TRACES_EXPORTER: 'jaeger' is not supported: use otlp or none",
        ),
        (
            {"OTEL_METRICS_EXPORTER": "console"},
            "OTEL_METRICS_EXPORTER: 'console' is not supported: use otlp or none",
        ),
        (
            {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
            "OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' is not supported: use http/protobuf",
        ),
        (
            {"OTEL_EXPORTER_OTLP_METRICS_PROTOCOL": "http/json"},
            "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/json' is not supported",
        ),
    ],
)
def test_what_is_not_supported_is_refused_at_the_start(
    environ: Mapping[str, str], message: str
) -> None:
    """Nothing would be exported otherwise, and only the collector would miss it."""
    with pytest.raises(SettingsError) as caught:
        open_exporters(environ)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "module", ["package_that_is_not_installed", "package_that_is_not_installed.part"]
)
def test_without_the_extra_it_is_named(
    monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    """With what to install."""
    monkeypatch.setattr(exporters, "_MODULES", (module,))
    with pytest.raises(OperationalError) as caught:
        open_exporters({})
    assert str(caught.value).startswith("OpenTelemetry needs the extra `otel`")
    assert module in str(caught.value)
