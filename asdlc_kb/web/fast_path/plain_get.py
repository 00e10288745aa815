"""Metrics and log lines of GET and HEAD requests on the fast path."""

import time

from asdlc_kb.ops.logs.access_lines import RepeatedFields
from asdlc_kb.ops.metrics.counters import RequestSeries
from asdlc_kb.web.fast_path.request_head import RequestHead
from asdlc_kb.web.fast_path.sender import Sender, choose_request_id, identify
from asdlc_kb.web.handler import http_fields
from asdlc_kb.web.handler_context import HandlerContext


class PlainGet:
    """The requests with one header block."""

    __slots__ = ("_recorded", "_route", "_same", "_series", "context", "head")

    def __init__(self, context: HandlerContext, head: RequestHead, route: str) -> None:
        """Count the requests with a route label of the metrics."""
        self.context = context
        self.head = head
        self._route = route
        self._recorded: tuple[int, Sender, str] | None = None
        """Status, sender and document of the latest request: most repeat them."""
        self._series: RequestSeries | None = None
        self._same: RepeatedFields | None = None

    @property
    def has_body(self) -> bool:
        """Whether a response with status 200 has a body."""
        return self.head.method == "GET"

    def identify(self, peer: str, *, is_open: bool = False) -> Sender | None:
        """Return the sender; None if Tornado is to reject it."""
        return identify(self.context, self.head.fields, peer, is_open=is_open)

    def choose_id(self, peer: str) -> str:
        """Return the request id of a trusted proxy, or a generated one."""
        return choose_request_id(self.context, self.head.fields, peer)

    def record(
        self,
        sender: Sender,
        status: int,
        request_id: str,
        began: float,
        document: str = "",
    ) -> None:
        """Count and log a request that began at a time of `perf_counter`.

        `document` is the URI of the article or page that was sent.
        """
        if self._recorded != (status, sender, document):
            self._resolve(sender, status, document)
        assert self._series is not None
        assert self._same is not None
        seconds = time.perf_counter() - began
        self._series.record(seconds)
        access_log = self.context.access_log
        if access_log.should_record(None):
            access_log.record_repeated(request_id, seconds, self._same)
        if (spans := self.context.spans) is not None:
            head = self.head
            request = spans.describe_request(
                route=self._route,
                verb=head.method,
                path=head.target,
                status=status,
                address=sender.address,
                headers=head.fields,
                seconds=seconds,
            )
            spans.recorder.record_request(request)

    def _resolve(self, sender: Sender, status: int, document: str) -> None:
        """Resolve what requests with this status have in common."""
        head = self.head
        fields = http_fields(
            verb=head.method,
            path=head.target,
            status=status,
            address=sender.address,
            principal=sender.principal,
            trace=sender.trace,
            document=document or None,
        )
        requests = self.context.requests
        self._series = requests.find_request(self._route, head.method, status)
        self._same = RepeatedFields("http", fields)
        self._recorded = status, sender, document
