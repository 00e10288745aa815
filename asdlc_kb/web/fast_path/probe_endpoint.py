"""Probes of a process that is alive and ready; other answers are left to Tornado."""

import time
from typing import Final

from tornado.escape import json_encode

from asdlc_kb.web.connections.direct_stream import Parts
from asdlc_kb.web.fast_path.plain_get import PlainGet
from asdlc_kb.web.fast_path.request_head import RequestHead
from asdlc_kb.web.fast_path.response_head import ResponseHead
from asdlc_kb.web.handler_context import HandlerContext
from asdlc_kb.web.monitoring.health import (
    HEALTH,
    READY,
    describe_health,
    describe_ready,
    limits_counts,
)

_HEAD: Final = ResponseHead({"Content-Type": "application/json; charset=UTF-8"})


def accept_probe(
    context: HandlerContext, head: RequestHead
) -> "_ProbeResponder | None":
    """Return what answers requests with this head; None if Tornado does."""
    if head.method not in ("GET", "HEAD") or head.target not in (HEALTH, READY):
        return None
    if head.target == HEALTH and limits_counts(context):
        return None
    return _ProbeResponder(context, head)


class _ProbeResponder:
    """Answers probes with one header block."""

    __slots__ = ("_get", "_is_for_health")

    def __init__(self, context: HandlerContext, head: RequestHead) -> None:
        self._is_for_health = head.target == HEALTH
        self._get = PlainGet(context, head, head.target.removeprefix("/"))

    def respond(self, body: bytes, peer: str) -> Parts | None:
        """Return the state of the process; None if Tornado is to answer."""
        began, get = time.perf_counter(), self._get
        context, sender = get.context, get.identify(peer, is_open=True)
        if sender is None or not (self._is_for_health or context.is_ready):
            return None
        describe = describe_health if self._is_for_health else describe_ready
        text = json_encode(describe(context)).encode()
        request_id = get.choose_id(peer)
        written = _HEAD.write(request_id, len(text))
        get.record(sender, 200, request_id, began)
        return (written, text) if get.has_body else (written,)
