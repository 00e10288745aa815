"""Every URL on one screen."""

import re
from typing import Any

from tornado.httputil import HTTPServerRequest
from tornado.routing import URLSpec
from tornado.web import Application

from asdlc_kb.web.base import Door, log_request
from asdlc_kb.web.health import HealthHandler, ReadyHandler
from asdlc_kb.web.mcp import McpHandler
from asdlc_kb.web.metadata import PROBED, MetadataHandler
from asdlc_kb.web.metrics import PATH, MetricsHandler
from asdlc_kb.web.pages import PAGES, PageHandler
from asdlc_kb.web.target import settle


def routes(door: Door) -> list[URLSpec]:
    """Return the table: pattern, handler, what the handler may use, name."""
    shared = {"door": door}
    mcp = URLSpec(r"/mcp/?", McpHandler, shared, name="mcp")
    metadata = URLSpec(PROBED, MetadataHandler, shared)
    return [
        *((mcp,) if door.has_mcp else ()),
        *(() if door.bearer is None else (metadata,)),
        URLSpec(r"/health", HealthHandler, shared, name="health"),
        URLSpec(r"/ready", ReadyHandler, shared, name="ready"),
        URLSpec(PATH, MetricsHandler, shared, name="metrics"),
        *(
            URLSpec(re.escape(path), page, shared, name=name)
            for path, page, name in PAGES
        ),
    ]


class _Application(Application):
    """Knows its paths in whole addresses too."""

    def find_handler(self, request: HTTPServerRequest, **given: Any) -> Any:
        """Return what answers a request."""
        settle(request)
        return super().find_handler(request, **given)


def make_application(door: Door) -> Application:
    """Return the application of all routes; other paths are pages' or nobody's."""
    return _Application(
        routes(door),
        default_handler_class=PageHandler,
        default_handler_args={"door": door},
        log_function=log_request,
    )
