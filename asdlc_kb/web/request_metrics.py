"""What the HTTP door counts of a request, where its line in the log is written.

Labels are few whatever clients send: names that this server does not know are `other`.
"""

from typing import Final, TypeAlias

from asdlc_kb.mcp.dispatch.response import Response
from asdlc_kb.mcp.protocol.errors import InternalError
from asdlc_kb.mcp.protocol.inbound import (
    Batch,
    Call,
    Ignored,
    Inbound,
    InboundNotification,
)
from asdlc_kb.mcp.protocol.versions import ERAS
from asdlc_kb.mcp.server import OTHER, McpServer
from asdlc_kb.ops.metrics.counters import LabelIndex, MetricKey, metrics

VERBS: Final = frozenset(
    {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"}
)

_POST: Final = ("http", "mcp", "POST", "200")

_Kind: TypeAlias = tuple[str, str, str | None]
_kinds: Final[dict[_Kind, LabelIndex]] = {}
"""Where calls that are remembered are counted, by version, method and tool."""


def count_request(route: str, verb: str, status: int, seconds: float | None) -> None:
    """Count a request; one that goes on as a stream has no duration."""
    known = verb if verb in VERBS else OTHER
    _observe(("http", route, known, str(status)), seconds)


def count_cached(call: Call, reply: Response, seconds: float) -> None:
    """Count a call that was answered from memory; it is of the names that we know.

    Most calls are, so that it is found in one look where they are counted.
    """
    kind = (call.version, call.method, call.tool)
    places = _kinds.get(kind)
    if places is None:
        places = _kinds[kind] = _find_places(*kind)
    metrics.observe_at(places, seconds)
    if reply.found is not None:
        _count_search(call, reply.found)


def _find_places(version: str, method: str, tool: str | None) -> LabelIndex:
    key = ("call", method, tool or "", ERAS[version], version, "ok", "yes")
    return metrics.find(key), metrics.find(_POST)


def count_call(
    server: McpServer,
    message: Inbound | Batch | None,
    reply: Response | None,
    *,
    is_remembered: bool,
    seconds: float | None,
) -> None:
    """Count a message that was answered, or whose answer nobody waits for.

    There is no reply where something failed that nobody foresaw.
    """
    if isinstance(message, (InboundNotification, Ignored)):
        return
    method, tool = server.name(message)
    version = message.version if isinstance(message, Call) else ""
    era = ERAS.get(version, "")
    remembered = "yes" if is_remembered else "no"
    outcome = "failure" if reply is None else _judge(reply)
    _observe(("call", method, tool, era, version, outcome, remembered), seconds)
    if isinstance(message, Call) and reply is not None and reply.found is not None:
        _count_search(message, reply.found)


def count_search(source: str, found: int) -> None:
    """Count a search, by the tool or the page that it was asked of."""
    metrics.count(("search", source, "yes" if found else "no"))


def _count_search(call: Call, found: int) -> None:
    """Count a call that was one for something; other calls only list."""
    if call.query is not None:
        count_search(call.params["name"], found)


def _judge(reply: Response) -> str:
    """Return how a call ended."""
    if reply.is_cancelled:
        return "cancelled"
    if reply.error == InternalError.CODE:
        return "failure"
    if reply.error is not None:
        return "error"
    return "tool_error" if reply.has_failed else "ok"


def _observe(key: MetricKey, seconds: float | None) -> None:
    if seconds is None:
        metrics.observe_open(key)
    else:
        metrics.observe(key, seconds)
