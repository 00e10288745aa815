"""HTTP requests and the MCP operations in them, recorded for OpenTelemetry.

Attributes are those of the semantic conventions. A query is part of none, unless
queries are logged; a path is, as in the access log.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple
from urllib.parse import urlencode

from asdlc_kb.mcp.dispatch.operation import OTHER, Operation, describe_operations
from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.protocol.inbound import Batch, Inbound
from asdlc_kb.mcp.protocol.param_headers import read_trace_context
from asdlc_kb.mcp.server import McpServer
from asdlc_kb.ops.otel.recorder import OtelRecorder
from asdlc_kb.site import urls
from asdlc_kb.web.request_metrics import VERBS

_ROUTES: Final[Mapping[str, str]] = {
    "everything": urls.FULL,
    "health": "/health",
    "live": urls.EVENTS,
    "mcp": "/mcp",
    "metadata": "/.well-known/{name}",
    "metrics": "/metrics",
    "page": "/{path}",
    "ready": "/ready",
    "results": urls.RESULTS,
    "search": urls.SEARCH,
}
"""The path of each route label."""

_TRANSPORT: Final = {
    "network.protocol.name": "http",
    "network.protocol.version": "1.1",
    "network.transport": "tcp",
}
"""Attributes of operations over HTTP."""


class HttpRequest(NamedTuple):
    """A finished request, as the recorder takes it."""

    name: str
    labels: Mapping[str, str | int]
    details: Mapping[str, str | int]
    trace: Mapping[str, str]
    seconds: float
    ended: float


class RequestSpans:
    """Describes requests, and passes them to the recorder of the process."""

    def __init__(
        self, recorder: OtelRecorder, server: McpServer, *, logs_queries: bool
    ) -> None:
        self.recorder = recorder
        self._server = server
        self._logs_queries = logs_queries

    def describe_request(
        self,
        *,
        route: str,
        verb: str,
        path: str,
        status: int,
        address: str,
        headers: Mapping[str, str],
        seconds: float,
        scheme: str = "http",
        query: str | None = None,
    ) -> HttpRequest:
        """Return a request that was answered; `query` is a logged one."""
        is_known = verb in VERBS
        labels: dict[str, str | int] = {
            "http.request.method": verb if is_known else OTHER,
            "http.response.status_code": status,
            "network.protocol.version": "1.1",
            "url.scheme": scheme,
        }
        details: dict[str, str | int] = {
            "client.address": address,
            "url.path": path[:200],
        }
        name, template = verb if is_known else "HTTP", _ROUTES.get(route)
        if template is not None:
            labels["http.route"] = template
            name += f" {template}"
        if status >= 500:
            labels["error.type"] = str(status)
        if not is_known:
            details["http.request.method_original"] = verb[:20]
        if query is not None:
            details["url.query"] = urlencode({"q": query})
        trace = read_trace_context(
            {
                "traceparent": headers.get("Traceparent"),
                "tracestate": headers.get("Tracestate"),
            }
        )
        return HttpRequest(name, labels, details, trace, seconds, time.time())

    def describe_operations(
        self,
        message: Inbound | Batch | None,
        reply: Response | None,
        seconds: float,
        *,
        session: str | None,
        address: str,
    ) -> Sequence[Operation]:
        """Return the operations of a message, which may have been rejected unread."""
        if message is None:
            return ()
        operations = describe_operations(
            message,
            reply,
            seconds,
            self._server.has_target,
            session=session,
            with_query=self._logs_queries,
        )
        return [
            operation._replace(
                labels={**operation.labels, **_TRANSPORT},
                details={**operation.details, "client.address": address},
            )
            for operation in operations
        ]
