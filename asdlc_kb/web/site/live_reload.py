"""The live reload stream of pages in development."""

from tornado.web import HTTPError

from asdlc_kb.web.handler import BaseHandler
from asdlc_kb.web.stream_response import has_capacity, start_stream


class LiveHandler(BaseHandler):
    """Sends an event at once, then one per change."""

    route = "live"

    async def get(self) -> None:
        """Stream until the client closes or the server stops."""
        site = await self.context.site.get() if self.context.site is not None else None
        if site is None or site.live is None:
            raise HTTPError(404)
        if has_capacity(self):
            start_stream(self, site.live.open_queue())
