"""CORS preflights of browsers, for pages of the allowed origins."""

from typing import Final

from asdlc_kb.web.handler import BaseHandler

_REQUEST_HEADERS: Final = (
    "Content-Type, Accept, Authorization, MCP-Protocol-Version, Mcp-Session-Id, "
    "Mcp-Method, Mcp-Name, Last-Event-ID"
)


def answer_preflight(handler: BaseHandler) -> bool:
    """Answer a preflight with the methods of a handler; False for another request."""
    origin = handler.request.headers.get("Origin")
    if origin is None or not handler.context.host_origin.allows_origin(origin):
        return False
    handler.set_header("Access-Control-Allow-Methods", handler.allow)
    handler.set_header("Access-Control-Allow-Headers", _REQUEST_HEADERS)
    handler.set_header("Access-Control-Max-Age", "600")
    handler.set_status(204)
    handler.finish()
    return True
