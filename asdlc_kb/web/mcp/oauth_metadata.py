"""OAuth protected resource metadata (RFC 9728), for clients without a token."""

from typing import Any, Final

from tornado.web import HTTPError

from asdlc_kb.web.handler import NotFound
from asdlc_kb.web.mcp.preflight import answer_preflight

PROBED: Final = r"/\.well-known/(?:oauth-|openid-configuration).*"
"""Paths at which clients probe for metadata of the resource or the issuer."""


class MetadataHandler(NotFound):
    """Sends the metadata, and a plain 404 for other probes.

    A 401 would make clients probe for the metadata of the metadata.
    """

    route = "metadata"

    def needs_token(self) -> bool:
        """Admit clients that look for the issuer of their token."""
        return False

    async def get(self) -> None:
        """Send the metadata."""
        self.finish(self._describe())

    head = get

    async def options(self) -> None:
        """Answer a CORS preflight: clients send a header of MCP here too."""
        self._describe()
        if not answer_preflight(self):
            raise HTTPError(404)

    def _describe(self) -> dict[str, Any]:
        """Return the metadata at this path; raise HTTPError if there are none."""
        bearer = self.context.bearer
        assert bearer is not None, "the route exists only where tokens are required"
        host = self.request.headers.get("Host", "")
        if (metadata := bearer.describe(self.request.path, host)) is None:
            raise HTTPError(404)
        return metadata
