"""Where clients learn who gives tokens for this server (RFC 9728)."""

from typing import Final

from asdlc_kb.web.base import BaseHandler
from asdlc_kb.web.bearer import METADATA

PATHS: Final = (METADATA, f"{METADATA}/mcp")
"""Where the description is: of the server, and of its endpoint."""


class MetadataHandler(BaseHandler):
    """Describes the protected resource, to everybody."""

    route = "metadata"
    is_open = True

    def get(self) -> None:
        """Send the description."""
        bearer = self.door.bearer
        assert bearer is not None, "this route is there where tokens are asked for"
        self.set_header("Access-Control-Allow-Origin", "*")
        self.finish(bearer.describe(self.request.headers.get("Host", "")))

    def head(self) -> None:
        """Answer as GET does, without the body."""
        self.get()
