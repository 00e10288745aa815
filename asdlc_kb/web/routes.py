"""The route table of the HTTP server; the website serves all other paths."""

from typing import Any

from tornado.httputil import HTTPServerRequest
from tornado.routing import Rule, URLSpec
from tornado.web import Application

from asdlc_kb.web.admission.absolute_form import normalize_absolute_form
from asdlc_kb.web.handler import log_request
from asdlc_kb.web.handler_context import HandlerContext
from asdlc_kb.web.mcp.legacy_sse import LegacySseHandler, LegacySseMatches
from asdlc_kb.web.mcp.oauth_metadata import PROBED, MetadataHandler
from asdlc_kb.web.mcp.streamable_http import StreamableHttpHandler
from asdlc_kb.web.monitoring import insights, metrics
from asdlc_kb.web.monitoring.health import (
    HEALTH,
    READY,
    HealthHandler,
    ReadyHandler,
)
from asdlc_kb.web.site.pages import PAGES, PageHandler
from asdlc_kb.web.site.project_pages import PATTERNS, ProjectHandler

_MCP = r"/mcp/?"
"""Both transports share this address; the first rule matches HTTP+SSE."""


def routes(context: HandlerContext) -> list[Rule]:
    """Return the table: pattern, handler, handler arguments, name."""
    shared = {"context": context}
    legacy_sse = LegacySseMatches(_MCP, has_channels=context.sse)
    mcp = (
        Rule(legacy_sse, LegacySseHandler, shared),
        URLSpec(_MCP, StreamableHttpHandler, shared, name="mcp"),
    )
    metadata = URLSpec(PROBED, MetadataHandler, shared)
    return [
        *(mcp if context.has_mcp else ()),
        *(() if context.bearer is None else (metadata,)),
        URLSpec(HEALTH, HealthHandler, shared, name="health"),
        URLSpec(READY, ReadyHandler, shared, name="ready"),
        URLSpec(metrics.PATH, metrics.MetricsHandler, shared, name="metrics"),
        URLSpec(insights.PATH, insights.InsightsHandler, shared, name="insights"),
        *(URLSpec(each, ProjectHandler, shared) for each in PATTERNS),
        *(URLSpec(pattern, page, shared, name=name) for pattern, page, name in PAGES),
    ]


class _RoutedApplication(Application):
    """Routes requests in absolute form too."""

    def find_handler(self, request: HTTPServerRequest, **given: Any) -> Any:
        """Return the handler of a request."""
        normalize_absolute_form(request)
        return super().find_handler(request, **given)


def make_application(context: HandlerContext) -> Application:
    """Return the application; paths outside the table are pages, or 404."""
    return _RoutedApplication(
        routes(context),
        default_handler_class=PageHandler,
        default_handler_args={"context": context},
        log_function=log_request,
    )
