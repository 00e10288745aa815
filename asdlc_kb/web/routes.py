"""Every URL on one screen."""

from tornado.routing import URLSpec
from tornado.web import Application

from asdlc_kb.web.base import Door, NotFound, log_request
from asdlc_kb.web.health import HealthHandler, ReadyHandler
from asdlc_kb.web.mcp import McpHandler


def routes(door: Door) -> list[URLSpec]:
    """Return the table: pattern, handler, what the handler may use, name."""
    shared = {"door": door}
    mcp = URLSpec(r"/mcp/?", McpHandler, shared, name="mcp")
    return [
        *((mcp,) if door.has_mcp else ()),
        URLSpec(r"/health", HealthHandler, shared, name="health"),
        URLSpec(r"/ready", ReadyHandler, shared, name="ready"),
    ]


def make_application(door: Door) -> Application:
    """Return the application of all routes; every other path is a plain 404."""
    return Application(
        routes(door),
        default_handler_class=NotFound,
        default_handler_args={"door": door},
        log_function=log_request,
    )
