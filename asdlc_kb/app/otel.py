"""Export with OpenTelemetry, from the settings and the environment."""

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from asdlc_kb import __version__
from asdlc_kb.mcp.server import McpServer
from asdlc_kb.ops.telemetry import Telemetry
from asdlc_kb.settings import Settings

if TYPE_CHECKING:
    from asdlc_kb.web.request_spans import RequestSpans


def add_recorder(telemetry: Telemetry, settings: Settings) -> Telemetry:
    """Return the telemetry of this process with a recorder, if the settings ask for it.

    The process must not fork afterwards. Raises OperationalError and SettingsError if
    nothing can be exported; the log must be configured, since the SDK writes to it.
    """
    if not settings.otel:
        return telemetry
    # Loaded only if it is asked for.
    from asdlc_kb.ops.otel.exporters import require_extra

    require_extra()
    from asdlc_kb.ops.otel.recorder import open_recorder

    return replace(telemetry, recorder=open_recorder(os.environ, __version__))


def require_exporters(settings: Settings) -> None:
    """Raise what `add_recorder` would, without starting a thread."""
    if settings.otel:
        from asdlc_kb.ops.otel.exporters import open_exporters

        open_exporters(os.environ)


def open_spans(
    telemetry: Telemetry, server: McpServer, settings: Settings
) -> "RequestSpans | None":
    """Return what describes the requests of a server; None without a recorder."""
    if (recorder := telemetry.recorder) is None:
        return None
    from asdlc_kb.web.request_spans import RequestSpans

    return RequestSpans(recorder, server, logs_queries=settings.log_queries)
