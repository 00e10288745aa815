"""The dependencies of the HTTP handlers, made for a running server."""

from functools import partial

from asdlc_kb.app.insights import open_insights
from asdlc_kb.app.otel import open_spans
from asdlc_kb.app.wiring import Runtime, count_embedded, describe_store
from asdlc_kb.ops.metrics.counters import LocalMetrics, MetricsSource
from asdlc_kb.settings import Settings
from asdlc_kb.web.connections.connection_limits import ConnectionLimits, max_connections
from asdlc_kb.web.connections.connection_manager import ConnectionManager
from asdlc_kb.web.handler_context import HandlerContext, ServerState, SourceViews
from asdlc_kb.web.request_metrics import RequestMetrics


def open_context(
    app: Runtime,
    metrics: MetricsSource | None = None,
    state: ServerState | None = None,
) -> HandlerContext:
    """Return the dependencies of the HTTP handlers.

    By default the metrics are those of this process alone. `state` is that of a server
    which is running already.
    """
    settings, admission = app.settings, app.admission
    if state is None:
        limits = connection_limits(settings)
        manager = ConnectionManager(limits, admission.proxies, app.telemetry.metrics)
        state = ServerState(manager=manager, bearer=admission.bearer)
    log, observers = app.telemetry.access_log, admission.insights_observers
    state.insights = open_insights(settings, observers, log, state.insights)
    return HandlerContext(
        app.server,
        app.corpus,
        admission.host_origin,
        settings.max_body,
        settings.sse,
        settings.base_url,
        has_mcp=settings.mcp_enabled,
        site=app.website,
        proxies=admission.proxies,
        limits=admission.limits,
        bearer=admission.bearer,
        state=state,
        metrics_observers=admission.metrics_observers,
        insights_observers=observers,
        logs_queries=settings.log_queries,
        access_log=log,
        metrics=metrics or LocalMetrics(app.telemetry.metrics),
        requests=RequestMetrics(app.telemetry.metrics),
        spans=open_spans(app.telemetry, app.server, settings),
        views=None if admission.bearer is None else _open_views(app),
        count_embedded=partial(count_embedded, settings, app.indexers.values()),
        describe_store=partial(describe_store, app),
    )


def _open_views(app: Runtime) -> SourceViews:
    # Without tokens nothing is limited, and the module is not loaded.
    from asdlc_kb.app.source_views import OpenSourceViews

    return OpenSourceViews(app)


def connection_limits(settings: Settings) -> ConnectionLimits:
    """Return the connection limits of settings."""
    max_total = settings.max_connections or max_connections()
    return ConnectionLimits(max_total, settings.max_connections_per_client)
