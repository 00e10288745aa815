"""The HTTP+SSE transport of 2024-11-05: a GET opens a channel, POSTs send to it.

It shares its address with Streamable HTTP; `LegacySseMatches` selects its requests.
"""

from functools import partial
from typing import Any, Final

from tornado.httputil import HTTPServerRequest
from tornado.routing import PathMatches
from tornado.web import HTTPError

from asdlc_kb.mcp.protocol.versions import HANDSHAKE
from asdlc_kb.mcp.sessions.session_store import SessionsExhausted
from asdlc_kb.web.connections.event_stream import sse_frame
from asdlc_kb.web.mcp.headers import names_event_stream, read_headers
from asdlc_kb.web.mcp.mcp_handler import McpHandler
from asdlc_kb.web.stream_response import has_capacity, start_stream

_CHANNEL: Final = "session_id"
"""The argument with the id of a channel, in the URL for its messages."""


class LegacySseMatches(PathMatches):
    """Matches the requests of this transport.

    They are a POST to a channel and, if channels are offered, a GET without a session
    whose Accept names event streams: other clients would wait for ever (D-041).
    """

    def __init__(self, pattern: str, *, has_channels: bool) -> None:
        super().__init__(pattern)
        self._has_channels = has_channels

    def match(self, request: HTTPServerRequest) -> dict[str, Any] | None:
        """Return no arguments for the handler, or None for other requests."""
        names_channel = request.method == "POST" and _CHANNEL in request.query_arguments
        is_legacy = names_channel or self._opens_channel(request)
        return super().match(request) if is_legacy else None

    def _opens_channel(self, request: HTTPServerRequest) -> bool:
        if request.method != "GET" or not self._has_channels:
            return False
        headers = read_headers(request.headers)
        return (
            headers.session is None
            and (headers.version is None or headers.version in HANDSHAKE)
            and names_event_stream(request.headers)
        )


class LegacySseHandler(McpHandler):
    """Opens channels, and accepts messages that are answered on them."""

    async def get(self) -> None:
        """Open a channel; its first event is the URL for messages."""
        # A stream may outlive the server object, and must not keep it alive.
        sessions = self.context.server.sessions
        if not has_capacity(self):
            return
        try:
            headers = read_headers(
                self.request.headers, self.principal, self.client_key
            )
            session = sessions.open_channel(
                headers.principal, headers.address, headers.sources
            )
            queue = sessions.open_queue(session)
        except SessionsExhausted as error:
            self.reject(503, str(error))
            return
        address = f"{self._own_path()}?{_CHANNEL}={session.id}".encode()
        opening = sse_frame(address, b"endpoint")
        start_stream(self, queue, opening, partial(sessions.is_stored, session))

    async def post(self) -> None:
        """Accept a message that is answered on its stream, in any process."""
        server = self.context.server
        if (invalid := self.check_form()) is not None:
            self.reject_message(*invalid)
            return
        owner = None if self.principal is None else self.principal.session_owner
        channel = await server.await_channel(self._read_channel_id(), owner)
        if channel is None:
            self.reject(404, "Session not found")
            return
        message = server.receive(bytes(self.body), session=channel)
        if self.admits(message):
            self.send_reply(await server.answer_on_channel(channel, message))

    def _read_channel_id(self) -> str:
        """Return the id of the channel; empty if it is not valid UTF-8."""
        try:
            return self.get_query_argument(_CHANNEL)
        except HTTPError:
            # Tornado's error would repeat it.
            return ""

    def _own_path(self) -> str:
        """Return the endpoint's path as seen by clients, also behind a proxy."""
        if self.context.base_url is None:
            return self.request.path
        return f"{self.context.prefix}/mcp"
