"""Metrics and log lines of requests on the fast path."""

import time
from collections import Counter
from typing import Any

import pytest
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.peers import open_app

from asdlc_kb.app import Runtime, open_context
from asdlc_kb.ops.auth.bearer_tokens import format_line
from asdlc_kb.ops.metrics.counters import MICROS, decode_key
from asdlc_kb.ops.metrics.definitions import REQUESTS
from asdlc_kb.web.fast_path.plain_get import PlainGet
from asdlc_kb.web.fast_path.request_head import RequestHead
from asdlc_kb.web.handler_context import HandlerContext

PROXY = "192.0.2.1"
TOKEN = "akb_s3cret-of-ci"


@pytest.fixture
def closed(knowledge: KnowledgeBase) -> Runtime:
    """An application behind a proxy that requires a token."""
    file = knowledge.root.parent / "tokens"
    file.write_text(format_line("ci", TOKEN))
    options: Any = {"auth_tokens_file": str(file), "trusted_proxy": (PROXY,)}
    return open_app(knowledge, **options)


@pytest.fixture
def context(closed: Runtime) -> HandlerContext:
    """The context of its handlers."""
    return open_context(closed)


def make_get(context: HandlerContext, **fields: str) -> PlainGet:
    """Return the requests with some headers."""
    named = {name.replace("_", "-"): value for name, value in fields.items()}
    return PlainGet(context, RequestHead("GET", "/a", named, 0), "page")


def test_each_request_is_counted_and_logged_as_what_it_is(
    closed: Runtime, context: HandlerContext
) -> None:
    """Although clients and statuses take turns."""
    get = make_get(context, Authorization=f"Bearer {TOKEN}")
    first, second = "192.0.2.7", "192.0.2.8"
    turns = [(first, 200), (first, 200), (second, 200), (second, 304), (first, 200)]
    with captured() as lines:
        for number, (peer, status) in enumerate(turns):
            sender = get.identify(peer)
            assert sender is not None
            get.record(sender, status, f"request-{number}", time.perf_counter())
    rows = lines.rows
    assert [row["request_id"] for row in rows] == [f"request-{n}" for n in range(5)]
    assert [(row["address"], row["status"]) for row in rows] == turns
    assert {row["principal"] for row in rows} == {"token:ci"}
    counted: Counter[str] = Counter()
    for name, number in closed.telemetry.metrics.read().items():
        family, *labels, bucket = decode_key(name)
        if family == REQUESTS.name and int(bucket) != MICROS:
            counted[" ".join(labels)] += number
    assert counted == {"page GET 200": 4, "page GET 304": 1}
