"""The live reload stream of pages in development."""

from typing import Final

from tornado.iostream import StreamClosedError
from tornado.web import HTTPError

from asdlc_kb.web.connections.event_stream import COMMENT, sse_frame
from asdlc_kb.web.handler import BaseHandler

BEAT_SECONDS: Final = 5.0
"""Interval of keep-alives, and of checks for a shutdown."""


class LiveHandler(BaseHandler):
    """Sends an event at once, then one per change."""

    route = "live"

    async def get(self) -> None:
        """Stream until the client closes or the server stops."""
        site = await self.context.site.get() if self.context.site is not None else None
        live = site.live if site is not None else None
        if live is None:
            raise HTTPError(404)
        self.set_header("Content-Type", "text/event-stream")
        self.context.state.in_flight.discard(self)
        number, is_new = live.number, True
        try:
            while self.is_wanted() and not live.is_closed:
                if is_new:
                    number = live.number
                    self.write(sse_frame(live.describe()))
                else:
                    self.write(COMMENT)
                await self.flush()
                is_new = await live.wait(number, BEAT_SECONDS)
        except StreamClosedError:
            return
        self.finish()

    def is_wanted(self) -> bool:
        """Whether the server is not draining and still admits the client."""
        state = self.context.state
        return not state.is_draining and state.admits(self.principal)
