"""Calls of the MCP endpoint that are answered without waiting.

Each is admitted as in the handlers, by the same functions, and counted and logged as
there. Rejections and all other calls are left to `StreamableHttpHandler`.
"""

import time
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.protocol import jsonrpc
from asdlc_kb.mcp.protocol.inbound import Call, McpHeaders
from asdlc_kb.web.admission.bearer import ENDPOINT
from asdlc_kb.web.admission.client_address import rate_limit_key
from asdlc_kb.web.connections.direct_stream import Parts
from asdlc_kb.web.fast_path.call_cache import CallCache, ReceivedCall, Routing
from asdlc_kb.web.fast_path.call_reports import CallReports
from asdlc_kb.web.fast_path.request_head import RequestHead
from asdlc_kb.web.fast_path.response_head import ResponseHead
from asdlc_kb.web.fast_path.sender import Sender, choose_request_id, identify
from asdlc_kb.web.handler_context import HandlerContext
from asdlc_kb.web.mcp.headers import accepts_json, check_headers, read_headers

if TYPE_CHECKING:
    from asdlc_kb.web.request_spans import RequestSpans

_ANSWERED: Final = Response(200)
"""Any response to a call that succeeded."""

_HEAD: Final = ResponseHead({"Content-Type": "application/json"})


class McpEndpoint:
    """Accepts the requests of plain calls."""

    def __init__(self, context: HandlerContext) -> None:
        self.context = context
        self.calls = CallCache()
        self.reports = CallReports(context.requests, logs_queries=context.logs_queries)

    def accept(self, head: RequestHead) -> "McpResponder | None":
        """Return what answers requests with this head; None if Tornado does."""
        if (
            (head.method, head.target) != ("POST", ENDPOINT)
            or not self.context.has_mcp
            or head.length > self.context.max_body
            or check_headers(head.fields) is not None
            or not accepts_json(head.fields)
        ):
            return None
        headers = read_headers(head.fields)
        # Their calls are not cached: see `McpServer`.
        return None if headers.parameters else McpResponder(self, head, headers)


class McpResponder:
    """Answers the calls with one header block."""

    __slots__ = ("_endpoint", "_fields", "_headers", "_routing")

    def __init__(
        self, endpoint: McpEndpoint, head: RequestHead, headers: McpHeaders
    ) -> None:
        self._endpoint = endpoint
        self._fields = head.fields
        self._headers = headers
        self._routing = Routing(headers.version, headers.method, headers.name)

    def respond(self, body: bytes, peer: str) -> Parts | None:
        """Return the response to a call; None if Tornado is to answer."""
        began = time.perf_counter()
        context = self._endpoint.context
        sender = identify(context, self._fields, peer, is_open=False)
        if sender is None:
            return None
        address = sender.address
        received = self._receive(body, sender)
        if received is None:
            return None
        may_compute = partial(context.limits.allows_call, address)
        try:
            ready = context.server.answer_now(received.prepared, may_compute)
        except Exception:
            # The handler repeats the failure and reports it.
            return None
        if ready is None or not context.limits.try_call(address):
            return None
        before, after = jsonrpc.frame_result(received.id)
        size = len(before) + len(ready.result) + len(after)
        request_id = choose_request_id(context, self._fields, peer)
        head = _HEAD.write(request_id, size)
        report = self._endpoint.reports.find(received, ready, sender)
        seconds = time.perf_counter() - began
        report.series.record(seconds)
        if context.access_log.should_record(None):
            context.access_log.record_repeated(
                request_id, seconds, report.fields, size=size, found=ready.total
            )
        if context.spans is not None:
            self._record_spans(context.spans, received, address, seconds)
        return head + before, ready.result, after

    def _record_spans(
        self,
        spans: "RequestSpans",
        received: ReceivedCall,
        address: str,
        seconds: float,
    ) -> None:
        call = received.prepared.call
        if received.is_known:
            call = msgspec.structs.replace(call, id=msgspec.json.decode(received.id))
        request = spans.describe_request(
            route="mcp",
            verb="POST",
            path=ENDPOINT,
            status=200,
            address=address,
            headers=self._fields,
            seconds=seconds,
        )
        session = self._headers.session
        operations = spans.describe_operations(
            call, _ANSWERED, seconds, session=session, address=address
        )
        spans.recorder.record_request(request, operations)

    def _receive(self, body: bytes, sender: Sender) -> ReceivedCall | None:
        """Return the call of a message, and its id; None if Tornado is to answer."""
        server, routing = self._endpoint.context.server, self._routing
        headers = self._headers
        if headers.session is not None:
            principal = sender.principal
            owner = None if principal is None else principal.session_owner
            key = rate_limit_key(sender.address)
            headers = msgspec.structs.replace(
                headers,
                principal=owner,
                address=key,
                sources=None if principal is None else principal.sources,
            )
            session = server.find_session(headers)
            if session is None or not session.is_initialized:
                return None
            routing = routing._replace(
                negotiated=session.version, client_name=session.client_name
            )

        def parse(text: bytes) -> Call | None:
            try:
                message = server.receive(text, headers)
            except Exception:
                # The handler repeats this failure too.
                return None
            return message if isinstance(message, Call) else None

        return self._endpoint.calls.read(body, routing, parse)
